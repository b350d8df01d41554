"""The trigger “New row”."""

from patchbay.integration.sql import new_row_trigger

from ..server import server

new_row = new_row_trigger(server)
