"""Steps that hold others: paths, branches and loops."""

from typing import Any
from uuid import uuid4

from tests.support.desk import TOOLS
from tests.support.operation_recorder import OperationRecorder
from tests.support.stories import story
from tests.support.stories.flows import CATCH, PASS

from patchbay.domain.base import Json, JsonObject, get_optional
from patchbay.domain.errors import Conflict, FlowNotReady, NotFound, ValidationFailed
from patchbay.domain.flows import Flow, StepChange, StructuralType
from patchbay.domain.step_policy import StepPolicy

PATHS = StructuralType.PATHS
BRANCH = StructuralType.BRANCH
EACH = StructuralType.EACH


def shape(flow: Flow) -> list[tuple[str, int | None]]:
    """What kind each step is, and the position of the one that holds it."""
    at = {step.id: step.position for step in flow.steps}
    return [(str(step.structural_type), get_optional(at, step.parent_step_id)) for step in flow.steps]


@story("create_flow", "add_step", "move_step", "delete_step", "restore_step")
async def steps_are_put_into_paths_and_loops_and_taken_out_again(call: OperationRecorder) -> None:
    flow = await call("create_flow")
    trigger, action = flow.steps
    flow = await call("add_step", flow.id, action.id, kind=PATHS)
    paths, first, otherwise = flow.steps[2:]
    assert shape(flow)[2:] == [("paths", None), ("branch", 3), ("branch", 3)]
    assert otherwise.branch_conditions == ({"and": []},)

    flow = await call("add_step", flow.id, inside=paths.id, kind=BRANCH)
    assert flow.steps[-1].id == otherwise.id
    flow = await call("add_step", flow.id, inside=first.id, kind=EACH)
    loop = flow.steps[4]
    flow = await call("move_step", action.id, 5, inside=loop.id)
    assert shape(flow) == [
        ("single", None),
        ("paths", None),
        ("branch", 2),
        ("each", 3),
        ("single", 4),
        ("branch", 2),
        ("branch", 2),
    ]
    flow = await call("add_step", flow.id, loop.id)
    assert shape(flow)[5] == ("single", 3)

    whole = flow
    flow = await call("delete_step", paths.id)
    assert [step.id for step in flow.steps] == [trigger.id]
    assert isinstance(await call.refused("restore_step", action.id), Conflict)
    assert (await call("restore_step", paths.id)).steps == whole.steps


@story("create_flow", "add_step", "move_step")
async def a_step_goes_only_where_it_can_be(call: OperationRecorder) -> None:
    flow = await call("create_flow")
    trigger, action = flow.steps
    flow = await call("add_step", flow.id, kind=PATHS)
    paths, first, _ = flow.steps[2:]

    async def refuses(operation: str, *args: object, **named: Any) -> None:
        assert isinstance(await call.refused(operation, *args, **named), ValidationFailed)

    await refuses("add_step", flow.id, kind=BRANCH)
    await refuses("add_step", flow.id, inside=paths.id)
    await refuses("add_step", flow.id, inside=action.id)
    await refuses("add_step", flow.id, inside=first.id, kind=BRANCH)
    await refuses("add_step", flow.id, action.id, inside=first.id)
    await refuses("move_step", paths.id, 3, inside=first.id)
    await refuses("move_step", action.id, 4)
    await refuses("move_step", first.id, 3)
    await refuses("move_step", action.id, 2, inside=first.id)
    await refuses("move_step", trigger.id, 4, inside=first.id)
    assert isinstance(await call.refused("add_step", flow.id, inside=str(uuid4())), NotFound)
    assert isinstance(await call.refused("move_step", action.id, 3, inside=str(uuid4())), NotFound)


@story("create_flow", "add_step", "update_step", "get_flow")
async def a_steps_messages_fit_its_kind(call: OperationRecorder) -> None:
    flow = await call("create_flow")
    action = flow.steps[1]
    flow = await call("add_step", flow.id, kind=PATHS)
    paths, first = flow.steps[2:4]
    conditions: tuple[JsonObject, ...] = ({"and": [{"key": "a", "operator": "equal", "value": "a"}]},)

    flow = await call("update_step", first.id, StepChange(branch_conditions=conditions, name="Same"))
    assert (flow.step(first.id).branch_conditions, flow.step(first.id).name) == (conditions, "Same")
    flow = await call("update_step", paths.id, StepChange(parameters={"mode": "all"}))
    assert flow.step(paths.id).parameters == {"mode": "all"}
    policy = StepPolicy(timeout_seconds=60, attempts=3, first_pause_seconds=10)
    flow = await call("update_step", action.id, StepChange(policy=policy))
    assert flow.step(action.id).policy == policy
    flow = await call("update_step", action.id, StepChange(policy=None))
    assert flow.step(action.id).policy == StepPolicy()
    assert await call("get_flow", flow.id) == flow

    for step, change in (
        (action, StepChange(branch_conditions=conditions)),
        (first, StepChange(branch_conditions=({"or": []},))),
        (first, StepChange(app_key=TOOLS)),
        (paths, StepChange(parameters={"mode": "some"})),
        (paths, StepChange(policy=policy)),
    ):
        assert isinstance(await call.refused("update_step", step.id, change), ValidationFailed)


@story(
    "create_flow",
    "add_step",
    "update_step",
    "move_step",
    "test_step",
    "skip_step_test",
    "publish_flow",
    "step_samples",
    "run_flow",
)
async def paths_and_loops_are_tried_on_the_newest_data(call: OperationRecorder) -> None:
    flow = await call("create_flow")
    trigger, action = flow.steps
    await call("update_step", trigger.id, CATCH)
    await call("update_step", action.id, PASS)
    await call("skip_step_test", trigger.id)
    await call("skip_step_test", action.id)
    await call.finished(await call("run_flow", flow.id, {"orders": [{"total": 7}, {"total": 120}]}))

    flow = await call("add_step", flow.id, trigger.id, kind=EACH)
    loop = flow.steps[1]
    assert isinstance(await call.refused("test_step", loop.id), ValidationFailed)
    await call("move_step", action.id, 3, inside=loop.id)
    orders = StepChange(parameters={"list": f"{{{{step.{trigger.id}.orders}}}}"})
    await call("update_step", loop.id, orders)
    tested = await call("test_step", loop.id)
    assert tested.result.data_out["count"] == 2
    assert tested.result.data_out["item"] == {"total": 7}

    flow = await call("add_step", flow.id, inside=loop.id, kind=PATHS)
    paths, first, otherwise = (step for step in flow.steps if step.id not in (trigger.id, loop.id, action.id))
    assert isinstance(await call.refused("publish_flow", flow.id), FlowNotReady)
    large: Json = {"key": f"{{{{step.{loop.id}.item.total}}}}", "operator": "greater_than", "value": "100"}
    await call("update_step", first.id, StepChange(branch_conditions=({"and": [large]},)))
    tested = await call("test_step", paths.id)
    assert tested.result.data_out == {"taken": [otherwise.id], "names": ["Default branch"]}
    assert isinstance(await call.refused("test_step", first.id), Conflict)
    samples = {sample.step.id: sample.data_out for sample in await call("step_samples", flow.id)}
    assert samples[loop.id]["number"] == 1

    assert (await call("publish_flow", flow.id)).active
