"""Tables: rows of CSV and Excel files, below the folders that an admin allows."""

from patchbay.integration import App

from .actions import append_row, read_rows, update_row
from .triggers import new_row

app = App(
    name="Tables",
    key="tables",
    primary_color="#1D7044",
    description="Start a flow for new rows of a CSV or Excel file, and read, add, and change rows.",
    category="Files",
    keywords=("csv", "excel", "xlsx", "spreadsheet", "sheet", "worksheet"),
    triggers=[new_row],
    actions=[read_rows, append_row, update_row],
)
