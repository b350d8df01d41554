"""Flows with branches and loops, run by the engine."""

from typing import Any

from tests.support.engine_runtime import EngineRuntime, SeenStep
from tests.support.forms import long_form
from tests.support.toy_apps import flow, tree, wrong_key

from patchbay.domain.executions import ExecutionState, StepState
from patchbay.domain.flows import FlowVersion, StructuralType

SINGLE = StructuralType.SINGLE
PATHS = StructuralType.PATHS
BRANCH = StructuralType.BRANCH
EACH = StructuralType.EACH


def condition(key: str, value: str, operator: str = "equal") -> dict[str, Any]:
    return {"branch_conditions": [{"and": [{"key": key, "operator": operator, "value": value}]}]}


def with_paths(mode: str = "first", size: str = "big", operator: str = "equal") -> FlowVersion:
    """Trigger, paths [gold: echo] [big: echo] [otherwise: echo], echo."""
    plain = flow(
        "hook",
        "echo",
        "echo",
        ("echo", {"say": "gold"}),
        "echo",
        ("echo", {"say": "big"}),
        "echo",
        ("echo", {"say": "otherwise"}),
        ("echo", {"say": "after"}),
    )
    return tree(
        plain,
        (1, PATHS, None, {"parameters": {"mode": mode}}),
        (2, BRANCH, 1, {"name": "Gold"} | condition("{{step.f1-0.body.kind}}", "gold")),
        (3, SINGLE, 2, {}),
        (4, BRANCH, 1, condition("{{step.f1-0.body.size}}", size, operator)),
        (5, SINGLE, 4, {}),
        (6, BRANCH, 1, {"branch_conditions": [{"and": []}]}),
        (7, SINGLE, 6, {}),
    )


def with_loop(*actions: str | tuple[str, dict[str, Any]], **fields: Any) -> FlowVersion:
    """Trigger, for each of `body.list` [actions], echo of what came of it."""
    after = ("echo", {"say": "{{step.f1-1.count}}", "all": "{{step.f1-1.results}}"})
    plain = flow("hook", "echo", *actions, after)
    inside = [(place, SINGLE, 1, dict[str, Any]()) for place in range(2, len(actions) + 2)]
    items = {"parameters": {"list": "{{step.f1-0.body.list}}"}} | fields
    return tree(plain, (1, EACH, None, items), *inside)


async def test_the_first_branch_whose_condition_holds_is_run_and_then_what_comes_after(
    runtime: EngineRuntime,
):
    await runtime.publish(with_paths())

    await runtime.post(body={"kind": "gold", "size": "big"})

    seen = await runtime.one()
    assert runtime.toy.calls == ["gold", "after"]
    assert seen.state is ExecutionState.SUCCESS
    assert seen.step(1).data_out == {"taken": ["f1-2"], "names": ["Gold"]}


async def test_branches_and_a_branch_are_named_as_in_the_window(runtime: EngineRuntime):
    plan = runtime.engine._components.plans.fresh(with_paths())

    assert [plan.steps[index].label for index in (1, 2, 4)] == ["Branches", "Gold", "Branch"]


async def test_a_pattern_decides_in_a_worker_process(runtime: EngineRuntime):
    await runtime.publish(with_paths(size="^b[a-z]g$", operator="matches_pattern"))

    await runtime.post(body={"kind": "tin", "size": "bag"})
    await runtime.one()

    assert runtime.toy.calls == ["big", "after"]


@long_form
async def test_a_pattern_that_takes_too_long_fails_its_step(runtime: EngineRuntime):
    await runtime.publish(with_paths(size="^(a|a)+$", operator="matches_pattern"))

    await runtime.post(body={"kind": "tin", "size": "a" * 40 + "!"})

    seen = await runtime.one(ExecutionState.FAILURE)
    assert seen.step(1).error is not None
    assert "more than 1 second" in seen.step(1).error["happened"]
    assert runtime.toy.calls == []


async def test_dates_are_compared_with_the_time_of_the_run(runtime: EngineRuntime):
    await runtime.publish(with_paths(size="now", operator="date_before"))

    await runtime.post(body={"kind": "tin", "size": "1999-12-31"})
    await runtime.one()

    assert runtime.toy.calls == ["big", "after"]


async def test_all_branches_whose_conditions_hold_are_run_where_that_is_chosen(runtime: EngineRuntime):
    await runtime.publish(with_paths("all"))

    await runtime.post(body={"kind": "gold", "size": "big"})
    await runtime.one()

    assert runtime.toy.calls == ["gold", "big", "after"]


async def test_otherwise_is_run_when_nothing_else_is(runtime: EngineRuntime):
    await runtime.publish(with_paths("all"))

    await runtime.post(body={"kind": "tin", "size": "small"})
    await runtime.one()

    assert runtime.toy.calls == ["otherwise", "after"]


async def test_a_loop_runs_its_steps_for_each_item_and_gathers_what_came_of_them(runtime: EngineRuntime):
    print_message = {"say": "{{step.f1-1.item.name}} {{step.f1-1.number}}/{{step.f1-1.count}}"}
    await runtime.publish(with_loop(("echo", print_message)))

    await runtime.post(body={"list": [{"name": "a"}, {"name": "b"}]})

    seen = await runtime.one()
    assert runtime.toy.calls == ["a 1/2", "b 2/2", "2"]
    assert seen.step(4).data_in == {"say": "2", "all": [{"say": "a 1/2"}, {"say": "b 2/2"}]}
    assert [step.path for step in seen.steps] == [None, None, "0", "1", None]


async def test_a_delay_in_a_loop_is_waited_for_at_each_item(runtime: EngineRuntime):
    await runtime.publish(with_loop("delay", ("echo", {"say": "{{step.f1-1.item}}"})))
    await runtime.post(body={"list": ["a", "b"]})

    for _ in range(2):
        await runtime.one(ExecutionState.WAITING)
        await runtime.pass_time(60_001)
        await runtime.settle()

    assert (await runtime.one()).state is ExecutionState.SUCCESS
    assert runtime.toy.calls == ["a", "b", "2"]


async def test_a_value_that_is_not_a_list_fails_the_loop_with_a_clear_error(runtime: EngineRuntime):
    await runtime.publish(with_loop("echo"))

    await runtime.post(body={"list": "seven"})

    seen = await runtime.one()
    assert seen.state is ExecutionState.FAILURE
    assert seen.note == "The loop needs a list, but got “seven”."


async def test_a_failing_item_ends_the_run_unless_the_loop_continues_without_it(runtime: EngineRuntime):
    runtime.toy.refusal = wrong_key()
    await runtime.publish(with_loop("refuse"))
    await runtime.post(body={"list": [1, 2]})
    assert _statuses((await runtime.one()).steps) == ["success", "success", "failure"]

    await runtime.publish(with_loop("refuse", continue_on_error=True).model_copy(update={"number": 2}))
    await runtime.post(body={"list": [1, 2]})

    seen = (await runtime.until_all(2))[1]
    assert _statuses(seen.steps) == ["success", "success", "failure", "failure", "success"]
    assert seen.state is ExecutionState.FAILURE
    assert seen.note == "Step 3 (Toy · Refuse) failed 2 times; the following steps were run."


async def test_a_filter_in_a_loop_leaves_out_its_item_only(runtime: EngineRuntime):
    await runtime.publish(
        with_loop(("filter", {"pass": "{{step.f1-1.item}}"}), ("echo", {"say": "{{step.f1-1.number}}"}))
    )

    await runtime.post(body={"list": ["no", "yes", "no"]})

    assert (await runtime.one()).state is ExecutionState.SUCCESS
    assert runtime.toy.calls == ["2", "3"]


async def test_a_run_that_was_cut_off_in_a_loop_continues_at_its_item(runtime: EngineRuntime):
    await runtime.publish(with_loop(("slowRepeat", {"say": "{{step.f1-1.item}}"})))
    await runtime.post(body={"list": ["a", "b"]})
    await runtime.until(lambda: runtime.toy.calls == ["slow a"])

    await runtime.engine.stop(grace=0)
    runtime.new_engine()
    runtime.toy.gate.set()
    await runtime.engine.start()

    assert (await runtime.one()).state is ExecutionState.SUCCESS
    assert runtime.toy.calls == ["slow a", "slow a", "slow b", "2"]


def _statuses(steps: list[SeenStep]) -> list[StepState]:
    return [step.status for step in steps]


async def test_a_loop_whose_list_is_not_there_says_so(runtime: EngineRuntime):
    await runtime.publish(with_loop("echo"))

    await runtime.post(body={})

    loop = (await runtime.one(ExecutionState.SUCCESS)).step(1)
    assert loop.warnings == ("{{step.f1-0.body.list}} had no value and was left empty.",)


async def test_paths_that_look_at_what_is_not_there_say_so(runtime: EngineRuntime):
    await runtime.publish(with_paths())

    await runtime.post(body={"kind": "silver"})

    paths = (await runtime.one(ExecutionState.SUCCESS)).step(1)
    assert paths.warnings == ("{{step.f1-0.body.size}} had no value and was left empty.",)
