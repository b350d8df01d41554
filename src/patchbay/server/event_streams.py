"""Server-sent events with the changes of the workspace."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable

from starlette.responses import StreamingResponse

from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.errors import RateLimited, Unreachable

KEEP_ALIVE_SECONDS = 15.0
MAX_STREAMS, MAX_STREAMS_PER_KEY = 200, 100
"""Max. open streams in total and per API key: each holds a connection."""


async def until_access_changes(
    changes: AsyncIterator[Change], is_closed: Callable[[], Awaitable[bool]]
) -> AsyncIterator[Change]:
    """The changes until the key's permissions change, which is checked whenever API keys or users change.

    A change of the whole workspace is checked, too: it replaces all changes that a slow reader missed.
    `changes` is already subscribed, so the first check covers what happened since the request was
    authenticated.
    """
    if await is_closed():
        return
    async for change in changes:
        if (
            change.noun in (ResourceType.API_KEY, ResourceType.USER, ResourceType.WORKSPACE)
            and await is_closed()
        ):
            return
        yield change


class EventStreams:
    """The open event streams; `close` ends them all, so that a stopping server doesn't wait for them."""

    def __init__(self, keep_alive: float = KEEP_ALIVE_SECONDS) -> None:
        self._keep_alive = keep_alive
        self._closing = asyncio.Event()
        self._open: Counter[str] = Counter()

    @property
    def open_count(self) -> int:
        """The number of open streams."""
        return self._open.total()

    def close(self) -> None:
        self._closing.set()

    async def open(self, changes: AsyncIterator[Change], key_id: str) -> StreamingResponse:
        """A streaming response with the changes, already subscribed when this returns.

        Raises `RateLimited` if this key has too many open streams, `Unreachable` if all keys together do.
        """
        todo = "Close some of them, or poll instead."
        if self._open[key_id] >= MAX_STREAMS_PER_KEY:
            raise RateLimited(
                f"This API key already has {MAX_STREAMS_PER_KEY} open event streams.", todo=todo
            )
        if self.open_count >= MAX_STREAMS:
            raise Unreachable(f"The server already has {MAX_STREAMS} open event streams.", todo=todo)

        first = asyncio.ensure_future(anext(changes, None))
        await asyncio.sleep(0)
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(
            self._lines(changes, first, key_id),
            headers=headers,
            media_type="text/event-stream; charset=utf-8",
        )

    async def _lines(
        self, changes: AsyncIterator[Change], first: "asyncio.Future[Change | None]", key_id: str
    ) -> AsyncIterator[str]:
        closing = asyncio.ensure_future(self._closing.wait())
        next_change = first
        self._open[key_id] += 1
        try:
            yield ": connected\n\n"
            while not closing.done():
                await asyncio.wait(
                    (next_change, closing), timeout=self._keep_alive, return_when=asyncio.FIRST_COMPLETED
                )
                if not next_change.done():
                    if not closing.done():
                        yield ": still here\n\n"
                    continue
                change = next_change.result()
                if change is None:
                    return
                yield f"data: {change.model_dump_json(by_alias=True)}\n\n"
                next_change = asyncio.ensure_future(anext(changes, None))
        finally:
            self._open[key_id] -= 1
            next_change.cancel()
            closing.cancel()
