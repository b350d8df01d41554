"""Counters of finished executions by flow, state, and time, kept up to date by SQL triggers.

Counting a million rows takes seconds, so lists, histograms, and page numbers use these counters. The triggers
count into one small table by hour (`execution_tally_fresh`), so that a commit changes one page and not five.
`fold` moves those counts to `execution_tally` from time to time; the view `execution_counts` adds up both.

SQLite drops the triggers of a table that a migration rebuilds: such a migration has to create them again.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from patchbay.domain.base import EpochMs, FlowId
from patchbay.domain.clock import DAY_MS, HOUR_MS
from patchbay.domain.executions import ExecutionState
from patchbay.storage.driver import Driver, Twin
from patchbay.storage.execution_filter import MAX_ID_PARAMETERS, ExecutionSelection, encode_ids

ALL_TIME = 0
DAY = 1
HOUR = 2
"""The spans of `execution_tally`: all time, and days and hours since the epoch."""

ALL_FLOWS = FlowId("")
"""The flow ID of the counters for all flows. Only these count by hour; those of single flows count by day."""

FINISHED = tuple(state for state in ExecutionState if state.finished)
"""The states that are counted. Unfinished executions change often, and an index finds the few there are."""

_QUOTED_STATES = {state: f"'{state.value}'" for state in ExecutionState}
FINISHED_STATES_SQL = ", ".join(f"'{state.value}'" for state in FINISHED)
UNFINISHED_STATES_SQL = ", ".join(f"'{state.value}'" for state in ExecutionState if not state.finished)
_COUNTED_COLUMNS = "status, flow_id, test_run, created_at"

FOLD_THRESHOLD_ROWS = 500
"""Rows of fresh counts, by hour and flow, above which `fold_if_large` moves them."""

FAR_FUTURE = 10**9 * DAY_MS
"""A time later than every execution, at the start of a day."""

WhereClause = tuple[str, list[Any]]
"""Conditions of a statement, combined with AND, and their values."""

_SPAN_MS = {DAY: DAY_MS, HOUR: HOUR_MS}
_UNFINISHED_STATES = frozenset(ExecutionState) - frozenset(FINISHED)


ADD_COUNT = (
    "INSERT INTO execution_tally (flow_id, span, start, status, test_run, runs) VALUES (?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (flow_id, span, start, status, test_run)"
    " DO UPDATE SET runs = execution_tally.runs + excluded.runs"
)


def _trigger_sql(name: str, event: str, row: str, by: int) -> str:
    """An SQL trigger that adds the changed row of `execution` to the counters (1) or subtracts it (-1)."""
    return (
        f"CREATE TRIGGER execution_{name} AFTER {event} ON execution"
        f" WHEN {row}.status IN ({FINISHED_STATES_SQL}) BEGIN"
        " INSERT INTO execution_tally_fresh (hour, flow_id, status, test_run, runs)"
        f" VALUES ({row}.created_at / {HOUR_MS}, {row}.flow_id, {row}.status, {row}.test_run, {by})"
        " ON CONFLICT (hour, flow_id, status, test_run) DO UPDATE SET runs = runs + excluded.runs; END"
    )


CREATE_TRIGGERS = (
    _trigger_sql("arrives", "INSERT", "NEW", 1),
    _trigger_sql("leaves", "DELETE", "OLD", -1),
    _trigger_sql("was", f"UPDATE OF {_COUNTED_COLUMNS}", "OLD", -1),
    _trigger_sql("becomes", f"UPDATE OF {_COUNTED_COLUMNS}", "NEW", 1),
)


_TRIGGERS = ("arrives", "leaves", "was", "becomes")

STOP_COUNTING = Twin(
    sqlite=tuple(f"DROP TRIGGER execution_{name}" for name in _TRIGGERS),
    postgresql=tuple(f"ALTER TABLE execution DISABLE TRIGGER execution_{name}" for name in _TRIGGERS),
)
"""Statements after which changes of `execution` aren't counted, for loads that count at once."""

RESUME_COUNTING = Twin(
    sqlite=CREATE_TRIGGERS,
    postgresql=tuple(f"ALTER TABLE execution ENABLE TRIGGER execution_{name}" for name in _TRIGGERS),
)
"""Statements that undo `STOP_COUNTING`."""


_COUNTER_KEYS = (
    (f"'{ALL_FLOWS}'", ALL_TIME, "0"),
    (f"'{ALL_FLOWS}'", DAY, f"hour / {DAY_MS // HOUR_MS}"),
    (f"'{ALL_FLOWS}'", HOUR, "hour"),
    ("flow_id", ALL_TIME, "0"),
    ("flow_id", DAY, f"hour / {DAY_MS // HOUR_MS}"),
)
"""Counters of a finished execution (flow, span, start), from the hour in which it was created."""

CREATE_VIEW = (
    "CREATE VIEW execution_counts (flow_id, span, start, status, test_run, runs) AS"
    " SELECT flow_id, span, start, status, test_run, runs FROM execution_tally"
    + "".join(
        f" UNION ALL SELECT {flow}, {span}, {start}, status, test_run, runs FROM execution_tally_fresh"
        for flow, span, start in _COUNTER_KEYS
    )
)
"""The view that readers use: both tables in one form. A counter is the sum of its `runs`."""

_FOLD_ON_SQLITE = (
    *(
        f"INSERT INTO execution_tally (flow_id, span, start, status, test_run, runs)"
        f" SELECT {flow}, {span}, {start}, status, test_run, sum(runs) FROM execution_tally_fresh WHERE true"
        " GROUP BY 1, 3, 4, 5"
        " ON CONFLICT (flow_id, span, start, status, test_run)"
        " DO UPDATE SET runs = execution_tally.runs + excluded.runs"
        for flow, span, start in _COUNTER_KEYS
    ),
    "DELETE FROM execution_tally_fresh",
    "DELETE FROM execution_tally WHERE runs = 0",
)
_FOLD_ON_POSTGRESQL = (
    "WITH moved AS (DELETE FROM execution_tally_fresh RETURNING hour, flow_id, status, test_run, runs)"
    " INSERT INTO execution_tally (flow_id, span, start, status, test_run, runs)"
    " SELECT flow_id, span, start, status, test_run, sum(runs) FROM ("
    + " UNION ALL ".join(
        f"SELECT {flow} AS flow_id, {span} AS span, {start} AS start, status, test_run, runs FROM moved"
        for flow, span, start in _COUNTER_KEYS
    )
    + ") AS counted GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5"
    " ON CONFLICT (flow_id, span, start, status, test_run)"
    " DO UPDATE SET runs = execution_tally.runs + excluded.runs",
    "DELETE FROM execution_tally WHERE runs = 0",
)
"""Counts that others add at the same time stay: only what was deleted is moved."""

FOLD = Twin(sqlite=_FOLD_ON_SQLITE, postgresql=_FOLD_ON_POSTGRESQL)
"""Moves the fresh counts to `execution_tally`, and deletes counters that are zero."""


def _count_sql(flow: str, span: int, start: str) -> str:
    return (
        "INSERT INTO execution_tally (flow_id, span, start, status, test_run, runs)"
        f" SELECT {flow}, {span}, {start}, status, test_run, count(*) FROM execution"
        f" WHERE status IN ({FINISHED_STATES_SQL}) GROUP BY 1, 3, status, test_run"
    )


def _sum_sql(flow: str, into: int, start: str, chosen: str) -> str:
    """SQL that fills the counters of a span from those of a shorter span."""
    return (
        "INSERT INTO execution_tally (flow_id, span, start, status, test_run, runs)"
        f" SELECT {flow}, {into}, {start}, status, test_run, sum(runs) FROM execution_tally"
        f" WHERE {chosen} GROUP BY 1, 3, status, test_run"
    )


_KEEP_UNCHANGED = Twin(sqlite=(), postgresql=("LOCK TABLE execution IN SHARE MODE",))
"""Other programs that share the database wait until the executions are counted."""

RECOUNT = (
    "DELETE FROM execution_tally_fresh",
    "DELETE FROM execution_tally",
    _count_sql("flow_id", DAY, f"created_at / {DAY_MS}"),
    _count_sql(f"'{ALL_FLOWS}'", HOUR, f"created_at / {HOUR_MS}"),
    _sum_sql(f"'{ALL_FLOWS}'", DAY, "start", f"span = {DAY}"),
    _sum_sql("flow_id", ALL_TIME, "0", f"span = {DAY}"),
)
"""Statements that rebuild all counters with two scans of the history: about 3 s for a million executions."""


class Span(NamedTuple):
    """Number of selected executions created in [start, end)."""

    start: EpochMs
    end: EpochMs
    runs: int


_INDEX_HINT = Twin(sqlite=" INDEXED BY {}", postgresql="")
"""PostgreSQL knows how often each value occurs, and chooses the index itself."""


def indexed_by(driver: Driver, index: str) -> str:
    """The words behind the name of a table with which SQLite uses this index."""
    return _INDEX_HINT.on(driver).format(index)


def has_index_hints(driver: Driver) -> bool:
    """Whether `indexed_by` has an effect."""
    return bool(_INDEX_HINT.on(driver))


def has_drifted(driver: Driver) -> bool:
    """Whether the daily counters by flow differ from the executions. Reads all executions.

    No known bug causes this. The other counters come from the same rows and aren't compared.
    """
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


def recount(driver: Driver) -> None:
    """Rebuild all counters; takes a few seconds for a million executions."""
    for statement in (*_KEEP_UNCHANGED.on(driver), *RECOUNT):
        driver.execute(statement)


def fold(driver: Driver) -> None:
    """Move the fresh counts to `execution_tally`. Called every hour, and when there are many."""
    for statement in FOLD.on(driver):
        driver.execute(statement)


def fold_if_large(driver: Driver) -> None:
    """Move the fresh counts if there are many, such as after a clean-up, so that readers add up few rows."""
    [[rows]] = driver.execute("SELECT count(*) FROM execution_tally_fresh").fetchall()
    if rows > FOLD_THRESHOLD_ROWS:
        fold(driver)


def count_all(driver: Driver, selection: ExecutionSelection) -> int:
    """Number of selected executions. One statement: each is a message to a server."""
    clause, values = condition(as_counted(selection))
    finished = (
        "SELECT coalesce(sum(runs), 0) FROM execution_counts"
        f" WHERE span = {ALL_TIME} AND start = 0 AND {clause}"
    )
    unfinished = unfinished_part(selection)
    if unfinished is None:
        return int(driver.execute(finished, values).fetchone()[0])
    clause, more = condition(unfinished)
    others = f"SELECT count(*) FROM execution{indexed_by(driver, 'execution_status')} WHERE {clause}"
    return int(driver.execute(f"SELECT ({finished}) + ({others})", (*values, *more)).fetchone()[0])


def count_between(driver: Driver, selection: ExecutionSelection, start: EpochMs, end: EpochMs) -> int:
    """Number of selected executions created in [start, end)."""
    if start <= 0 and end >= FAR_FUTURE:
        return count_all(driver, selection)
    return sum(span.runs for span in spans(driver, selection, start, end))


def spans(
    driver: Driver,
    selection: ExecutionSelection,
    start: EpochMs,
    end: EpochMs,
    *,
    hourly: bool = False,
) -> list[Span]:
    """Split [start, end) into spans with their counts, newest first: days, with hours and parts at both ends.

    `hourly`: hours instead of days, if all flows are selected. Leaves out empty spans.
    """
    grains = (DAY,) if selection.flows is not None else (HOUR,) if hourly else (DAY, HOUR)
    return [span for span in _split_range(driver, selection, (start, end), grains) if span.runs]


def condition(selection: ExecutionSelection) -> WhereClause:
    """A selection as SQL for `execution` or `execution_counts`, whose columns have the same names.

    States and `ALL_FLOWS` are part of it, not parameters, whose values PostgreSQL would plan for each time.
    """
    clause: list[str] = []
    values: list[Any] = []
    if (states := selection.states) is not None:
        clause.append(f"status IN ({', '.join(sorted(_QUOTED_STATES[state] for state in states))})")
    if (flows := selection.flows) == (ALL_FLOWS,):
        clause.append(f"flow_id = '{ALL_FLOWS}'")
    elif flows is not None and len(flows) > MAX_ID_PARAMETERS:
        clause.append("flow_id IN (SELECT key FROM json_each(?))")
        values.append(encode_ids(flows))
    elif flows is not None:
        clause.append("flow_id = ?" if len(flows) == 1 else f"flow_id IN ({', '.join('?' * len(flows))})")
        values += flows
    if selection.test_run is not None:
        clause.append("test_run = ?")
        values.append(selection.test_run)
    return " AND ".join(clause) or "true", values


def count_rows_between(driver: Driver, selection: ExecutionSelection, start: EpochMs, end: EpochMs) -> int:
    """Like `count_between`, but by reading an index of `execution`."""
    if end <= start:
        return 0
    clause, values = condition(selection)
    query = f"SELECT count(*) FROM execution WHERE created_at >= ? AND created_at < ? AND {clause}"
    return int(driver.execute(query, (start, end, *values)).fetchone()[0])


def _split_range(
    driver: Driver,
    selection: ExecutionSelection,
    time_range: tuple[EpochMs, EpochMs],
    grains: Sequence[int],
) -> Iterator[Span]:
    """Split recursively: whole spans of the coarsest grain in the middle, finer ones at both ends."""
    start, end = time_range
    if start >= end:
        return
    if not grains:
        yield Span(start, end, count_rows_between(driver, selection, start, end))
        return
    grain, *finer = grains
    length = _SPAN_MS[grain]
    first, last = -(-start // length) * length, end // length * length
    if first >= last:
        yield from _split_range(driver, selection, time_range, finer)
        return
    yield from _split_range(driver, selection, (last, end), finer)
    yield from _whole_spans(driver, selection, (first, last), grain)
    yield from _split_range(driver, selection, (start, first), finer)


def _whole_spans(
    driver: Driver, selection: ExecutionSelection, time_range: tuple[EpochMs, EpochMs], grain: int
) -> Iterator[Span]:
    length, (start, end) = _SPAN_MS[grain], time_range
    clause, values = condition(as_counted(selection))
    query = (
        f"SELECT start, runs FROM execution_counts WHERE span = {grain}"
        f" AND start >= ? AND start < ? AND {clause}"
    )
    parameters: list[object] = [start // length, end // length, *values]
    if unfinished := unfinished_part(selection):
        clause, values = condition(unfinished)
        query += (
            f" UNION ALL SELECT created_at / {length}, 1"
            f" FROM execution{indexed_by(driver, 'execution_status')}"
            f" WHERE created_at >= ? AND created_at < ? AND {clause}"
        )
        parameters += [start, end, *values]
    found = driver.execute(
        f"SELECT start, sum(runs) FROM ({query}) AS counted GROUP BY start ORDER BY start DESC", parameters
    )
    for number, runs in found.fetchall():
        yield Span(number * length, (number + 1) * length, runs)


def unfinished_part(selection: ExecutionSelection) -> ExecutionSelection | None:
    """The part of a selection that has no counters; None if there is none."""
    states = _UNFINISHED_STATES if selection.states is None else selection.states & _UNFINISHED_STATES
    return ExecutionSelection(states, selection.flows, selection.test_run) if states else None


def as_counted(selection: ExecutionSelection) -> ExecutionSelection:
    """The selection for a query on the counters, where all flows together have rows of their own."""
    return (
        selection
        if selection.flows is not None
        else ExecutionSelection(selection.states, (ALL_FLOWS,), selection.test_run)
    )
