"""Testing connections without being asked: soon after the start, and then every few hours."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Protocol

from patchbay.domain.base import ConnectionId, EpochMs
from patchbay.domain.connections import Connection
from patchbay.domain.errors import AppError, SecretsUnavailable

FIRST_TEST_DELAY_SECONDS = 60.0
"""Seconds after the start, so that flows that are due go first."""
PAUSE_BETWEEN_TESTS_SECONDS = 2.0
"""Seconds between two tests, so that nobody is called in a burst."""
CHECK_INTERVAL_SECONDS = 600.0
HOUR_MS = 3_600_000

log = logging.getLogger(__name__)

Sleep = Callable[[float], Awaitable[None]]


class TestableConnections(Protocol):
    """What the watch needs of a workspace."""

    async def list_connections(self) -> tuple[Connection, ...]: ...
    async def test_connection_in_background(self, connection_id: ConnectionId) -> Connection: ...


class ConnectionHealthMonitor:
    """Tests connections whose last test is older than `interval_hours` says now; 0 is never. What they answer is
    stored.

    A service that cannot be reached, also by a test by hand, is asked again at the next look; its
    connections stay as they are.
    """

    def __init__(
        self,
        connections: TestableConnections,
        clock: Callable[[], EpochMs],
        interval_hours: Callable[[], float],
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._connections, self._clock, self._sleep = connections, clock, sleep
        self._interval_hours = interval_hours

    async def run(self) -> None:
        """Look again and again, until cancelled."""
        await self._sleep(FIRST_TEST_DELAY_SECONDS)
        while True:
            await self.test_due_connections()
            await self._sleep(CHECK_INTERVAL_SECONDS)

    async def test_due_connections(self) -> None:
        """Test what is due, one after another."""
        if self._interval_hours() <= 0:
            return
        try:
            for connection in await self._connections.list_connections():
                if self._is_due(connection):
                    await self._test(connection)
                    await self._sleep(PAUSE_BETWEEN_TESTS_SECONDS)
        except SecretsUnavailable as problem:
            log.info("connections are not tested: %s", problem.happened)
        except AppError as problem:
            log.warning("testing connections stopped: %s", problem.text())

    def _is_due(self, connection: Connection) -> bool:
        age = self._clock() - (connection.tested_at or 0)
        return connection.unreachable is not None or age >= self._interval_hours() * HOUR_MS

    async def _test(self, connection: Connection) -> None:
        try:
            await self._connections.test_connection_in_background(connection.id)
        except SecretsUnavailable:
            raise  # the next one would not go better
        except AppError as problem:
            log.info("connection %s could not be tested: %s", connection.id, problem.happened)
