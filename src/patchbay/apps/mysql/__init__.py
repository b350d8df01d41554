"""MySQL and MariaDB, the databases. Uses the MySQL client protocol."""

from patchbay.integration import App

from .actions.delete import delete
from .actions.insert import insert
from .actions.sql_query import sql_query
from .actions.update import update
from .auth import auth
from .dynamic_data.lists import lists
from .triggers.new_row import new_row

app = App(
    name="MySQL",
    key="mysql",
    supports_connections=True,
    base_url="",
    api_base_url="",
    primary_color="#4479A1",
    description="Start a flow for new rows, and query and change tables of a MySQL or MariaDB database.",
    category="Databases",
    keywords=("sql", "table", "mariadb"),
    auth=auth,
    triggers=[new_row],
    actions=[sql_query, insert, update, delete],
    dynamic_data=lists,
)
