"""The data of `FakeBackend`, and how its parts read, change and announce it."""

import asyncio
import itertools
from concurrent.futures import Future
from functools import cache
from typing import Any, TypeVar

from tests.support.fake_queries import found
from tests.support.fake_workspace import NOW, apps, connections, execution, flows

from patchbay.domain.backend import Capabilities
from patchbay.domain.base import (
    ConnectionId,
    FlowId,
    FolderId,
    IdType,
    JsonObject,
    StepId,
    TemplateId,
    UserId,
)
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.connections import Connection, DeviceCode, SecretsState, SignIn
from patchbay.domain.errors import AppError, NotFound
from patchbay.domain.executions import Execution
from patchbay.domain.flows import Flow, FlowExport, Step, StepExport
from patchbay.domain.folders import Folder, Template

Row = TypeVar("Row", Flow, Folder, Connection)


class Hold:
    """Calls of one operation that wait until `release`, which any thread may call; the first `after` don't."""

    def __init__(self, after: int) -> None:
        self._free = after
        self._released: Future[None] = Future()

    def release(self) -> None:
        self._released.set_result(None)

    async def pass_through(self) -> None:
        if self._free:
            self._free -= 1
        else:
            await asyncio.shield(asyncio.wrap_future(self._released))


@cache
def _history(count: int) -> tuple[Execution, ...]:
    """Executions of the flows, which are the same in every test."""
    made = list(flows())
    return tuple(execution(number, made) for number in range(count))


class FakeState:
    """Base of the parts of `FakeBackend`. `executions` are sorted newest first."""

    def __init__(self, executions: int) -> None:
        self.capabilities = Capabilities()
        self.failing: dict[str, AppError] = {}
        self.calls: list[tuple[str, tuple[Any, ...]]] = []
        self.delay = 0.0
        self._holds: dict[str, Hold] = {}
        self.unreachable: dict[str, str] = {}
        """Why the connections of an app can't be reached, by app."""
        self.sign_ins: dict[str, tuple[SignIn, JsonObject, ConnectionId | None, asyncio.Future[str]]] = {}
        self.device: DeviceCode | None = None
        """Set this to have sign-ins use the device flow."""
        self.other_account = ""
        """Set this to have reconnecting find another account."""
        self._ids = itertools.count(1)
        self._listeners: list[asyncio.Queue[Change | None]] = []
        self.apps = apps()
        self.folders = {
            FolderId(key): Folder(
                id=FolderId(key), name=name, user_id=UserId("user-1"), created_at=NOW - 90 * 86_400_000
            )
            for key, name in (
                ("folder-cus", "Customers"),
                ("folder-eng", "Engineering"),
                ("folder-ops", "Operations"),
            )
        }
        self.connections = {item.id: item for item in connections()}
        self.flows = {flow.id: flow for flow in flows()}
        self.executions = list(_history(executions))
        self.templates = {
            "tpl-1": Template(
                id=TemplateId("tpl-1"),
                name="Feed to chat",
                description="New articles as messages.",
                category="Messages",
                flow_data=self._export(self.flows[FlowId("flow-inventory")]).wire(),
                created_at=NOW,
            ),
        }
        self.secrets = SecretsState(
            name="system keyring", kept="Encrypted; the key is in the system keyring.", stored=6
        )
        self.deleted: dict[str, Any] = {}

    async def _enter(self, name: str, *arguments: Any) -> None:
        self.calls.append((name, arguments))
        if (hold := self._holds.get(name)) is not None:
            await hold.pass_through()
        await asyncio.sleep(self.delay)
        if error := self.failing.get(name):
            raise error

    def hold(self, name: str, *, after: int = 0) -> Hold:
        """Hold the calls of an operation until the result is released; the first `after` calls pass."""
        self._holds[name] = Hold(after)
        return self._holds[name]

    def count(self, name: str) -> int:
        """How often an operation was called."""
        return [called for called, _ in self.calls].count(name)

    def announce(self, noun: ResourceType, *ids: str, action: Any = "updated") -> Change:
        change = Change(noun=noun, ids=ids, action=action)
        for queue in self._listeners:
            queue.put_nowait(change)
        return change

    def _new_id(self, kind: str) -> str:
        return f"{kind}-new-{next(self._ids)}"

    def _add_flow(self, name: str, steps: tuple[Step, ...], folder_id: FolderId | None) -> Flow:
        made = Flow(
            id=FlowId(self._new_id("flow")),
            name=name,
            user_id=UserId("user-1"),
            folder_id=folder_id,
            steps=steps,
            created_at=NOW,
            updated_at=NOW,
        )
        self.flows[made.id] = made
        self.announce(ResourceType.FLOW, made.id, action="created")
        return made

    def _put(self, where: dict[Any, Row], noun: ResourceType, stored: Row, **update: Any) -> Row:
        where[stored.id] = changed = stored.model_copy(update=update)
        self.announce(noun, stored.id)
        return changed

    def _edit(self, flow_id: FlowId, **update: Any) -> Flow:
        made: Flow = self._put(self.flows, ResourceType.FLOW, found(self.flows, flow_id, "flow"), **update)
        return made

    def _step(self, step_id: StepId) -> tuple[Flow, Step]:
        for flow in self.flows.values():
            if step := flow.step(step_id):
                return flow, step
        raise NotFound("This step is gone.")

    def _edit_step(self, step_id: StepId, **update: Any) -> Flow:
        flow, step = self._step(step_id)
        made = step.model_copy(update=update)
        steps = tuple(made if item.id == step_id else item for item in flow.steps)
        return self._edit(flow.id, steps=steps, has_unpublished_edits=flow.active)

    def _delete(self, where: dict[IdType, Any], noun: ResourceType, key: IdType) -> Change:
        self.deleted[key] = found(where, key, noun)
        del where[key]
        return self.announce(noun, key, action="deleted")

    def _restore(self, where: dict[IdType, Row], noun: ResourceType, key: IdType) -> Row:
        where[key] = self.deleted.pop(key)
        self.announce(noun, key, action="created")
        return where[key]

    @staticmethod
    def _export(flow: Flow) -> FlowExport:
        steps = tuple(StepExport.model_validate(step.model_dump()) for step in flow.steps)
        return FlowExport(id=flow.id, name=flow.name, steps=steps)
