"""Whether a service answers. While it does not, it is asked here, again and again, and nobody need wait."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from datetime import datetime

from patchbay.domain.base import EpochMs
from patchbay.domain.errors import Unreachable

INITIAL_WAIT_SECONDS = 1.0
MAX_WAIT_SECONDS = 30.0


class Offline(Unreachable):
    """The service has not answered for a while; it was not even asked."""


class ConnectivityMonitor:
    """The way to one service. `probe` tells whether anybody answers there; `on_change` hears when that changes."""

    def __init__(
        self, host: str, probe: Callable[[], Awaitable[bool]], *, first_wait: float = INITIAL_WAIT_SECONDS
    ) -> None:
        self.offline_since: EpochMs | None = None
        self.on_change: Callable[[], None] | None = None
        self._host, self._probe, self._first_wait = host, probe, first_wait
        self._last_response_at = time.monotonic()
        self._online = asyncio.Event()
        self._online.set()
        self._probe_task: asyncio.Task[None] | None = None
        self._closed = False

    def record_response(self) -> None:
        """An answer came."""
        self._last_response_at = time.monotonic()

    def responded_since(self, started_at: float) -> bool:
        """Whether an answer came after this moment (of `time.monotonic`)."""
        return self._last_response_at > started_at

    def test_connection_in_background(self) -> None:
        """Something was cut off: find out whether the service still answers."""
        if self._probe_task is None and not self._closed:
            self._probe_task = asyncio.create_task(self._check_once(), name="patchbay-line")

    def mark_offline(self) -> None:
        """Nobody answers; from now on that is known, until somebody does."""
        if self.offline_since is None and not self._closed:
            self._set_offline()
            if self._probe_task is None:
                self._probe_task = asyncio.create_task(self._probe_until_online(), name="patchbay-line")

    async def sleep_until_online(self, seconds: float) -> None:
        """Wait that long; and, when the service does not answer, until it does."""
        await asyncio.sleep(seconds)
        await self.wait_until_online()

    async def wait_until_online(self) -> None:
        """Wait while it is known that nobody answers."""
        await self._online.wait()

    def not_cached_error(self) -> Offline:
        """To raise for what was never looked at before."""
        return Offline(
            f"{self._host} has not been reachable since {self._offline_since_text()}, and this was not looked at before.",
            meaning="Only what was shown before can be shown now.",
            todo="It appears as soon as the service answers again.",
        )

    def not_sent_error(self) -> Offline:
        """To raise for changes."""
        return Offline(
            f"{self._host} is not reachable since {self._offline_since_text()}; nothing was changed.",
            meaning="What you see is from then.",
            todo="Do it again once the service answers; it is asked again and again by itself.",
        )

    async def close(self) -> None:
        self._closed = True
        if self._probe_task is not None:
            self._probe_task.cancel()
            await asyncio.wait([self._probe_task])

    async def _check_once(self) -> None:
        if await self._probe():
            self._probe_task = None
        else:
            if self.offline_since is None:
                self._set_offline()
            await self._probe_until_online()

    async def _probe_until_online(self) -> None:
        wait = self._first_wait
        while True:
            await asyncio.sleep(wait * random.uniform(0.8, 1.2))  # nosec B311  # spreads retries
            if await self._probe():
                break
            wait = min(wait * 2, MAX_WAIT_SECONDS)
        self._probe_task = None
        self.offline_since = None
        self._online.set()
        self._notify()

    def _set_offline(self) -> None:
        self.offline_since = int(time.time() * 1000)
        self._online.clear()
        self._notify()

    def _notify(self) -> None:
        if self.on_change is not None:
            self.on_change()

    def _offline_since_text(self) -> str:
        since = datetime.fromtimestamp((self.offline_since or 0) / 1000)
        today = since.date() == datetime.now().date()
        return since.strftime("%H:%M" if today else "%Y-%m-%d %H:%M")
