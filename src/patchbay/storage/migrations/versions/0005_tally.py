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
    connection = op.get_bind()
    for statement in (*_count_all(), *_triggers()):
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
    day, hour = f"{row}.created_at / {_DAY}", f"{row}.created_at / {_HOUR}"
    places = (
        "('', 0, 0", f"('', 1, {day}", f"('', 2, {hour}", f"({row}.flow_id, 0, 0", f"({row}.flow_id, 1, {day}"
    )  # fmt: skip
    values = ", ".join(f"{place}, {row}.status, {row}.test_run, {by})" for place in places)
    return (
        f"CREATE TRIGGER execution_{name} AFTER {event} ON execution"
        f" WHEN {row}.status IN ({_FINISHED}) BEGIN {_PUT} VALUES {values}"
        " ON CONFLICT (flow_id, span, start, status, test_run) DO UPDATE SET runs = runs + excluded.runs; END"
    )
