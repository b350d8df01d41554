"""Executions as lines of a file, a table or a document a line, for exports by the window and by commands."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import TypeAlias

from patchbay.domain.backend_runs import RunBackend
from patchbay.domain.base import EpochMs
from patchbay.domain.executions import Execution, ExecutionFilter
from patchbay.domain.paging import Page
from patchbay.domain.row_files import document_lines, every_page, table_text

Lines: TypeAlias = Callable[[Sequence[Execution], bool], str]
"""Some executions as text, each line with its end; True asks for the head of the file before them."""

COLUMNS = (
    "id", "flow", "flowId", "state", "testRun", "startedAt", "finishedAt", "durationMs", "stepsDone",
    "stepsTotal", "note", "originId", "originKind",
)  # fmt: skip


def pages(backend: RunBackend, where: ExecutionFilter) -> AsyncIterator[Page[Execution]]:
    """Every execution of the filter, newest first, as large pages."""
    return every_page(partial(backend.list_executions, where))


def csv_lines(items: Sequence[Execution], head: bool, *, raw: bool = False) -> str:
    """`raw` leaves texts as they are, even those a spreadsheet would run as a formula."""
    return table_text(COLUMNS, map(_cells, items), head, raw=raw)


def jsonl_lines(items: Sequence[Execution], head: bool) -> str:
    return document_lines(items)


FORMATS: Mapping[str, Lines] = {"csv": csv_lines, "jsonl": jsonl_lines}


def lines_of(form: str, *, raw: bool = False) -> Lines:
    """What writes executions in this form, see `FORMATS`; `raw` only concerns CSV."""
    return partial(csv_lines, raw=True) if raw and form == "csv" else FORMATS[form]


def _cells(item: Execution) -> tuple[object, ...]:
    return (
        item.id, item.flow.name, item.flow.id, item.state.value, "yes" if item.test_run else "no",
        _iso(item.created_at), _iso(item.finished_at), item.duration_ms, item.steps_done, item.steps_total,
        item.note or "", item.origin_id or "", item.origin_kind or "",
    )  # fmt: skip


def _iso(ms: EpochMs | None) -> str:
    return "" if ms is None else datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds")
