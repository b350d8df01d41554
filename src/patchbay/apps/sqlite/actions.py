"""The actions: those of all databases, with the path of the file."""

from dataclasses import replace

from patchbay.integration import YES_NO, dropdown
from patchbay.integration.sql import insert_action, query_action

from .fields import of_file, path
from .server import query_server, server

_CHANGES_DATA = dropdown(
    "changesData",
    "Changes data",
    YES_NO,
    value=False,
    description="If no, the file is opened read-only, and the statement can only read.",
)
_query, _insert = query_action(query_server), insert_action(server)

sql_query = replace(
    _query,
    description="Runs an SQL statement, and returns the rows. Read-only unless you choose otherwise.",
    arguments=(path(), _CHANGES_DATA, *_query.arguments),
    file_arguments=("path",),
    supports_connections=False,
)

insert = replace(
    _insert,
    arguments=(path(), *map(of_file, _insert.arguments)),
    file_arguments=("path",),
    supports_connections=False,
)
