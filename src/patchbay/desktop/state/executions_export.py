"""Writing the executions of a filter to a file."""

from collections.abc import AsyncIterator
from pathlib import Path

from patchbay.desktop.state.file_export import FileExport, Progress, as_lines, write_pages
from patchbay.domain.backend import Backend
from patchbay.domain.execution_files import read_execution_pages, row_formatter
from patchbay.domain.executions import Execution, ExecutionFilter
from patchbay.domain.paging import Page

Exported = ExecutionFilter | tuple[Execution, ...]
"""What is exported: all that a filter lets through, or these."""


class ExecutionsExport(FileExport):
    """Executions to a file; the ending of its name chooses the form."""

    def start(self, what: Exported, path: Path, raw: bool = False) -> None:
        """Write every execution of a filter, or these. `raw`: CSV with values that may be formulas."""
        if not self.running:
            self._run(export(self._services.backend, what, path, self.progressed.emit, raw=raw), path)


async def export(
    backend: Backend, what: Exported, path: Path, progress: Progress, *, raw: bool = False
) -> int:
    """Write the executions meant by `what` to `path`; returns how many. Raises `StorageFault`."""
    write = row_formatter("jsonl" if as_lines(path) else "csv", raw=raw)
    return await write_pages(_source(backend, what), path, write, progress)


async def _source(backend: Backend, what: Exported) -> AsyncIterator[Page[Execution]]:
    if isinstance(what, ExecutionFilter):
        async for page in read_execution_pages(backend, what):
            yield page
    else:
        yield Page(items=what, total=len(what))
