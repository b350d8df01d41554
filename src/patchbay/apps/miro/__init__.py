"""Miro, whiteboards. API: REST, version 2, with OAuth 2."""

from patchbay.integration import App, bearer

from .actions import copy_board, create_board, create_card_widget
from .auth import auth
from .dynamic_data import list_boards, list_frames

app = App(
    name="Miro",
    key="miro",
    supports_connections=True,
    base_url="https://miro.com",
    api_base_url="https://api.miro.com",
    primary_color="#F2CA02",
    description="Create and copy boards, and create cards on them.",
    category="Productivity",
    keywords=("whiteboard",),
    auth=auth,
    before_request=[bearer(field="accessToken")],
    actions=[copy_board, create_board, create_card_widget],
    dynamic_data=[list_boards, list_frames],
)
