"""How many tests run at once, so that testing steps over and over doesn't use up the computer."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager

from patchbay.domain.audit import current_actor
from patchbay.domain.calls import caller_disconnected
from patchbay.domain.errors import Conflict, RateLimited

MAX_CONCURRENT_TESTS = 10
"""Tests of everybody."""
MAX_CONCURRENT_TESTS_PER_PERSON = 4
"""Tests of one person, so that others find a place."""
MAX_WAITING_TESTS_PER_PERSON = 16
"""How many more of one person wait for their turn; further ones are refused."""
RETRY_SECONDS = 30.0


class TestSlots:
    """Lets tests begin in the order they came, as far as there are places for them and for their person.

    `maxConcurrent` doesn't count tests: they are waited for, and runs would keep them waiting.
    """

    __test__ = False

    def __init__(self) -> None:
        self._all_slots = asyncio.Semaphore(MAX_CONCURRENT_TESTS)
        self._slots_by_person: dict[str, asyncio.Semaphore] = {}
        self._requests_by_person: Counter[str] = Counter()

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Hold a place, once there is one; cancelling gives it up.

        Raises `RateLimited`, and `Conflict` when the caller disconnects before there is a place.
        """
        person = _current_person()
        if self._requests_by_person[person] >= MAX_CONCURRENT_TESTS_PER_PERSON + MAX_WAITING_TESTS_PER_PERSON:
            raise RateLimited(
                f"{self._requests_by_person[person]} tests of yours are running or waiting.",
                meaning="This one was not begun.",
                todo="Wait for one of them to end, then test again.",
                retry_after=RETRY_SECONDS,
            )
        self._requests_by_person[person] += 1
        own_slots = self._slots_by_person.setdefault(
            person, asyncio.Semaphore(MAX_CONCURRENT_TESTS_PER_PERSON)
        )
        try:
            async with AsyncExitStack() as acquired_slots:
                await _wait_while_connected(self._acquire(own_slots, acquired_slots))
                yield
        finally:
            self._requests_by_person[person] -= 1
            if not self._requests_by_person[person]:
                del self._requests_by_person[person], self._slots_by_person[person]

    async def _acquire(self, own_slots: asyncio.Semaphore, acquired_slots: AsyncExitStack) -> None:
        """Acquire both; `acquired_slots` releases what was acquired, also when this is cancelled in between."""
        for semaphore in (own_slots, self._all_slots):
            await semaphore.acquire()
            acquired_slots.callback(semaphore.release)


async def _wait_while_connected(acquiring: Coroutine[None, None, None]) -> None:
    """Wait for a place as long as the caller does. Raises `Conflict` when it disconnects first."""
    wait_for_disconnect = caller_disconnected.get()
    if wait_for_disconnect is None:
        await acquiring
        return
    acquired, gone = asyncio.create_task(acquiring), asyncio.ensure_future(wait_for_disconnect())
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


def _current_person() -> str:
    """Who tests: a person with all their keys, or a key that belongs to nobody."""
    actor = current_actor.get()
    return "" if actor is None else actor.user_id or actor.id or actor.kind
