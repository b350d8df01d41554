"""Telegram, messaging. API: Bot API, with the token of a bot in the path of each request."""

from patchbay.integration import App

from .actions import send_message
from .auth import auth
from .auth.token import add_token
from .triggers import new_message

app = App(
    name="Telegram",
    key="telegram-bot",
    supports_connections=True,
    base_url="https://telegram.org",
    api_base_url="https://api.telegram.org",
    primary_color="#2AABEE",
    description="Start a flow when a bot receives a message, and send messages as the bot.",
    category="Chat",
    keywords=("message", "messenger"),
    auth=auth,
    before_request=[add_token],
    triggers=[new_message],
    actions=[send_message],
)
