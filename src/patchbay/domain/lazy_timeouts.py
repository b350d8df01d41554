"""`LazyTimeout`: a timeout for blocks that usually end without waiting for anything."""

import asyncio
from types import TracebackType


class LazyTimeout:
    """As `asyncio.timeout_at`, but its timer is only set once the block leaves the event loop to others.

    Setting and cancelling a timer takes longer than many of these blocks.
    """

    __slots__ = ("_deadline", "_scope", "_start")

    def __init__(self, deadline: float) -> None:
        self._deadline = deadline

    async def __aenter__(self) -> asyncio.Timeout:
        self._scope = asyncio.timeout(None)
        await self._scope.__aenter__()
        self._start = asyncio.get_running_loop().call_soon(self._set_timer)
        return self._scope

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._start.cancel()
        await self._scope.__aexit__(kind, error, trace)  # never suppresses the error

    def _set_timer(self) -> None:
        if self._scope.when() is None:  # otherwise it was given another deadline meanwhile
            self._scope.reschedule(self._deadline)
