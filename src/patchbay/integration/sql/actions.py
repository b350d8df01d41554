"""The actions every database app has."""

from patchbay.domain.base import JsonObject
from patchbay.domain.fields import Argument
from patchbay.integration.context import Context
from patchbay.integration.contract import Action, OnInterrupted
from patchbay.integration.sql import arguments, statements
from patchbay.integration.sql.rows import columns_of, conditions_of, table_of, values_of
from patchbay.integration.sql.server import SqlServer
from patchbay.integration.sql.statements import Statement, only_reads
from patchbay.integration.values import flag, refuse, text_of


def query_action(server: SqlServer) -> Action:
    """Any statement, with values at its places."""

    async def run(ctx: Context) -> None:
        sql = _statement(ctx.parameters)
        await _run(server, ctx, Statement(sql, values_of(ctx.parameters), writes=not only_reads(sql)))

    place = server.dialect.placeholder
    places = f"{place(1)}, {place(2)}, …" if place(1) != place(2) else f"each {place(1)}, in order"
    return Action(
        key="SQLQuery",
        name="SQL query",
        description="Runs an SQL statement and puts out the rows.",
        on_interrupted=_when_interrupted,
        arguments=(
            arguments.statement(place(1)),
            arguments.values(places),
            arguments.empty_values(),
            *server.more_arguments,
        ),
        run=run,
    )


def insert_action(server: SqlServer) -> Action:
    """One row with values for some columns."""

    async def run(ctx: Context) -> None:
        given = ctx.parameters
        columns = columns_of(given)
        made = statements.insert(server.dialect, table_of(given), columns, rows_back=_rows_back(given))
        await _run(server, ctx, made)

    return Action(
        key="insert",
        name="Insert",
        description="Adds a row to a table.",
        arguments=_arguments(server, arguments.columns(server.default_schema)),
        run=run,
    )


def update_action(server: SqlServer) -> Action:
    """New values for the rows that meet the conditions."""

    async def run(ctx: Context) -> None:
        given = ctx.parameters
        columns, conditions = columns_of(given), conditions_of(given)
        back = _rows_back(given)
        made = statements.update(server.dialect, table_of(given), columns, conditions, rows_back=back)
        await _run(server, ctx, made)

    schema = server.default_schema
    return Action(
        key="update",
        name="Update",
        description="Changes the rows of a table that meet the conditions.",
        arguments=_arguments(server, arguments.conditions(schema), arguments.columns(schema)),
        run=run,
    )


def delete_action(server: SqlServer) -> Action:
    """Deletes the rows that meet the conditions."""

    async def run(ctx: Context) -> None:
        given = ctx.parameters
        conditions = conditions_of(given)
        made = statements.delete(server.dialect, table_of(given), conditions, rows_back=_rows_back(given))
        await _run(server, ctx, made)

    return Action(
        key="delete",
        name="Delete",
        description="Deletes the rows of a table that meet the conditions.",
        arguments=_arguments(server, arguments.conditions(server.default_schema)),
        run=run,
    )


async def _run(server: SqlServer, ctx: Context, statement: Statement) -> None:
    async with server.open(ctx) as session:
        ctx.set_action_item((await session.run(statement)).item())


def _arguments(server: SqlServer, *own: Argument) -> tuple[Argument, ...]:
    back = (arguments.rows_back(),) if server.dialect.returning else ()
    table = arguments.table_arguments(server.default_schema)
    return (*table, *own, arguments.empty_values(), *back, *server.more_arguments)


def _rows_back(parameters: JsonObject) -> bool:
    return flag(parameters.get("returnRows"), default=True)


def _when_interrupted(parameters: JsonObject) -> OnInterrupted:
    """A query may be run again; anything that may have changed something is for a person to look at."""
    reads = only_reads(text_of(parameters, "queryStatement"))
    return OnInterrupted.REPEAT if reads else OnInterrupted.ASK


def _statement(parameters: JsonObject) -> str:
    sql = text_of(parameters, "queryStatement").strip().rstrip(";").rstrip()
    if not sql:
        raise refuse("queryStatement", "Enter a statement.")
    if "{{step." in sql:
        raise refuse(
            "queryStatement",
            "Values of earlier steps cannot stand in the statement: they could change what it does.",
            "Add them as values below, and write their places into the statement.",
        )
    return sql
