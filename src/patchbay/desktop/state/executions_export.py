"""Writing the executions of a filter to a file, page by page, beside the window's work."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.state.services import Services
from patchbay.desktop.tasks import Task
from patchbay.domain.backend import Backend
from patchbay.domain.errors import AppError, StorageFault
from patchbay.domain.execution_files import Lines, csv_lines, jsonl_lines, pages
from patchbay.domain.executions import Execution, ExecutionFilter
from patchbay.domain.paging import Page

Exported = ExecutionFilter | tuple[Execution, ...]
"""What is exported: all that a filter lets through, or these."""


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

    def start(self, what: Exported, path: Path) -> None:
        """Write every execution of a filter, or these; the ending of the name chooses the form."""
        if self._task is not None:
            return
        work = export(self._services.backend, what, path, self.progressed.emit)
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


async def export(backend: Backend, what: Exported, path: Path, progress: Callable[[int, int], object]) -> int:
    """Write the executions meant by `what` to `path`; returns how many. Raises `StorageFault`."""
    write = jsonl_lines if path.suffix.lower() in (".jsonl", ".json") else csv_lines
    part = path.with_name(path.name + ".part")
    try:
        count = await _pages(_source(backend, what), part, write, progress)
        await asyncio.to_thread(part.replace, path)
    except OSError as error:
        raise _unwritable(path, error) from error
    finally:
        await asyncio.to_thread(part.unlink, missing_ok=True)
    return count


async def _source(backend: Backend, what: Exported) -> AsyncIterator[Page[Execution]]:
    if isinstance(what, ExecutionFilter):
        async for page in pages(backend, what):
            yield page
    else:
        yield Page(items=what, total=len(what))


async def _pages(
    source: AsyncIterator[Page[Execution]], part: Path, write: Lines, progress: Callable[[int, int], object]
) -> int:
    done, new = 0, True
    async for page in source:
        await _whole(asyncio.to_thread(_append, part, write(page.items, new), new))
        done, new = done + len(page.items), False
        progress(done, max(done, page.total))
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
