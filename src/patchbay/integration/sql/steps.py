"""The actions, dropdown lists, and new-row trigger that all database apps share."""

from collections.abc import Sequence
from hashlib import sha256

from patchbay.domain.base import JsonObject
from patchbay.domain.fields import Argument, Option
from patchbay.domain.variables import as_text
from patchbay.integration.app_definition import Action, DynamicData, OnInterrupted, Trigger
from patchbay.integration.context import Context
from patchbay.integration.polling import identify
from patchbay.integration.sql import arguments, statements
from patchbay.integration.sql.arguments import parse_columns, parse_conditions, parse_table, parse_values
from patchbay.integration.sql.server import Session, SqlServer
from patchbay.integration.sql.statements import Statement, is_read_only_sql
from patchbay.integration.values import as_bool, parameter_error, text_of


def query_action(server: SqlServer) -> Action:
    """The action that runs any statement, with values for its placeholders."""

    async def run(ctx: Context) -> None:
        sql = text_of(ctx.parameters, "queryStatement").strip().rstrip(";").rstrip()
        if not sql:
            raise parameter_error("queryStatement", "Enter a statement.")
        if "{{step." in sql:
            raise parameter_error(
                "queryStatement",
                (
                    "Variables aren't allowed in the statement because they could change what it does (SQL "
                    "injection)."
                ),
                "Add them as values below, and use placeholders in the statement.",
            )
        await _run(
            server, ctx, Statement(sql, parse_values(ctx.parameters), writes=not is_read_only_sql(sql))
        )

    place = server.dialect.placeholder
    places = f"{place(1)}, {place(2)}, …" if place(1) != place(2) else f"each {place(1)}, in order"
    return Action(
        key="SQLQuery",
        name="SQL query",
        description="Runs an SQL statement and returns the rows.",
        on_interrupted=_when_interrupted,
        arguments=(
            arguments.statement(place(1)),
            arguments.values(places),
            arguments.empty_values(),
            *server.extra_arguments,
        ),
        run=run,
    )


def insert_action(server: SqlServer) -> Action:
    """The action that inserts one row."""

    async def run(ctx: Context) -> None:
        parameters = ctx.parameters
        columns = parse_columns(parameters)
        made = statements.insert(
            server.dialect, parse_table(parameters), columns, return_rows=_returns_rows(parameters)
        )
        await _run(server, ctx, made)

    return Action(
        key="insert",
        name="Insert",
        description="Adds a row to a table.",
        arguments=_arguments(server, arguments.columns(server.default_schema)),
        run=run,
    )


def update_action(server: SqlServer) -> Action:
    """The action that updates the rows matching the conditions."""

    async def run(ctx: Context) -> None:
        parameters = ctx.parameters
        columns, conditions = parse_columns(parameters), parse_conditions(parameters)
        return_rows = _returns_rows(parameters)
        made = statements.update(
            server.dialect, parse_table(parameters), columns, conditions, return_rows=return_rows
        )
        await _run(server, ctx, made)

    schema = server.default_schema
    return Action(
        key="update",
        name="Update",
        description="Updates the rows of a table that match the conditions.",
        arguments=_arguments(server, arguments.conditions(schema), arguments.columns(schema)),
        run=run,
    )


def delete_action(server: SqlServer) -> Action:
    """The action that deletes the rows matching the conditions."""

    async def run(ctx: Context) -> None:
        parameters = ctx.parameters
        conditions = parse_conditions(parameters)
        made = statements.delete(
            server.dialect, parse_table(parameters), conditions, return_rows=_returns_rows(parameters)
        )
        await _run(server, ctx, made)

    return Action(
        key="delete",
        name="Delete",
        description="Deletes the rows of a table that match the conditions.",
        arguments=_arguments(server, arguments.conditions(server.default_schema)),
        run=run,
    )


async def _run(server: SqlServer, ctx: Context, statement: Statement) -> None:
    async with server.open(ctx) as session:
        ctx.set_action_item((await session.run(statement)).item())


def _arguments(server: SqlServer, *own: Argument) -> tuple[Argument, ...]:
    return_rows = (arguments.return_rows(),) if server.dialect.returning else ()
    table = arguments.table_arguments(server.default_schema)
    return (*table, *own, arguments.empty_values(), *return_rows, *server.extra_arguments)


def _returns_rows(parameters: JsonObject) -> bool:
    return as_bool(parameters.get("returnRows"), default=True)


def _when_interrupted(parameters: JsonObject) -> OnInterrupted:
    """Queries are repeated. For statements that may have changed data, the user decides."""
    reads = is_read_only_sql(text_of(parameters, "queryStatement"))
    return OnInterrupted.REPEAT if reads else OnInterrupted.ASK


# Dropdowns of schemas, tables, and columns


def choice_lists(server: SqlServer) -> tuple[DynamicData, ...]:
    """The loaders `listSchemas` (if the database has schemas), `listTables`, and `listColumns`."""

    async def schemas(ctx: Context) -> Sequence[Option]:
        found = await server.names(ctx, server.catalogue.schemas)
        return [Option(label=str(name), value=name) for name, *_ in found]

    async def tables(ctx: Context) -> Sequence[Option]:
        schema = text_of(ctx.parameters, "schema").strip() or server.default_schema
        found = await server.names(ctx, server.catalogue.tables, (schema,) if schema else ())
        return [Option(label=str(name), value=name) for name, *_ in found]

    async def columns(ctx: Context) -> Sequence[Option]:
        found = await server.names(ctx, server.catalogue.columns, parse_table(ctx.parameters))
        return [Option(label=f"{name} ({kind})", value=name) for name, kind, *_ in found]

    lists = (DynamicData("listTables", tables), DynamicData("listColumns", columns))
    return (DynamicData("listSchemas", schemas), *lists) if server.has_schemas else lists


# The trigger “New row”

PAGE_SIZE = 200
MAX_PAGES = 10
_MAX_ID_LENGTH = 200

IdentifiedRow = tuple[str, JsonObject]


def new_row_trigger(server: SqlServer) -> Trigger:
    """The trigger that reads the rows with the highest values of an increasing column, newest first."""

    async def run(ctx: Context) -> None:
        async with server.open(ctx) as session:
            found = await _fetch_newest(server, session, ctx)
        for row_id, row in _new_rows(found, ctx):
            ctx.push_trigger_item(row, row_id)

    schema = server.default_schema
    column = arguments.column_argument(
        "column",
        "Increasing column",
        schema,
        variables=False,
        description="A column whose highest values are the newest rows, such as an auto-increment ID or a "
        "timestamp. If it's the time of the last change, updated rows start the flow too.",
    )
    table = arguments.table_arguments(schema)
    return Trigger(
        key="newRow",
        name="New row",
        description="Starts when a row is added to a table.",
        arguments=(*table, column),
        run=run,
        source=(*(argument.key for argument in table), column.key),
    )


async def _fetch_newest(server: SqlServer, session: Session, ctx: Context) -> list[IdentifiedRow]:
    """The newest rows, page by page until one contains a known row (the first page if none is known)."""
    table, column = parse_table(ctx.parameters), text_of(ctx.parameters, "column").strip()
    if not column:
        raise parameter_error("column", "Choose the increasing column.")
    known = await session.run(Statement(server.catalogue.keys, table))
    keys = [as_text(value) for row in known.rows or () for value in row.values()]
    size = 1 if ctx.execution.test_run else PAGE_SIZE
    found: list[IdentifiedRow] = []
    for page in range(MAX_PAGES):
        query = statements.select_newest(server.dialect, table, column, keys, size, page * size)
        rows = (await session.run(query)).rows or ()
        found += [(row_id(row, column, keys), row) for row in rows]
        if len(rows) < size or not ctx.known_ids or any(key in ctx.known_ids for key, _ in found):
            break
    return found


def _new_rows(found: list[IdentifiedRow], ctx: Context) -> list[IdentifiedRow]:
    """New rows, down to the lowest known one.

    A row whose transaction ended late is between known ones and is new; one below them all is old.
    """
    if ctx.execution.test_run or not ctx.known_ids:
        return found
    known_until = max(
        (place for place, (key, _) in enumerate(found) if key in ctx.known_ids), default=len(found)
    )
    return [item for item in found[:known_until] if item[0] not in ctx.known_ids]


def row_id(row: JsonObject, column: str, keys: list[str]) -> str:
    """A row's ID: the column's value with the primary key, or with a hash of the whole row."""
    value = as_text(row.get(column))
    if keys == [column]:
        made = value
    elif keys:
        made = "|".join([value, *(as_text(row.get(key)) for key in keys if key != column)])
    else:
        made = f"{value}|{identify(row, '')[:32]}"
    made = made.replace("\0", "\ufffd")  # as it is stored, so that `known_ids` has it
    return made if len(made) <= _MAX_ID_LENGTH else sha256(made.encode()).hexdigest()
