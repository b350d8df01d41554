"""Whether a service answers. While it does not, it is asked here, again and again, and nobody need wait."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from datetime import datetime

from patchbay.domain.base import EpochMs
from patchbay.domain.errors import Unreachable

FIRST_WAIT_SECONDS = 1.0
LONGEST_WAIT_SECONDS = 30.0


class Offline(Unreachable):
    """The service has not answered for a while; it was not even asked."""


class Line:
    """The way to one service. `ask` tells whether anybody answers there; `told` hears when that changes."""

    def __init__(
        self, host: str, ask: Callable[[], Awaitable[bool]], *, first_wait: float = FIRST_WAIT_SECONDS
    ) -> None:
        self.offline_since: EpochMs | None = None
        self.told: Callable[[], None] | None = None
        self._host, self._ask, self._first_wait = host, ask, first_wait
        self._heard_at = time.monotonic()
        self._up = asyncio.Event()
        self._up.set()
        self._asking: asyncio.Task[None] | None = None
        self._closed = False

    def heard(self) -> None:
        """An answer came."""
        self._heard_at = time.monotonic()

    def heard_since(self, begun: float) -> bool:
        """Whether an answer came after this moment (of `time.monotonic`)."""
        return self._heard_at > begun

    def doubt(self) -> None:
        """Something was cut off: find out whether the service still answers."""
        if self._asking is None and not self._closed:
            self._asking = asyncio.create_task(self._find_out(), name="patchbay-line")

    def lost(self) -> None:
        """Nobody answers; from now on that is known, until somebody does."""
        if self.offline_since is None and not self._closed:
            self._go_down()
            if self._asking is None:
                self._asking = asyncio.create_task(self._until_back(), name="patchbay-line")

    async def pause(self, seconds: float) -> None:
        """Wait that long; and, when the service does not answer, until it does."""
        await asyncio.sleep(seconds)
        await self.answering()

    async def answering(self) -> None:
        """Wait while it is known that nobody answers."""
        await self._up.wait()

    def unread(self) -> Offline:
        """To raise for what was never looked at before."""
        return Offline(
            f"{self._host} has not been reachable since {self._since()}, and this was not looked at before.",
            meaning="Only what was shown before can be shown now.",
            todo="It appears as soon as the service answers again.",
        )

    def unwritten(self) -> Offline:
        """To raise for changes."""
        return Offline(
            f"{self._host} is not reachable since {self._since()}; nothing was changed.",
            meaning="What you see is from then.",
            todo="Do it again once the service answers; it is asked again and again by itself.",
        )

    async def close(self) -> None:
        self._closed = True
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.wait([self._asking])

    async def _find_out(self) -> None:
        if await self._ask():
            self._asking = None
        else:
            if self.offline_since is None:
                self._go_down()
            await self._until_back()

    async def _until_back(self) -> None:
        wait = self._first_wait
        while True:
            await asyncio.sleep(wait * random.uniform(0.8, 1.2))  # nosec B311  # spreads retries
            if await self._ask():
                break
            wait = min(wait * 2, LONGEST_WAIT_SECONDS)
        self._asking = None
        self.offline_since = None
        self._up.set()
        self._tell()

    def _go_down(self) -> None:
        self.offline_since = int(time.time() * 1000)
        self._up.clear()
        self._tell()

    def _tell(self) -> None:
        if self.told is not None:
            self.told()

    def _since(self) -> str:
        since = datetime.fromtimestamp((self.offline_since or 0) / 1000)
        today = since.date() == datetime.now().date()
        return since.strftime("%H:%M" if today else "%Y-%m-%d %H:%M")
