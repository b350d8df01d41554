import pytest
from tests.support.desk import DESK, TOOLS
from tests.support.workspace import CATCH, PASS, open_runtime

from patchbay.apps.formatter import app as formatter
from patchbay.domain.base import AppKey
from patchbay.domain.errors import Conflict, NotFound, ThirdPartyError, ValidationFailed
from patchbay.domain.executions import StepState
from patchbay.domain.flows import FlowVersion, StepChange, StepStatus
from patchbay.domain.ports import WebhookRequest
from patchbay.domain.step_policy import StepPolicy


async def deliver(runtime, flow, body):
    await runtime.engine.start()
    request = WebhookRequest(method="POST", headers={}, query={}, body=body)
    await runtime.engine.deliver(flow.id, request, synchronous=False)


def uses_body(flow, path="body.name"):
    return StepChange(parameters={"text": f"Hi {{{{step.{flow.steps[0].id}.{path}}}}}"})


async def test_step_that_passes_is_completed(runtime, backend):
    flow = await runtime.flow(CATCH, PASS)

    test = await backend.test_step(flow.steps[1].id)

    step = test.flow.steps[1]
    assert (step.status, step.tested) == (StepStatus.COMPLETED, "passed")
    assert (test.result.status, test.result.data_out) == (StepState.SUCCESS, {"text": "hello"})
    execution = await backend.get_execution(test.execution_id)
    assert execution.test_run


async def test_result_reads_the_same_in_the_history(runtime, backend):
    flow = await runtime.flow(CATCH, PASS)

    test = await backend.test_step(flow.steps[1].id)

    assert await backend.execution_steps(test.execution_id) == (test.result,)


async def test_step_that_fails_stays_incomplete_and_tells_why(desk_runtime, desk_service):
    connection = await desk_runtime.connect(desk_service.good_key)
    create = StepChange(
        app_key=DESK, key="createTicket", connection_id=connection.id, parameters={"title": "boom"}
    )
    flow = await desk_runtime.skipped(await desk_runtime.flow(CATCH, create))

    test = await desk_runtime.backend.test_step(flow.steps[1].id)

    step = test.flow.steps[1]
    assert (step.status, step.tested) == (StepStatus.INCOMPLETE, "failed")
    assert test.result.status is StepState.FAILURE
    assert test.result.error_details["said"] == "Title not allowed"


async def test_filter_that_does_not_match_passed_its_test(runtime, backend):
    flow = await runtime.flow(CATCH, StepChange(app_key=TOOLS, key="pass", parameters={"text": "nothing"}))

    test = await backend.test_step(flow.steps[1].id)

    assert test.result.status is StepState.FILTERED
    assert test.flow.steps[1].tested == "passed"


async def test_a_bug_in_an_app_is_reported_without_its_message(runtime, backend, caplog):
    flow = await runtime.flow(CATCH, StepChange(app_key=TOOLS, key="pass", parameters={"text": "crash"}))

    test = await backend.test_step(flow.steps[1].id)

    assert test.result.status is StepState.FAILURE
    assert "sk-secret" not in f"{test.result.error_details}{caplog.text}"


async def test_values_of_earlier_steps_come_from_their_newest_data(runtime, backend):
    flow = await runtime.flow(CATCH, PASS)
    await deliver(runtime, flow, {"name": "Ada"})
    await backend.update_step(flow.steps[1].id, uses_body(flow))

    test = await backend.test_step(flow.steps[1].id)

    assert test.result.data_in == {"text": "Hi Ada"}
    samples = await backend.step_samples(flow.id)
    assert {sample.step.id for sample in samples} == {step.id for step in flow.steps}


async def test_value_of_a_step_that_has_no_data_yet_is_an_error_with_the_way_out(runtime, backend):
    flow = await runtime.flow(CATCH, PASS)
    await backend.update_step(flow.steps[1].id, uses_body(flow))

    with pytest.raises(ValidationFailed) as refused:
        await backend.test_step(flow.steps[1].id)

    assert refused.value.by_field == {
        "text": ["It uses a value of step 1, but it has no data yet, so no “body.name”. Test step 1 first."]
    }


async def test_value_that_the_newest_data_lacks_is_an_error(runtime, backend):
    flow = await runtime.flow(CATCH, PASS)
    await deliver(runtime, flow, {"name": "Ada"})
    await backend.update_step(flow.steps[1].id, uses_body(flow, "body.nme"))

    with pytest.raises(ValidationFailed) as refused:
        await backend.test_step(flow.steps[1].id)

    assert "its newest data has no “body.nme”" in refused.value.text()


async def test_webhook_trigger_shows_what_was_sent_to_it(runtime, backend):
    flow = await runtime.flow(CATCH, PASS)
    with pytest.raises(Conflict):
        await backend.test_step(flow.steps[0].id)
    await deliver(runtime, flow, {"n": 1})

    test = await backend.test_step(flow.steps[0].id)

    assert test.result.data_out["body"] == {"n": 1}
    assert test.flow.steps[0].tested == "passed"


async def test_running_a_draft_tests_all_its_steps(runtime, backend):
    flow = await runtime.flow(CATCH, PASS, PASS)
    await deliver(runtime, flow, {"n": 1})

    await backend.run_flow(flow.id)

    assert await _tested(backend, flow) == ["passed", "passed", "passed"]


async def test_a_call_to_the_webhook_of_a_draft_tests_its_trigger_alone(runtime, backend):
    flow = await runtime.flow(CATCH, PASS)

    await deliver(runtime, flow, {"n": 1})

    assert await _tested(backend, flow) == ["passed", None]


async def test_data_given_by_hand_does_not_test_the_trigger(runtime, backend):
    flow = await runtime.flow(CATCH, PASS)
    await runtime.engine.start()

    await backend.run_flow(flow.id, {"body": {}})

    assert await _tested(backend, flow) == [None, "passed"]


async def test_running_a_draft_tests_no_step_behind_one_that_fails(desk_runtime, desk_service):
    connection = await desk_runtime.connect(desk_service.good_key)
    create = StepChange(
        app_key=DESK, key="createTicket", connection_id=connection.id, parameters={"title": "boom"}
    )
    flow = await desk_runtime.skipped(await desk_runtime.flow(CATCH, create, PASS))
    await desk_runtime.backend.update_step(flow.steps[2].id, StepChange(parameters={"text": "new"}))
    await deliver(desk_runtime, flow, {"n": 1})

    await desk_runtime.backend.run_flow(flow.id)

    assert await _tested(desk_runtime.backend, flow) == ["passed", "failed", None]


async def test_a_step_edited_while_it_runs_is_not_taken_as_tested(runtime, backend):
    flow = await runtime.flow(CATCH, PASS)
    await deliver(runtime, flow, {"n": 1})
    version = await backend.get_flow(flow.id)
    await backend.update_step(flow.steps[1].id, StepChange(parameters={"text": "edited"}))
    as_it_was = FlowVersion(flow_id=flow.id, number=0, name=flow.name, steps=version.steps)

    await runtime.engine.test_step(as_it_was, flow.steps[1].id, {})

    assert await _tested(backend, flow) == ["passed", None]


async def test_a_new_name_and_what_follows_a_failure_leave_the_test_as_it_was(runtime, backend):
    flow = await runtime.flow(CATCH, PASS)
    await backend.test_step(flow.steps[1].id)

    await backend.update_step(flow.steps[1].id, StepChange(name="Greet"))
    await backend.update_step(flow.steps[1].id, StepChange(continue_on_error=True))
    await backend.update_step(flow.steps[1].id, StepChange(policy=StepPolicy(attempts=3)))

    assert await _tested(backend, flow) == [None, "passed"]


async def test_the_test_of_one_step_counts_as_one_step(runtime, backend):
    flow = await runtime.flow(CATCH, PASS, PASS)

    test = await backend.test_step(flow.steps[2].id)

    execution = await backend.get_execution(test.execution_id)
    assert (execution.steps_done, execution.steps_total) == (1, 3)


async def _tested(backend, flow):
    return [step.tested for step in (await backend.get_flow(flow.id)).steps]


@pytest.mark.parametrize("ask", ["test_step", "skip_step_test"])
async def test_step_that_lacks_something_required_is_neither_tested_nor_skipped(
    desk_runtime, desk_service, ask
):
    connection = await desk_runtime.connect(desk_service.good_key)
    create = StepChange(app_key=DESK, key="createTicket", connection_id=connection.id)
    flow = await desk_runtime.flow(CATCH, create)

    with pytest.raises(ValidationFailed) as refused:
        await getattr(desk_runtime.backend, ask)(flow.steps[1].id)

    assert refused.value.by_field == {"title": ["“Title” is required."]}


async def test_skipping_is_remembered_as_such(runtime, backend):
    flow = await runtime.flow(CATCH, PASS)

    skipped = await backend.skip_step_test(flow.steps[1].id)

    assert (skipped.steps[1].status, skipped.steps[1].tested) == (StepStatus.COMPLETED, "skipped")


async def test_testing_a_live_flow_is_no_edit(runtime, backend):
    flow = await runtime.skipped(await runtime.flow(CATCH, PASS))
    await backend.publish_flow(flow.id)

    test = await backend.test_step(flow.steps[1].id)

    assert test.flow.has_unpublished_edits is False


async def test_options_are_loaded_with_the_connection_and_resolved_values(desk_runtime, desk_service):
    connection = await desk_runtime.connect(desk_service.good_key)
    create = StepChange(app_key=DESK, key="createTicket", connection_id=connection.id)
    flow = await desk_runtime.flow(CATCH, create)
    await deliver(desk_runtime, flow, {"name": "!"})
    step = flow.steps[1].id

    options = await desk_runtime.backend.dynamic_options(
        step, "listProjects", {"title": f"{{{{step.{flow.steps[0].id}.body.name}}}}"}
    )
    fields = await desk_runtime.backend.dynamic_fields(step, "projectFields", {"project": 7})

    assert [(option.label, option.value) for option in options] == [("Engines!", 7)]
    assert fields[0].label == "Extra of 7"


async def test_refusal_while_loading_options_is_reported_in_the_services_words(desk_runtime, desk_service):
    connection = await desk_runtime.connect(desk_service.good_key)
    create = StepChange(app_key=DESK, key="createTicket", connection_id=connection.id)
    flow = await desk_runtime.flow(CATCH, create)
    desk_service.good_key = "another"

    with pytest.raises(ThirdPartyError) as refused:
        await desk_runtime.backend.dynamic_options(flow.steps[1].id, "listProjects", {})

    assert refused.value.said == "Invalid API key"


async def test_options_of_a_step_without_an_app_or_of_no_such_loader_are_not_found(runtime, backend):
    flow = await backend.create_flow()
    with pytest.raises(NotFound):
        await backend.dynamic_options(flow.steps[1].id, "listProjects", {})
    await backend.update_step(flow.steps[1].id, PASS)

    with pytest.raises(NotFound):
        await backend.dynamic_options(flow.steps[1].id, "listProjects", {})


@pytest.mark.parametrize("ask", ["test_step", "skip_step_test"])
async def test_a_field_that_another_one_brings_in_is_required_too(tmp_path, ask):
    runtime = await open_runtime(tmp_path, more_apps=[formatter])
    chosen = StepChange(
        app_key=AppKey("formatter"), key="date-time", parameters={"transform": "formatDateTime"}
    )
    flow = await runtime.flow(CATCH, chosen)

    with pytest.raises(ValidationFailed) as refused:
        await getattr(runtime.backend, ask)(flow.steps[1].id)
    await runtime.close()

    assert "“Input” is required." in refused.value.by_field["input"]
