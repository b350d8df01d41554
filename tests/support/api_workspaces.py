"""Workspaces for API tests: in this process, behind Patchbay's server, and behind a recorded server.

`ServerControl` changes the server directly, for changes that the API has no operation for.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from uuid import uuid4

from tests.support.contract_workspaces import ContractWorkspace, local_workspace, remote_workspace
from tests.support.recorded_client import recorded
from tests.support.recorded_service import Habits
from tests.support.recorded_state import HOST, RecordedState, Row, one
from tests.support.workspace import CATCH, PASS, WorkspaceRuntime

from patchbay.domain.backend import Backend
from patchbay.domain.base import ExecutionId, FlowId, FolderId, UserId
from patchbay.domain.flows import StepChange

if TYPE_CHECKING:
    from patchbay.storage.postgresql.address import PostgresAddress

APPS = (("desk", "Desk"), ("forge", "Forge"), ("mcp", "MCP"), ("tools", "Tools"))


class ServerControl(Protocol):
    """Changes that happen on the server without this client."""

    async def ready_flow(self, name: str) -> FlowId:
        """A draft with all its steps complete."""
        ...

    async def ran(self, flow_id: FlowId, *, well: bool) -> ExecutionId:
        """A run of a published flow that has ended."""
        ...

    async def moved(self, flow_id: FlowId, folder_id: FolderId) -> None: ...
    async def renamed(self, flow_id: FlowId, name: str) -> None: ...
    async def joined(self, full_name: str, email: str) -> UserId: ...


@dataclass
class ApiWorkspace:
    """A workspace as an API client sees it."""

    backend: Backend
    server: ServerControl


class LocalServerControl:
    """Changes a Patchbay server through its own backend."""

    def __init__(self, runtime: WorkspaceRuntime) -> None:
        self._runtime, self._backend = runtime, runtime.backend

    async def ready_flow(self, name: str) -> FlowId:
        flow = await self._runtime.skipped(await self._runtime.flow(CATCH, PASS, name=name))
        return flow.id

    async def ran(self, flow_id: FlowId, *, well: bool) -> ExecutionId:
        text = StepChange(parameters={"text": "fine" if well else "crash"})
        step = (await self._backend.get_flow(flow_id)).steps[1]
        await self._backend.update_step(step.id, text)
        await self._backend.skip_step_test(step.id)
        await self._backend.publish_flow(flow_id)
        run = await self._backend.run_flow(flow_id, {"number": 1})
        while not (await self._backend.get_execution(run)).state.finished:  # noqa: ASYNC110
            await asyncio.sleep(0)
        return run

    async def moved(self, flow_id: FlowId, folder_id: FolderId) -> None:
        await self._backend.move_flow(flow_id, folder_id)

    async def renamed(self, flow_id: FlowId, name: str) -> None:
        await self._backend.update_flow(flow_id, name=name)

    async def joined(self, full_name: str, email: str) -> UserId:
        return (await self._backend.create_user(full_name, email)).id


class RecordedServerControl:
    """Changes the rows of a recorded server."""

    def __init__(self, state: RecordedState, seen: Callable[[], None]) -> None:
        self._state, self._seen = state, seen
        """Called after a change that clients only notice later."""

    async def ready_flow(self, name: str) -> FlowId:
        flow = self._state.new_flow({"userId": self._state.users[0]["id"]})
        flow["name"] = name
        for step, key in zip(flow["steps"], ("catch", "pass"), strict=True):
            step |= {"appKey": "tools", "key": key, "status": "completed"}
            step["parameters"] = {"text": "hello"} if key == "pass" else {}
        flow["steps"][0]["webhookUrl"] = f"{HOST}/webhooks/flows/{flow['id']}"
        return FlowId(flow["id"])

    async def ran(self, flow_id: FlowId, *, well: bool) -> ExecutionId:
        flow, now = one(self._state.flows, flow_id), self._state.tick()
        flow["active"], flow["updatedAt"] = True, now
        run: Row = {
            "id": str(uuid4()),
            "testRun": False,
            "status": "success" if well else "failure",
            "flowId": flow_id,
            "createdAt": now,
            "updatedAt": now + 5,
        }
        self._state.executions.append(run)
        return ExecutionId(run["id"])

    async def moved(self, flow_id: FlowId, folder_id: FolderId) -> None:
        one(self._state.flows, flow_id)["folderId"] = folder_id
        self._seen()

    async def renamed(self, flow_id: FlowId, name: str) -> None:
        one(self._state.flows, flow_id).update(name=name, updatedAt=self._state.tick())

    async def joined(self, full_name: str, email: str) -> UserId:
        first = self._state.users[0]
        now = self._state.tick()
        made = first | {"id": str(uuid4()), "fullName": full_name, "email": email, "createdAt": now}
        self._state.users.append(made)
        self._state.taken.add(email)
        return UserId(str(made["id"]))


@asynccontextmanager
async def in_this_process(folder: Path) -> AsyncIterator[ApiWorkspace]:
    async with local_workspace(folder) as workspace:
        yield _api_workspace(workspace)


@asynccontextmanager
async def behind_patchbay_server(
    folder: Path, database: "PostgresAddress | None" = None
) -> AsyncIterator[ApiWorkspace]:
    async with remote_workspace(folder, database) as workspace:
        yield _api_workspace(workspace)


@asynccontextmanager
async def behind_recorded_server(habits: Habits) -> AsyncIterator[ApiWorkspace]:
    """A recorded server with only its owner, and with the same apps as the local workspace."""
    async with recorded(habits) as pair:
        state = pair.service.state
        state.empty()
        state.users[0] |= {"fullName": "Owner", "email": "owner@localhost"}
        state.apps = [state.apps[0] | {"key": key, "name": name} for key, name in APPS]
        yield ApiWorkspace(
            pair.backend, RecordedServerControl(state, pair.backend._flow_ownership.invalidate)
        )


def _api_workspace(workspace: ContractWorkspace) -> ApiWorkspace:
    return ApiWorkspace(workspace.backend, LocalServerControl(workspace.runtime))
