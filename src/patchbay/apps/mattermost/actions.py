"""Actions."""

from patchbay.integration import dropdown, request_action, text

send_message_to_channel = request_action(
    key="sendMessageToChannel",
    name="Send message to channel",
    description="Sends a message to a channel that the connected user is a member of.",
    arguments=(
        dropdown("channel", "Channel", source="listChannels", required=True, variables=True),
        text("message", "Message", required=True, multiline=True, description="Markdown."),
    ),
    request="POST /api/v4/posts",
    body={"channel_id": "{channel}", "message": "{message}"},
)
