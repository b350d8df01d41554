"""Exports a long list to a file, page by page, in the background."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.core.language import tr
from patchbay.desktop.core.services import Services
from patchbay.desktop.tasks import Task
from patchbay.domain.errors import StorageFault
from patchbay.domain.paging import Page

T = TypeVar("T")

Progress = Callable[[int, int], object]
"""Called with the number of exported items and their total."""


class FileExport(QObject):
    """At most one export at a time. The file appears when it is complete; a cancelled export leaves none."""

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
        """Whether an export is running."""
        return self._task is not None

    def cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _run(self, work: Coroutine[Any, Any, int], path: Path) -> None:
        self._task = self._services.tasks.run(
            self, work, done=lambda count: self.finished.emit(str(path), count), failed=self.failed.emit
        )
        self._task.ended.connect(self._on_ended)

    def _on_ended(self) -> None:
        self._task = None
        self.ended.emit()


def is_json_lines(path: Path) -> bool:
    """Whether the name's extension asks for JSON lines; otherwise the file is a table (CSV)."""
    return path.suffix.lower() in (".jsonl", ".json")


async def write_pages(
    source: AsyncIterator[Page[T]], path: Path, write: Callable[[Sequence[T], bool], str], progress: Progress
) -> int:
    """Write the items of all pages to `path`; returns how many. Raises `StorageFault`.

    `write` formats items as text, preceded by the file's header if its second argument is True.
    """
    part = path.with_name(path.name + ".part")
    try:
        count, new = 0, True
        async for page in source:
            await _finish_uninterrupted(asyncio.to_thread(_append, part, write(page.items, new), new))
            count, new = count + len(page.items), False
            progress(count, max(count, page.total))
        await asyncio.to_thread(part.replace, path)
    except OSError as error:
        raise StorageFault(
            tr("“{file}” couldn't be written.", file=path.name),
            meaning=f"{error.strerror or error}.",
            todo=tr("Choose another folder, then export again."),
        ) from error
    finally:
        await asyncio.to_thread(part.unlink, missing_ok=True)
    return count


async def _finish_uninterrupted(work: Coroutine[Any, Any, None]) -> None:
    """Let a write finish even if the export is cancelled meanwhile, since a thread can't be stopped."""
    writing = asyncio.ensure_future(work)
    try:
        await asyncio.shield(writing)
    except asyncio.CancelledError:
        await writing
        raise


def _append(part: Path, text: str, new: bool) -> None:
    with part.open("w" if new else "a", encoding="utf-8", newline="") as file:
        file.write(text)
