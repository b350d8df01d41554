"""Connections and sign-ins of the fake backend."""

import asyncio

from tests.support.fake_queries import found
from tests.support.fake_state import FakeState
from tests.support.fake_workspace import MINUTE, NOW

from patchbay.domain.base import AppKey, ConnectionId, JsonObject
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.connections import Connection, ConnectionHealth, SignIn
from patchbay.domain.engine import RateLimit
from patchbay.domain.errors import (
    AppError,
    DifferentAccount,
    NotFound,
    ThirdPartyError,
    ValidationFailed,
)


class FakeConnections(FakeState):
    """Part of `FakeBackend`: connections and sign-ins."""

    async def list_connections(self, app_key: AppKey | None = None) -> tuple[Connection, ...]:
        await self._enter("list_connections", app_key)
        return tuple(item for item in self.connections.values() if app_key in (None, item.app_key))

    async def get_connection(self, connection_id: ConnectionId) -> Connection:
        await self._enter("get_connection", connection_id)
        return found(self.connections, connection_id, "connection")

    async def add_connection(self, app_key: AppKey, values: JsonObject) -> Connection:
        await self._enter("add_connection", app_key, values)
        if values.get("apiKey") == "wrong":
            raise ThirdPartyError(
                app=self.apps[app_key].name,
                said="Invalid API key",
                status=401,
                meaning="The API key was not accepted.",
                todo="Copy the key again, then test.",
                details={"error": "Invalid API key"},
                request="GET /me",
            )
        made = Connection(
            id=ConnectionId(self._new_id("con")),
            app_key=app_key,
            screen_name=str(values.get("screenName", "")),
            verified=True,
            health=ConnectionHealth.VALID,
            tested_at=NOW,
            created_at=NOW,
            updated_at=NOW,
            formatted_data={"screenName": values.get("screenName", "")},
        )
        self.connections[made.id] = made
        self.announce(ResourceType.CONNECTION, made.id, action="created")
        return made

    async def reconnect(
        self, connection_id: ConnectionId, values: JsonObject, *, accept_other_account: bool = False
    ) -> Connection:
        await self._enter("reconnect", connection_id, values)
        if self.other_account and not accept_other_account:
            raise DifferentAccount(before=self.connections[connection_id].screen_name, now=self.other_account)
        return self._renewed(connection_id)

    def _renewed(self, connection_id: ConnectionId) -> Connection:
        kept = found(self.connections, connection_id, "connection")
        return self._put(
            self.connections,
            ResourceType.CONNECTION,
            kept,
            health=ConnectionHealth.VALID,
            verified=True,
            reason=None,
            tested_at=NOW,
        )

    async def begin_sign_in(
        self, app_key: AppKey, values: JsonObject, connection_id: ConnectionId | None = None
    ) -> SignIn:
        await self._enter("begin_sign_in", app_key, values, connection_id)
        sign_in_id = self._new_id("sign-in")
        began = SignIn(
            id=sign_in_id,
            app_key=app_key,
            url=f"https://{app_key}.example/authorize?state={sign_in_id}",
            redirect_url="http://127.0.0.1:8787/oauth/callback",
            expires_at=NOW + 10 * MINUTE,
            device=self.device,
        )
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.sign_ins[sign_in_id] = (began, values, connection_id, answer)
        return began

    def come_back(self, sign_in_id: str, screen_name: str = "Ada", *, error: AppError | None = None) -> None:
        """The person agreed in the browser, or the third party refused. Call it on the loop's thread."""
        answer = self.sign_ins[sign_in_id][3]
        if error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(screen_name)

    async def finish_sign_in(self, sign_in_id: str, *, accept_other_account: bool = False) -> Connection:
        await self._enter("finish_sign_in", sign_in_id, accept_other_account)
        began, _, connection_id, answer = found(self.sign_ins, sign_in_id, "sign-in")
        name = await asyncio.shield(answer)
        if connection_id is not None:
            if self.other_account and not accept_other_account:
                raise DifferentAccount(
                    before=self.connections[connection_id].screen_name, now=self.other_account
                )
            del self.sign_ins[sign_in_id]
            return self._renewed(connection_id)
        del self.sign_ins[sign_in_id]
        made = Connection(
            id=ConnectionId(self._new_id("con")),
            app_key=began.app_key,
            screen_name=name,
            verified=True,
            health=ConnectionHealth.VALID,
            tested_at=NOW,
            created_at=NOW,
            updated_at=NOW,
            formatted_data={"screenName": name},
        )
        self.connections[made.id] = made
        self.announce(ResourceType.CONNECTION, made.id, action="created")
        return made

    async def submit_callback(self, sign_in_id: str, address: str) -> None:
        await self._enter("submit_callback", sign_in_id, address)
        found(self.sign_ins, sign_in_id, "sign-in")
        if "state=" not in address:
            raise ValidationFailed({"address": ["Paste the whole address, with everything after the “?”."]})
        self.come_back(sign_in_id)

    async def cancel_sign_in(self, sign_in_id: str) -> None:
        await self._enter("cancel_sign_in", sign_in_id)
        began = self.sign_ins.pop(sign_in_id, None)
        if began is not None and not began[3].done():
            began[3].set_exception(NotFound("This sign-in was cancelled."))
            began[3].exception()

    async def duplicate_connection(self, connection_id: ConnectionId, screen_name: str) -> Connection:
        await self._enter("duplicate_connection", connection_id, screen_name)
        kept = found(self.connections, connection_id, "connection")
        made = kept.model_copy(
            update={"id": self._new_id("con"), "screen_name": screen_name, "flow_count": 0}
        )
        self.connections[made.id] = made
        self.announce(ResourceType.CONNECTION, made.id, action="created")
        return made

    async def test_connection(self, connection_id: ConnectionId) -> Connection:
        await self._enter("test_connection", connection_id)
        kept = found(self.connections, connection_id, "connection")
        if app_problem := self.unreachable.get(kept.app_key):
            lost = {"unreachable": app_problem, "unreachable_at": NOW}
            return self._put(self.connections, ResourceType.CONNECTION, kept, **lost)
        health = ConnectionHealth.NEEDS_ATTENTION if kept.reason else ConnectionHealth.VALID
        answered = {"health": health, "tested_at": NOW, "unreachable": None}
        return self._put(self.connections, ResourceType.CONNECTION, kept, **answered)

    async def rename_connection(self, connection_id: ConnectionId, screen_name: str) -> Connection:
        await self._enter("rename_connection", connection_id, screen_name)
        return self._put(
            self.connections,
            ResourceType.CONNECTION,
            found(self.connections, connection_id, "connection"),
            screen_name=screen_name,
        )

    async def set_connection_rate_limit(
        self, connection_id: ConnectionId, limit: RateLimit | None
    ) -> Connection:
        await self._enter("set_connection_rate_limit", connection_id, limit)
        connection = found(self.connections, connection_id, "connection")
        return self._put(self.connections, ResourceType.CONNECTION, connection, rate_limit=limit)

    async def delete_connection(self, connection_id: ConnectionId) -> Change:
        await self._enter("delete_connection", connection_id)
        return self._delete(self.connections, ResourceType.CONNECTION, connection_id)

    async def restore_connection(self, connection_id: ConnectionId) -> Connection:
        await self._enter("restore_connection", connection_id)
        return self._restore(self.connections, ResourceType.CONNECTION, connection_id)

    # Where secrets are
