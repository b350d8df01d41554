"""Fields that depend on what was chosen: the columns of a worksheet, and those of a new one."""

from collections.abc import Sequence

from patchbay.integration import Argument, Context, DynamicFields, text
from patchbay.integration.values import as_bool, as_text

from .actions import HEADER_PREFIX, HEADER_ROWS
from .spreadsheets import read_values


async def _load_headers(ctx: Context) -> Sequence[Argument]:
    """A field for each column that has a name in the first row."""
    if not (ctx.parameters.get("spreadsheetId") and ctx.parameters.get("worksheetId")):
        return []
    headers = next(iter(await read_values(ctx, "!1:1")), [])
    names = {index: as_text(header) for index, header in enumerate(headers)}
    return [text(f"{HEADER_PREFIX}{index}", name) for index, name in names.items() if name]


async def _load_worksheet_fields(ctx: Context) -> Sequence[Argument]:
    """The columns of the worksheet, if one is created."""
    return [HEADER_ROWS] if as_bool(ctx.parameters.get("createWorksheet")) else []


list_sheet_headers = DynamicFields(key="listSheetHeaders", load=_load_headers)
list_create_worksheet_fields = DynamicFields(key="listCreateWorksheetFields", load=_load_worksheet_fields)
