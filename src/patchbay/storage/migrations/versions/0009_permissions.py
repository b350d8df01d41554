"""Which versions somebody with full rights published, and which runs they started.

Versions from before count as approved when the flow belongs to an admin.

Revision ID: 0009
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_APPROVE = """
UPDATE flow_version SET approved = 1
WHERE flow_id IN (SELECT flow.id FROM flow JOIN user ON user.id = flow.user_id WHERE user.role = 'admin')
"""


def upgrade() -> None:
    off = sa.text("0")
    op.add_column("flow_version", sa.Column("approved", sa.Boolean(), nullable=False, server_default=off))
    op.add_column("execution", sa.Column("full_rights", sa.Boolean(), nullable=False, server_default=off))
    op.execute(_APPROVE)
