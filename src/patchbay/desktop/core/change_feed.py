"""Changes in the workspace, as one signal on the window's thread."""

import asyncio
from collections.abc import AsyncIterator

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.tasks import Tasks
from patchbay.domain.backend import Backend
from patchbay.domain.changes import Change, ResourceType

BATCH_SECONDS = 0.1
"""Limits how often the window reloads, whatever changed. The engine's own interval limits how often it
announces executions, for all clients.
"""


class ChangeFeed(QObject):
    """Follows `Backend.changes` and emits what arrives within a tenth of a second merged (`merge`)."""

    changed = Signal(object)
    _arrived = Signal(object)

    def __init__(self, backend: Backend, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._backend, self._tasks = backend, tasks
        self._arrived.connect(self._emit_changes)

    def start(self) -> None:
        """Start following the changes of the workspace."""
        self._tasks.run(self, self._follow())

    def _emit_changes(self, changes: tuple[Change, ...]) -> None:
        for change in changes:
            self.changed.emit(change)

    async def _follow(self) -> None:
        async for batch in batches(self._backend.changes()):
            self._arrived.emit(batch)


async def batches(changes: AsyncIterator[Change]) -> AsyncIterator[tuple[Change, ...]]:
    """Gather the changes that arrive within `BATCH_SECONDS`, and `merge` them."""
    pending: list[Change] = []
    arrived = asyncio.Event()

    async def collect_changes() -> None:
        async for change in changes:
            pending.append(change)
            arrived.set()

    collecting = asyncio.create_task(collect_changes())
    collecting.add_done_callback(lambda _: arrived.set())
    try:
        while not collecting.done() or pending:
            await arrived.wait()
            await asyncio.sleep(BATCH_SECONDS)
            gathered = pending.copy()
            pending.clear()
            if not collecting.done():
                arrived.clear()
            if gathered:
                yield merge(gathered)
    finally:
        collecting.cancel()


def merge(changes: list[Change]) -> tuple[Change, ...]:
    """One change per (resource type, action, initiator), with all ids, in the order they first appeared."""
    merged: dict[tuple[ResourceType, str, str | None], dict[str, None]] = {}
    for change in changes:
        ids = merged.setdefault((change.noun, change.action, change.initiator), {})
        ids.update(dict.fromkeys(change.ids))
    return tuple(
        Change.model_validate({"noun": resource, "ids": tuple(ids), "action": action, "initiator": initiator})
        for (resource, action, initiator), ids in merged.items()
    )
