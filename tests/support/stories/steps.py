"""Steps of a draft."""

from uuid import uuid4

from tests.support.desk import DESK, TOOLS
from tests.support.operation_recorder import OperationRecorder
from tests.support.stories import story
from tests.support.stories.flows import CATCH, PASS

from patchbay.domain.base import AppKey, ConnectionId, JsonObject
from patchbay.domain.errors import NotFound, NotSupported, ThirdPartyError, ValidationFailed
from patchbay.domain.executions import StepState
from patchbay.domain.flows import FlowSettings, StepChange, StepStatus, StepTestStatus, StepType


@story("create_flow", "add_step", "update_step", "move_step", "delete_step", "restore_step")
async def steps_are_added_moved_deleted_and_brought_back(call: OperationRecorder) -> None:
    flow = await call("create_flow")
    trigger, action = flow.steps
    flow = await call("add_step", flow.id)
    flow = await call("add_step", flow.id, trigger.id)
    assert [step.position for step in flow.steps] == [1, 2, 3, 4]
    assert flow.steps[2].id == action.id

    flow = await call("move_step", action.id, 4)
    assert flow.steps[3].id == action.id
    flow = await call("delete_step", action.id)
    assert len(flow.steps) == 3
    flow = await call("restore_step", action.id)
    assert flow.steps[3].id == action.id

    assert isinstance(await call.refused("add_step", str(uuid4())), NotFound)
    assert isinstance(await call.refused("add_step", flow.id, str(uuid4())), NotFound)
    assert isinstance(await call.refused("move_step", trigger.id, 2), ValidationFailed)
    assert isinstance(await call.refused("move_step", action.id, 99), ValidationFailed)
    assert isinstance(await call.refused("delete_step", trigger.id), ValidationFailed)
    for operation in ("delete_step", "restore_step", "skip_step_test", "test_step"):
        if operation in ("delete_step", "restore_step"):
            assert isinstance(await call.refused(operation, str(uuid4())), NotFound)


@story("create_flow", "update_step", "get_flow")
async def an_edit_touches_only_what_was_given(call: OperationRecorder) -> None:
    flow = await call("create_flow")
    step = flow.steps[1]
    await call("update_step", step.id, PASS)
    await call("update_step", step.id, StepChange(name="Say hello", continue_on_error=True))
    flow = await call("update_step", step.id, StepChange())
    seen = flow.step(step.id)
    assert (seen.name, seen.key, seen.parameters, seen.continue_on_error) == (
        "Say hello",
        "pass",
        {"text": "hello"},
        True,
    )

    flow = await call("update_step", step.id, StepChange(name=None, app_key=DESK))
    seen = flow.step(step.id)
    assert (seen.key, seen.parameters) == (None, {})
    assert await call("get_flow", flow.id) == flow

    assert isinstance(await call.refused("update_step", str(uuid4()), StepChange(name="x")), NotFound)
    await call.refused("update_step", step.id, StepChange(app_key=AppKey("no-such-app")))
    await call.refused("update_step", step.id, StepChange(app_key=TOOLS, key="no-such-event"))
    await call.refused("update_step", step.id, StepChange(connection_id=ConnectionId(str(uuid4()))))


@story("create_flow", "update_step", "test_step", "skip_step_test", "step_samples", "add_connection")
async def a_step_is_complete_when_its_test_passed_or_was_skipped(call: OperationRecorder) -> None:
    connection = await call(
        "add_connection", "desk", {"screenName": "Ada", "apiKey": call.workspace.desk.good_key}
    )
    flow = await call("create_flow")
    trigger, action = flow.steps
    assert isinstance(await call.refused("test_step", action.id), ValidationFailed)
    assert isinstance(await call.refused("skip_step_test", action.id), ValidationFailed)
    assert isinstance(await call.refused("test_step", str(uuid4())), NotFound)
    assert isinstance(await call.refused("skip_step_test", str(uuid4())), NotFound)

    await call("update_step", trigger.id, StepChange(app_key=DESK, key="newTicket"))
    await call("update_step", trigger.id, StepChange(connection_id=connection.id))
    tested = await call("test_step", trigger.id)
    assert (tested.result.status, tested.result.data_out["title"]) == (StepState.SUCCESS, "Two")
    assert tested.flow.step(trigger.id).tested is StepTestStatus.PASSED

    create = StepChange(app_key=DESK, key="createTicket")
    await call("update_step", action.id, create)
    title: JsonObject = {"title": f"Again: {{{{step.{trigger.id}.title}}}}"}
    await call("update_step", action.id, StepChange(connection_id=connection.id, parameters=title))
    tested = await call("test_step", action.id)
    assert tested.result.data_out["title"] == "Again: Two"

    await call("update_step", action.id, StepChange(parameters={"title": "boom"}))
    failed = await call("test_step", action.id)
    assert failed.result.status is StepState.FAILURE
    assert failed.flow.step(action.id).status is StepStatus.INCOMPLETE
    assert failed.flow.step(action.id).tested is StepTestStatus.FAILED
    skipped = await call("skip_step_test", action.id)
    assert skipped.step(action.id).tested is StepTestStatus.SKIPPED
    assert len(await call("step_samples", flow.id)) == 2


@story("create_flow", "update_step", "test_step")
async def a_webhook_nothing_was_sent_to_cannot_be_tested_yet(call: OperationRecorder) -> None:
    flow = await call("create_flow")
    await call("update_step", flow.steps[0].id, CATCH)

    await call.refused("test_step", flow.steps[0].id)


@story("create_flow", "update_step", "dynamic_options", "dynamic_fields", "add_connection")
async def choices_and_further_fields_come_from_the_app(call: OperationRecorder) -> None:
    key = call.workspace.desk.good_key
    connection = await call("add_connection", "desk", {"screenName": "Ada", "apiKey": key})
    flow = await call("create_flow")
    action = next(step for step in flow.steps if step.type is StepType.ACTION)
    assert isinstance(await call.refused("dynamic_options", action.id, "listProjects", {}), NotFound)
    await call("update_step", action.id, StepChange(app_key=DESK, key="createTicket"))
    await call("update_step", action.id, StepChange(connection_id=connection.id))

    options = await call("dynamic_options", action.id, "listProjects", {"title": "!"})
    assert [(option.label, option.value) for option in options] == [("Engines!", 7)]
    fields = await call("dynamic_fields", action.id, "projectFields", {"project": 7})
    assert [field.label for field in fields] == ["Extra of 7"]

    assert isinstance(await call.refused("dynamic_options", action.id, "noSuchList", {}), NotFound)
    assert isinstance(await call.refused("dynamic_fields", action.id, "noSuchFields", {}), NotFound)
    assert isinstance(await call.refused("dynamic_fields", str(uuid4()), "projectFields", {}), NotFound)
    call.workspace.desk.good_key = "changed meanwhile"
    refused = await call.refused("dynamic_options", action.id, "listProjects", {})
    assert isinstance(refused, ThirdPartyError)
    assert refused.said == "Invalid API key"


@story("create_flow", "preview_schedule", "change_flow_settings")
async def a_schedule_shows_a_sentence_and_its_next_starts(call: OperationRecorder) -> None:
    flow = await call("create_flow")
    await call("change_flow_settings", flow.id, FlowSettings(time_zone="Asia/Kolkata"))

    preview = await call("preview_schedule", flow.id, TOOLS, "everyHour", {})

    assert (preview.sentence, preview.time_zone) == ("Every hour (Asia/Kolkata)", "Asia/Kolkata")
    assert [start[13:] for start in preview.next_starts] == [":00+05:30"] * 5
    assert isinstance(await call.refused("preview_schedule", flow.id, TOOLS, "catch", {}), NotSupported)
    assert isinstance(await call.refused("preview_schedule", flow.id, TOOLS, "never", {}), NotFound)
    assert isinstance(await call.refused("preview_schedule", str(uuid4()), TOOLS, "everyHour", {}), NotFound)
