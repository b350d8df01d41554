"""Slack, team chat. API: Web API, with OAuth 2 (version 2): a token for the user and one for the bot."""

from patchbay.integration import App, error_at

from .actions import find_message, find_user_by_email, send_direct_message, send_message_to_channel
from .auth import auth
from .auth.tokens import add_token
from .dynamic_data import list_channels, list_users
from .dynamic_fields import list_fields_after_send_as_bot

app = App(
    name="Slack",
    key="slack",
    supports_connections=True,
    base_url="https://slack.com",
    api_base_url="https://slack.com/api",
    primary_color="#4A154B",
    description="Send messages to channels and people, and find messages and users.",
    category="Chat",
    keywords=("message", "team"),
    auth=auth,
    before_request=[add_token],
    error_in_response=error_at(
        "error", failed=lambda body: isinstance(body, dict) and body.get("ok") is False
    ),
    actions=[find_message, find_user_by_email, send_message_to_channel, send_direct_message],
    dynamic_data=[list_channels, list_users],
    dynamic_fields=[list_fields_after_send_as_bot],
)
