"""Flows: list, create, publish, run, move, copy, import, and export."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from patchbay.domain.error_wire import to_wire
from patchbay.domain.errors import AppError, NotFound
from patchbay.domain.executions import ExecutionStep, FlowActivity
from patchbay.domain.flows import Flow, FlowExport
from patchbay.domain.schedules import SchedulePreview
from patchbay.server.authentication import RequestBackend, read_only
from patchbay.server.request_models import (
    FlowEdit,
    FlowFile,
    FlowFiles,
    FlowIds,
    FlowMove,
    FlowRun,
    FlowSettingsEdit,
    FlowSwitch,
    NewFlow,
    NewStep,
    ScheduleFields,
)
from patchbay.server.request_parameters import FlowFilterQuery, FlowPath, PageQuery
from patchbay.server.responses import (
    Accepted,
    Failure,
    Many,
    One,
    OneImported,
    OneSwitched,
    Paged,
    describe_responses,
    many,
    many_shortened,
    no_content,
    one,
    one_imported,
    one_switched,
    paged,
)
from patchbay.server.routing import ResourceRouter

router = ResourceRouter(prefix="/flows", tags=["flows"])


@router.get("", responses=describe_responses(Paged[Flow]))
async def list_flows(backend: RequestBackend, where: FlowFilterQuery, page: PageQuery) -> Response:
    """List flows that match all conditions: published first, then last updated first.

    Long parameters are shortened: texts to 200 characters if a flow's parameters exceed 16 KB in total.
    """
    return await asyncio.to_thread(paged, await backend.list_flows(where, page))


@router.post("", status_code=201, responses=describe_responses(One[Flow], 201, not_found=True, invalid=True))
async def create_flow(backend: RequestBackend, body: NewFlow) -> Response:
    """Create a flow for a user: empty, or from a template."""
    if body.template_id is None:
        return one(await backend.create_flow(body.name, body.folder_id, body.user_id), 201)
    # Checked before the flow is created: moving it there would fail afterwards.
    if body.folder_id is not None and body.folder_id not in {
        folder.id for folder in await backend.list_folders(body.user_id)
    }:
        raise NotFound("No such folder.", meaning="A flow can only be in a folder of the same owner.")
    flow = await backend.use_template(body.template_id, body.user_id)
    return one(flow if body.folder_id is None else await backend.move_flow(flow.id, body.folder_id), 201)


@router.post("/import", status_code=201, responses=describe_responses(OneImported, 201, invalid=True))
async def import_flow(
    backend: RequestBackend,
    body: FlowFile,
    publish: Annotated[bool, Query(description="Also skip the tests of its steps and publish it.")] = False,
) -> Response:
    """Import an exported flow as a new draft, or publish it at once; all IDs are replaced.

    With `publish`, a flow that can't be published is imported as a draft, and `meta.notPublished` says why.
    """
    if not publish:
        return one(await backend.import_flow(body), 201)
    imported = await backend.import_and_publish_flow(body)
    error = imported.error
    return one_imported(imported.flow, None if error is None else Failure.model_validate(to_wire(error)))


@router.post("/imports", responses=describe_responses(Many[Flow], invalid=True))
async def import_and_publish_flows(backend: RequestBackend, body: FlowFiles) -> Response:
    """Import flows and publish them: all of them, or none if one can't be published."""
    return many(
        await backend.import_and_publish_flows(body.flows, use_accounts=body.use_accounts, copy=body.is_copy)
    )


@router.post("/activity", responses=describe_responses(Many[FlowActivity], invalid=True))
@read_only
async def flow_activity(backend: RequestBackend, body: FlowIds) -> Response:
    """Get the recent runs of flows."""
    return many(await backend.flow_activity(body.flow_ids))


@router.get("/{flowId}", responses=describe_responses(One[Flow], not_found=True))
async def get_flow(backend: RequestBackend, flow_id: FlowPath) -> Response:
    """Get a flow with its steps."""
    return await asyncio.to_thread(one, await backend.get_flow(flow_id))


@router.patch("/{flowId}", responses=describe_responses(One[Flow], not_found=True, invalid=True))
async def update_flow(backend: RequestBackend, flow_id: FlowPath, body: FlowEdit) -> Response:
    """Change the name or the polling interval of a flow."""
    return one(await backend.update_flow(flow_id, name=body.name, execution_interval=body.execution_interval))


@router.delete("/{flowId}", status_code=204, responses=describe_responses(None, 204, not_found=True))
async def delete_flow(backend: RequestBackend, flow_id: FlowPath) -> Response:
    """Unpublish and delete a flow; its executions are kept, and it can be restored."""
    await backend.delete_flow(flow_id)
    return no_content()


@router.patch(
    "/{flowId}/status", responses=describe_responses(OneSwitched, not_found=True, invalid=True, conflict=True)
)
async def switch_flow(backend: RequestBackend, flow_id: FlowPath, body: FlowSwitch) -> Response:
    """Publish or unpublish a flow; 422 with everything that is missing if it isn't ready.

    If the published flow can't work on this server, `meta.attention` says why.
    """
    if not body.active:
        return one(await backend.unpublish_flow(flow_id))
    flow = await backend.publish_flow(flow_id, seen=body.updated_at)
    found: Sequence[FlowActivity] = ()
    with suppress(AppError):  # it is published, whether or not its activity can be read
        found = await backend.flow_activity((flow_id,))
    return one_switched(flow, found[0] if found else None)


@router.patch("/{flowId}/folder", responses=describe_responses(One[Flow], not_found=True, invalid=True))
async def move_flow(backend: RequestBackend, flow_id: FlowPath, body: FlowMove) -> Response:
    """Move a flow into a folder, or out of its folder."""
    return one(await backend.move_flow(flow_id, body.folder_id))


@router.post(
    "/{flowId}/duplicate", status_code=201, responses=describe_responses(One[Flow], 201, not_found=True)
)
async def duplicate_flow(backend: RequestBackend, flow_id: FlowPath) -> Response:
    """Duplicate a flow as a new draft."""
    return one(await backend.duplicate_flow(flow_id), 201)


@router.post(
    "/{flowId}/export", status_code=201, responses=describe_responses(One[FlowExport], 201, not_found=True)
)
@read_only
async def export_flow(backend: RequestBackend, flow_id: FlowPath) -> Response:
    """Export a flow, with new IDs and without connections."""
    return one(await backend.export_flow(flow_id), 201)


@router.post("/{flowId}/restore", responses=describe_responses(One[Flow], not_found=True))
async def restore_flow(backend: RequestBackend, flow_id: FlowPath) -> Response:
    """Restore a deleted flow as a draft."""
    return one(await backend.restore_flow(flow_id))


@router.post(
    "/{flowId}/run",
    status_code=202,
    responses=describe_responses(One[Accepted], 202, not_found=True, invalid=True, conflict=True),
)
async def run_flow(backend: RequestBackend, flow_id: FlowPath, body: FlowRun | None = None) -> Response:
    """Run a flow now; returns the ID of the execution as soon as it's accepted."""
    return one(Accepted(id=await backend.run_flow(flow_id, body.item if body else None)), 202)


@router.get("/{flowId}/samples", responses=describe_responses(Many[ExecutionStep], not_found=True))
async def step_samples(backend: RequestBackend, flow_id: FlowPath) -> Response:
    """List the newest successful result of each step.

    Data over 5 MB in total is shortened, the largest first; the affected steps are marked `shortened`.
    """
    return await asyncio.to_thread(many_shortened, await backend.step_samples(flow_id))


@router.post(
    "/{flowId}/schedule-preview",
    responses=describe_responses(One[SchedulePreview], not_found=True, invalid=True),
)
@read_only
async def preview_schedule(backend: RequestBackend, flow_id: FlowPath, body: ScheduleFields) -> Response:
    """Get a sentence and the next starts of a schedule trigger with these fields, in the flow's time zone."""
    return one(await backend.preview_schedule(flow_id, body.app_key, body.key, body.parameters))


@router.patch("/{flowId}/settings", responses=describe_responses(One[Flow], not_found=True, invalid=True))
async def change_flow_settings(
    backend: RequestBackend, flow_id: FlowPath, body: FlowSettingsEdit
) -> Response:
    """Change how a flow runs, effective immediately."""
    given = {name: getattr(body, name) for name in body.model_fields_set}
    settings = (await backend.get_flow(flow_id)).settings.model_copy(update=given)
    return one(await backend.change_flow_settings(flow_id, settings))


@router.post("/{flowId}/pause", responses=describe_responses(One[Flow], not_found=True, conflict=True))
async def pause_flow(backend: RequestBackend, flow_id: FlowPath) -> Response:
    """Pause a published flow: events are queued and don't run."""
    return one(await backend.pause_flow(flow_id))


@router.post("/{flowId}/resume", responses=describe_responses(One[Flow], not_found=True))
async def resume_flow(backend: RequestBackend, flow_id: FlowPath) -> Response:
    """Resume a paused flow."""
    return one(await backend.resume_flow(flow_id))


@router.post(
    "/{flowId}/steps",
    status_code=201,
    responses=describe_responses(One[Flow], 201, not_found=True, invalid=True),
)
async def add_step(backend: RequestBackend, flow_id: FlowPath, body: NewStep | None = None) -> Response:
    """Add an empty step after another, inside another, or at the end; returns the whole flow."""
    new = body or NewStep()
    added = backend.add_step(
        flow_id, new.previous_step_id, inside=new.parent_step_id, kind=new.structural_type
    )
    return one(await added, 201)
