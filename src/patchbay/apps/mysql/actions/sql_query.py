"""The action “SQL query”."""

from patchbay.integration.sql import query_action

from ..server import server

sql_query = query_action(server)
