"""Schemas, tables and columns for the dropdowns of database steps."""

from collections.abc import Sequence

from patchbay.domain.fields import Option
from patchbay.integration.context import Context
from patchbay.integration.contract import DynamicData
from patchbay.integration.sql.rows import table_of
from patchbay.integration.sql.server import SqlServer
from patchbay.integration.values import text_of


def choice_lists(server: SqlServer) -> tuple[DynamicData, ...]:
    """`listSchemas` (where there are any), `listTables` and `listColumns`."""

    async def schemas(ctx: Context) -> Sequence[Option]:
        found = await server.names(ctx, server.catalogue.schemas)
        return [Option(label=str(name), value=name) for name, *_ in found]

    async def tables(ctx: Context) -> Sequence[Option]:
        schema = text_of(ctx.parameters, "schema").strip() or server.default_schema
        found = await server.names(ctx, server.catalogue.tables, (schema,) if schema else ())
        return [Option(label=str(name), value=name) for name, *_ in found]

    async def columns(ctx: Context) -> Sequence[Option]:
        found = await server.names(ctx, server.catalogue.columns, table_of(ctx.parameters))
        return [Option(label=f"{name} ({kind})", value=name) for name, kind, *_ in found]

    lists = (DynamicData("listTables", tables), DynamicData("listColumns", columns))
    return (DynamicData("listSchemas", schemas), *lists) if server.has_schemas else lists
