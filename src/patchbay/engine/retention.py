"""Applies the history retention: deletes old executions every hour."""

import asyncio
import logging
from collections.abc import Callable

from patchbay.domain.base import EpochMs
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.engine import Retention
from patchbay.domain.engine_store import EngineStore
from patchbay.domain.errors import AppError

_log = logging.getLogger(__name__)

FIRST_DELAY_SECONDS = 300.0
"""The first minutes after startup are left to interrupted and missed runs."""
INTERVAL_SECONDS = 3_600.0


class HistoryCleanup:
    """Deletes old executions 5 minutes after the start, then every hour.

    `retention` returns the current settings. Each clean-up that deleted something is announced. If several
    programs share the database, only the leader cleans up. Belongs to one event loop.
    """

    def __init__(
        self,
        store: EngineStore,
        retention: Callable[[], Retention],
        clock: Callable[[], EpochMs],
        on_change: Callable[[Change], None],
        is_leader: Callable[[], bool] = lambda: True,
        *,
        first_delay: float = FIRST_DELAY_SECONDS,
        interval: float = INTERVAL_SECONDS,
    ) -> None:
        self._store = store
        self._retention = retention
        self._clock = clock
        self._on_change = on_change
        self._is_leader = is_leader
        self._first_delay = first_delay
        self._interval = interval
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start cleaning up at regular intervals."""
        if self._task is None:
            self._task = asyncio.create_task(self._run(), name="history clean-up")

    async def stop(self) -> None:
        """Stop, and wait for a clean-up that is running."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    async def _run(self) -> None:
        seconds = self._first_delay
        while True:
            await asyncio.sleep(seconds)
            seconds = self._interval
            if not self._is_leader():
                continue
            try:
                result = await self._store.apply_retention(self._retention(), self._clock())
            except AppError as error:
                _log.warning("Couldn't delete old executions: %s", error.text())
            except Exception:  # noqa: BLE001  must not prevent the next clean-up
                _log.exception("Deleting old executions failed")
            else:
                if result.removed:
                    _log.info("Deleted %d old executions", result.removed)
                    self._on_change(Change(noun=ResourceType.EXECUTION, action="deleted"))
