"""The action “Insert”."""

from patchbay.integration.sql import insert_action

from ..server import server

insert = insert_action(server)
