"""The lists to choose from: schemas, tables, and columns."""

from patchbay.integration.sql import choice_lists

from ..server import server

lists = choice_lists(server)
