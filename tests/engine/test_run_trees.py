"""Loops of flows that start one another: the tree of runs is bounded, and leaves slots to others."""

import asyncio
from typing import Any

import pytest
from tests.support.engine_runtime import FLOW_1, FLOW_2, EngineRuntime
from tests.support.forms import in_forms, long_form
from tests.support.patience import PATIENCE
from tests.support.toy_apps import flow, tree

from patchbay.domain.base import ExecutionId, FlowId
from patchbay.domain.engine import EngineSettings
from patchbay.domain.errors import RunTreeFull
from patchbay.domain.executions import ExecutionState
from patchbay.domain.flow_calls import ANY_FLOW
from patchbay.domain.flows import StructuralType
from patchbay.domain.request_context import RUN_ROOT_HEADER, current_run_root, root_id_from_headers
from patchbay.engine.dispatcher import Dispatcher, PublishedFlowSettings

TREE = ExecutionId("tree")
FLOW = FlowId("flow")

SUCCESS, FAILURE = ExecutionState.SUCCESS, ExecutionState.FAILURE
LIMIT = 30
CALL_SELF = ("callFlow", {"flow": "loop", "wait": False})


async def until_done(runtime: EngineRuntime, count: int) -> int:
    """Wait until at least so many runs began and all of them ended; how many there were."""

    async def ended() -> bool:
        seen = await runtime.all()
        return len(seen) >= count and all(one.state.finished for one in seen)

    await runtime.until_true(ended, 30)
    return len(await runtime.all())


@pytest.mark.parametrize(
    "width", in_forms([1, 2, 7], short=[1, 7]), ids=["chain", "binary tree", "wide tree"]
)
async def test_a_flow_that_calls_itself_ends_at_the_limit_of_its_root(runtime: EngineRuntime, width: int):
    runtime.engine.settings_changed(EngineSettings(max_runs_per_root=LIMIT))
    await runtime.publish(flow("called", *[CALL_SELF] * width, flow_id="loop"))
    await runtime.publish(flow("hook", CALL_SELF))

    await runtime.post()

    assert await until_done(runtime, LIMIT) == LIMIT
    failed = [one for one in await runtime.all() if one.state is FAILURE]
    assert failed
    assert all("reached 30 runs" in str(one.note) for one in failed)
    error = failed[0].steps[-1].error
    assert error is not None
    assert "loop" in str(error["meaning"])
    assert "Settings → Engine" in str(error["todo"])


@long_form
async def test_loops_over_items_that_call_flows_with_loops_end_at_the_limit(runtime: EngineRuntime):
    runtime.engine.settings_changed(EngineSettings(max_runs_per_root=LIMIT))
    each = (1, StructuralType.EACH, None, {"parameters": {"list": list(range(20))}})
    inside: Any = (2, StructuralType.SINGLE, 1, {})
    await runtime.publish(tree(flow("called", "echo", CALL_SELF, flow_id="loop"), each, inside))
    await runtime.publish(flow("hook", CALL_SELF))

    await runtime.post()

    assert await until_done(runtime, LIMIT) == LIMIT


async def test_other_runs_continue_when_a_tree_is_at_its_limit(runtime: EngineRuntime):
    runtime.engine.settings_changed(EngineSettings(max_runs_per_root=10))
    await runtime.publish(flow("called", CALL_SELF, flow_id="loop"))
    await runtime.publish(flow("hook", CALL_SELF))
    await runtime.post()
    assert await until_done(runtime, 10) == 10

    await runtime.publish(flow("called", "echo", flow_id="once"))
    await runtime.publish(flow("hook", ("callFlow", {"flow": "once"}), flow_id="f2"))
    await runtime.post(FLOW_2)

    assert await until_done(runtime, 12) == 12
    assert [one.state for one in (await runtime.all())[-2:]] == [SUCCESS, SUCCESS]


async def test_a_tree_at_its_limit_still_tells_the_flows_that_receive_failures(runtime: EngineRuntime):
    runtime.engine.settings_changed(EngineSettings(max_runs_per_root=10))
    await runtime.publish(flow("called", CALL_SELF, flow_id="loop"))
    await runtime.publish(flow("flowFailed", "echo", flow_id="told", parameters={"flow": ANY_FLOW}))
    await runtime.publish(flow("hook", CALL_SELF))

    await runtime.post()

    assert await until_done(runtime, 11) == 11
    assert runtime.toy.calls == [""]


async def test_what_a_run_asks_for_through_the_network_counts_in_its_tree(runtime: EngineRuntime):
    runtime.engine.settings_changed(EngineSettings(max_runs_per_root=10))
    await runtime.publish(flow("hook", "echo"))
    current_run_root.set(ExecutionId("00000000-0000-7000-8000-00000000000a"))

    for _ in range(9):
        await runtime.post()
    with pytest.raises(RunTreeFull):
        await runtime.post()
    with pytest.raises(RunTreeFull):
        await runtime.engine.run_now(FLOW_1, {})
    current_run_root.set(ExecutionId("00000000-0000-7000-8000-00000000000b"))
    await runtime.post()

    assert await until_done(runtime, 10) == 10


@pytest.mark.parametrize(
    "value", ["", "1", "../etc", "00000000-0000-7000-8000-00000000000", "0" * 36, "x" * 100_000]
)
def test_only_an_id_names_a_root(value: str):
    assert root_id_from_headers({RUN_ROOT_HEADER: value}) is None


# Taking turns


class Runs:
    """Runs that go on until the test ends them."""

    def __init__(self) -> None:
        self.running: list[str] = []
        self.ends: dict[str, asyncio.Event] = {}

    async def __call__(self, execution_id: str) -> None:
        self.running.append(execution_id)
        self.ends[execution_id] = asyncio.Event()
        await self.ends[execution_id].wait()
        self.running.remove(execution_id)

    async def end(self, execution_id: str) -> None:
        self.ends[execution_id].set()
        await turns()


async def turns() -> None:
    """Let every task that can go on do so."""
    for _ in range(10):
        await asyncio.sleep(0)


async def test_a_tree_leaves_a_slot_free_whichever_flows_it_spreads_over():
    runs = Runs()
    dispatcher = Dispatcher(runs, lambda: None, PublishedFlowSettings(), limit=4)
    dispatcher.open()
    for number in range(40):
        dispatcher.submit(ExecutionId(f"tree {number}"), FlowId(f"flow {number % 8}"), TREE)
    await turns()
    assert len(runs.running) == 3

    dispatcher.submit(ExecutionId("other"), FlowId("flow 3"))
    await turns()

    assert "other" in runs.running
    await dispatcher.stop(0)


async def test_while_others_wait_a_tree_has_half_of_the_slots():
    runs = Runs()
    dispatcher = Dispatcher(runs, lambda: None, PublishedFlowSettings(), limit=4)
    for number in range(20):
        dispatcher.submit(ExecutionId(f"tree {number}"), FLOW, TREE)
    for number in range(20):
        dispatcher.submit(ExecutionId(f"other {number}"), FLOW, ExecutionId(f"other {number}"))
    dispatcher.open()
    await turns()

    for _ in range(15):
        assert sum(name.startswith("tree") for name in runs.running) <= 2
        await runs.end(runs.running[0])

    await dispatcher.stop(0)


async def test_every_run_of_a_tree_gets_its_turn_even_with_one_slot():
    order: list[str] = []
    done = asyncio.Event()

    async def run(execution_id: str) -> None:
        order.append(execution_id)

    dispatcher = Dispatcher(run, done.set, PublishedFlowSettings(), limit=1)
    for name in ("a1", "a2", "a3"):
        dispatcher.submit(ExecutionId(name), FLOW, ExecutionId("a"))
    dispatcher.submit(ExecutionId("b"), FLOW)
    dispatcher.open()
    await asyncio.wait_for(done.wait(), PATIENCE)

    assert order == ["a1", "b", "a2", "a3"]
    await dispatcher.stop(0)
