"""Spreadsheets and worksheets for dropdowns."""

from patchbay.integration import option_list
from patchbay.integration.google import DRIVE_FILES, DRIVE_PAGES, drive_query, files_of_type

from .spreadsheets import SPREADSHEET, SPREADSHEET_TYPE, WORKSHEETS_ONLY

list_spreadsheets = option_list(
    "listSpreadsheets",
    DRIVE_FILES,
    at="files",
    query=drive_query(files_of_type(SPREADSHEET_TYPE)),
    pages=DRIVE_PAGES,
    absent_if_empty=True,
)

list_worksheets = option_list(
    "listWorksheets",
    SPREADSHEET,
    at="sheets",
    label="{properties.title}",
    value="{properties.sheetId}",
    query=WORKSHEETS_ONLY,
    in_order=True,
)
