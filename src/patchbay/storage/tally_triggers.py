"""How the database keeps its tally of finished executions by itself, and how the tally is counted anew.

The triggers count into one small table, by hour, so that a commit touches one page and not five. What gathers
there is folded into the tally now and then (`tally.fold`), and the view `execution_counts` shows both.
SQLite drops the triggers of a table that a migration rebuilds: whoever does that creates them again.
"""

from patchbay.domain.executions import ExecutionState

DAY_MS = 86_400_000
HOUR_MS = 3_600_000

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
