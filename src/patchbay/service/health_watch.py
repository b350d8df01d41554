"""Testing connections without being asked: soon after the start, and then every few hours."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Protocol

from patchbay.domain.base import ConnectionId, EpochMs
from patchbay.domain.connections import Connection
from patchbay.domain.errors import AppError, SecretsUnavailable

FIRST_AFTER = 60.0
"""Seconds after the start, so that flows that are due go first."""
BETWEEN = 2.0
"""Seconds between two tests, so that nobody is called in a burst."""
LOOK_EVERY = 600.0
HOUR_MS = 3_600_000

log = logging.getLogger(__name__)

Sleep = Callable[[float], Awaitable[None]]


class Connections(Protocol):
    """What the watch needs of a workspace."""

    async def list_connections(self) -> tuple[Connection, ...]: ...
    async def check_connection(self, connection_id: ConnectionId) -> Connection: ...


class HealthWatch:
    """Tests connections whose last test is older than `every_hours` says now; 0 is never. What they answer is
    stored.

    A service that cannot be reached, also by a test by hand, is asked again at the next look; its
    connections stay as they are.
    """

    def __init__(
        self,
        connections: Connections,
        clock: Callable[[], EpochMs],
        every_hours: Callable[[], float],
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._connections, self._clock, self._sleep = connections, clock, sleep
        self._every_hours = every_hours

    async def run(self) -> None:
        """Look again and again, until cancelled."""
        await self._sleep(FIRST_AFTER)
        while True:
            await self.look()
            await self._sleep(LOOK_EVERY)

    async def look(self) -> None:
        """Test what is due, one after another."""
        if self._every_hours() <= 0:
            return
        try:
            for connection in await self._connections.list_connections():
                if self._is_due(connection):
                    await self._check(connection)
                    await self._sleep(BETWEEN)
        except SecretsUnavailable as problem:
            log.info("connections are not tested: %s", problem.happened)
        except AppError as problem:
            log.warning("testing connections stopped: %s", problem.text())

    def _is_due(self, connection: Connection) -> bool:
        age = self._clock() - (connection.tested_at or 0)
        return connection.unreachable is not None or age >= self._every_hours() * HOUR_MS

    async def _check(self, connection: Connection) -> None:
        try:
            await self._connections.check_connection(connection.id)
        except SecretsUnavailable:
            raise  # the next one would not go better
        except AppError as problem:
            log.info("connection %s could not be tested: %s", connection.id, problem.happened)
