"""Mattermost, team chat on your own server. API: version 4, with OAuth 2."""

from patchbay.integration import App, bearer, fixed_headers

from .actions import send_message_to_channel
from .auth import auth
from .dynamic_data import list_channels

app = App(
    name="Mattermost",
    key="mattermost",
    supports_connections=True,
    base_url="https://mattermost.com",
    api_base_url="{auth.instanceUrl}",
    primary_color="#4A154B",
    description="Send messages to channels.",
    category="Chat",
    keywords=("message", "team"),
    auth=auth,
    before_request=[bearer(field="accessToken"), fixed_headers({"X-Requested-With": "XMLHttpRequest"})],
    actions=[send_message_to_channel],
    dynamic_data=[list_channels],
)
