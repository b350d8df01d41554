"""What this program hears of the other programs on its database reaches listeners once it is applied."""

import asyncio
from types import SimpleNamespace
from typing import Any

from tests.support.patience import PATIENCE

from patchbay.bootstrap.peer_sync import PeerSync
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.peers import PeerMessage
from patchbay.service.changes import ChangeBroadcaster

CHANGED = {"change": Change(noun=ResourceType.WORKSPACE).model_dump(mode="json")}


async def test_a_change_that_arrives_while_settings_are_read_is_reported_after_they_were_read_again():
    """The window reads the state when it hears of a change, and hears of each only once."""
    peers: Any = SimpleNamespace()
    changes = ChangeBroadcaster()
    seen: list[str] = []
    stored = ["paused"]
    reading, permits = asyncio.Event(), asyncio.Semaphore(0)

    async def read_settings() -> None:
        found = stored[-1]
        reading.set()
        await permits.acquire()
        seen.append(found)

    sync = PeerSync(peers, SimpleNamespace(), changes, SimpleNamespace(), read_settings)  # type: ignore[arg-type]
    heard = changes.listen()
    async with asyncio.timeout(PATIENCE):
        peers.on_message(PeerMessage.CHANGE, CHANGED)
        await reading.wait()
        stored.append("running")
        peers.on_message(PeerMessage.CHANGE, CHANGED)
        permits.release()
        await anext(heard)
        second = asyncio.ensure_future(anext(heard))
        await asyncio.sleep(0)
        was_reported_early = second.done()
        permits.release()
        await second

    assert not was_reported_early
    assert seen == ["paused", "running"]
    await sync.close()
