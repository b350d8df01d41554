"""Actions."""

from patchbay.domain.base import JsonObject
from patchbay.integration import dropdown, request_action, rows, text
from patchbay.integration.templates import fill_object

EMERGENCY = 2
RETRY_SECONDS, EXPIRE_SECONDS = 60, 3600
"""How often, and for how long, an emergency is repeated until someone acknowledges it."""


def _message(parameters: JsonObject) -> JsonObject:
    message = fill_object(
        {
            "title": "{title}",
            "message": "{message}",
            "priority": "{priority:number}",
            "sound": "{sound}",
            "url": "{url}",
            "url_title": "{urlTitle}",
            "device": "{devices[].device}",
        },
        parameters,
    )
    if isinstance(devices := message.get("device"), list):
        message["device"] = ",".join(map(str, devices))
    if message.get("priority") == EMERGENCY:
        message |= {"retry": RETRY_SECONDS, "expire": EXPIRE_SECONDS}
    return message


send_pushover_notification = request_action(
    key="sendPushoverNotification",
    name="Send Pushover notification",
    description="Sends a notification to all devices of the user or group, or to chosen ones.",
    arguments=(
        text("title", "Title", description="Leave empty for the name of your application."),
        text("message", "Message", required=True, multiline=True),
        dropdown(
            "priority",
            "Priority",
            (
                (-2, "Lowest: no notification"),
                (-1, "Low: no sound"),
                (0, "Normal"),
                (1, "High: ignores quiet hours"),
                (2, "Emergency: repeated until acknowledged"),
            ),
            variables=True,
            description="An emergency is repeated each minute, for an hour.",
        ),
        dropdown("sound", "Sound", source="listSounds", variables=True),
        text("url", "Link"),
        text("urlTitle", "Text of the link"),
        rows(
            "devices",
            "Devices",
            (dropdown("device", "Device", source="listDevices", variables=True),),
            add="Add device",
            description="Leave empty for all devices.",
        ),
    ),
    request="POST /1/messages.json",
    body=_message,
)
