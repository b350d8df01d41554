"""The secrets of webhooks, encrypted. Those that were stored unencrypted in datastores are deleted.

Revision ID: 0013
"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "webhook_secret",
        sa.Column("flow_id", sa.String(length=36), sa.ForeignKey("flow.id"), primary_key=True),
        sa.Column("format", sa.Integer(), nullable=False),
        sa.Column("key_id", sa.String(length=36), nullable=False),
        sa.Column("nonce", sa.LargeBinary(), nullable=False),
        sa.Column("ciphertext", sa.LargeBinary(), nullable=False),
    )
    op.execute("DELETE FROM datastore WHERE key = 'patchbay.webhookSecrets'")
