"""What triggers, actions, and lists share: how a spreadsheet is chosen, and its worksheets and cells."""

from typing import Any

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.fields import Argument
from patchbay.integration import Context, Source, dropdown, segment
from patchbay.integration.templates import fill_path
from patchbay.integration.values import as_text, parameter_error, text_of

SPREADSHEET_TYPE = "application/vnd.google-apps.spreadsheet"
SPREADSHEET = "/v4/spreadsheets/{spreadsheetId}"
WORKSHEETS_ONLY = {"fields": "sheets.properties"}


def spreadsheet_dropdown(*, variables: bool = False) -> Argument:
    """The argument that chooses a spreadsheet of the chosen drive."""
    return dropdown(
        "spreadsheetId",
        "Spreadsheet",
        source="listSpreadsheets",
        within="driveId",
        required=True,
        variables=variables,
    )


def worksheet_dropdown(*, variables: bool = False, more_fields: Source | None = None) -> Argument:
    """The argument that chooses a worksheet of the chosen spreadsheet."""
    return dropdown(
        "worksheetId",
        "Worksheet",
        source="listWorksheets",
        within="spreadsheetId",
        required=True,
        variables=variables,
        more_fields=more_fields,
    )


def spreadsheet_path(ctx: Context) -> str:
    """The path of the chosen spreadsheet."""
    return fill_path(SPREADSHEET, ctx.parameters)


async def read_worksheets(ctx: Context) -> list[dict[str, Any]]:
    """The properties of each worksheet of the chosen spreadsheet."""
    spreadsheet = (await ctx.http.get(spreadsheet_path(ctx), params=WORKSHEETS_ONLY)).json()
    return [sheet["properties"] for sheet in spreadsheet["sheets"]]


async def worksheet_range(ctx: Context) -> str:
    """The chosen worksheet as a range: its quoted title, which can look like the address of a cell."""
    chosen = text_of(ctx.parameters, "worksheetId").strip()
    for properties in await read_worksheets(ctx):
        if str(properties["sheetId"]) == chosen:
            title = str(properties["title"]).replace("'", "''")
            return f"'{title}'"
    raise parameter_error("worksheetId", "The spreadsheet has no such worksheet.", "Choose another one.")


async def read_values(ctx: Context, cells: str = "") -> list[list[Json]]:
    """The rows of the chosen worksheet up to the last one with a value, or of some cells such as `!1:1`."""
    place = segment(await worksheet_range(ctx))
    query = {"majorDimension": "ROWS"}
    found = (await ctx.http.get(f"{spreadsheet_path(ctx)}/values/{place}{cells}", params=query)).json()
    rows: list[list[Json]] = found.get("values") or []
    return rows


def header_names(parameters: JsonObject) -> list[str]:
    """The column names that were entered in rows."""
    entered = parameters.get("headers")
    rows = entered if isinstance(entered, list) else []
    names = [as_text(row.get("header")) for row in rows if isinstance(row, dict)]
    return [name for name in names if name]


def text_cells(texts: list[str]) -> JsonObject:
    """A row of cells with these texts, in the form of the API."""
    return {"values": [{"userEnteredValue": {"stringValue": text}} for text in texts]}
