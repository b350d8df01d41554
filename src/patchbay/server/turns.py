"""Callers that list executions over and over take turns, so that everybody else is answered at once."""

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

AT_ONCE = {"/v1/executions": 2, "/v1/executions/search": 1}
"""How many may be under way, by the end of the address. More would not be ready earlier: they share one
processor and the threads that read."""


class Turns:
    """Lets only a few lists of executions be made at a time; the others wait in the order they came.

    A turn ends with the first byte of the answer, so nobody waits for a caller who reads slowly.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._free = {address: asyncio.Semaphore(number) for address, number in AT_ONCE.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        free = self._turns_of(scope)
        if free is None:
            await self._app(scope, receive, send)
            return
        turn = _Turn(free)

        async def watched(message: Message) -> None:
            turn.end()
            await send(message)

        await turn.begin()
        try:
            await self._app(scope, receive, watched)
        finally:
            turn.end()

    def _turns_of(self, scope: Scope) -> asyncio.Semaphore | None:
        if scope["type"] != "http" or scope["method"] != "GET":
            return None
        return next((free for end, free in self._free.items() if scope["path"].endswith(end)), None)


class _Turn:
    """One place among the few."""

    def __init__(self, free: asyncio.Semaphore) -> None:
        self._free, self._held = free, False

    async def begin(self) -> None:
        await self._free.acquire()
        self._held = True

    def end(self) -> None:
        if self._held:
            self._held = False
            self._free.release()
