"""Announces created and changed executions in batches."""

import asyncio
from collections import Counter
from collections.abc import Callable

from patchbay.domain.base import ExecutionId
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.executions import ExecutionState

MIN_INTERVAL_SECONDS = 0.05
"""Minimum time between two announcements. The first one after a quiet period is sent at once."""


class ChangeAnnouncer:
    """Collects the IDs of executions and announces them at most 20 times a second."""

    def __init__(self, on_change: Callable[[Change], None]) -> None:
        self._on_change = on_change
        self.finished: Counter[ExecutionState] = Counter()
        """The number of runs that ended in each state since the engine started."""
        self._created: dict[ExecutionId, None] = {}
        self._updated: dict[ExecutionId, None] = {}
        self._timer: asyncio.Handle | None = None
        self._last = 0.0

    def created(self, execution_id: ExecutionId) -> None:
        """Announce a new execution."""
        self._created[execution_id] = None
        self._schedule()

    def updated(self, execution_id: ExecutionId) -> None:
        """Announce that an execution changed."""
        self._updated[execution_id] = None
        self._schedule()

    def ended(self, execution_id: ExecutionId, state: ExecutionState) -> None:
        """Announce that an execution ended, and count it by its state."""
        self.finished[state] += 1
        self.updated(execution_id)

    def flush(self) -> None:
        """Announce everything that was collected."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        created, updated = tuple(self._created), tuple(self._updated.keys() - self._created.keys())
        self._created.clear()
        self._updated.clear()
        if created:
            self._on_change(Change(noun=ResourceType.EXECUTION, ids=created, action="created"))
        if updated:
            self._on_change(Change(noun=ResourceType.EXECUTION, ids=updated))

    def _schedule(self) -> None:
        if self._timer is None:
            loop = asyncio.get_running_loop()
            wait = max(0.0, self._last + MIN_INTERVAL_SECONDS - loop.time())
            self._timer = loop.call_later(wait, self._on_timer) if wait else loop.call_soon(self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        self._last = asyncio.get_running_loop().time()
        self.flush()
