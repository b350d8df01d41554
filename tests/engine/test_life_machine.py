"""The life of executions under any mix of events, refusals, waiting, restarts and cut-off steps."""

import asyncio
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from tests.support.engine_house import House, Shelf
from tests.support.toy_apps import flow, late, too_many

from patchbay.domain.executions import ExecutionState, StepState

FLOWS = (
    ("echo", "echo"),
    ("delay", "echo"),
    ("refuse", "echo"),
    ("slow", "echo"),
    ("slowRepeat", "delay", "echo"),
    ("filter", "echo"),
    ("bug", "echo"),
)


class Life(RuleBasedStateMachine):
    """Drives one engine; the checks hold after every rule."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.folder = TemporaryDirectory()
        self.accepted = 0
        self.ended: dict[str, ExecutionState] = {}
        self.done: dict[tuple[str, int], int] = {}
        self.runner.run(self._move_in())

    async def _move_in(self) -> None:
        self.shelf = await Shelf.open(Path(self.folder.name) / "life.db")
        self.house = House(self.shelf)
        await self.house.engine.start()
        for number, actions in enumerate(FLOWS):
            await self.house.publish(flow("hook", *actions, flow_id=f"f{number}"))

    @rule(number=st.integers(0, len(FLOWS) - 1))
    def event(self, number: int) -> None:
        async def post() -> None:
            await self.house.post(f"f{number}")
            await self.house.settle()

        self.runner.run(post())
        self.accepted += 1

    @rule(refusal=st.sampled_from([None, late(), too_many(30)]))
    def third_party(self, refusal: Exception | None) -> None:
        self.house.toy.refusal = refusal

    @rule(seconds=st.sampled_from([1, 30, 90]))
    def time_passes(self, seconds: int) -> None:
        self.runner.run(self._pass(seconds))

    @rule()
    def slow_steps_finish(self) -> None:
        async def finish() -> None:
            self.house.toy.gate.set()
            await self.house.settle()
            self.house.toy.gate.clear()

        self.runner.run(finish())

    @rule()
    def cut_off(self) -> None:
        self.runner.run(self._restart(grace=0))

    @rule()
    def pause_and_resume(self) -> None:
        async def both() -> None:
            self.house.engine.pause()
            await self.house.settle()
            self.house.engine.resume()

        self.runner.run(both())

    async def _restart(self, grace: float) -> None:
        await self.house.engine.stop(grace)
        self.house.new_engine()
        await self.house.engine.start()
        await self.house.settle()

    async def _pass(self, seconds: int) -> None:
        await self.house.pass_time(seconds * 1000)
        await self.house.settle()

    @invariant()
    def what_ended_stays_and_what_was_done_is_not_done_again(self) -> None:
        seen = self.runner.run(self.house.all())
        assert len(seen) == self.accepted
        for one in seen:
            assert self.ended.get(one.id, one.state) is one.state
            if one.state.finished:
                self.ended[one.id] = one.state
            assert (one.state is ExecutionState.WAITING) == (one.wake_at is not None)
            succeeded = Counter(step.seq for step in one.steps if step.status is StepState.SUCCESS)
            assert all(count == 1 for count in succeeded.values())
            failed = any(step.status is StepState.FAILURE for step in one.steps[-1:])
            assert not (failed and one.state is ExecutionState.SUCCESS)

    def teardown(self) -> None:
        self.runner.run(self._end_all())
        self.runner.close()
        self.folder.cleanup()

    async def _end_all(self) -> None:
        self.house.toy.refusal = None
        self.house.toy.gate.set()
        for _ in range(4):
            await self._pass(90)
        await self.house.until_all(self.accepted)
        await self.house.engine.stop()
        await self.shelf.db.close()


TestLife = Life.TestCase
TestLife.settings = settings(
    max_examples=12, stateful_step_count=12, deadline=None, suppress_health_check=list(HealthCheck)
)
