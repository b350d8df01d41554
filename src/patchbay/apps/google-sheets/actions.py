"""Actions."""

from itertools import count
from typing import Any

from patchbay.domain.base import Json, JsonObject
from patchbay.integration import YES_NO, Action, Context, OnInterrupted, Source, dropdown, rows, segment, text
from patchbay.integration.google import DRIVE_FILES, drive_dropdown
from patchbay.integration.values import as_bool, as_text, text_of

from .spreadsheets import (
    header_names,
    read_worksheets,
    spreadsheet_dropdown,
    spreadsheet_path,
    text_cells,
    worksheet_dropdown,
    worksheet_range,
)

HEADER_ROWS = rows(
    "headers",
    "Columns",
    [text("header", "Name", required=True)],
    description="Names of the columns, for the first row.",
    add="Add column",
)
HEADER_PREFIX = "header-"
"""The fields of a row are `header-0`, `header-1`, …, one for each column."""
_COLUMNS = Source(
    loader="listSheetHeaders",
    parameters={
        "spreadsheetId": "{parameters.spreadsheetId}",
        "worksheetId": "{parameters.worksheetId}",
    },
)


async def _create_spreadsheet(ctx: Context) -> None:
    """Copy a spreadsheet, or create an empty one with column names."""
    title = text_of(ctx.parameters, "title")
    if template := text_of(ctx.parameters, "spreadsheetId").strip():
        address = f"{DRIVE_FILES}/{segment(template)}/copy"
        response = await ctx.http.post(address, params={"supportsAllDrives": True}, json={"name": title})
    else:
        body: JsonObject = {"properties": {"title": title}}
        if names := header_names(ctx.parameters):
            body["sheets"] = [{"data": [{"rowData": [text_cells(names)]}]}]
        response = await ctx.http.post("/v4/spreadsheets", json=body)
    ctx.set_action_item(response.json())


create_spreadsheet = Action(
    key="createSpreadsheet",
    name="Create spreadsheet",
    description="Creates an empty spreadsheet in My Drive, or a copy of another one.",
    arguments=(
        text("title", "Title", required=True),
        dropdown(
            "spreadsheetId",
            "Spreadsheet to copy",
            source="listSpreadsheets",
            description="Leave empty for a new spreadsheet. A copy has the columns of the original.",
            variables=True,
        ),
        HEADER_ROWS,
    ),
    run=_create_spreadsheet,
)


async def _create_spreadsheet_row(ctx: Context) -> None:
    """Append a row after the last one with a value. Cells without a value stay empty."""
    place = await worksheet_range(ctx)
    response = await ctx.http.post(
        f"{spreadsheet_path(ctx)}/values/{segment(place)}:append",
        params={
            "valueInputOption": "USER_ENTERED",
            "insertDataOption": "INSERT_ROWS",
            "includeValuesInResponse": True,
        },
        json={"majorDimension": "ROWS", "range": place, "values": [_entered_cells(ctx.parameters)]},
    )
    ctx.set_action_item(response.json())


def _entered_cells(parameters: JsonObject) -> list[Json]:
    indexes = [key.removeprefix(HEADER_PREFIX) for key in parameters if key.startswith(HEADER_PREFIX)]
    last = max((int(index) for index in indexes if index.isdecimal()), default=-1)
    cells = [parameters.get(f"{HEADER_PREFIX}{index}") for index in range(last + 1)]
    return [cell if isinstance(cell, (bool, int, float)) else as_text(cell) for cell in cells]


create_spreadsheet_row = Action(
    key="createSpreadsheetRow",
    name="Create spreadsheet row",
    description="Adds a row at the end of a worksheet. Its first row must have the names of the columns.",
    arguments=(
        drive_dropdown(variables=True),
        spreadsheet_dropdown(variables=True),
        worksheet_dropdown(variables=True, more_fields=_COLUMNS),
    ),
    run=_create_spreadsheet_row,
)


async def _create_worksheet(ctx: Context) -> None:
    """Add a worksheet, or empty the one with this title if it may be overwritten."""
    sheets, title = await read_worksheets(ctx), text_of(ctx.parameters, "title")
    existing = next((sheet for sheet in sheets if sheet["title"] == title), None)
    if existing is not None and as_bool(ctx.parameters.get("overwrite")):
        emptying: JsonObject = {"updateCells": {"range": {"sheetId": existing["sheetId"]}, "fields": "*"}}
        ctx.set_action_item(await _update(ctx, [emptying, *_headers(ctx, existing["sheetId"])]))
    else:
        ctx.set_action_item(await _add_worksheet(ctx, sheets, title))


async def _add_worksheet(ctx: Context, sheets: list[dict[str, Any]], title: str) -> dict[str, Any]:
    """Add a worksheet with the entered columns, in one request that fails or succeeds as a whole."""
    used = {sheet["sheetId"] for sheet in sheets}
    sheet_id = next(number for number in count(1) if number not in used)
    addition: JsonObject = {"addSheet": {"properties": {"sheetId": sheet_id, "title": title}}}
    return await _update(ctx, [addition, *_headers(ctx, sheet_id)])


def _headers(ctx: Context, sheet_id: int) -> list[JsonObject]:
    names = header_names(ctx.parameters)
    if not names:
        return []
    start: JsonObject = {"sheetId": sheet_id, "rowIndex": 0, "columnIndex": 0}
    return [{"updateCells": {"start": start, "rows": [text_cells(names)], "fields": "userEnteredValue"}}]


async def _update(ctx: Context, requests: list[JsonObject]) -> dict[str, Any]:
    response = await ctx.http.post(f"{spreadsheet_path(ctx)}:batchUpdate", json={"requests": requests})
    result: dict[str, Any] = response.json()
    return result


create_worksheet = Action(
    key="createWorksheet",
    name="Create worksheet",
    description="Adds a worksheet to a spreadsheet.",
    arguments=(
        drive_dropdown(variables=True),
        spreadsheet_dropdown(variables=True),
        text("title", "Title", required=True),
        HEADER_ROWS,
        dropdown(
            "overwrite",
            "Overwrite",
            (("true", "Yes"), ("false", "No")),
            value="false",
            variables=True,
            description="Yes: if there is a worksheet with this title, everything in it is replaced. "
            "No: then the step fails.",
        ),
    ),
    run=_create_worksheet,
)


async def _find_worksheet(ctx: Context) -> None:
    """Output the worksheet with this title; if there is none, a new one or nothing."""
    sheets, title = await read_worksheets(ctx), text_of(ctx.parameters, "title")
    existing = next((sheet for sheet in sheets if sheet["title"] == title), None)
    found: Json = {"properties": existing} if existing is not None else None
    if existing is None and as_bool(ctx.parameters.get("createWorksheet")):
        found = (await _add_worksheet(ctx, sheets, title))["replies"][0]["addSheet"]
    ctx.set_action_item(found)


def _find_policy(parameters: JsonObject) -> OnInterrupted:
    return OnInterrupted.ASK if as_bool(parameters.get("createWorksheet")) else OnInterrupted.REPEAT


find_worksheet = Action(
    key="findWorksheet",
    name="Find worksheet",
    description="Finds a worksheet by its title, and creates it if you want.",
    arguments=(
        drive_dropdown(variables=True),
        spreadsheet_dropdown(variables=True),
        text("title", "Title", required=True),
        dropdown(
            "createWorksheet",
            "Create it if there is none",
            YES_NO,
            more_fields="listCreateWorksheetFields",
        ),
    ),
    run=_find_worksheet,
    on_interrupted=_find_policy,
)
