"""How published flows are run: settings that take effect at once, pauses, and flows that call others."""

import pytest
from tests.support.app_calls import built_in_app
from tests.support.desk import TOOLS
from tests.support.workspace import CATCH, PASS, open_runtime

from patchbay.domain.base import FlowId
from patchbay.domain.errors import Conflict, FlowNotReady, ValidationFailed
from patchbay.domain.executions import ExecutionFilter, ExecutionState
from patchbay.domain.flow_calls import PATCHBAY_APP
from patchbay.domain.flows import FlowFilter, FlowSettings, FlowStatus, MissedStartPolicy, StepChange
from patchbay.domain.paging import PageRequest
from patchbay.domain.ports import WebhookRequest
from patchbay.service.readiness import NOT_CALLABLE
from patchbay.storage.flow_directory import SqlFlowDirectory
from patchbay.storage.repositories import flows


@pytest.fixture
async def live(runtime, backend):
    flow = await runtime.skipped(await runtime.flow(CATCH, PASS))
    return await backend.publish_flow(flow.id)


@pytest.fixture
async def calling_runtime(tmp_path):
    """A workspace with the app by which flows call one another."""
    runtime = await open_runtime(tmp_path, more_apps=[built_in_app("patchbay")])
    yield runtime
    await runtime.close()


async def pause_for_failures(runtime, flow):
    held = {"paused_at": runtime.clock(), "paused_reason": "Paused after 20 failures in a row."}
    await runtime.db.write(lambda tx: flows.change(tx, flow.id, runtime.clock(), **held))


async def test_settings_are_no_part_of_what_is_published(backend, live):
    settings = FlowSettings(
        max_concurrent=1, pause_after=5, missed=MissedStartPolicy.SKIP, time_zone="Asia/Tokyo"
    )

    changed = await backend.change_flow_settings(live.id, settings)

    assert (changed.settings, changed.has_unpublished_edits) == (settings, False)
    assert changed.published_version == live.published_version
    assert "settings" not in (await backend.export_flow(live.id)).wire()


@pytest.mark.parametrize("zone", ["Europe/Nowhere", "", "../etc/passwd", "Vienna"])
async def test_a_time_zone_that_does_not_exist_is_refused(backend, live, zone):
    with pytest.raises(ValidationFailed) as refused:
        await backend.change_flow_settings(live.id, FlowSettings(time_zone=zone))

    assert "timeZone" in refused.value.by_field
    assert (await backend.get_flow(live.id)).settings == FlowSettings()


async def test_a_paused_flow_says_so_everywhere(backend, live):
    paused = await backend.pause_flow(live.id)

    assert (paused.status, paused.active) == (FlowStatus.PAUSED, True)
    activity = (await backend.flow_activity([live.id]))[0]
    assert (activity.attention, activity.next_run_at) == ("Paused manually", None)
    for status, count in ((FlowStatus.PAUSED, 1), (FlowStatus.PUBLISHED, 1)):
        assert (await backend.list_flows(FlowFilter(status=status), PageRequest())).total == count


@pytest.mark.parametrize("leave", ["unpublish_flow", "delete_flow"])
async def test_what_a_paused_flow_kept_is_not_run_when_it_is_taken_away(runtime, backend, live, leave):
    await runtime.engine.start()
    await backend.pause_flow(live.id)
    call = WebhookRequest(method="POST", headers={}, query={}, body={"n": 1})
    await runtime.engine.deliver(live.id, call, synchronous=False)

    await getattr(backend, leave)(live.id)

    (kept,) = (await backend.list_executions(ExecutionFilter(), PageRequest())).items
    assert kept.state is ExecutionState.CANCELLED
    assert "while it was paused" in str(kept.note)


async def test_a_draft_cannot_be_paused(runtime, backend):
    with pytest.raises(Conflict):
        await backend.pause_flow((await runtime.flow(CATCH, PASS)).id)


async def test_consecutive_failures_are_counted_from_zero_after_resuming(runtime, backend, live):
    await backend.pause_flow(live.id)
    before = runtime.clock.now

    resumed = await backend.resume_flow(live.id)

    assert (resumed.status, resumed.paused_reason) == (FlowStatus.PUBLISHED, None)
    since = await runtime.db.read(
        lambda tx: tx.exec_driver_sql("SELECT streak_from FROM flow WHERE id = ?", (live.id,)).scalar_one()
    )
    assert since > before


@pytest.mark.parametrize("ends", ["unpublish_flow", "delete_flow"])
async def test_a_flow_that_is_taken_down_is_paused_no_more(backend, live, ends):
    await backend.pause_flow(live.id)

    await getattr(backend, ends)(live.id)

    flow = await backend.restore_flow(live.id) if ends == "delete_flow" else await backend.get_flow(live.id)
    assert (flow.status, flow.paused_at, flow.paused_reason) == (FlowStatus.DRAFT, None, None)


async def test_publishing_lifts_a_pause_for_failures_of_the_version_before(runtime, backend, live):
    await pause_for_failures(runtime, live)
    edited = await backend.update_step(live.steps[1].id, StepChange(parameters={"text": "repaired"}))
    await runtime.skipped(edited)

    assert (await backend.publish_flow(live.id)).status is FlowStatus.PUBLISHED


async def test_publishing_leaves_a_pause_by_a_person(runtime, backend, live):
    await backend.pause_flow(live.id)
    edited = await backend.update_step(live.steps[1].id, StepChange(parameters={"text": "next"}))
    await runtime.skipped(edited)

    assert (await backend.publish_flow(live.id)).status is FlowStatus.PAUSED


async def test_a_copy_has_the_settings_and_not_the_pause(backend, live):
    await backend.change_flow_settings(live.id, FlowSettings(max_concurrent=3))
    await backend.pause_flow(live.id)

    copy = await backend.duplicate_flow(live.id)

    assert (copy.settings.max_concurrent, copy.paused_at) == (3, None)


# Flows that call others

CALLED = StepChange(app_key=PATCHBAY_APP, key="called")


def calling(flow_id):
    return StepChange(app_key=PATCHBAY_APP, key="callFlow", parameters={"flow": flow_id})


async def published(runtime, *changes, name="A flow"):
    flow = await runtime.flow(*changes, name=name)
    return await runtime.backend.publish_flow((await runtime.skipped(flow)).id)


async def test_only_published_flows_that_start_by_a_call_can_be_called(calling_runtime):
    runtime, backend = calling_runtime, calling_runtime.backend
    report = await published(runtime, CALLED, PASS, name="Report")
    await published(runtime, CATCH, PASS, name="By webhook")
    await runtime.flow(CALLED, PASS, name="A draft")
    caller = await runtime.flow(CATCH, calling(report.id), name="Caller")

    choices = await backend.dynamic_options(caller.steps[1].id, "listCallableFlows", {})
    assert [(choice.label, choice.value) for choice in choices] == [("Report", report.id)]

    await runtime.skipped(caller)
    assert (await backend.publish_flow(caller.id)).active
    assert (await backend.flow_activity([caller.id]))[0].attention is None
    await backend.unpublish_flow(report.id)
    assert (await backend.flow_activity([caller.id]))[0].attention == "Calls a flow that isn't published"
    await backend.update_step(caller.steps[1].id, StepChange(name="Again"))
    await backend.skip_step_test(caller.steps[1].id)
    with pytest.raises(FlowNotReady) as refused:
        await backend.publish_flow(caller.id)
    assert [blocker.reason for blocker in refused.value.blockers] == [NOT_CALLABLE]


async def test_a_flow_may_call_itself(calling_runtime):
    runtime, backend = calling_runtime, calling_runtime.backend
    flow = await runtime.flow(CALLED, PASS)
    await backend.update_step(flow.steps[1].id, StepChange(app_key=PATCHBAY_APP, key="callFlow"))
    await backend.update_step(flow.steps[1].id, StepChange(parameters={"flow": flow.id}))

    assert (await backend.publish_flow((await runtime.skipped(flow)).id)).active


async def test_what_a_flow_was_called_with_and_answered_is_found_again(calling_runtime):
    runtime, backend = calling_runtime, calling_runtime.backend
    answer = StepChange(app_key=PATCHBAY_APP, key="answer", parameters={"dataAs": "json", "json": "42"})
    flow = await published(runtime, CALLED, answer)
    directory = SqlFlowDirectory(runtime.db)
    assert (await directory.last_call(flow.id), await directory.last_response(flow.id)) == (None, None)

    await backend.test_step(flow.steps[1].id)

    assert await directory.last_response(flow.id) == "42"
    assert [choice.name for choice in await directory.flows()] == ["A flow"]
    assert [choice.id for choice in await directory.callable_flows()] == [flow.id]


async def test_steps_of_published_flows_are_found_by_their_event(calling_runtime):
    runtime, backend = calling_runtime, calling_runtime.backend
    flow = await published(runtime, CATCH, PASS)
    await runtime.skipped(await runtime.flow(CATCH, PASS, name="A draft"))
    directory = SqlFlowDirectory(runtime.db)

    (found,) = await directory.published_steps(TOOLS, "pass")

    assert (found.flow_id, found.flow_name, found.step_id) == (flow.id, flow.name, flow.steps[1].id)
    assert found.parameters == {"text": "hello"}
    assert await directory.published_steps(TOOLS, "pass", flow.id) == (found,)
    assert await directory.published_steps(TOOLS, "pass", FlowId("other")) == ()
    assert await directory.published_steps(TOOLS, "nothing") == ()
    await backend.unpublish_flow(flow.id)
    assert await directory.published_steps(TOOLS, "pass") == ()


@pytest.mark.parametrize(
    "name", ["a/" * 450_000 + "a", "x" * 900_000, "../../etc/passwd", "a\0b", "", "/UTC"]
)
async def test_an_unknown_time_zone_is_rejected_with_a_clear_error(backend, name: str):
    flow = await backend.create_flow("Zones")

    with pytest.raises(ValidationFailed) as refused:
        await backend.change_flow_settings(flow.id, FlowSettings(time_zone=name))

    assert len(refused.value.text()) < 200
