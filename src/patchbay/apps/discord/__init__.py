"""Discord, voice and text chat. API: version 10, with a bot that OAuth 2 adds to a server."""

from patchbay.integration import App, header_key

from .actions import create_scheduled_event, send_message_to_channel, update_scheduled_event
from .auth import auth
from .dynamic_data import list_channels, list_scheduled_events, list_voice_channels
from .dynamic_fields import list_external_scheduled_event_fields, list_scheduled_event_fields_for_update

app = App(
    name="Discord",
    key="discord",
    supports_connections=True,
    base_url="https://discord.com",
    api_base_url="https://discord.com/api/v10",
    primary_color="#5865F2",
    description="Send messages to channels, and create and update scheduled events.",
    category="Chat",
    keywords=("message", "community"),
    auth=auth,
    before_request=[header_key("Authorization", field="botToken", prefix="Bot ")],
    actions=[create_scheduled_event, update_scheduled_event, send_message_to_channel],
    dynamic_data=[list_channels, list_scheduled_events, list_voice_channels],
    dynamic_fields=[list_external_scheduled_event_fields, list_scheduled_event_fields_for_update],
)
