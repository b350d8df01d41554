"""Writing the executions of a filter to a file, page by page, beside the window's work."""

import asyncio
import csv
import io
import json
from collections.abc import Callable, Coroutine, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.state.services import Services
from patchbay.desktop.tasks import Task
from patchbay.domain.backend import Backend
from patchbay.domain.base import EpochMs
from patchbay.domain.errors import AppError, StorageFault
from patchbay.domain.executions import Execution, ExecutionFilter
from patchbay.domain.paging import MAX_PAGE_SIZE, PageRequest

COLUMNS = (
    "id", "flow", "flowId", "state", "testRun", "startedAt", "finishedAt", "durationMs", "stepsDone",
    "stepsTotal", "note",
)  # fmt: skip


class ExecutionsExport(QObject):
    """At most one export at a time. The file appears when it is complete; a cancelled one leaves nothing."""

    progressed = Signal(int, int)
    finished = Signal(str, int)
    failed = Signal(object)
    ended = Signal()

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._task: Task | None = None

    @property
    def running(self) -> bool:
        return self._task is not None

    def start(self, where: ExecutionFilter, path: Path) -> None:
        """Write every execution of the filter; the ending of the name chooses the form."""
        if self._task is not None:
            return
        work = export(self._services.backend, where, path, self.progressed.emit)
        self._task = self._services.tasks.run(
            self, work, done=lambda count: self.finished.emit(str(path), count), failed=self.failed.emit
        )
        self._task.ended.connect(self._forget)

    def cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _forget(self) -> None:
        self._task = None
        self.ended.emit()


async def export(
    backend: Backend, where: ExecutionFilter, path: Path, progress: Callable[[int, int], object]
) -> int:
    """Write the executions of `where` to `path`; returns how many. Raises `StorageFault`."""
    write = jsonl_lines if path.suffix.lower() in (".jsonl", ".json") else csv_lines
    part = path.with_name(path.name + ".part")
    try:
        count = await _pages(backend, where, part, write, progress)
        await asyncio.to_thread(part.replace, path)
    except OSError as error:
        raise _unwritable(path, error) from error
    finally:
        await asyncio.to_thread(part.unlink, missing_ok=True)
    return count


async def _pages(
    backend: Backend,
    where: ExecutionFilter,
    part: Path,
    write: Callable[[Sequence[Execution], bool], str],
    progress: Callable[[int, int], object],
) -> int:
    done, cursor, number = 0, None, 1
    while True:
        page = await backend.list_executions(
            where, PageRequest(page=number, limit=MAX_PAGE_SIZE, cursor=cursor)
        )
        await _whole(asyncio.to_thread(_append, part, write(page.items, number == 1), number == 1))
        done += len(page.items)
        progress(done, max(done, page.total))
        cursor, number = page.next_cursor, number + 1
        if not page.items or (cursor is None and done >= page.total):
            return done


async def _whole(work: Coroutine[Any, Any, None]) -> None:
    """Let a write end even when the export is cancelled in the middle of it; a thread cannot be stopped."""
    writing = asyncio.ensure_future(work)
    try:
        await asyncio.shield(writing)
    except asyncio.CancelledError:
        await writing
        raise


def _append(part: Path, text: str, new: bool) -> None:
    with part.open("w" if new else "a", encoding="utf-8", newline="") as file:
        file.write(text)


def _unwritable(path: Path, error: OSError) -> AppError:
    return StorageFault(
        f"“{path.name}” could not be written.",
        meaning=f"{error.strerror or error}.",
        todo="Choose another folder, then export again.",
    )


def csv_lines(items: Sequence[Execution], header: bool) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    if header:
        writer.writerow(COLUMNS)
    writer.writerows(_cells(item) for item in items)
    return text.getvalue()


def jsonl_lines(items: Sequence[Execution], header: bool) -> str:
    return "".join(json.dumps(item.wire(), ensure_ascii=False) + "\n" for item in items)


def _cells(item: Execution) -> tuple[object, ...]:
    return (
        item.id, item.flow.name, item.flow.id, item.state.value, "yes" if item.test_run else "no",
        _iso(item.created_at), _iso(item.finished_at), item.duration_ms, item.steps_done, item.steps_total,
        item.note or "",
    )  # fmt: skip


def _iso(ms: EpochMs | None) -> str:
    return "" if ms is None else datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds")
