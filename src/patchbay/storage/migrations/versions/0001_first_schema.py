"""The first schema: flows, executions, connections and what surrounds them.

Revision ID: 0001
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    _api_key()
    _datastore()
    _execution()
    _execution_step()
    _meta()
    _template()
    _user()
    _connection()
    _folder()
    _flow()
    _secret()
    _flow_version()
    _step()
    _trigger_state()


def _api_key() -> None:
    op.create_table(
        "api_key",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("hint", sa.String(length=16), nullable=False),
        sa.Column("user_id", sa.String(length=36), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("last_used_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("hash"),
    )


def _datastore() -> None:
    op.create_table(
        "datastore",
        sa.Column("flow_id", sa.String(length=36), nullable=False),
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("value", sa.Text(), nullable=True),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("flow_id", "key"),
    )


def _execution() -> None:
    op.create_table(
        "execution",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("flow_id", sa.String(length=36), nullable=False),
        sa.Column("flow_version", sa.Integer(), nullable=True),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("internal_id", sa.String(length=255), nullable=True),
        sa.Column("priority", sa.Integer(), server_default="0", nullable=False),
        sa.Column("cursor", sa.Integer(), server_default="0", nullable=False),
        sa.Column("steps_done", sa.Integer(), server_default="0", nullable=False),
        sa.Column("steps_total", sa.Integer(), server_default="0", nullable=False),
        sa.Column("wake_at", sa.BigInteger(), nullable=True),
        sa.Column("run_token", sa.String(length=36), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("test_run", sa.Boolean(), server_default=sa.text("0"), nullable=False),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=True),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("flow_id", "internal_id", name="execution_event"),
    )
    op.create_index("execution_flow", "execution", ["flow_id", "created_at", "id"], unique=False)
    op.create_index("execution_newest", "execution", ["created_at", "id"], unique=False)
    op.create_index(
        "execution_queued",
        "execution",
        ["created_at"],
        unique=False,
        sqlite_where=sa.text("status = 'queued'"),
        postgresql_where=sa.text("status = 'queued'"),
    )
    op.create_index("execution_status", "execution", ["status", "created_at", "id"], unique=False)
    op.create_index(
        "execution_waiting",
        "execution",
        ["wake_at"],
        unique=False,
        sqlite_where=sa.text("status = 'waiting'"),
        postgresql_where=sa.text("status = 'waiting'"),
    )


def _execution_step() -> None:
    op.create_table(
        "execution_step",
        sa.Column("execution_id", sa.String(length=36), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("step_id", sa.String(length=36), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("input", sa.Text(), nullable=True),
        sa.Column("output", sa.Text(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("started_at", sa.BigInteger(), nullable=True),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("execution_id", "seq", "attempt"),
    )
    op.create_index(
        "execution_step_sample",
        "execution_step",
        ["step_id", "finished_at"],
        unique=False,
        sqlite_where=sa.text("status = 'success'"),
        postgresql_where=sa.text("status = 'success'"),
    )


def _meta() -> None:
    op.create_table(
        "meta",
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key"),
    )


def _template() -> None:
    op.create_table(
        "template",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("description", sa.Text(), server_default="", nullable=False),
        sa.Column("category", sa.String(length=64), server_default="", nullable=False),
        sa.Column("flow_data", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )


def _user() -> None:
    op.create_table(
        "user",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("full_name", sa.String(length=255), nullable=False),
        sa.Column("email", sa.String(length=255), nullable=False),
        sa.Column("status", sa.String(length=16), server_default="active", nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("deleted_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("email"),
    )


def _connection() -> None:
    op.create_table(
        "connection",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("user_id", sa.String(length=36), nullable=False),
        sa.Column("app_key", sa.String(length=255), nullable=False),
        sa.Column("screen_name", sa.String(length=255), server_default="", nullable=False),
        sa.Column("formatted_data", sa.Text(), server_default="{}", nullable=False),
        sa.Column("verified", sa.Boolean(), server_default=sa.text("0"), nullable=False),
        sa.Column("health", sa.String(length=24), server_default="never_tested", nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("tested_at", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("deleted_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("connection_app", "connection", ["app_key"], unique=False)


def _folder() -> None:
    op.create_table(
        "folder",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("user_id", sa.String(length=36), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"]),
        sa.PrimaryKeyConstraint("id"),
    )


def _flow() -> None:
    op.create_table(
        "flow",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("user_id", sa.String(length=36), nullable=False),
        sa.Column("folder_id", sa.String(length=36), nullable=True),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("active", sa.Boolean(), server_default=sa.text("0"), nullable=False),
        sa.Column("execution_interval", sa.Integer(), server_default="15", nullable=False),
        sa.Column("published_version", sa.Integer(), nullable=True),
        sa.Column("has_unpublished_edits", sa.Boolean(), server_default=sa.text("0"), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("deleted_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["folder_id"], ["folder.id"], ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("flow_folder", "flow", ["folder_id"], unique=False)
    op.create_index("flow_list", "flow", ["deleted_at", "active", "updated_at"], unique=False)


def _secret() -> None:
    op.create_table(
        "secret",
        sa.Column("connection_id", sa.String(length=36), nullable=False),
        sa.Column("format", sa.Integer(), nullable=False),
        sa.Column("key_id", sa.String(length=36), nullable=False),
        sa.Column("nonce", sa.LargeBinary(), nullable=False),
        sa.Column("ciphertext", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["connection_id"], ["connection.id"]),
        sa.PrimaryKeyConstraint("connection_id"),
    )


def _flow_version() -> None:
    op.create_table(
        "flow_version",
        sa.Column("flow_id", sa.String(length=36), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("steps", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["flow_id"], ["flow.id"]),
        sa.PrimaryKeyConstraint("flow_id", "number"),
    )


def _step() -> None:
    op.create_table(
        "step",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("flow_id", sa.String(length=36), nullable=False),
        sa.Column("type", sa.String(length=16), nullable=False),
        sa.Column("structural_type", sa.String(length=16), server_default="single", nullable=False),
        sa.Column("parent_step_id", sa.String(length=36), nullable=True),
        sa.Column("key", sa.String(length=255), nullable=True),
        sa.Column("name", sa.String(length=255), nullable=True),
        sa.Column("app_key", sa.String(length=255), nullable=True),
        sa.Column("connection_id", sa.String(length=36), nullable=True),
        sa.Column("status", sa.String(length=16), server_default="incomplete", nullable=False),
        sa.Column("tested", sa.String(length=16), nullable=True),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("parameters", sa.Text(), server_default="{}", nullable=False),
        sa.Column("continue_on_error", sa.Boolean(), server_default=sa.text("0"), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("deleted_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["flow_id"], ["flow.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("step_connection", "step", ["connection_id"], unique=False)
    op.create_index("step_flow", "step", ["flow_id", "position"], unique=False)


def _trigger_state() -> None:
    op.create_table(
        "trigger_state",
        sa.Column("flow_id", sa.String(length=36), nullable=False),
        sa.Column("cursor", sa.Text(), server_default="{}", nullable=False),
        sa.Column("next_due_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["flow_id"], ["flow.id"]),
        sa.PrimaryKeyConstraint("flow_id"),
    )
