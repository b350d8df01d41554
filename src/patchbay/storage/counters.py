"""How the database keeps its tally of finished executions by itself, and how the tally is counted anew.

The triggers count into one small table, by hour, so that a commit touches one page and not five. What gathers
there is folded into the tally now and then (`tally.fold`), and the view `execution_counts` shows both.
SQLite drops the triggers of a table that a migration rebuilds: whoever does that creates them again.
"""

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

from patchbay.domain.base import EpochMs
from patchbay.domain.clock import DAY_MS, HOUR_MS
from patchbay.domain.executions import ExecutionState
from patchbay.storage.execution_filter import ExecutionSelection

ALL_TIME, DAY, HOUR = 0, 1, 2
"""The spans of `execution_tally`: for ever, and days and hours since the epoch."""

ALL_FLOWS = ""
"""Stands for all flows together, which alone are counted by the hour."""

FINISHED = tuple(state for state in ExecutionState if state.finished)
"""The states that are counted. Unfinished ones change all the time, and an index finds the few there are."""

_STATES = ", ".join(f"'{state.value}'" for state in FINISHED)
UNFINISHED_STATES_SQL = ", ".join(f"'{state.value}'" for state in ExecutionState if not state.finished)
"""The others, as SQL lists them."""
_COUNTED_COLUMNS = "status, flow_id, test_run, created_at"


def _count_row_sql(row: str, by: int) -> str:
    """The statement that counts a row of `execution` in (1) or out (-1)."""
    return (
        "INSERT INTO execution_tally_fresh (hour, flow_id, status, test_run, runs)"
        f" VALUES ({row}.created_at / {HOUR_MS}, {row}.flow_id, {row}.status, {row}.test_run, {by})"
        " ON CONFLICT (hour, flow_id, status, test_run) DO UPDATE SET runs = runs + excluded.runs"
    )


ADD_COUNT = (
    "INSERT INTO execution_tally (flow_id, span, start, status, test_run, runs) VALUES (?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (flow_id, span, start, status, test_run) DO UPDATE SET runs = runs + excluded.runs"
)


def _trigger_sql(name: str, event: str, row: str, by: int) -> str:
    return (
        f"CREATE TRIGGER execution_{name} AFTER {event} ON execution"
        f" WHEN {row}.status IN ({_STATES}) BEGIN {_count_row_sql(row, by)}; END"
    )


CREATE_TRIGGERS = (
    _trigger_sql("arrives", "INSERT", "NEW", 1),
    _trigger_sql("leaves", "DELETE", "OLD", -1),
    _trigger_sql("was", f"UPDATE OF {_COUNTED_COLUMNS}", "OLD", -1),
    _trigger_sql("becomes", f"UPDATE OF {_COUNTED_COLUMNS}", "NEW", 1),
)


DROP_TRIGGERS = tuple(f"DROP TRIGGER execution_{name}" for name in ("arrives", "leaves", "was", "becomes"))


_COUNTER_KEYS = (
    (f"'{ALL_FLOWS}'", ALL_TIME, "0"),
    (f"'{ALL_FLOWS}'", DAY, f"hour / {DAY_MS // HOUR_MS}"),
    (f"'{ALL_FLOWS}'", HOUR, "hour"),
    ("flow_id", ALL_TIME, "0"),
    ("flow_id", DAY, f"hour / {DAY_MS // HOUR_MS}"),
)
"""Where a finished execution is counted: flow, span and start, from the hour it began in."""

CREATE_VIEW = (
    "CREATE VIEW execution_counts (flow_id, span, start, status, test_run, runs) AS"
    " SELECT flow_id, span, start, status, test_run, runs FROM execution_tally"
    + "".join(
        f" UNION ALL SELECT {flow}, {span}, {start}, status, test_run, runs FROM execution_tally_fresh"
        for flow, span, start in _COUNTER_KEYS
    )
)
"""What readers ask: what is kept, and what is fresh, in one form. Sum up `runs`."""

FOLD = (
    *(
        f"INSERT INTO execution_tally (flow_id, span, start, status, test_run, runs)"
        f" SELECT {flow}, {span}, {start}, status, test_run, sum(runs) FROM execution_tally_fresh WHERE true"
        " GROUP BY 1, 3, 4, 5"
        " ON CONFLICT (flow_id, span, start, status, test_run) DO UPDATE SET runs = runs + excluded.runs"
        for flow, span, start in _COUNTER_KEYS
    ),
    "DELETE FROM execution_tally_fresh",
    "DELETE FROM execution_tally WHERE runs = 0",
)
"""Brings what is fresh to where it is kept, and leaves out what has come to nothing."""


def _count_sql(flow: str, span: int, start: str) -> str:
    return (
        "INSERT INTO execution_tally (flow_id, span, start, status, test_run, runs)"
        f" SELECT {flow}, {span}, {start}, status, test_run, count(*) FROM execution"
        f" WHERE status IN ({_STATES}) GROUP BY 1, 3, status, test_run"
    )


def _sum_sql(flow: str, into: int, start: str, chosen: str) -> str:
    """A span from the smaller ones that are counted already."""
    return (
        "INSERT INTO execution_tally (flow_id, span, start, status, test_run, runs)"
        f" SELECT {flow}, {into}, {start}, status, test_run, sum(runs) FROM execution_tally"
        f" WHERE {chosen} GROUP BY 1, 3, status, test_run"
    )


RECOUNT = (
    "DELETE FROM execution_tally_fresh",
    "DELETE FROM execution_tally",
    _count_sql("flow_id", DAY, f"created_at / {DAY_MS}"),
    _count_sql(f"'{ALL_FLOWS}'", HOUR, f"created_at / {HOUR_MS}"),
    _sum_sql(f"'{ALL_FLOWS}'", DAY, "start", f"span = {DAY}"),
    _sum_sql("flow_id", ALL_TIME, "0", f"span = {DAY}"),
)
"""Two scans of the history, about three seconds for a million executions."""

# MERGED: Counting executions without reading them: what the tally holds, and the rest by an index.

FOLD_THRESHOLD_ROWS = 500
"""Rows of counts, by hour and flow, that may gather before they are folded into the tally."""

FAR_FUTURE = 10**9 * DAY_MS
"""Later than every execution, and the start of a day."""

WhereClause = tuple[str, list[Any]]
"""Conditions of a statement joined with AND, and their values."""

_LENGTH = {DAY: DAY_MS, HOUR: HOUR_MS}
_UNFINISHED_STATES = frozenset(ExecutionState) - frozenset(FINISHED)


class Span(NamedTuple):
    """How many of the chosen executions began in [start, end)."""

    start: EpochMs
    end: EpochMs
    runs: int


def has_drifted(driver: sqlite3.Connection) -> bool:
    """Whether the tally differs from the executions, which no known way leads to. Reads all of them."""
    query = (
        f"SELECT flow_id, status, test_run, created_at / {DAY_MS}, count(*) FROM execution"
        f" WHERE status IN ({', '.join('?' * len(FINISHED))}) GROUP BY 1, 2, 3, 4"
    )
    counted = {tuple(row[:4]): row[4] for row in driver.execute(query, FINISHED)}
    counted_by_triggers = (
        "SELECT flow_id, status, test_run, start, sum(runs) FROM execution_counts"
        f" WHERE span = {DAY} AND flow_id <> '{ALL_FLOWS}' GROUP BY 1, 2, 3, 4 HAVING sum(runs) <> 0"
    )
    return counted != {tuple(row[:4]): row[4] for row in driver.execute(counted_by_triggers)}


def recount(driver: sqlite3.Connection) -> None:
    """Count everything anew; a few seconds for a million executions."""
    for statement in RECOUNT:
        driver.execute(statement)


def fold(driver: sqlite3.Connection) -> None:
    """Bring what the triggers counted to where it is kept; once it is much, and every hour."""
    for statement in FOLD:
        driver.execute(statement)


def fold_if_large(driver: sqlite3.Connection) -> None:
    """After many executions of many hours were removed, so that readers have little to add up."""
    [[rows]] = driver.execute("SELECT count(*) FROM execution_tally_fresh")
    if rows > FOLD_THRESHOLD_ROWS:
        fold(driver)


def count_all(driver: sqlite3.Connection, selection: ExecutionSelection) -> int:
    """How many there are."""
    return _count_finished(driver, selection) + _count_unfinished(driver, selection)


def count_between(
    driver: sqlite3.Connection, selection: ExecutionSelection, start: EpochMs, end: EpochMs
) -> int:
    """How many began in [start, end)."""
    if start <= 0 and end >= FAR_FUTURE:
        return count_all(driver, selection)
    return sum(span.runs for span in spans(driver, selection, start, end))


def spans(
    driver: sqlite3.Connection,
    selection: ExecutionSelection,
    start: EpochMs,
    end: EpochMs,
    *,
    hourly: bool = False,
) -> list[Span]:
    """Where those that began in [start, end) lie, newest first: days, at both ends also hours or parts.

    `hourly` asks for hours wherever they are counted. Spans without any are left out.
    """
    grains = (DAY,) if selection.flows is not None else (HOUR,) if hourly else (DAY, HOUR)
    return [span for span in _split_range(driver, selection, (start, end), grains) if span.runs]


def condition(selection: ExecutionSelection) -> WhereClause:
    """The states, flows and test runs chosen, for a statement on `execution` or on the tally."""
    clause: list[str] = []
    values: list[Any] = []
    for column, among in (("status", selection.states), ("flow_id", selection.flows)):
        if among is not None:
            clause.append(_in_clause(column, among))
            values += among
    if selection.test_run is not None:
        clause.append("test_run = ?")
        values.append(selection.test_run)
    return " AND ".join(clause) or "1", values


def count_rows_between(
    driver: sqlite3.Connection, selection: ExecutionSelection, start: EpochMs, end: EpochMs
) -> int:
    """As `count_between`, by reading an index of the executions."""
    if end <= start:
        return 0
    clause, values = condition(selection)
    query = f"SELECT count(*) FROM execution WHERE created_at >= ? AND created_at < ? AND {clause}"
    return int(driver.execute(query, (start, end, *values)).fetchone()[0])


def _split_range(
    driver: sqlite3.Connection,
    selection: ExecutionSelection,
    time_range: tuple[EpochMs, EpochMs],
    grains: Sequence[int],
) -> Iterator[Span]:
    """Whole spans of the first grain in the middle, and what sticks out at both ends in finer ones."""
    start, end = time_range
    if start >= end:
        return
    if not grains:
        yield Span(start, end, count_rows_between(driver, selection, start, end))
        return
    grain, *finer = grains
    length = _LENGTH[grain]
    first, last = -(-start // length) * length, end // length * length
    if first >= last:
        yield from _split_range(driver, selection, time_range, finer)
        return
    yield from _split_range(driver, selection, (last, end), finer)
    yield from _whole_spans(driver, selection, (first, last), grain)
    yield from _split_range(driver, selection, (start, first), finer)


def _whole_spans(
    driver: sqlite3.Connection, selection: ExecutionSelection, time_range: tuple[EpochMs, EpochMs], grain: int
) -> Iterator[Span]:
    length, (start, end) = _LENGTH[grain], time_range
    clause, values = condition(as_counted(selection))
    query = (
        f"SELECT start, sum(runs) FROM execution_counts WHERE span = {grain} AND start >= ? AND start < ?"
        f" AND {clause} GROUP BY start"
    )
    found = dict(driver.execute(query, (start // length, end // length, *values)).fetchall())
    if unfinished := unfinished_part(selection):
        clause, values = condition(unfinished)
        query = (
            f"SELECT created_at / {length}, count(*) FROM execution INDEXED BY execution_status"
            f" WHERE created_at >= ? AND created_at < ? AND {clause} GROUP BY 1"
        )
        for number, runs in driver.execute(query, (start, end, *values)):
            found[number] = found.get(number, 0) + runs
    for number in sorted(found, reverse=True):
        yield Span(number * length, (number + 1) * length, found[number])


def _count_finished(driver: sqlite3.Connection, selection: ExecutionSelection) -> int:
    clause, values = condition(as_counted(selection))
    query = f"SELECT coalesce(sum(runs), 0) FROM execution_counts WHERE span = {ALL_TIME} AND start = 0 AND {clause}"
    return int(driver.execute(query, values).fetchone()[0])


def _count_unfinished(driver: sqlite3.Connection, selection: ExecutionSelection) -> int:
    unfinished = unfinished_part(selection)
    if unfinished is None:
        return 0
    clause, values = condition(unfinished)
    query = f"SELECT count(*) FROM execution INDEXED BY execution_status WHERE {clause}"
    return int(driver.execute(query, values).fetchone()[0])


def unfinished_part(selection: ExecutionSelection) -> ExecutionSelection | None:
    """The part of the choice that is not tallied; None when there is none."""
    states = _UNFINISHED_STATES if selection.states is None else selection.states & _UNFINISHED_STATES
    return ExecutionSelection(states, selection.flows, selection.test_run) if states else None


def as_counted(selection: ExecutionSelection) -> ExecutionSelection:
    """The choice as the tally knows it, where all flows together have rows of their own."""
    return (
        selection
        if selection.flows is not None
        else ExecutionSelection(selection.states, (ALL_FLOWS,), selection.test_run)
    )


def _in_clause(column: str, values: Collection[str]) -> str:
    if len(values) == 1:
        return f"{column} = ?"
    return f"{column} IN ({', '.join('?' * len(values))})"
