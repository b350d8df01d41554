"""Shared code of database apps: an app implements `SqlServer`, and its steps are built from that."""

from patchbay.integration.sql.errors import (
    DatabaseErrorKind,
    connection_lost_error,
    database_error,
    unreachable_error,
)
from patchbay.integration.sql.login import Login, login_fields, parse_login
from patchbay.integration.sql.server import (
    CONNECT_SECONDS,
    MAX_ROWS,
    STATEMENT_SECONDS,
    Catalogue,
    Result,
    RowCollector,
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
from patchbay.integration.sql.values import BoundValue, to_json_value

__all__ = [
    "CONNECT_SECONDS",
    "MAX_ROWS",
    "STATEMENT_SECONDS",
    "BoundValue",
    "Catalogue",
    "DatabaseErrorKind",
    "Dialect",
    "Login",
    "Result",
    "RowCollector",
    "Session",
    "SqlServer",
    "Statement",
    "choice_lists",
    "connection_lost_error",
    "database_error",
    "delete_action",
    "insert_action",
    "login_fields",
    "new_row_trigger",
    "parse_login",
    "query_action",
    "to_json_value",
    "unreachable_error",
    "update_action",
]
