"""The action “Update”."""

from patchbay.integration.sql import update_action

from ..server import server

update = update_action(server)
