"""Sign-ins under way in the browser; which account a connection belongs to and when it ends.

Revision ID: 0002
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("connection", sa.Column("account", sa.String(length=255), nullable=True))
    op.add_column("connection", sa.Column("expires_at", sa.BigInteger(), nullable=True))
    op.create_table(
        "sign_in",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("app_key", sa.String(length=255), nullable=False),
        sa.Column("connection_id", sa.String(length=36), nullable=True),
        sa.Column("state_hash", sa.String(length=64), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("answered_at", sa.BigInteger(), nullable=True),
        sa.Column("format", sa.Integer(), nullable=False),
        sa.Column("key_id", sa.String(length=36), nullable=False),
        sa.Column("nonce", sa.LargeBinary(), nullable=False),
        sa.Column("ciphertext", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("state_hash"),
    )
