"""Google Sheets. API: version 4, and that of Drive, version 3, with OAuth 2."""

from patchbay.integration import App, bearer
from patchbay.integration.google import list_drives

from .actions import create_spreadsheet, create_spreadsheet_row, create_worksheet, find_worksheet
from .auth import auth
from .dynamic_data import list_spreadsheets, list_worksheets
from .dynamic_fields import list_create_worksheet_fields, list_sheet_headers
from .triggers import new_spreadsheet_rows, new_spreadsheets, new_worksheets

app = App(
    name="Google Sheets",
    key="google-sheets",
    supports_connections=True,
    base_url="https://docs.google.com/spreadsheets",
    api_base_url="https://sheets.googleapis.com",
    primary_color="#0F9D58",
    description="Start a flow for new spreadsheets, worksheets, and rows, and add them.",
    category="Productivity",
    keywords=("spreadsheet", "table", "excel"),
    auth=auth,
    before_request=[bearer(field="accessToken")],
    triggers=[new_spreadsheets, new_worksheets, new_spreadsheet_rows],
    actions=[create_spreadsheet, create_spreadsheet_row, create_worksheet, find_worksheet],
    dynamic_data=[list_drives, list_spreadsheets, list_worksheets],
    dynamic_fields=[list_create_worksheet_fields, list_sheet_headers],
)
