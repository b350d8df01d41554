"""Callers that list executions over and over take turns, so that everybody else is answered at once."""

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

AT_ONCE = 2
"""Lists under way. More would not be ready earlier: they share one processor and the threads that read."""

_LISTS = ("/v1/executions", "/v1/executions/search")


class Turns:
    """Lets only a few lists of executions be made at a time; the others wait in the order they came.

    A turn ends with the first byte of the answer, so nobody waits for a caller who reads slowly.
    """

    def __init__(self, app: ASGIApp, at_once: int = AT_ONCE) -> None:
        self._app = app
        self._free = asyncio.Semaphore(at_once)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET" or not scope["path"].endswith(_LISTS):
            await self._app(scope, receive, send)
            return
        turn = _Turn(self._free)

        async def watched(message: Message) -> None:
            turn.end()
            await send(message)

        await turn.begin()
        try:
            await self._app(scope, receive, watched)
        finally:
            turn.end()


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
