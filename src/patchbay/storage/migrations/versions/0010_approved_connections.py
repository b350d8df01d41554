"""Which connections somebody with full rights entered last.

Connections from before count as approved when they belong to an admin.

Revision ID: 0010
"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_APPROVE = """
UPDATE connection SET approved = 1 WHERE user_id IN (SELECT id FROM user WHERE role = 'admin')
"""


def upgrade() -> None:
    off = sa.text("0")
    op.add_column("connection", sa.Column("approved", sa.Boolean(), nullable=False, server_default=off))
    op.execute(_APPROVE)
