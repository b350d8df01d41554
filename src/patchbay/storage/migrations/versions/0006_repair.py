"""Bring every schema that earlier forms of 0003, 0004 and 0005 produced to the one all folders should have.

Those three scripts were changed after folders had been upgraded with them, so a file at 0005 may lack
columns, the table of fresh counts and the view, and may have triggers that count into the wrong table.

Revision ID: 0006
"""

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_COLUMNS: tuple[tuple[str, sa.Column[Any]], ...] = (
    ("flow", sa.Column("sources", sa.Text(), nullable=False, server_default="[]")),
    ("trigger_state", sa.Column("source", sa.Integer(), nullable=False, server_default="1")),
    ("invitation", sa.Column("mailed", sa.Boolean(), nullable=False, server_default=sa.text("0"))),
)
_FINISHED = "'success', 'failure', 'filtered', 'cancelled'"
_PUT = "INSERT INTO execution_tally (flow_id, span, start, status, test_run, runs)"
_DAY, _HOUR = 86_400_000, 3_600_000


def upgrade() -> None:
    connection = op.get_bind()
    added = [f"{table}.{column.name}" for table, column in _COLUMNS if _add(connection, table, column)]
    if "trigger_state.source" in added:
        _remember_seen_events(connection)
    _repair_tally(connection)


def _add(connection: sa.Connection, table: str, column: sa.Column[Any]) -> bool:
    """Add a column unless it is there; returns whether it was missing."""
    present = {row[1] for row in connection.exec_driver_sql(f'PRAGMA table_info("{table}")')}
    if column.name in present:
        return False
    op.add_column(table, column)
    return True


def _remember_seen_events(connection: sa.Connection) -> None:
    """The first form of 0003 left what polls had seen in their cursors only."""
    put = sa.text(
        "INSERT INTO seen_event (flow_id, internal_id) VALUES (:flow_id, :internal_id) ON CONFLICT DO NOTHING"
    )
    for flow_id, cursor in connection.execute(sa.text("SELECT flow_id, cursor FROM trigger_state")).all():
        known = json.loads(cursor)
        seen = known.get("seen") if isinstance(known, dict) else None
        if isinstance(seen, list) and seen:
            connection.execute(put, [{"flow_id": flow_id, "internal_id": str(one)} for one in seen])


def _repair_tally(connection: sa.Connection) -> None:
    """Make table, view and triggers as 0005 makes them now, and count anew where one was different."""
    wanted = {"execution_counts": _view(), **_triggers()}
    made = "SELECT name, sql FROM sqlite_master WHERE name LIKE 'execution\\_%' ESCAPE '\\'"
    present = {name: sql for name, sql in connection.exec_driver_sql(made)}
    if all(present.get(name) == sql for name, sql in wanted.items()) and "execution_tally_fresh" in present:
        return
    for name in wanted:
        kind = "VIEW" if name == "execution_counts" else "TRIGGER"
        connection.exec_driver_sql(f"DROP {kind} IF EXISTS {name}")
    if "execution_tally_fresh" not in present:
        op.create_table(
            "execution_tally_fresh",
            sa.Column("hour", sa.Integer(), nullable=False),
            sa.Column("flow_id", sa.String(length=36), nullable=False),
            sa.Column("status", sa.String(length=16), nullable=False),
            sa.Column("test_run", sa.Boolean(), nullable=False),
            sa.Column("runs", sa.Integer(), nullable=False),
            sa.PrimaryKeyConstraint("hour", "flow_id", "status", "test_run"),
            sqlite_with_rowid=False,
        )
    for statement in (*wanted.values(), *_count_all()):
        connection.exec_driver_sql(statement)


def _view() -> str:
    places = (
        ("''", 0, "0"), ("''", 1, "hour / 24"), ("''", 2, "hour"), ("flow_id", 0, "0"),
        ("flow_id", 1, "hour / 24"),
    )  # fmt: skip
    fresh = (
        f" UNION ALL SELECT {flow}, {span}, {start}, status, test_run, runs FROM execution_tally_fresh"
        for flow, span, start in places
    )
    return (
        "CREATE VIEW execution_counts (flow_id, span, start, status, test_run, runs) AS"
        " SELECT flow_id, span, start, status, test_run, runs FROM execution_tally" + "".join(fresh)
    )


def _triggers() -> dict[str, str]:
    watched = "UPDATE OF status, flow_id, test_run, created_at"
    made = (
        ("execution_arrives", "INSERT", "NEW", 1),
        ("execution_leaves", "DELETE", "OLD", -1),
        ("execution_was", watched, "OLD", -1),
        ("execution_becomes", watched, "NEW", 1),
    )
    return {
        name: f"CREATE TRIGGER {name} AFTER {event} ON execution"
        f" WHEN {row}.status IN ({_FINISHED}) BEGIN"
        " INSERT INTO execution_tally_fresh (hour, flow_id, status, test_run, runs)"
        f" VALUES ({row}.created_at / {_HOUR}, {row}.flow_id, {row}.status, {row}.test_run, {by})"
        " ON CONFLICT (hour, flow_id, status, test_run) DO UPDATE SET runs = runs + excluded.runs; END"
        for name, event, row, by in made
    }


def _count_all() -> tuple[str, ...]:
    def executions(flow: str, span: int, start: str) -> str:
        return (
            f"{_PUT} SELECT {flow}, {span}, {start}, status, test_run, count(*) FROM execution"
            f" WHERE status IN ({_FINISHED}) GROUP BY 1, 3, status, test_run"
        )

    def days(flow: str, span: int, start: str) -> str:
        return (
            f"{_PUT} SELECT {flow}, {span}, {start}, status, test_run, sum(runs) FROM execution_tally"
            " WHERE span = 1 GROUP BY 1, 3, status, test_run"
        )

    return (
        "DELETE FROM execution_tally_fresh",
        "DELETE FROM execution_tally",
        executions("flow_id", 1, f"created_at / {_DAY}"),
        executions("''", 2, f"created_at / {_HOUR}"),
        days("''", 1, "start"),
        days("flow_id", 0, "0"),
    )
