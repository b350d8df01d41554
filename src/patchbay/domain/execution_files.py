"""Executions as lines of a file, a table or a document a line, for exports by the window and by commands."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import TypeAlias

from patchbay.domain.backend_runs import RunBackend
from patchbay.domain.base import EpochMs
from patchbay.domain.executions import Execution, ExecutionFilter
from patchbay.domain.paging import Page
from patchbay.domain.row_files import read_all_pages, to_csv, to_jsonl

RowFormatter: TypeAlias = Callable[[Sequence[Execution], bool], str]
"""Some executions as text, each line with its end; True asks for the head of the file before them."""

EXECUTION_COLUMNS = (
    "id", "flow", "flowId", "state", "testRun", "startedAt", "finishedAt", "durationMs", "stepsDone",
    "stepsTotal", "note", "originId", "originKind",
)  # fmt: skip


def read_execution_pages(backend: RunBackend, where: ExecutionFilter) -> AsyncIterator[Page[Execution]]:
    """Every execution of the filter, newest first, as large pages."""
    return read_all_pages(partial(backend.list_executions, where))


def executions_csv(items: Sequence[Execution], head: bool, *, raw: bool = False) -> str:
    """`raw` leaves texts as they are, even those a spreadsheet would run as a formula."""
    return to_csv(EXECUTION_COLUMNS, map(_execution_cells, items), head, raw=raw)


def executions_jsonl(items: Sequence[Execution], head: bool) -> str:
    return to_jsonl(items)


EXPORT_FORMATS: Mapping[str, RowFormatter] = {"csv": executions_csv, "jsonl": executions_jsonl}


def row_formatter(format_name: str, *, raw: bool = False) -> RowFormatter:
    """What writes executions in this form, see `EXPORT_FORMATS`; `raw` only concerns CSV."""
    return partial(executions_csv, raw=True) if raw and format_name == "csv" else EXPORT_FORMATS[format_name]


def _execution_cells(item: Execution) -> tuple[object, ...]:
    return (
        item.id, item.flow.name, item.flow.id, item.state.value, "yes" if item.test_run else "no",
        _iso_time(item.created_at), _iso_time(item.finished_at), item.duration_ms, item.steps_done, item.steps_total,
        item.note or "", item.origin_id or "", item.origin_kind or "",
    )  # fmt: skip


def _iso_time(ms: EpochMs | None) -> str:
    return "" if ms is None else datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds")
