"""Matrix, chat across servers. API: client-server, version 3, with an access token."""

from patchbay.integration import App, bearer

from .actions import send_message
from .auth import auth
from .dynamic_data import list_rooms
from .triggers import new_message

app = App(
    name="Matrix",
    key="matrix",
    supports_connections=True,
    base_url="https://matrix.org",
    api_base_url="{auth.instanceUrl}",
    primary_color="#000000",
    description="Start a flow for new messages in a room, and send messages to rooms.",
    category="Chat",
    keywords=("message", "element", "team"),
    auth=auth,
    before_request=[bearer()],
    triggers=[new_message],
    actions=[send_message],
    dynamic_data=[list_rooms],
)
