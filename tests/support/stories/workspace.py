"""The workspace itself."""

import asyncio

from tests.support.stories import story
from tests.support.teller import Teller

from patchbay.domain.backend import Feature
from patchbay.domain.changes import ResourceType
from patchbay.domain.engine import EngineState


@story("info", "health")
async def the_workspace_says_where_it_is_and_how_its_engine_does(tell: Teller) -> None:
    info = await tell("info")
    assert info.secrets_kept
    assert info.kind == tell.home.kind
    assert (await tell("health")).state is EngineState.RUNNING
    capabilities = tell.home.backend.capabilities
    assert [capabilities.reason(feature) for feature in Feature] == [None] * len(Feature)


@story("create_flow", "update_flow", "delete_flow", "changes", "close")
async def changes_are_announced_until_the_workspace_is_closed(tell: Teller) -> None:
    flow = await tell("create_flow")
    changes = tell.home.backend.changes()
    first = asyncio.ensure_future(anext(changes))
    while not first.done():  # a remote follower takes a moment to be connected
        await tell.home.runtime.backend.update_flow(flow.id, name="Somebody's edit")
        await asyncio.sleep(0.005)
    edited = await first
    assert (edited.noun, edited.ids, edited.action) == (ResourceType.FLOW, (flow.id,), "updated")
    tell.note("changes", edited)

    await tell("delete_flow", flow.id)
    async for change in changes:
        if change.action == "deleted":
            tell.note("changes", change)
            break
    tell.note("close", await tell.home.backend.close())
    assert [change async for change in changes] == []
