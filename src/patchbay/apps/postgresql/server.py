"""The `SqlServer` of PostgreSQL."""

from patchbay.integration.sql import Catalogue, Dialect, SqlServer
from patchbay.integration.sql.arguments import settings

from .session import open_session

_RELATION = """
FROM pg_catalog.pg_class AS relation
JOIN pg_catalog.pg_namespace AS space ON space.oid = relation.relnamespace AND space.nspname = $1
"""
_COLUMN = f"""
{_RELATION}
JOIN pg_catalog.pg_attribute AS col ON col.attrelid = relation.oid AND col.attnum > 0 AND NOT col.attisdropped
"""

catalogue = Catalogue(
    schemas="""
SELECT nspname FROM pg_catalog.pg_namespace
WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' AND has_schema_privilege(oid, 'USAGE')
ORDER BY nspname
""",
    tables=f"""
SELECT relation.relname {_RELATION}
WHERE relation.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT relation.relispartition
ORDER BY relation.relname
""",
    columns=f"""
SELECT col.attname, format_type(col.atttypid, col.atttypmod) {_COLUMN}
WHERE relation.relname = $2 ORDER BY col.attnum
""",
    keys=f"""
SELECT col.attname {_COLUMN}
JOIN pg_catalog.pg_index AS key
  ON key.indrelid = relation.oid AND key.indisprimary AND col.attnum = ANY (key.indkey)
WHERE relation.relname = $2 ORDER BY col.attnum
""",
)

server = SqlServer(
    dialect=Dialect(quote='"', placeholder=lambda number: f"${number}", returning=True),
    catalogue=catalogue,
    open=open_session,
    default_schema="public",
    extra_arguments=(settings(),),
)
