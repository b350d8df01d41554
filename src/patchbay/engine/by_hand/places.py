"""How many tests run at once, so that testing steps over and over doesn't use up the computer."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager

from patchbay.domain.audit import acting
from patchbay.domain.calls import until_caller_gone
from patchbay.domain.errors import Conflict, RateLimited

AT_ONCE = 10
"""Tests of everybody."""
AT_ONCE_EACH = 4
"""Tests of one person, so that others find a place."""
WAITING_EACH = 16
"""How many more of one person wait for their turn; further ones are refused."""
RETRY_SECONDS = 30.0


class TestPlaces:
    """Lets tests begin in the order they came, as far as there are places for them and for their person.

    `maxConcurrent` doesn't count tests: they are waited for, and runs would keep them waiting.
    """

    __test__ = False

    def __init__(self) -> None:
        self._everybody = asyncio.Semaphore(AT_ONCE)
        self._each: dict[str, asyncio.Semaphore] = {}
        self._asked: Counter[str] = Counter()

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Hold a place, once there is one; cancelling gives it up.

        Raises `RateLimited`, and `Conflict` when the caller disconnects before there is a place.
        """
        who = _person()
        if self._asked[who] >= AT_ONCE_EACH + WAITING_EACH:
            raise RateLimited(
                f"{self._asked[who]} tests of yours are running or waiting.",
                meaning="This one was not begun.",
                todo="Wait for one of them to end, then test again.",
                retry_after=RETRY_SECONDS,
            )
        self._asked[who] += 1
        own = self._each.setdefault(who, asyncio.Semaphore(AT_ONCE_EACH))
        try:
            async with AsyncExitStack() as held:
                await _unless_gone(self._acquire(own, held))
                yield
        finally:
            self._asked[who] -= 1
            if not self._asked[who]:
                del self._asked[who], self._each[who]

    async def _acquire(self, own: asyncio.Semaphore, held: AsyncExitStack) -> None:
        """Acquire both; `held` releases what was acquired, also when this is cancelled in between."""
        for semaphore in (own, self._everybody):
            await semaphore.acquire()
            held.callback(semaphore.release)


async def _unless_gone(acquiring: Coroutine[None, None, None]) -> None:
    """Wait for a place as long as the caller does. Raises `Conflict` when it disconnects first."""
    until_gone = until_caller_gone.get()
    if until_gone is None:
        await acquiring
        return
    acquired, gone = asyncio.create_task(acquiring), asyncio.ensure_future(until_gone())
    try:
        await asyncio.wait((acquired, gone), return_when=asyncio.FIRST_COMPLETED)
    finally:
        gone.cancel()
        if not acquired.done():
            acquired.cancel()
            await asyncio.wait((acquired,))
    if acquired.cancelled():
        raise Conflict(
            "The caller disconnected before the test could start.",
            meaning="Nothing was run.",
            todo="Test again when fewer tests are running.",
        )


def _person() -> str:
    """Who tests: a person with all their keys, or a key that belongs to nobody."""
    actor = acting.get()
    return "" if actor is None else actor.user_id or actor.id or actor.kind
