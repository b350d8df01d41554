"""How published flows are run: settings, pauses."""

from uuid import uuid4

from tests.support.operation_recorder import OperationRecorder
from tests.support.stories import story
from tests.support.stories.flows import ready_flow

from patchbay.domain.errors import Conflict, NotFound, ValidationFailed
from patchbay.domain.flows import FlowFilter, FlowSettings, FlowStatus, MissedStartPolicy
from patchbay.domain.paging import PageRequest


@story("create_flow", "update_step", "skip_step_test", "change_flow_settings", "get_flow", "duplicate_flow")
async def how_a_flow_is_run_is_settled_for_the_flow(call: OperationRecorder) -> None:
    flow = await ready_flow(call)
    assert flow.settings == FlowSettings()
    settings = FlowSettings(
        max_concurrent=1, pause_after=None, missed=MissedStartPolicy.ALL, time_zone="Europe/Vienna"
    )

    changed = await call("change_flow_settings", flow.id, settings)

    assert (changed.settings, changed.has_unpublished_edits) == (settings, False)
    assert await call("get_flow", flow.id) == changed
    assert (await call("duplicate_flow", flow.id)).settings == settings
    nowhere = settings.model_copy(update={"time_zone": "Europe/Nowhere"})
    assert isinstance(await call.refused("change_flow_settings", flow.id, nowhere), ValidationFailed)
    assert isinstance(await call.refused("change_flow_settings", str(uuid4()), settings), NotFound)


@story(
    "create_flow",
    "update_step",
    "skip_step_test",
    "publish_flow",
    "unpublish_flow",
    "pause_flow",
    "resume_flow",
    "flow_activity",
    "list_flows",
)
async def a_published_flow_is_held_and_let_go(call: OperationRecorder) -> None:
    flow = await ready_flow(call)
    assert isinstance(await call.refused("pause_flow", flow.id), Conflict)
    await call("publish_flow", flow.id)

    held = await call("pause_flow", flow.id)
    assert (held.status, held.active, held.paused_reason) == (FlowStatus.PAUSED, True, "Paused manually.")
    assert (await call("pause_flow", flow.id)).paused_at == held.paused_at
    activity = await call("flow_activity", [flow.id])
    assert (activity[0].attention, activity[0].next_run_at) == ("Paused manually", None)
    for status, count in ((FlowStatus.PAUSED, 1), (FlowStatus.PUBLISHED, 1), (FlowStatus.DRAFT, 0)):
        assert (await call("list_flows", FlowFilter(status=status), PageRequest())).total == count

    gone_on = await call("resume_flow", flow.id)
    assert (gone_on.status, gone_on.paused_at) == (FlowStatus.PUBLISHED, None)
    assert (await call("resume_flow", flow.id)).status is FlowStatus.PUBLISHED
    await call("pause_flow", flow.id)
    draft = await call("unpublish_flow", flow.id)
    assert (draft.status, draft.paused_at, draft.paused_reason) == (FlowStatus.DRAFT, None, None)
    assert isinstance(await call.refused("pause_flow", str(uuid4())), NotFound)
    assert isinstance(await call.refused("resume_flow", str(uuid4())), NotFound)
