from patchbay.integration.sql import choice_lists

from ..server import server

lists = choice_lists(server)
