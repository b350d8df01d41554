"""Connections over HTTP. Credentials are sent, never received."""

from patchbay.client.service_adapter import ServiceAdapter
from patchbay.client.service_client import build_path
from patchbay.domain.backend import Feature
from patchbay.domain.base import AppKey, ConnectionId, JsonObject
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.connections import Connection, SignIn
from patchbay.domain.engine import RateLimit

_ALL = "/v1/connections"
_ONE = "/v1/connections/{id}"
_SIGN_IN = "/v1/sign-ins/{id}"


class ConnectionCalls:
    """Connections and browser sign-ins."""

    _adapter: ServiceAdapter

    async def list_connections(self, app_key: AppKey | None = None) -> tuple[Connection, ...]:
        service = await self._adapter.require(Feature.CONNECTIONS)
        return (await service.get(_ALL, {"appKey": app_key})).many(Connection)

    async def get_connection(self, connection_id: ConnectionId) -> Connection:
        service = await self._adapter.require(Feature.CONNECTIONS)
        return (await service.get(build_path(_ONE, id=connection_id))).one(Connection)

    async def add_connection(self, app_key: AppKey, values: JsonObject) -> Connection:
        return await self._change("POST", _ALL, {"key": app_key, "formattedData": values})

    async def reconnect(
        self, connection_id: ConnectionId, values: JsonObject, *, accept_other_account: bool = False
    ) -> Connection:
        body: JsonObject = {"formattedData": values, "acceptOtherAccount": accept_other_account}
        return await self._change("POST", build_path(_ONE + "/verify", id=connection_id), body)

    async def begin_sign_in(
        self, app_key: AppKey, values: JsonObject, connection_id: ConnectionId | None = None
    ) -> SignIn:
        service = await self._adapter.require(Feature.CONNECTIONS)
        path = _ALL if connection_id is None else build_path(_ONE, id=connection_id)
        body: JsonObject = {"key": app_key, "formattedData": values}
        return (await service.send("POST", path + "/auth-url", body, long_timeout=True)).one(SignIn)

    async def finish_sign_in(self, sign_in_id: str, *, accept_other_account: bool = False) -> Connection:
        """Long polling: the server responds after a while, done or not; then the request is repeated."""
        service = await self._adapter.require(Feature.CONNECTIONS)
        body: JsonObject = {"acceptOtherAccount": accept_other_account}
        while True:
            response = await service.send(
                "POST", build_path(_SIGN_IN + "/finish", id=sign_in_id), body, long_timeout=True
            )
            if response.data is not None:
                return response.one(Connection)

    async def submit_callback(self, sign_in_id: str, address: str) -> None:
        service = await self._adapter.require(Feature.CONNECTIONS)
        await service.send("POST", build_path(_SIGN_IN + "/callback", id=sign_in_id), {"address": address})

    async def cancel_sign_in(self, sign_in_id: str) -> None:
        service = await self._adapter.require(Feature.CONNECTIONS)
        await service.send("DELETE", build_path(_SIGN_IN, id=sign_in_id))

    async def duplicate_connection(self, connection_id: ConnectionId, screen_name: str) -> Connection:
        return await self._change(
            "POST", build_path(_ONE + "/duplicate", id=connection_id), {"screenName": screen_name}
        )

    async def test_connection(self, connection_id: ConnectionId) -> Connection:
        return await self._change("POST", build_path(_ONE + "/test", id=connection_id))

    async def rename_connection(self, connection_id: ConnectionId, screen_name: str) -> Connection:
        return await self._change("PATCH", build_path(_ONE, id=connection_id), {"screenName": screen_name})

    async def set_connection_rate_limit(
        self, connection_id: ConnectionId, limit: RateLimit | None
    ) -> Connection:
        body: JsonObject = {"rateLimit": limit.wire() if limit else None}
        return await self._change("PATCH", build_path(_ONE + "/rate-limit", id=connection_id), body)

    async def delete_connection(self, connection_id: ConnectionId) -> Change:
        service = await self._adapter.require(Feature.CONNECTIONS)
        await service.send("DELETE", build_path(_ONE, id=connection_id))
        return Change(noun=ResourceType.CONNECTION, ids=(connection_id,), action="deleted")

    async def restore_connection(self, connection_id: ConnectionId) -> Connection:
        return await self._change("POST", build_path(_ONE + "/restore", id=connection_id))

    async def _change(self, method: str, path: str, body: JsonObject | None = None) -> Connection:
        service = await self._adapter.require(Feature.CONNECTIONS)
        return (await service.send(method, path, body, long_timeout=True)).one(Connection)
