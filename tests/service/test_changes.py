import asyncio
import gc

from patchbay.domain.changes import Change, ResourceType
from patchbay.service.changes import MAX_QUEUED_CHANGES, ChangeBroadcaster, initiator


async def test_every_listener_hears_what_comes_after_it_began(backend):
    await backend.create_flow()
    first, second = backend.changes(), backend.changes()

    flow = await backend.create_flow()

    expected = Change(noun=ResourceType.FLOW, ids=(flow.id,), action="created")
    assert await anext(first) == expected
    assert await anext(second) == expected


async def test_change_names_who_caused_it(backend):
    listener = backend.changes()
    token = initiator.set("window")

    await backend.create_folder("Shop")
    initiator.reset(token)

    assert (await anext(listener)).initiator == "window"


async def test_waiting_listener_wakes_up(backend):
    listener = backend.changes()
    waiting = asyncio.create_task(anext(listener))
    await asyncio.sleep(0)

    await backend.create_folder("Shop")

    assert (await waiting).noun is ResourceType.FOLDER


async def test_slow_listener_gets_one_workspace_change_for_what_it_missed():
    changes = ChangeBroadcaster()
    listener = changes.listen()

    for number in range(MAX_QUEUED_CHANGES + 1):
        changes.notify(ResourceType.EXECUTION, str(number))
    changes.notify(ResourceType.FLOW, "f")
    changes.close()

    assert [change.noun async for change in listener] == [ResourceType.WORKSPACE, ResourceType.FLOW]


async def test_listening_ends_when_the_workspace_is_closed(backend):
    before = backend.changes()

    await backend.close()

    assert [change async for change in before] == []
    assert [change async for change in backend.changes()] == []


async def test_an_unreferenced_listener_is_dropped():
    changes = ChangeBroadcaster()
    listener = changes.listen()

    del listener
    gc.collect()

    assert len(changes._listeners) == 0
