"""The trigger every database app has: rows that were not there before."""

from hashlib import sha256

from patchbay.domain.base import JsonObject
from patchbay.domain.variables import as_text
from patchbay.integration.context import Context
from patchbay.integration.contract import Trigger
from patchbay.integration.polling import identify
from patchbay.integration.sql import arguments, statements
from patchbay.integration.sql.rows import table_of
from patchbay.integration.sql.server import Session, SqlServer
from patchbay.integration.sql.statements import Statement
from patchbay.integration.values import refuse, text_of

AT_ONCE = 200
PAGES = 10
_LONGEST_ID = 200

Found = tuple[str, JsonObject]


def new_row_trigger(server: SqlServer) -> Trigger:
    """Looks at the rows with the highest values of a column that grows, newest first."""

    async def run(ctx: Context) -> None:
        async with server.open(ctx) as session:
            found = await _newest(server, session, ctx)
        for row_id, row in _unseen(found, ctx):
            ctx.push_trigger_item(row, row_id)

    schema = server.default_schema
    column = arguments.column_argument(
        "column",
        "Column that grows",
        schema,
        variables=False,
        description="Its highest values are the newest rows: a number that counts up, or a time. With the "
        "time of the last change, changed rows start the flow as well.",
    )
    table = arguments.table_arguments(schema)
    return Trigger(
        key="newRow",
        name="New row",
        description="Starts when a row was added to a table.",
        arguments=(*table, column),
        run=run,
        source=(*(argument.key for argument in table), column.key),
    )


async def _newest(server: SqlServer, session: Session, ctx: Context) -> list[Found]:
    """The newest rows, page by page until one holds a known row (the first page when none is known)."""
    table, column = table_of(ctx.parameters), text_of(ctx.parameters, "column").strip()
    if not column:
        raise refuse("column", "Choose the column that grows.")
    known = await session.run(Statement(server.catalogue.keys, table))
    keys = [as_text(value) for row in known.rows or () for value in row.values()]
    size = 1 if ctx.execution.test_run else AT_ONCE
    found: list[Found] = []
    for page in range(PAGES):
        asked = statements.newest(server.dialect, table, column, keys, size, page * size)
        rows = (await session.run(asked)).rows or ()
        found += [(row_id(row, column, keys), row) for row in rows]
        if len(rows) < size or not ctx.known_ids or any(key in ctx.known_ids for key, _ in found):
            break
    return found


def _unseen(found: list[Found], ctx: Context) -> list[Found]:
    """Rows that are not known, as far down as known ones reach.

    A row whose transaction ended late is between known ones and counts; one below them all was there before.
    """
    if ctx.execution.test_run or not ctx.known_ids:
        return found
    reach = max((place for place, (key, _) in enumerate(found) if key in ctx.known_ids), default=len(found))
    return [item for item in found[:reach] if item[0] not in ctx.known_ids]


def row_id(row: JsonObject, column: str, keys: list[str]) -> str:
    """What tells rows apart: the value of the column with the primary key, or with the whole row."""
    value = as_text(row.get(column))
    if keys == [column]:
        made = value
    elif keys:
        made = "|".join([value, *(as_text(row.get(key)) for key in keys if key != column)])
    else:
        made = f"{value}|{identify(row, '')[:32]}"
    return made if len(made) <= _LONGEST_ID else sha256(made.encode()).hexdigest()
