"""Following the changes of a service that comes and goes."""

import asyncio

import pytest
from tests.support.workspace import open_runtime

from patchbay.client.changes import ChangeFeed
from patchbay.client.service_adapter import ServiceAdapter
from patchbay.client.service_client import ServiceClient
from patchbay.domain.changes import ResourceType
from patchbay.server.app import create_app
from patchbay.server.listener import HttpListener


@pytest.fixture
async def runtime(tmp_path):
    opened = await open_runtime(tmp_path)
    yield opened
    await opened.close()


async def _serve(runtime, port: int = 0) -> tuple[HttpListener, str]:
    app = create_app(runtime.backend, runtime.engine, runtime.backend.api_keys, version="1")
    listener = HttpListener(app, "127.0.0.1", port)
    return listener, await listener.start()


async def _edited_until(runtime, flow, done: asyncio.Future) -> None:
    while not done.done():
        await runtime.backend.update_flow(flow.id, name="Again")
        await asyncio.sleep(0.005)


async def test_after_a_restart_of_the_service_one_change_stands_for_all_that_was_missed(runtime):
    key = (await runtime.backend.api_keys.create("test")).value
    flow = await runtime.backend.create_flow()
    listener, base_url = await _serve(runtime)
    peer = ServiceAdapter(ServiceClient(base_url, key))
    follower = ChangeFeed(peer, first_wait=0.01)
    changes = follower.subscribe()
    first = asyncio.ensure_future(anext(changes))
    await _edited_until(runtime, flow, first)
    assert first.result().noun is ResourceType.FLOW

    await listener.stop(grace=1)
    missed = asyncio.ensure_future(_next_of(changes, ResourceType.WORKSPACE))
    listener, _ = await _serve(runtime, int(base_url.rpartition(":")[2]))

    assert (await missed).ids == ()
    await follower.close()
    await peer.service.close()
    await listener.stop(grace=1)


async def test_a_follower_waits_for_a_service_that_is_not_there_yet(runtime):
    key = (await runtime.backend.api_keys.create("test")).value
    flow = await runtime.backend.create_flow()
    listener, base_url = await _serve(runtime)
    await listener.stop(grace=1)
    peer = ServiceAdapter(ServiceClient(base_url, key))
    follower = ChangeFeed(peer, first_wait=0.01)
    first = asyncio.ensure_future(anext(follower.subscribe()))

    listener, _ = await _serve(runtime, int(base_url.rpartition(":")[2]))
    await _edited_until(runtime, flow, first)

    assert first.result().ids == (flow.id,)
    await follower.close()
    await peer.service.close()
    await listener.stop(grace=1)


async def _next_of(changes, noun: ResourceType):
    async for change in changes:
        if change.noun is noun:
            return change
    raise AssertionError("the changes ended")
