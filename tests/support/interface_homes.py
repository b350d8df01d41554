"""The homes of the contract of the interface: in this process, behind our server, behind a recorded service.

`Behind` does what the interface has no operation for, in whatever way each home has.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from uuid import uuid4

from tests.support.homes import Home, local_home, remote_home
from tests.support.recorded_client import recorded
from tests.support.recorded_service import Habits
from tests.support.recorded_state import HOST, RecordedState, Row, one
from tests.support.workspace import CATCH, PASS, WorkspaceRuntime

from patchbay.domain.backend import Backend
from patchbay.domain.base import ExecutionId, FlowId, FolderId, UserId
from patchbay.domain.flows import StepChange

APPS = (("desk", "Desk"), ("forge", "Forge"), ("tools", "Tools"))


class Behind(Protocol):
    """What people and third parties do to a service while a client looks on."""

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
class InterfaceHome:
    """A workspace as a client of the interface meets it."""

    backend: Backend
    behind: Behind


class BehindOurs:
    """By the backend of the workspace itself."""

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


class BehindRecorded:
    """By changing the rows."""

    def __init__(self, state: RecordedState, seen: Callable[[], None]) -> None:
        self._state, self._seen = state, seen
        """What a client does when it finds out, a while later, that somebody changed something."""

    async def ready_flow(self, name: str) -> FlowId:
        flow = self._state.new_flow({"userId": self._state.users[0]["id"]})
        flow["name"] = name
        for step, key in zip(flow["steps"], ("catch", "pass"), strict=True):
            step |= {"appKey": "tools", "key": key, "status": "completed"}
            step["parameters"] = {"text": "hello"} if key == "pass" else {}
        flow["steps"][0]["webhookUrl"] = f"{HOST}/webhooks/flows/{flow['id']}"
        return str(flow["id"])

    async def ran(self, flow_id: FlowId, *, well: bool) -> ExecutionId:
        flow, now = one(self._state.flows, flow_id), self._state.tick()
        flow["active"], flow["updatedAt"] = True, now
        run: Row = {
            "id": str(uuid4()), "testRun": False, "status": "success" if well else "failure",
            "flowId": flow_id, "createdAt": now, "updatedAt": now + 5,
        }  # fmt: skip
        self._state.executions.append(run)
        return str(run["id"])

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
        return str(made["id"])


@asynccontextmanager
async def in_this_process(folder: Path) -> AsyncIterator[InterfaceHome]:
    async with local_home(folder) as home:
        yield _ours(home)


@asynccontextmanager
async def behind_our_server(folder: Path) -> AsyncIterator[InterfaceHome]:
    async with remote_home(folder) as home:
        yield _ours(home)


@asynccontextmanager
async def behind_another(habits: Habits) -> AsyncIterator[InterfaceHome]:
    """A recorded service with nobody in it but its owner, and with the apps of our homes."""
    async with recorded(habits) as pair:
        state = pair.service.state
        state.empty()
        state.users[0] |= {"fullName": "Owner", "email": "owner@localhost"}
        state.apps = [state.apps[0] | {"key": key, "name": name} for key, name in APPS]
        yield InterfaceHome(pair.backend, BehindRecorded(state, pair.backend._flow_ownership.invalidate))


def _ours(home: Home) -> InterfaceHome:
    return InterfaceHome(home.backend, BehindOurs(home.runtime))
