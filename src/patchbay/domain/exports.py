"""Exports of executions and the audit log: read in large pages, formatted as CSV or as JSON Lines."""

import csv
import io
import json
import re
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import TypeAlias, TypeVar

from patchbay.domain.audit_log import AuditEntry, AuditFilter
from patchbay.domain.backend import AdminBackend, RunBackend
from patchbay.domain.base import EpochMs, Model
from patchbay.domain.executions import Execution, ExecutionFilter
from patchbay.domain.paging import Page, read_all_pages

T = TypeVar("T")

_QUOTES = "\"'\u2018\u2019\u201c\u201d\ufeff"
_OPERATORS = "=+\\-@\uff1d\uff0b\uff0d\uff20\u2212"
_FORMULA = re.compile(rf"[\s{_QUOTES}]*[{_OPERATORS}]|[\t\r\n]")
"""The start of a cell that a spreadsheet may evaluate as a formula, even after spaces and quotation marks."""
_NEXT_CELL = {
    delimiter: re.compile(rf"(?<=[;\t\r\n{others}])(?=[\s{_QUOTES}]*[{_OPERATORS}])")
    for delimiter, others in ((",", "|"), ("|", ","), (";", ",|"), ("\t", ",|"))
}
"""Where a formula would start for a spreadsheet that expects another delimiter, by that of the file."""
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d+)*)(e[+-]?\d+)?", re.IGNORECASE | re.ASCII)


def to_csv(columns: Sequence[str], rows: Iterable[Sequence[object]], head: bool, *, raw: bool = False) -> str:
    """Format rows as CSV lines; `head` adds a header line.

    Texts that a spreadsheet would evaluate as a formula get an apostrophe in front, unless `raw`.
    """
    text = io.StringIO()
    writer = csv.writer(text)
    if head:
        writer.writerow(columns)
    writer.writerows(rows if raw else ([escape_formula(value) for value in row] for row in rows))
    return text.getvalue()


def escape_formula(value: object, delimiter: str = ",") -> object:
    """Prefix a text with an apostrophe if a spreadsheet would evaluate it as a formula.

    Numbers stay as they are. `delimiter` is that of the file, whose cells are quoted where they contain it.
    """
    if not isinstance(value, str) or _NUMBER.fullmatch(value):
        return value
    text = _NEXT_CELL[delimiter].sub("'", value)
    return f"'{text}" if _FORMULA.match(value) else text


def to_jsonl(items: Iterable[Model]) -> str:
    """Format items as JSON Lines, each in the format of the HTTP API."""
    return "".join(json.dumps(item.wire(), ensure_ascii=False) + "\n" for item in items)


# Executions

RowFormatter: TypeAlias = Callable[[Sequence[Execution], bool], str]
"""Formats executions as lines of text; True adds the header line of the file."""

EXECUTION_COLUMNS = (
    "id",
    "flow",
    "flowId",
    "state",
    "testRun",
    "startedAt",
    "finishedAt",
    "durationMs",
    "stepsDone",
    "stepsTotal",
    "note",
    "originId",
    "originKind",
)


def read_execution_pages(backend: RunBackend, where: ExecutionFilter) -> AsyncIterator[Page[Execution]]:
    """Read all executions that match the filter, newest first, in large pages."""
    return read_all_pages(partial(backend.list_executions, where))


def executions_csv(items: Sequence[Execution], head: bool, *, raw: bool = False) -> str:
    """`raw` leaves texts as they are, even those a spreadsheet would run as a formula."""
    return to_csv(EXECUTION_COLUMNS, map(_execution_cells, items), head, raw=raw)


def executions_jsonl(items: Sequence[Execution], head: bool) -> str:
    """Executions as JSON lines. There is no header, so `head` changes nothing."""
    return to_jsonl(items)


EXPORT_FORMATS: Mapping[str, RowFormatter] = {"csv": executions_csv, "jsonl": executions_jsonl}


def row_formatter(format_name: str, *, raw: bool = False) -> RowFormatter:
    """The formatter for one of `EXPORT_FORMATS`. `raw` leaves formulas in CSV unescaped."""
    return partial(executions_csv, raw=True) if raw and format_name == "csv" else EXPORT_FORMATS[format_name]


def _execution_cells(item: Execution) -> tuple[object, ...]:
    return (
        item.id,
        item.flow.name,
        item.flow.id,
        item.state.value,
        "yes" if item.test_run else "no",
        _iso_time(item.created_at),
        _iso_time(item.finished_at),
        item.duration_ms,
        item.steps_done,
        item.steps_total,
        item.note or "",
        item.origin_id or "",
        item.origin_kind or "",
    )


def _iso_time(ms: EpochMs | None) -> str:
    return "" if ms is None else datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds")


# The audit log

AUDIT_COLUMNS = (
    "id",
    "at",
    "actor",
    "actorKind",
    "actorId",
    "userId",
    "address",
    "deed",
    "noun",
    "subject",
    "subjectId",
)


def read_audit_pages(backend: AdminBackend, where: AuditFilter) -> AsyncIterator[Page[AuditEntry]]:
    """Read all entries that match the filter, newest first, in large pages."""
    return read_all_pages(partial(backend.audit_log, where))


def audit_csv(items: Sequence[AuditEntry], head: bool, *, raw: bool = False) -> str:
    """`raw` leaves texts as they are, even those a spreadsheet would run as a formula."""
    return to_csv(AUDIT_COLUMNS, map(_audit_cells, items), head, raw=raw)


def audit_jsonl(items: Sequence[AuditEntry], head: bool) -> str:
    """Audit entries as JSON lines. There is no header, so `head` changes nothing."""
    return to_jsonl(items)


def _audit_cells(item: AuditEntry) -> tuple[object, ...]:
    actor = item.actor
    moment = datetime.fromtimestamp(item.at / 1000, UTC).isoformat(timespec="milliseconds")
    return (
        item.id,
        moment,
        actor.name,
        actor.kind.value,
        actor.id or "",
        actor.user_id or "",
        actor.address or "",
        item.deed.value,
        item.noun.value,
        item.subject,
        item.subject_id or "",
    )
