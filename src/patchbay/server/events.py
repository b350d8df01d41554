"""Changes of the workspace as server-sent events."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

from starlette.responses import StreamingResponse

from patchbay.domain.changes import Change, Noun

KEEP_ALIVE_SECONDS = 15.0


async def until(
    changes: AsyncIterator[Change], closed: Callable[[], Awaitable[bool]]
) -> AsyncIterator[Change]:
    """The changes until they may not be told any more, which is asked whenever keys or people change."""
    async for change in changes:
        if change.noun in (Noun.API_KEY, Noun.USER) and await closed():
            return
        yield change


class EventStreams:
    """The open event streams; `close` ends them all, so that a stopping service waits for none."""

    def __init__(self, keep_alive: float = KEEP_ALIVE_SECONDS) -> None:
        self._keep_alive = keep_alive
        self._closing = asyncio.Event()
        self.open_now = 0
        """How many callers follow the changes now."""

    def close(self) -> None:
        self._closing.set()

    async def open(self, changes: AsyncIterator[Change]) -> StreamingResponse:
        """An answer that follows the changes, already subscribed when this returns."""
        first = asyncio.ensure_future(anext(changes, None))
        await asyncio.sleep(0)
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(
            self._lines(changes, first), headers=headers, media_type="text/event-stream; charset=utf-8"
        )

    async def _lines(
        self, changes: AsyncIterator[Change], first: "asyncio.Future[Change | None]"
    ) -> AsyncIterator[str]:
        closing = asyncio.ensure_future(self._closing.wait())
        coming = first
        self.open_now += 1
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
            self.open_now -= 1
            coming.cancel()
            closing.cancel()
