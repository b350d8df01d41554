"""The `SqlServer` of MySQL. A MySQL schema is the connection's database."""

from patchbay.integration.sql import Catalogue, Dialect, SqlServer

from .session import open_session

catalogue = Catalogue(
    tables="""
SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY table_name
""",
    columns="""
SELECT column_name, column_type FROM information_schema.columns
WHERE table_schema = DATABASE() AND table_name = ? ORDER BY ordinal_position
""",
    keys="""
SELECT column_name FROM information_schema.columns
WHERE table_schema = DATABASE() AND table_name = ? AND column_key = 'PRI' ORDER BY ordinal_position
""",
)

server = SqlServer(
    dialect=Dialect(quote="`", placeholder=lambda number: "?", returning=False),
    catalogue=catalogue,
    open=open_session,
)
