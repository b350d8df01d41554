"""Trello, boards and cards. API: REST, version 1, with an API key and a token from a sign-in."""

from patchbay.integration import App, RateLimit, fixed_headers

from .actions import create_card
from .auth import auth
from .auth.sign_in import add_credential
from .dynamic_data import list_board_labels, list_board_lists, list_boards, list_members

app = App(
    name="Trello",
    key="trello",
    supports_connections=True,
    base_url="https://trello.com/",
    api_base_url="https://api.trello.com",
    primary_color="#0079bf",
    description="Create cards on your boards.",
    category="Project management",
    keywords=("kanban", "board", "task"),
    auth=auth,
    before_request=[add_credential, fixed_headers({"Accept": "application/json"})],
    rate_limit=RateLimit(calls=100, seconds=10),
    actions=[create_card],
    dynamic_data=[list_board_labels, list_board_lists, list_boards, list_members],
)
