"""Callers that list executions over and over take turns, so that everybody else is answered at once."""

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_CONCURRENT_BY_SUFFIX = {"/v1/executions": 2, "/v1/executions/search": 1}
"""How many may be under way, by the end of the address. More would not be ready earlier: they share one
processor and the threads that read."""


class ListConcurrencyLimit:
    """Lets only a few lists of executions be made at a time; the others wait in the order they came.

    A turn ends with the first byte of the answer, so nobody waits for a caller who reads slowly.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._semaphores = {
            address: asyncio.Semaphore(number) for address, number in MAX_CONCURRENT_BY_SUFFIX.items()
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        semaphore = self._semaphore_for(scope)
        if semaphore is None:
            await self._app(scope, receive, send)
            return
        slot = _Slot(semaphore)

        async def watched(message: Message) -> None:
            slot.end()
            await send(message)

        await slot.begin()
        try:
            await self._app(scope, receive, watched)
        finally:
            slot.end()

    def _semaphore_for(self, scope: Scope) -> asyncio.Semaphore | None:
        if scope["type"] != "http" or scope["method"] != "GET":
            return None
        return next(
            (semaphore for end, semaphore in self._semaphores.items() if scope["path"].endswith(end)), None
        )


class _Slot:
    """One place among the few."""

    def __init__(self, semaphore: asyncio.Semaphore) -> None:
        self._semaphores, self._is_acquired = semaphore, False

    async def begin(self) -> None:
        await self._semaphores.acquire()
        self._is_acquired = True

    def end(self) -> None:
        if self._is_acquired:
            self._is_acquired = False
            self._semaphores.release()
