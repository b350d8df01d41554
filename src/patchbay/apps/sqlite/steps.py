"""The trigger, the actions, and the dropdowns: those of all databases, with the path of the file."""

from dataclasses import replace

from patchbay.integration import YES_NO, Argument, dropdown, text
from patchbay.integration.sql import choice_lists, insert_action, new_row_trigger, query_action

from .server import query_server, server

_CHANGES_DATA = dropdown(
    "changesData",
    "Changes data",
    YES_NO,
    value=False,
    description="If no, the file is opened read-only, and the statement can only read.",
)


def _path(*, variables: bool = True) -> Argument:
    return text(
        "path",
        "Database file",
        required=True,
        variables=variables,
        placeholder="/srv/files/shop.db",
        description="Its full path, in a folder that an admin allows in Settings → Engine.",
    )


def _of_file(argument: Argument) -> Argument:
    """The argument, whose options are those of the chosen file."""
    fields = tuple(map(_of_file, argument.fields))
    if argument.source is None:
        return argument.model_copy(update={"fields": fields})
    parameters = {**argument.source.parameters, "path": "{parameters.path}"}
    source = argument.source.model_copy(update={"parameters": parameters})
    return argument.model_copy(
        update={"source": source, "fields": fields, "depends_on": ("path", *argument.depends_on)}
    )


_query, _insert, _new_row = query_action(query_server), insert_action(server), new_row_trigger(server)

sql_query = replace(
    _query,
    description="Runs an SQL statement, and returns the rows. Read-only unless you choose otherwise.",
    arguments=(_path(), _CHANGES_DATA, *_query.arguments),
    file_arguments=("path",),
    supports_connections=False,
)

insert = replace(
    _insert,
    arguments=(_path(), *map(_of_file, _insert.arguments)),
    file_arguments=("path",),
    supports_connections=False,
)

new_row = replace(
    _new_row,
    arguments=(_path(variables=False), *map(_of_file, _new_row.arguments)),
    source=("path", *_new_row.source),
    file_arguments=("path",),
    supports_connections=False,
)

lists = choice_lists(server)
