"""The action “Delete”."""

from patchbay.integration.sql import delete_action

from ..server import server

delete = delete_action(server)
