"""A workspace that is still opening: subscribers receive its changes once it is open."""

import asyncio

import pytest
from tests.support.fake_backend import FakeBackend

from patchbay.bootstrap.opening_backend import OpeningBackend
from patchbay.domain.changes import ResourceType
from patchbay.domain.errors import Unreachable


class Opened:
    """A workspace that is there."""

    def __init__(self) -> None:
        self.backend = FakeBackend()

    async def close(self) -> None:
        await self.backend.close()


class Way:
    """Opens nothing until `there`."""

    def __init__(self) -> None:
        self.there = False
        self.made = Opened()

    async def open(self) -> Opened:
        if not self.there:
            raise Unreachable("Nobody answers.")
        return self.made


async def test_changes_are_followed_from_when_a_later_call_could_open_the_workspace():
    way = Way()
    opening = OpeningBackend(way.open)
    heard: asyncio.Queue[ResourceType] = asyncio.Queue()

    async def follow() -> None:
        async for change in opening.changes():
            heard.put_nowait(change.noun)

    following = asyncio.create_task(follow())
    with pytest.raises(Unreachable):
        await opening.list_apps()
    way.there = True
    await opening.create_folder("Bills")

    assert await heard.get() is ResourceType.WORKSPACE
    await opening.create_folder("More bills")
    assert await heard.get() is ResourceType.FOLDER
    await opening.close()
    await following


async def test_who_follows_a_workspace_that_never_opens_is_let_go_when_it_is_closed():
    opening = OpeningBackend(Way().open)

    async def follow() -> list[ResourceType]:
        return [change.noun async for change in opening.changes()]

    following = asyncio.create_task(follow())
    with pytest.raises(Unreachable):
        await opening.opened()
    await opening.close()

    assert await following == []
