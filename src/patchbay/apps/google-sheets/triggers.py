"""Triggers."""

from collections.abc import AsyncGenerator

from patchbay.domain.base import Json
from patchbay.integration import Context, list_items, polling_trigger
from patchbay.integration.google import drive_dropdown, drive_files, files_of_type

from .spreadsheets import (
    SPREADSHEET,
    SPREADSHEET_TYPE,
    WORKSHEETS_ONLY,
    read_values,
    spreadsheet_dropdown,
    worksheet_dropdown,
)

new_spreadsheets = polling_trigger(
    key="newSpreadsheets",
    name="New spreadsheet",
    description="Starts when a spreadsheet is created in a drive.",
    arguments=[drive_dropdown()],
    items=drive_files(files_of_type(SPREADSHEET_TYPE)),
)

new_worksheets = polling_trigger(
    key="newWorksheets",
    name="New worksheet",
    description="Starts when a worksheet is added to a spreadsheet.",
    arguments=[drive_dropdown(), spreadsheet_dropdown()],
    source=["spreadsheetId"],
    items=list_items(
        SPREADSHEET, at="sheets", internal_id="properties.sheetId", query=WORKSHEETS_ONLY, last_first=True
    ),
)


async def _rows(ctx: Context) -> AsyncGenerator[tuple[Json, str], None]:
    """The rows below the header, last first, identified by their position."""
    values = await read_values(ctx)
    headers = values[0] if values else []
    for index in range(len(values) - 1, 0, -1):
        if row := values[index]:
            named = {str(name): cell for name, cell in zip(headers, row, strict=False) if name != ""}
            yield {"row": row, "rowNumber": index + 1, "values": named}, str(index)


new_spreadsheet_rows = polling_trigger(
    key="newSpreadsheetRows",
    name="New spreadsheet row",
    description="Starts when a row is added at the end of a worksheet whose first row names the columns.",
    arguments=[drive_dropdown(), spreadsheet_dropdown(), worksheet_dropdown()],
    source=["spreadsheetId", "worksheetId"],
    items=_rows,
)
