"""Roles, invitations, scopes of keys, the audit log.

Revision ID: 0004
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("user", sa.Column("role", sa.String(length=16), nullable=False, server_default="admin"))
    op.add_column("api_key", sa.Column("scope", sa.String(length=8), nullable=False, server_default="admin"))
    op.create_table(
        "invitation",
        sa.Column("user_id", sa.String(length=36), sa.ForeignKey("user.id"), primary_key=True),
        sa.Column("token_hash", sa.String(length=64), nullable=False, unique=True),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("mailed", sa.Boolean(), nullable=False, server_default=sa.text("0")),
    )
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("actor_kind", sa.String(length=16), nullable=False),
        sa.Column("actor_id", sa.String(length=36), nullable=True),
        sa.Column("actor_name", sa.String(length=255), nullable=False),
        sa.Column("actor_user_id", sa.String(length=36), nullable=True),
        sa.Column("address", sa.String(length=64), nullable=True),
        sa.Column("deed", sa.String(length=16), nullable=False),
        sa.Column("noun", sa.String(length=16), nullable=False),
        sa.Column("subject_id", sa.String(length=36), nullable=True),
        sa.Column("subject", sa.String(length=255), nullable=False, server_default=""),
    )
    op.create_index("audit_subject", "audit", ["subject_id", "id"])
