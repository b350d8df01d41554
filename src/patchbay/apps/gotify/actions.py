"""Actions."""

from patchbay.domain.base import JsonObject
from patchbay.integration import YES_NO, dropdown, request_action, text
from patchbay.integration.templates import fill_object
from patchbay.integration.values import as_bool


def _message(parameters: JsonObject) -> JsonObject:
    message = fill_object(
        {"title": "{title}", "message": "{message:text}", "priority": "{priority:number}"}, parameters
    )
    extras: JsonObject = {}
    if as_bool(parameters.get("markdown")):
        extras["client::display"] = {"contentType": "text/markdown"}
    if link := parameters.get("click"):
        extras["client::notification"] = {"click": {"url": link}}
    return {**message, "extras": extras}


send_message = request_action(
    key="sendMessage",
    name="Send message",
    description="Sends a notification to everyone who is signed in to the application's account.",
    arguments=(
        text("title", "Title", description="Leave empty for the name of the application."),
        text("message", "Message", required=True, multiline=True),
        dropdown(
            "priority",
            "Priority",
            (
                (0, "Lowest: no notification"),
                (2, "Low: no sound"),
                (5, "Normal"),
                (8, "High: pops up"),
            ),
            value=5,
            variables=True,
            description="Gotify takes any whole number from 0 to 10.",
        ),
        dropdown("markdown", "Markdown", YES_NO, value=False, variables=True),
        text("click", "Link", description="The address that opens when the notification is tapped."),
    ),
    request="POST /message",
    body=_message,
)
