"""Following the changes: who may for how long, and how many at once."""

import asyncio
from contextlib import AsyncExitStack

import httpx
import pytest

from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.errors import Unreachable
from patchbay.server import event_streams
from patchbay.server.event_streams import EventStreams, until_access_changes
from patchbay.service.changes import MAX_QUEUED_CHANGES, ChangeBroadcaster

BEFORE_A_KEEP_ALIVE = 12
"""Seconds; after 15 a stream looks at its key by itself."""


async def _ended() -> bool:
    return True


async def _heard(told, closed) -> list[ResourceType]:
    return [change.noun async for change in until_access_changes(told, closed)]


async def test_a_key_revoked_before_the_first_event_receives_none():
    changes = ChangeBroadcaster()
    listener = changes.listen()
    changes.notify(ResourceType.FLOW, "one")

    async with asyncio.timeout(BEFORE_A_KEEP_ALIVE):
        assert await _heard(listener, _ended) == []


async def test_a_slow_reader_receives_no_events_after_its_key_was_revoked():
    changes, asked = ChangeBroadcaster(), []
    listener = changes.listen()
    changes.notify(ResourceType.API_KEY, "key", action="deleted")
    for _ in range(MAX_QUEUED_CHANGES + 10):
        changes.notify(ResourceType.FLOW, "one")

    async def closed() -> bool:
        asked.append(True)
        return len(asked) > 1  # the first look is before the key was revoked

    async with asyncio.timeout(BEFORE_A_KEEP_ALIVE):
        assert await _heard(listener, closed) == []


async def test_one_key_follows_only_so_often_and_ended_streams_count_no_more(service, caller, monkeypatch):
    monkeypatch.setattr(event_streams, "MAX_STREAMS_PER_KEY", 2)
    other = {"x-api-token": (await service.runtime.backend.create_api_key("Another")).value}
    reading = []
    async with AsyncExitStack() as stack, asyncio.timeout(BEFORE_A_KEEP_ALIVE):
        for _ in range(2):
            stream = await stack.enter_async_context(caller.stream("GET", "/v1/events"))
            reading.append(stream.aiter_lines())
            assert await anext(reading[-1]) == ": connected"

        assert await _status(caller) == 429
        assert await _status(caller, other) == 200
    async with asyncio.timeout(BEFORE_A_KEEP_ALIVE):
        await _let_in(caller)


async def _status(caller: httpx.AsyncClient, headers: dict[str, str] | None = None) -> int:
    async with caller.stream("GET", "/v1/events", headers=headers) as stream:
        return stream.status_code


async def _let_in(caller: httpx.AsyncClient) -> None:
    """Until the service has seen that the others have gone."""
    while await _status(caller) == 429:
        pass


async def test_all_keys_together_leave_room_for_requests(monkeypatch):
    monkeypatch.setattr(event_streams, "MAX_STREAMS", 0)

    async def nothing():
        yield Change(noun=ResourceType.FLOW)

    with pytest.raises(Unreachable, match="already has"):
        await EventStreams().open(nothing(), "key")
