"""The trigger: that of all databases, with the path of the file."""

from dataclasses import replace

from patchbay.integration.sql import new_row_trigger

from .fields import of_file, path
from .server import server

_new_row = new_row_trigger(server)

new_row = replace(
    _new_row,
    arguments=(path(variables=False), *map(of_file, _new_row.arguments)),
    source=("path", *_new_row.source),
    file_arguments=("path",),
    supports_connections=False,
)
