"""Pushover, push notifications. API: version 1, with an application's token and the user's key."""

from patchbay.integration import App

from .actions import send_pushover_notification
from .auth import auth
from .auth.keys import add_keys
from .dynamic_data import list_devices, list_sounds

app = App(
    name="Pushover",
    key="pushover",
    supports_connections=True,
    base_url="https://pushover.net",
    api_base_url="https://api.pushover.net",
    primary_color="#249DF1",
    description="Send push notifications to your devices or to a group.",
    category="Notifications",
    keywords=("push", "alert"),
    auth=auth,
    before_request=[add_keys],
    actions=[send_pushover_notification],
    dynamic_data=[list_devices, list_sounds],
)
