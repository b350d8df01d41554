"""Rate limits and holds that this program shares with the others of its database."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from patchbay.domain.base import AppKey, ConnectionId, ExecutionId
from patchbay.domain.engine import RateLimit
from patchbay.domain.errors import StorageFault
from patchbay.engine.runs.rate_limits import RateLimiter

_log = logging.getLogger(__name__)

RETRY_SECONDS = 2.0
"""When a call is counted again that couldn't be stored."""

CallCounter: TypeAlias = Callable[[Sequence[tuple[str, RateLimit]]], Awaitable[float]]
"""Counts a call together with those of other programs; see `EngineStore.count_call`."""


class SharedLimits:
    """A `RateLimiter` whose calls other programs count, too; without `count_call`, there are none.

    `share_hold` tells them for how long a service asked to wait.
    """

    def __init__(
        self,
        limits: RateLimiter,
        count_call: CallCounter | None,
        share_hold: Callable[[str, float, str], None],
    ) -> None:
        self._limits = limits
        self._count_call = count_call
        self._share_hold = share_hold
        self.held_by = limits.held_by
        self.discard = limits.discard

    async def acquire(
        self, connection_id: ConnectionId | None, app_key: AppKey, ticket: ExecutionId, hold_key: str
    ) -> float:
        """See `RateLimiter.acquire`."""
        wait_seconds = self._limits.acquire(connection_id, app_key, ticket, hold_key)
        if wait_seconds or self._count_call is None:
            return wait_seconds
        limits = self._limits.limits_of(connection_id, app_key)
        if not limits:
            return 0.0
        try:
            wait_seconds = await self._count_call(limits)
        except StorageFault as fault:
            _log.error("Couldn't count a call: %s", fault.text())
            wait_seconds = RETRY_SECONDS
        if wait_seconds:
            self._limits.undo(connection_id, app_key, ticket, wait_seconds)
        return wait_seconds

    def hold(self, key: str, seconds: float, name: str, ticket: ExecutionId) -> None:
        """See `RateLimiter.hold`."""
        self._limits.hold(key, seconds, name, ticket)
        self._share_hold(key, seconds, name)
