"""Two windows of one server receive each other's changes without polling."""

import asyncio
from contextlib import asynccontextmanager
from typing import Any

from tests.support.contract_workspaces import local_workspace, served
from tests.support.operation_recorder import OperationRecorder
from tests.support.patience import PATIENCE
from tests.support.stories.flows import ready_flow

from patchbay.client.remote import RemoteBackend
from patchbay.domain.changes import ResourceType
from patchbay.domain.executions import ExecutionFilter, ExecutionState
from patchbay.domain.flows import FlowFilter
from patchbay.domain.paging import PageRequest

WITHIN = 1.0
"""Maximum delay of a change, in seconds."""


class Window:
    """A remote backend and the changes it has received."""

    def __init__(self, backend):
        self.backend = backend
        self.received: asyncio.Queue[Any] = asyncio.Queue()
        self._following = asyncio.create_task(self._follow())

    async def _follow(self):
        async for change in self.backend.changes():
            self.received.put_nowait(change)

    async def receives(self, noun, subject_id):
        """Wait for a change of this resource; fails if none arrives in time."""
        async with asyncio.timeout(WITHIN):
            while True:
                change = await self.received.get()
                if change.noun is noun and subject_id in change.ids:
                    return change

    async def connected(self, other):
        """Wait until changes by `other` are received."""
        async with asyncio.timeout(PATIENCE):
            while self.received.empty():
                await other.backend.create_folder("Knock")
                with_a_pause = asyncio.create_task(self.received.get())
                done, _ = await asyncio.wait((with_a_pause,), timeout=0.1)
                if done:
                    return
                with_a_pause.cancel()

    async def close(self):
        self._following.cancel()
        await asyncio.gather(self._following, return_exceptions=True)
        await self.backend.close()


@asynccontextmanager
async def two_windows(folder):
    async with local_workspace(folder) as local, served(local.runtime) as service:
        windows = [Window(RemoteBackend(service.base_url, service.key)) for _ in range(2)]
        try:
            await windows[0].connected(windows[1])
            await windows[1].connected(windows[0])
            yield local, *windows
        finally:
            for window in windows:
                await window.close()


async def test_each_hears_within_a_second_what_the_other_did_and_reads_it(tmp_path):
    async with two_windows(tmp_path) as (_, one, other):
        for here, there in ((one, other), (other, one)):
            flow = await here.backend.create_flow()
            await there.receives(ResourceType.FLOW, flow.id)
            await here.backend.update_flow(flow.id, name="Renamed elsewhere")
            await there.receives(ResourceType.FLOW, flow.id)

            found = await there.backend.list_flows(FlowFilter(name="renamed"), PageRequest())
            assert flow.id in [each.id for each in found.items]

            await here.backend.delete_flow(flow.id)
            assert (await there.receives(ResourceType.FLOW, flow.id)).noun is ResourceType.FLOW


async def test_a_run_that_one_started_is_seen_to_its_end_by_the_other(tmp_path):
    async with two_windows(tmp_path) as (workspace, one, other):
        flow = await ready_flow(OperationRecorder(workspace), "Orders")
        await one.backend.publish_flow(flow.id)
        await other.receives(ResourceType.FLOW, flow.id)

        execution_id = await one.backend.run_flow(flow.id, {"order": "fine"})

        state = ExecutionState.QUEUED
        while not state.finished:
            await other.receives(ResourceType.EXECUTION, execution_id)
            state = (await other.backend.get_execution(execution_id)).state
        listed = await other.backend.list_executions(ExecutionFilter(), PageRequest())
        assert [(run.id, run.state.finished) for run in listed.items] == [(execution_id, True)]
