"""Bases, tables, and what is in them, for dropdowns."""

from patchbay.integration import Context, DynamicData, Option, cursor, option_list

from .schema import find_table

list_bases = option_list("listBases", "/v0/meta/bases", at="bases", pages=cursor("offset", "offset"))
list_tables = option_list("listTables", "/v0/meta/bases/{baseId}/tables", at="tables", in_order=True)


def _part_of_table(key: str, part: str, *, by_name: bool) -> DynamicData:
    async def load(ctx: Context) -> list[Option]:
        table = await find_table(ctx)
        rows = table[part] if table else []
        return [Option(label=row["name"], value=row["name" if by_name else "id"]) for row in rows]

    return DynamicData(key=key, load=load)


list_table_fields = _part_of_table("listTableFields", "fields", by_name=True)
list_table_views = _part_of_table("listTableViews", "views", by_name=False)
