"""Paths, branches and loops in drafts."""

import pytest
from tests.support.desk import TOOLS
from tests.support.workspace import CATCH, PASS

from patchbay.domain.base import FlowId, StepId
from patchbay.domain.errors import Conflict, FlowNotReady, ValidationFailed
from patchbay.domain.flows import (
    FlowExport,
    StepChange,
    StepExport,
    StepStatus,
    StepType,
    StructuralType,
)
from patchbay.domain.step_policy import StepPolicy
from patchbay.domain.step_tree import children, find_problem
from patchbay.domain.variables import references

SINGLE, PATHS, BRANCH, EACH = StructuralType


def shape(flow):
    """Each step's kind, and the position of what holds it."""
    assert [step.position for step in flow.steps] == list(range(1, len(flow.steps) + 1))
    assert find_problem(flow.steps) is None
    at = {step.id: step.position for step in flow.steps}
    return [(step.structural_type, at.get(step.parent_step_id)) for step in flow.steps]


def condition(key, operator="equal", value="x"):
    return {"key": key, "operator": operator, "value": value}


@pytest.fixture
async def branched(runtime, backend):
    """Catch, a loop over its orders, in it paths with a step in each branch."""
    flow = await runtime.flow(CATCH, PASS)
    trigger, action = flow.steps
    flow = await backend.add_step(flow.id, trigger.id, kind=EACH)
    loop = flow.steps[1]
    orders = f"{{{{step.{trigger.id}.orders}}}}"
    await backend.update_step(loop.id, StepChange(parameters={"list": orders}))
    flow = await backend.add_step(flow.id, inside=loop.id, kind=PATHS)
    paths, large, rest = flow.steps[2:5]
    total = condition(f"{{{{step.{loop.id}.item.total}}}}", "greater_than", "100")
    await backend.update_step(large.id, StepChange(branch_conditions=({"and": [total]},)))
    await backend.add_step(flow.id, inside=large.id)
    flow = await backend.move_step(action.id, 7, inside=rest.id)
    inner = next(step for step in flow.steps if step.parent_step_id == large.id)
    text = f"{{{{step.{loop.id}.item.name}}}}, {{{{step.{paths.id}.names.0}}}}"
    await backend.update_step(inner.id, StepChange(app_key=TOOLS, key="pass", parameters={"text": text}))
    # The app was changed with the event, so the parameters come in a second edit.
    return await backend.update_step(inner.id, StepChange(parameters={"text": text}))


async def send(runtime, flow, item):
    """Let the flow catch this once, as a test."""
    await runtime.engine.start()
    await runtime.backend.skip_step_test(flow.steps[0].id)
    await runtime.backend.run_flow(flow.id, item)


async def test_new_paths_come_with_a_path_to_fill_in_and_an_otherwise(backend):
    flow = await backend.create_flow()

    flow = await backend.add_step(flow.id, kind=PATHS)

    paths, first, otherwise = flow.steps[2:]
    assert shape(flow)[2:] == [(PATHS, None), (BRANCH, 3), (BRANCH, 3)]
    assert paths.parameters == {"mode": "first"}
    assert (first.branch_conditions, first.status) == ((), StepStatus.INCOMPLETE)
    assert (otherwise.branch_conditions, otherwise.status) == (({"and": []},), StepStatus.COMPLETED)


async def test_a_branch_is_complete_as_soon_as_its_conditions_are(backend):
    flow = await backend.add_step((await backend.create_flow()).id, kind=PATHS)
    branch = flow.steps[3]

    async def status_with(*groups):
        flow = await backend.update_step(branch.id, StepChange(branch_conditions=groups))
        return flow.step(branch.id).status

    assert await status_with({"and": [condition("")]}) is StepStatus.INCOMPLETE
    assert await status_with({"and": [condition("a", "like")]}) is StepStatus.INCOMPLETE
    assert await status_with({"and": [condition("a", value="")]}) is StepStatus.COMPLETED
    assert await status_with() is StepStatus.INCOMPLETE


async def test_deleting_takes_all_it_holds_and_bringing_back_brings_it(backend, branched):
    loop = branched.steps[1]

    without = await backend.delete_step(loop.id)
    back = await backend.restore_step(loop.id)

    assert [step.id for step in without.steps] == [branched.steps[0].id]
    assert back.steps == branched.steps


async def test_what_was_deleted_before_does_not_come_back_with_what_held_it(backend, branched):
    loop, inner = branched.steps[1], branched.steps[4]
    await backend.delete_step(inner.id)
    await backend.delete_step(loop.id)

    with pytest.raises(Conflict):
        await backend.restore_step(inner.id)
    back = await backend.restore_step(loop.id)
    assert back.step(inner.id) is None
    assert (await backend.restore_step(inner.id)).steps == branched.steps


async def test_the_last_path_may_go_but_such_paths_cannot_be_published(runtime, backend):
    flow = await backend.add_step((await runtime.flow(CATCH, PASS)).id, kind=PATHS)
    for branch in flow.steps[3:]:
        flow = await backend.delete_step(branch.id)

    with pytest.raises(FlowNotReady) as refused:
        await backend.publish_flow(flow.id)

    assert "It has no branches. Add one." in [blocker.reason for blocker in refused.value.blockers]


async def test_a_step_has_a_policy_of_its_own_and_one_that_holds_others_has_none(backend):
    flow = await backend.add_step((await backend.create_flow()).id, kind=EACH)
    action, loop = flow.steps[1:]
    policy = StepPolicy(timeout_seconds=30, attempts=5)

    flow = await backend.update_step(action.id, StepChange(policy=policy))
    assert flow.step(action.id).policy == policy
    with pytest.raises(ValidationFailed):
        await backend.update_step(loop.id, StepChange(policy=policy))
    flow = await backend.update_step(loop.id, StepChange(continue_on_error=True))
    assert flow.step(loop.id).continue_on_error


async def test_a_copy_holds_the_same_steps_under_new_ids(backend, branched):
    copy = await backend.duplicate_flow(branched.id)

    assert shape(copy) == shape(branched)
    assert {step.id for step in copy.steps}.isdisjoint(step.id for step in branched.steps)
    known = {step.id for step in copy.steps}
    for step in copy.steps:
        used = [*references(step.parameters), *references(list(step.branch_conditions or ()))]
        assert {reference.step_id for reference in used} <= known
    assert copy.steps[3].status is StepStatus.COMPLETED


async def test_a_tree_is_carried_elsewhere_as_it_is(backend, branched):
    action = next(step for step in branched.steps if step.structural_type is SINGLE and step.position > 1)
    await backend.update_step(action.id, StepChange(policy=StepPolicy(attempts=2)))
    wire = (await backend.export_flow(branched.id)).wire()

    copy = await backend.import_flow(FlowExport.model_validate(wire))

    assert shape(copy) == shape(branched)
    assert copy.steps[action.position - 1].policy == StepPolicy(attempts=2)
    large = copy.steps[3].branch_conditions[0]["and"][0]
    assert large["key"] == f"{{{{step.{copy.steps[1].id}.item.total}}}}"
    assert "structuralType" not in wire["steps"][0]
    template = await backend.create_template("Tree", branched.id)
    assert shape(await backend.use_template(template.id)) == shape(branched)


def exported(number, kind=SINGLE, parent=None):
    step_type = StepType.TRIGGER if number == 1 else StepType.ACTION
    return StepExport(
        id=StepId(f"s{number}"),
        type=step_type,
        position=number,
        structural_type=kind,
        parent_step_id=StepId(f"s{parent}") if parent else None,
    )


async def test_an_import_is_put_in_order_by_what_holds_what(backend):
    steps = (exported(1), exported(4, SINGLE, 3), exported(3, EACH), exported(2))

    flow = await backend.import_flow(FlowExport(id=FlowId("f"), name="Mixed", steps=steps))

    assert shape(flow) == [(SINGLE, None), (EACH, None), (SINGLE, 2), (SINGLE, None)]


@pytest.mark.parametrize(
    "steps",
    [
        [exported(1), exported(2, SINGLE, 9)],
        [exported(1), exported(2, EACH, 3), exported(3, EACH, 2)],
        [exported(1), exported(2, BRANCH)],
        [exported(1), exported(2, PATHS), exported(3, SINGLE, 2)],
        [
            exported(1),
            *(exported(number, EACH, number - 1 if number > 2 else None) for number in range(2, 9)),
        ],
        [exported(number) for number in range(1, 202)],
    ],
)
async def test_an_import_that_is_no_tree_is_refused(backend, steps):
    with pytest.raises(ValidationFailed) as refused:
        await backend.import_flow(FlowExport(id=FlowId("f"), name="Odd", steps=tuple(steps)))

    assert "steps" in refused.value.by_field


async def test_a_loop_is_tried_and_gives_its_first_item_to_the_steps_in_it(runtime, backend, branched):
    _, loop, paths, large, inner, *_ = branched.steps
    await send(runtime, branched, {"orders": [{"name": "A", "total": 150}, {"name": "B", "total": 5}]})

    looped = await backend.test_step(loop.id)
    chosen = await backend.test_step(paths.id)
    passed = await backend.test_step(inner.id)

    assert looped.result.data_out["count"] == 2
    assert looped.result.data_out["item"] == {"name": "A", "total": 150}
    assert looped.flow.step(loop.id).tested == "passed"
    assert chosen.result.data_out == {"taken": [large.id], "names": ["Branch 1"]}
    assert passed.result.data_out["text"] == "A, Branch 1"
    samples = {sample.step.id: sample.data_out for sample in await backend.step_samples(branched.id)}
    assert (samples[loop.id]["index"], samples[loop.id]["number"]) == (0, 1)


async def test_testing_a_loop_over_something_else_than_a_list_reports_it(runtime, backend, branched):
    loop = branched.steps[1]
    await send(runtime, branched, {"orders": {"first": [1]}})

    tested = await backend.test_step(loop.id)

    assert "needs a list, but got an object" in tested.result.error_details["happened"]
    assert tested.flow.step(loop.id).status is StepStatus.INCOMPLETE


async def test_a_path_is_tried_with_its_neighbours(backend, branched):
    with pytest.raises(Conflict):
        await backend.test_step(branched.steps[3].id)


async def test_paths_are_tried_only_when_their_conditions_find_their_values(runtime, backend, branched):
    loop, paths = branched.steps[1:3]
    await send(runtime, branched, {"orders": [{"name": "A"}]})
    await backend.test_step(loop.id)

    with pytest.raises(ValidationFailed) as refused:
        await backend.test_step(paths.id)

    assert "item.total" in refused.value.by_field["branchConditions"][0]


async def test_paths_are_tried_only_when_each_says_when_it_is_taken(runtime, backend, branched):
    paths, large = branched.steps[2:4]
    await backend.update_step(large.id, StepChange(branch_conditions=()))

    with pytest.raises(ValidationFailed, match="This branch has no conditions"):
        await backend.test_step(paths.id)


async def test_a_tree_goes_live(runtime, backend, branched):
    for step in branched.steps:
        await backend.skip_step_test(step.id)

    live = await backend.publish_flow(branched.id)

    assert live.active
    assert children(live.steps, live.steps[2].id)
