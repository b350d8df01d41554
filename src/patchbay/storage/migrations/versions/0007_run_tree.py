"""The root of each run, and how many runs each root has led to.

Revision ID: 0007
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("execution", sa.Column("root_id", sa.String(length=36), nullable=True))
    op.create_index("execution_root", "execution", ["root_id"], sqlite_where=sa.text("root_id IS NOT NULL"))
    op.create_table(
        "run_tree",
        sa.Column("root_id", sa.String(length=36), primary_key=True),
        sa.Column("runs", sa.Integer(), nullable=False),
        sqlite_with_rowid=False,
    )
