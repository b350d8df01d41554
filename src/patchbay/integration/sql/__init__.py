"""What database apps share: one app describes its server (`SqlServer`), the rest is built from that."""

from patchbay.integration.sql.errors import Complaint, refused, shut_out, unreachable
from patchbay.integration.sql.login import Login, login_fields, login_of
from patchbay.integration.sql.server import (
    CONNECT_SECONDS,
    MAX_ROWS,
    STATEMENT_SECONDS,
    Catalogue,
    Collector,
    Result,
    Session,
    SqlServer,
)
from patchbay.integration.sql.statements import Dialect, Statement
from patchbay.integration.sql.steps import (
    choice_lists,
    delete_action,
    insert_action,
    new_row_trigger,
    query_action,
    update_action,
)
from patchbay.integration.sql.values import Bound, json_ready

__all__ = [
    "CONNECT_SECONDS", "MAX_ROWS", "STATEMENT_SECONDS", "Bound", "Catalogue", "Collector", "Complaint",
    "Dialect", "Login", "Result", "Session", "SqlServer", "Statement", "choice_lists", "delete_action",
    "insert_action", "json_ready", "login_fields", "login_of", "new_row_trigger", "query_action", "refused",
    "shut_out", "unreachable", "update_action",
]  # fmt: skip
