"""monday.com, work management. API: GraphQL, the current version, with an API token."""

from patchbay.integration import App, error_at, header_key

from .actions import create_board, create_column, create_item
from .auth import auth
from .dynamic_data import list_boards, list_groups
from .triggers import new_board, new_users

app = App(
    name="Monday",
    key="monday",
    supports_connections=True,
    base_url="https://monday.com",
    api_base_url="https://api.monday.com/v2",
    primary_color="#F62B54",
    description="Start a flow for new boards and users, and create boards, columns, and items.",
    category="Project management",
    keywords=("task", "board"),
    auth=auth,
    before_request=[header_key("Authorization", field="apiToken")],
    error_in_response=error_at("errors.0.message"),
    triggers=[new_board, new_users],
    actions=[create_board, create_column, create_item],
    dynamic_data=[list_boards, list_groups],
)
