"""The life of executions under any mix of events, refusals, waiting, restarts, cut-off steps and commands."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from tests.support.engine_runtime import EngineRuntime, Shelf
from tests.support.life_flows import BODY, Watch, life_flows, settings_of
from tests.support.lives import Life, calm, lives
from tests.support.toy_apps import late, too_many, wrong_key

from patchbay.domain.base import ExecutionId, FlowId
from patchbay.domain.engine import EngineState
from patchbay.domain.errors import StorageFault
from patchbay.domain.executions import ExecutionState, Origin, ReplayOn
from patchbay.engine.runs import runner

FLOWS = life_flows()
HOOKS = [version.flow_id for version in FLOWS if version.flow_id.startswith("hook")]
HOUR = 3_600_000
PICK = st.integers(0, 999)
REFUSALS = st.sampled_from([None, late(), too_many(30), wrong_key()])


class Lives(RuleBasedStateMachine):
    """Drives one engine; what holds of lives is looked at after every rule."""

    def __init__(self) -> None:
        super().__init__()
        self.pauses = patch.object(runner, "STORAGE_RETRY_SECONDS", 0.005)
        self.pauses.start()
        self.runner = asyncio.Runner()
        self.folder = TemporaryDirectory()
        self.seen: dict[ExecutionId, Life] = {}
        self.run(self._move_in())

    async def _move_in(self) -> None:
        self.shelf = await Shelf.open(Path(self.folder.name) / "life.db")
        self.runtime = EngineRuntime(self.shelf)
        self.watch = Watch(self.runtime.toy)
        for version in FLOWS:
            await self.shelf.publish(version, 15, None)
            await self.shelf.settle_flow(version.flow_id, settings_of(version.flow_id))
        await self.runtime.engine.start()

    # What comes from outside

    @initialize(refusal=REFUSALS, flow_ids=st.permutations(HOOKS))
    def begin(self, refusal: Exception | None, flow_ids: list[FlowId]) -> None:
        self.runtime.toy.refusal = refusal
        self.events(flow_ids)

    @rule(flow_ids=st.lists(st.sampled_from(HOOKS), min_size=1, max_size=3))
    def events(self, flow_ids: list[FlowId]) -> None:
        async def post() -> None:
            for flow_id in flow_ids:
                await self.runtime.post(flow_id, BODY)
                self.watch.events += 1

        self.then_calm(post)

    @rule(refusal=REFUSALS)
    def third_party(self, refusal: Exception | None) -> None:
        self.runtime.toy.refusal = refusal

    @rule(seconds=st.sampled_from([1, 30, 90]))
    def time_passes(self, seconds: int) -> None:
        self.then_calm(lambda: self.runtime.pass_time(seconds * 1000))

    @rule()
    def the_clock_is_set_back(self) -> None:
        async def set_back() -> None:
            self.runtime.set_clock(-HOUR)

        self.then_calm(set_back)

    @rule()
    def slow_steps_finish(self) -> None:
        self.runtime.toy.gate.set()
        self.run(calm(self.runtime))
        self.runtime.toy.gate.clear()

    # What people do

    @rule(pick=PICK)
    def cancel(self, pick: int) -> None:
        if one := self._one_of(pick, lambda one: not one.state.finished):
            self.then_calm(lambda: self.runtime.engine.cancel(one.id))
            assert self.run(lives(self.runtime))[one.id].state.finished

    @rule(picks=st.lists(PICK, min_size=1, max_size=6))
    def retry(self, picks: list[int]) -> None:
        async def again() -> None:
            for pick in picks:
                if one := self._one_of(pick, lambda one: one.state is ExecutionState.FAILURE):
                    self.watch.again[Origin.RETRY] += 1
                    await self.runtime.engine.retry(one.id)

        self.then_calm(again)

    @rule(pick=PICK, on=st.sampled_from(ReplayOn))
    def replay(self, pick: int, on: ReplayOn) -> None:
        if one := self._one_of(pick, lambda one: True):
            self.watch.again[Origin.REPLAY] += 1
            self.then_calm(lambda: self.runtime.engine.replay(one.id, None, on))

    @rule(version=st.sampled_from(FLOWS))
    def pause_a_flow(self, version: Any) -> None:
        async def pause() -> None:
            await self.shelf.pause_flow(version.flow_id, self.runtime.clock.now)
            self.runtime.engine.triggers_changed()

        self.then_calm(pause)

    @rule()
    def resume_flows(self) -> None:
        self.then_calm(self._resume_flows)

    @rule()
    def pause_or_resume_all(self) -> None:
        async def turn() -> None:
            engine = self.runtime.engine
            (engine.pause if engine.state is EngineState.RUNNING else engine.resume)()

        self.then_calm(turn)

    # What goes wrong

    @rule(grace=st.sampled_from([0, 0.005]))
    def restart(self, grace: float) -> None:
        async def again() -> None:
            await self.runtime.engine.stop(grace)
            self.runtime.new_engine()
            await self.runtime.engine.start()

        self.then_calm(again)

    @rule(flow_id=st.sampled_from(HOOKS), seconds=st.sampled_from([0, 30, 90]))
    def storage_refuses_for_a_moment(self, flow_id: FlowId, seconds: int) -> None:
        async def refuse() -> None:
            await self._read_only("on")
            self.runtime.toy.gate.set()
            try:
                await self.runtime.post(flow_id, BODY)
                raise AssertionError("an event was accepted that cannot be stored")
            except StorageFault:
                await self.runtime.pass_time(seconds * 1000)
            await self.runtime.settle()
            self.runtime.toy.gate.clear()
            await self._read_only("off")
            self.runtime.engine.triggers_changed()

        self.then_calm(refuse)

    async def _read_only(self, how: str) -> None:
        await self.shelf.db.write_outside_transaction(
            lambda driver: driver.execute(f"PRAGMA query_only = {how}")
        )

    # What holds

    @invariant()
    def lives_go_on_as_they_should(self) -> None:
        self.seen = self.run(lives(self.runtime))
        self.watch.look(self.seen)

    def teardown(self) -> None:
        try:
            self.run(self._end_all())
            self.lives_go_on_as_they_should()
        finally:
            self.run(self._move_out())
            self.runner.close()
            self.folder.cleanup()
            self.pauses.stop()

    async def _end_all(self) -> None:
        """All is well again and time passes: then everything ends."""
        self.runtime.toy.refusal = None
        self.runtime.toy.gate.set()
        self.runtime.engine.resume()
        await self._resume_flows()
        await calm(self.runtime)
        while left := [one for one in (await lives(self.runtime)).values() if not one.state.finished]:
            wakes = [one.wake_at for one in left if one.wake_at is not None]
            assert wakes, f"waits for nothing: {left}"
            await self.runtime.pass_time(max(0, min(wakes) - self.runtime.clock.now) + 1)
            await self._resume_flows()
            await calm(self.runtime)

    async def _move_out(self) -> None:
        self.runtime.toy.gate.set()
        await self.runtime.engine.stop(grace=0)
        await self.shelf.db.close()

    # Helpers

    def run(self, work: Any) -> Any:
        return self.runner.run(work)

    def then_calm(self, work: Callable[[], Awaitable[Any]]) -> None:
        async def both() -> None:
            await work()
            await calm(self.runtime)

        self.run(both())

    def _one_of(self, pick: int, wanted: Callable[[Life], bool]) -> Life | None:
        # No precondition: which there are may depend on who came first, and hypothesis wants that even.
        found = [one for one in self.seen.values() if wanted(one)]
        return found[pick % len(found)] if found else None

    async def _resume_flows(self) -> None:
        for version in FLOWS:
            await self.shelf.resume_flow(version.flow_id)
        self.runtime.engine.triggers_changed()


def _with_examples(count: int) -> settings:
    return settings(
        max_examples=count, stateful_step_count=15, deadline=None, suppress_health_check=list(HealthCheck)
    )


TestLife = Lives.TestCase
TestLife.settings = _with_examples(3)


@pytest.mark.acceptance
class TestManyLives(Lives.TestCase):  # type: ignore[valid-type, misc]  # hypothesis makes the class
    """The same with more lives."""

    settings = _with_examples(60)
