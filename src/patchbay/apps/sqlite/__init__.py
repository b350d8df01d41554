"""SQLite file: tables of a database file, below the folders that an admin allows."""

from patchbay.integration import App
from patchbay.integration.sql import choice_lists

from .actions import insert, sql_query
from .server import server
from .triggers import new_row

app = App(
    name="SQLite file",
    key="sqlite",
    primary_color="#0F6CB0",
    description="Start a flow for new rows, and query and add rows of a SQLite database file.",
    category="Databases",
    keywords=("sql", "table", "sqlite3", "db", "local"),
    triggers=[new_row],
    actions=[sql_query, insert],
    dynamic_data=[*choice_lists(server)],
)
