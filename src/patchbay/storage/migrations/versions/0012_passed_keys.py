"""Keys that passed a step “Continue only once”, and when they can pass again.

Revision ID: 0012
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "passed_key",
        sa.Column("flow_id", sa.String(length=36), primary_key=True),
        sa.Column("key", sa.String(length=255), primary_key=True),
        sa.Column("passed_by", sa.String(length=160), nullable=False),
        sa.Column("passed_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "passed_key_expiry", "passed_key", ["expires_at"], sqlite_where=sa.text("expires_at IS NOT NULL")
    )
