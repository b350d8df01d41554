"""How many finished executions there are, by flow, time, state and test, kept by triggers.

Revision ID: 0005
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_DAY, _HOUR = 86_400_000, 3_600_000
_FINISHED = "'success', 'failure', 'filtered', 'cancelled'"
_PUT = "INSERT INTO execution_tally (flow_id, span, start, status, test_run, runs)"


def upgrade() -> None:
    op.create_table(
        "execution_tally",
        sa.Column("flow_id", sa.String(length=36), nullable=False),
        sa.Column("span", sa.Integer(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("test_run", sa.Boolean(), nullable=False),
        sa.Column("runs", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("flow_id", "span", "start", "status", "test_run"),
        sqlite_with_rowid=False,
    )
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
    connection = op.get_bind()
    for statement in (*_count_all(), _view(), *_triggers()):
        connection.exec_driver_sql(statement)


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
        executions("flow_id", 1, f"created_at / {_DAY}"),
        executions("''", 2, f"created_at / {_HOUR}"),
        days("''", 1, "start"),
        days("flow_id", 0, "0"),
    )


def _triggers() -> tuple[str, ...]:
    watched = "UPDATE OF status, flow_id, test_run, created_at"
    return (
        _trigger("arrives", "INSERT", "NEW", 1),
        _trigger("leaves", "DELETE", "OLD", -1),
        _trigger("was", watched, "OLD", -1),
        _trigger("becomes", watched, "NEW", 1),
    )


def _trigger(name: str, event: str, row: str, by: int) -> str:
    return (
        f"CREATE TRIGGER execution_{name} AFTER {event} ON execution"
        f" WHEN {row}.status IN ({_FINISHED}) BEGIN"
        " INSERT INTO execution_tally_fresh (hour, flow_id, status, test_run, runs)"
        f" VALUES ({row}.created_at / {_HOUR}, {row}.flow_id, {row}.status, {row}.test_run, {by})"
        " ON CONFLICT (hour, flow_id, status, test_run) DO UPDATE SET runs = runs + excluded.runs; END"
    )


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
