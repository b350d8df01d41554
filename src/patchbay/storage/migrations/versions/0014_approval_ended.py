"""Which runs were started by a person without full rights after the approval of their version had ended.

Revision ID: 0014
"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    off = sa.false()
    op.add_column("execution", sa.Column("approval_ended", sa.Boolean(), nullable=False, server_default=off))
