"""How often the program died while a run was at its present step.

Revision ID: 0008
"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("execution", sa.Column("crashes", sa.Integer(), nullable=False, server_default="0"))
    op.create_index("execution_suspect", "execution", ["created_at"], sqlite_where=sa.text("crashes > 0"))
