"""Gotify, push notifications from your own server. API: REST, version 2, with the token of an application."""

from patchbay.integration import App, header_key

from .actions import send_message
from .auth import auth

app = App(
    name="Gotify",
    key="gotify",
    supports_connections=True,
    base_url="https://gotify.net",
    api_base_url="{auth.instanceUrl}",
    primary_color="#3498DB",
    description="Send push notifications through your own server.",
    category="Notifications",
    keywords=("push", "alert"),
    auth=auth,
    before_request=[header_key("X-Gotify-Key")],
    actions=[send_message],
)
