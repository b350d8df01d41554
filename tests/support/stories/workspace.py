"""The workspace itself."""

import asyncio

from tests.support.operation_recorder import OperationRecorder
from tests.support.stories import story

from patchbay.domain.backend import Feature
from patchbay.domain.changes import ResourceType
from patchbay.domain.engine import EngineState


@story("info", "health")
async def the_workspace_says_where_it_is_and_how_its_engine_does(call: OperationRecorder) -> None:
    info = await call("info")
    assert info.secrets_kept
    assert info.kind == call.workspace.kind
    assert (await call("health")).state is EngineState.RUNNING
    capabilities = call.workspace.backend.capabilities
    assert [capabilities.reason(feature) for feature in Feature] == [None] * len(Feature)


@story("create_flow", "update_flow", "delete_flow", "changes", "close")
async def changes_are_announced_until_the_workspace_is_closed(call: OperationRecorder) -> None:
    flow = await call("create_flow")
    changes = call.workspace.backend.changes()
    first = asyncio.ensure_future(anext(changes))
    while not first.done():  # a remote follower takes a moment to be connected
        await call.workspace.runtime.backend.update_flow(flow.id, name="Somebody's edit")
        await asyncio.sleep(0.005)
    edited = await first
    assert (edited.noun, edited.ids, edited.action) == (ResourceType.FLOW, (flow.id,), "updated")
    call.note("changes", edited)

    await call("delete_flow", flow.id)
    async for change in changes:
        if change.action == "deleted":
            call.note("changes", change)
            break
    await call.workspace.backend.close()
    call.note("close", None)
    assert [change async for change in changes] == []
