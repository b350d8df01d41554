"""What an import leaves to be known: which steps used a connection, and from which export a flow was made.

Revision ID: 0011
"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    off = sa.text("0")
    op.add_column("step", sa.Column("connection_required", sa.Boolean(), nullable=False, server_default=off))
    op.add_column("flow", sa.Column("imported_from", sa.String(64)))
