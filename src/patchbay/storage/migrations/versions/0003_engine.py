"""Steps as a tree, how flows are run and held, where executions come from, events seen before.

Revision ID: 0003
"""

import json

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table, column in (
        ("flow", sa.Column("settings", sa.Text(), nullable=False, server_default="{}")),
        ("flow", sa.Column("paused_at", sa.BigInteger(), nullable=True)),
        ("flow", sa.Column("paused_reason", sa.Text(), nullable=True)),
        ("flow", sa.Column("streak_from", sa.BigInteger(), nullable=True)),
        ("flow", sa.Column("sources", sa.Text(), nullable=False, server_default="[]")),
        ("trigger_state", sa.Column("source", sa.Integer(), nullable=False, server_default="1")),
        ("step", sa.Column("policy", sa.Text(), nullable=False, server_default="{}")),
        ("step", sa.Column("branch_conditions", sa.Text(), nullable=True)),
        ("execution", sa.Column("waits_for", sa.String(length=8), nullable=True)),
        ("execution", sa.Column("origin_id", sa.String(length=36), nullable=True)),
        ("execution", sa.Column("origin_kind", sa.String(length=8), nullable=True)),
        ("execution", sa.Column("origin_seq", sa.Integer(), nullable=True)),
        ("execution", sa.Column("run_key", sa.String(length=36), nullable=True)),
        ("execution_step", sa.Column("warnings", sa.Text(), nullable=True)),
        ("execution_step", sa.Column("path", sa.String(length=64), nullable=True)),
        ("connection", sa.Column("rate_limit", sa.Text(), nullable=True)),
    ):
        op.add_column(table, column)
    op.create_index(
        "execution_origin", "execution", ["origin_id"], sqlite_where=sa.text("origin_id IS NOT NULL")
    )
    op.create_table(
        "seen_event",
        sa.Column("flow_id", sa.String(length=36), nullable=False),
        sa.Column("internal_id", sa.String(length=255), nullable=False),
        sa.PrimaryKeyConstraint("flow_id", "internal_id"),
        sqlite_with_rowid=False,
    )
    _keep_seen(op.get_bind())


def _keep_seen(connection: sa.Connection) -> None:
    """What polling triggers remembered in their cursors is known for good from now on."""
    put = sa.text(
        "INSERT INTO seen_event (flow_id, internal_id) VALUES (:flow_id, :internal_id) ON CONFLICT DO NOTHING"
    )
    for flow_id, cursor in connection.execute(sa.text("SELECT flow_id, cursor FROM trigger_state")).all():
        seen = json.loads(cursor).get("seen") or ()
        if rows := [{"flow_id": flow_id, "internal_id": str(one)} for one in seen]:
            connection.execute(put, rows)
