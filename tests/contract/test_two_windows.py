"""Two windows on one service see what the other changes, without asking."""

import asyncio
from contextlib import asynccontextmanager

from tests.support.homes import local_home, served
from tests.support.patience import PATIENCE
from tests.support.stories.flows import ready_flow
from tests.support.teller import Teller

from patchbay.client.remote import RemoteBackend
from patchbay.domain.changes import ResourceType
from patchbay.domain.executions import ExecutionFilter, ExecutionState
from patchbay.domain.flows import FlowFilter
from patchbay.domain.paging import PageRequest

WITHIN = 1.0
"""Seconds in which a change must have arrived."""


class Window:
    """A remote backend and the changes it heard of."""

    def __init__(self, backend):
        self.backend = backend
        self.heard = asyncio.Queue()
        self._following = asyncio.create_task(self._follow())

    async def _follow(self):
        async for change in self.backend.changes():
            self.heard.put_nowait(change)

    async def hears(self, noun, subject_id):
        """Waits for a change of this thing; fails when none comes in time."""
        async with asyncio.timeout(WITHIN):
            while True:
                change = await self.heard.get()
                if change.noun is noun and subject_id in change.ids:
                    return change

    async def connected(self, other):
        """Waits until what `other` changes is heard here."""
        async with asyncio.timeout(PATIENCE):
            while self.heard.empty():
                await other.backend.create_folder("Knock")
                with_a_pause = asyncio.create_task(self.heard.get())
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
    async with local_home(folder) as local, served(local.runtime) as service:
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
            await there.hears(ResourceType.FLOW, flow.id)
            await here.backend.update_flow(flow.id, name="Renamed elsewhere")
            await there.hears(ResourceType.FLOW, flow.id)

            found = await there.backend.list_flows(FlowFilter(name="renamed"), PageRequest())
            assert flow.id in [each.id for each in found.items]

            await here.backend.delete_flow(flow.id)
            assert (await there.hears(ResourceType.FLOW, flow.id)).noun is ResourceType.FLOW


async def test_a_run_that_one_started_is_seen_to_its_end_by_the_other(tmp_path):
    async with two_windows(tmp_path) as (home, one, other):
        flow = await ready_flow(Teller(home), "Orders")
        await one.backend.publish_flow(flow.id)
        await other.hears(ResourceType.FLOW, flow.id)

        execution_id = await one.backend.run_flow(flow.id, {"order": "fine"})

        state = ExecutionState.QUEUED
        while not state.finished:
            await other.hears(ResourceType.EXECUTION, execution_id)
            state = (await other.backend.get_execution(execution_id)).state
        listed = await other.backend.list_executions(ExecutionFilter(), PageRequest())
        assert [(run.id, run.state.finished) for run in listed.items] == [(execution_id, True)]
