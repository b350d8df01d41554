"""Changes of the workspace as server-sent events."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable

from starlette.responses import StreamingResponse

from patchbay.domain.changes import Change, Noun
from patchbay.domain.errors import RateLimited, Unreachable

KEEP_ALIVE_SECONDS = 15.0
MOST_STREAMS, MOST_OF_ONE = 200, 100
"""How many callers follow the changes at once, and how many with one key: each holds a connection."""


async def until(
    changes: AsyncIterator[Change], closed: Callable[[], Awaitable[bool]]
) -> AsyncIterator[Change]:
    """The changes until they may not be told any more, which is asked whenever keys or people change.

    A change of the workspace as a whole also stands for all that whoever reads too slowly has missed.
    `changes` is subscribed already: what happened since the key was looked at is asked once.
    """
    if await closed():
        return
    async for change in changes:
        if change.noun in (Noun.API_KEY, Noun.USER, Noun.WORKSPACE) and await closed():
            return
        yield change


class EventStreams:
    """The open event streams; `close` ends them all, so that a stopping service waits for none."""

    def __init__(self, keep_alive: float = KEEP_ALIVE_SECONDS) -> None:
        self._keep_alive = keep_alive
        self._closing = asyncio.Event()
        self._open: Counter[str] = Counter()

    @property
    def open_now(self) -> int:
        """How many callers follow the changes now."""
        return self._open.total()

    def close(self) -> None:
        self._closing.set()

    async def open(self, changes: AsyncIterator[Change], key_id: str) -> StreamingResponse:
        """An answer that follows the changes, already subscribed when this returns.

        Raises `RateLimited` when this key follows them often enough, `Unreachable` when all keys do.
        """
        self._require_place(key_id)
        first = asyncio.ensure_future(anext(changes, None))
        await asyncio.sleep(0)
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(
            self._lines(changes, first, key_id),
            headers=headers,
            media_type="text/event-stream; charset=utf-8",
        )

    def _require_place(self, key_id: str) -> None:
        todo = "End some of them, or ask for what is wanted now and then."
        if self._open[key_id] >= MOST_OF_ONE:
            raise RateLimited(
                f"{MOST_OF_ONE} callers with this API key follow the changes already.", todo=todo
            )
        if self.open_now >= MOST_STREAMS:
            raise Unreachable(f"{MOST_STREAMS} callers follow the changes already.", todo=todo)

    async def _lines(
        self, changes: AsyncIterator[Change], first: "asyncio.Future[Change | None]", key_id: str
    ) -> AsyncIterator[str]:
        closing = asyncio.ensure_future(self._closing.wait())
        coming = first
        self._open[key_id] += 1
        try:
            yield ": connected\n\n"
            while not closing.done():
                await asyncio.wait(
                    (coming, closing), timeout=self._keep_alive, return_when=asyncio.FIRST_COMPLETED
                )
                if not coming.done():
                    if not closing.done():
                        yield ": still here\n\n"
                    continue
                change = coming.result()
                if change is None:
                    return
                yield f"data: {change.model_dump_json(by_alias=True)}\n\n"
                coming = asyncio.ensure_future(anext(changes, None))
        finally:
            self._open[key_id] -= 1
            coming.cancel()
            closing.cancel()
