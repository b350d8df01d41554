"""ntfy, push notifications from ntfy.sh or your own server. API: JSON, with an optional account."""

from patchbay.integration import App, basic_auth

from .actions import send_message
from .auth import auth

app = App(
    name="ntfy",
    key="ntfy",
    supports_connections=True,
    base_url="https://ntfy.sh",
    api_base_url="{auth.serverUrl}",
    primary_color="#56BDA8",
    description="Send push notifications to phones and computers.",
    category="Notifications",
    keywords=("push", "alert"),
    auth=auth,
    before_request=[basic_auth()],
    actions=[send_message],
)
