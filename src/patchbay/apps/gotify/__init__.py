"""Gotify, push notifications from your own server. API: REST, version 2, with tokens of an app and client."""

from patchbay.integration import App

from .actions import send_message
from .auth import auth
from .dynamic_data import list_applications
from .tokens import add_token
from .triggers import new_message

app = App(
    name="Gotify",
    key="gotify",
    supports_connections=True,
    base_url="https://gotify.net",
    api_base_url="{auth.instanceUrl}",
    primary_color="#3498DB",
    description="Send push notifications through your own server, and start a flow for new ones.",
    category="Notifications",
    keywords=("push", "alert"),
    auth=auth,
    before_request=[add_token],
    triggers=[new_message],
    actions=[send_message],
    dynamic_data=[list_applications],
)
