"""How many tests run at once, so that testing steps over and over doesn't use up the computer."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from patchbay.domain.audit import acting
from patchbay.domain.errors import RateLimited

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
        """Hold a place, once there is one; cancelling gives it up. Raises `RateLimited`."""
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
            async with own, self._everybody:
                yield
        finally:
            self._asked[who] -= 1
            if not self._asked[who]:
                del self._asked[who], self._each[who]


def _person() -> str:
    """Who tests: a person with all their keys, or a key that belongs to nobody."""
    actor = acting.get()
    return "" if actor is None else actor.user_id or actor.id or actor.kind
