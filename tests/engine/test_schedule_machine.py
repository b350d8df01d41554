"""Schedules under any mix of sleep, restarts, pauses and set clocks: no start twice, none forgotten."""

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from tests.support.engine_runtime import FLOW_1, EngineRuntime, Shelf
from tests.support.toy_apps import flow

from patchbay.domain.executions import ExecutionState
from patchbay.domain.flows import FlowSettings, MissedStartPolicy
from patchbay.engine.cron import next_time, times_between

MINUTE = 60_000
HOUR = 3_600_000
DAY = 86_400_000
LINES = ("0 * * * *", "*/25 * * * 1-5", "0 2 * * *", "30 1 * * *")
PLACES = (
    ("Europe/Berlin", 1_774_731_600_000),
    ("Europe/Berlin", 1_792_875_600_000),
    ("Australia/Lord_Howe", 1_775_300_400_000),
    ("Australia/Lord_Howe", 1_791_041_400_000),
    ("Asia/Kathmandu", 1_790_000_000_000),
    ("Pacific/Apia", 1_325_200_000_000),
)
"""Zones and moments, most of them a few hours before clocks are changed."""
SPANS = st.integers(1, 40).map(lambda number: number * 37 * MINUTE + 11_000)


class Clockwork(RuleBasedStateMachine):
    """One flow with a schedule. After every rule the newest start that was due is there, and none twice."""

    policies = tuple(MissedStartPolicy)

    @initialize(line=st.sampled_from(LINES), place=st.sampled_from(PLACES), data=st.data())
    def move_in(self, line: str, place: tuple[str, int], data: st.DataObject) -> None:
        self.line, (zone, self.began) = line, place
        self.tz = ZoneInfo(zone)
        self.passed: set[int] = set()
        self.newest: set[int] = set()
        self.seconds = 0.0
        self.runner = asyncio.Runner()
        self.folder = TemporaryDirectory()
        self.run(self._open(FlowSettings(time_zone=zone, missed=data.draw(st.sampled_from(self.policies)))))

    async def _open(self, chosen: FlowSettings) -> None:
        self.shelf = await Shelf.open(Path(self.folder.name) / "clockwork.db")
        self.runtime = EngineRuntime(self.shelf)
        self.runtime.clock.now = self.began
        self.runtime.new_engine(monotonic=lambda: self.seconds)
        await self.runtime.engine.start()
        version = flow("clock", "echo", parameters={"cron": self.line})
        await self.shelf.publish(version, 15, None)
        await self.shelf.settle_flow(FLOW_1, chosen)
        await self._noticed()

    @rule(data=st.data())
    def another_policy(self, data: st.DataObject) -> None:
        chosen = FlowSettings(time_zone=self.tz.key, missed=data.draw(st.sampled_from(self.policies)))
        self.run(self.shelf.settle_flow(FLOW_1, chosen))

    @rule(count=st.integers(1, 3))
    def starts_come_on_time(self, count: int) -> None:
        for _ in range(count):
            self._pass(next_time(self.line, self.runtime.clock.now, self.tz) - self.runtime.clock.now)

    @rule(ms=SPANS)
    def the_computer_sleeps(self, ms: int) -> None:
        self._move(ms)
        self.run(self._noticed())

    @rule(ms=SPANS)
    def patchbay_is_off(self, ms: int) -> None:
        self.run(self.runtime.engine.stop())
        self._move(ms)
        self.runtime.new_engine(monotonic=lambda: self.seconds)
        self.run(self.runtime.engine.start())
        self.run(self._noticed())

    @rule(ms=SPANS)
    def the_flow_is_paused(self, ms: int) -> None:
        self.run(self.shelf.store.pause_flow(FLOW_1, "A person did.", self.runtime.clock.now))
        self._tell()
        self.run(self.runtime.settle())
        self._pass(ms, noticed=False)
        self.run(self.runtime.settle())
        self.run(self.shelf.resume_flow(FLOW_1))
        self.run(self._noticed())

    @rule(ms=SPANS)
    def everything_is_paused(self, ms: int) -> None:
        self.runtime.engine.pause()
        self._pass(ms, noticed=False)
        self.runtime.engine.resume()
        self.run(self._noticed())

    @rule(ms=SPANS)
    def the_clock_is_set_back(self, ms: int) -> None:
        self._move(-ms)
        self.run(self._noticed())

    @invariant()
    def no_start_is_twice_and_the_newest_are_there(self) -> None:
        if not hasattr(self, "runtime"):
            return
        told = [one.step(0).data_out["at"] for one in self.run(self.runtime.all())]
        assert len(told) == len(set(told))
        assert self.newest <= set(told) <= self.passed

    def run(self, work: Any) -> Any:
        return self.runner.run(work)

    def _move(self, ms: int) -> None:
        """Let the clock show another time, and note the starts that are past by that."""
        before = self.runtime.clock.now
        self.runtime.clock.now += ms
        first = next_time(self.line, before, self.tz)
        starts = [*times_between(self.line, first, self.runtime.clock.now, self.tz)]
        self.passed.update(starts)
        self.newest.update(starts[-1:])

    def _pass(self, ms: int, *, noticed: bool = True) -> None:
        self.seconds += ms / 1000
        self._move(ms)
        self._tell()
        if noticed:
            self.run(self._noticed())

    def _tell(self) -> None:
        self.runtime.engine.triggers_changed()

    async def _noticed(self) -> None:
        """Wait until the engine knows its next start and has run what was due."""
        self._tell()
        await self.runtime.until_true(self._in_place)
        await self.runtime.until_true(self._ended)

    async def _in_place(self) -> bool:
        expected = next_time(self.line, self.runtime.clock.now, self.tz)
        return (await self.shelf.trigger(FLOW_1)).next_due_at == expected

    async def _ended(self) -> bool:
        return all(one.state.finished for one in await self.runtime.all())

    def teardown(self) -> None:
        if hasattr(self, "runtime"):
            self.run(self.runtime.engine.stop())
            self.run(self.shelf.db.close())
            self.runner.close()
            self.folder.cleanup()


class NothingForgotten(Clockwork):
    """The same where every missed start is made up for."""

    policies = (MissedStartPolicy.ALL,)

    @invariant()
    def every_start_ran(self) -> None:
        if hasattr(self, "runtime"):
            seen = self.run(self.runtime.all())
            assert {one.step(0).data_out["at"] for one in seen} == self.passed
            assert all(one.state is ExecutionState.SUCCESS for one in seen)


def _with_examples(count: int) -> settings:
    return settings(
        max_examples=count,
        stateful_step_count=10,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate,),
    )


TestClockwork = Clockwork.TestCase
TestClockwork.settings = _with_examples(3)
TestNothingForgotten = NothingForgotten.TestCase
TestNothingForgotten.settings = _with_examples(2)


@pytest.mark.acceptance
class TestMuchClockwork(Clockwork.TestCase):  # type: ignore[valid-type, misc]  # hypothesis makes the class
    """The same with more schedules."""

    settings = _with_examples(40)


@pytest.mark.acceptance
class TestNothingForgottenOfMuch(NothingForgotten.TestCase):  # type: ignore[valid-type, misc]  # hypothesis makes the class
    """The same with more schedules."""

    settings = _with_examples(40)
