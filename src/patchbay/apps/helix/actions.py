"""Actions."""

from patchbay.integration import request_action, text
from patchbay.integration.chat_completions import RESPONSE_SECONDS

new_chat = request_action(
    key="newChat",
    name="New chat",
    description="Sends a message in a new chat, or in one that exists, and outputs the response.",
    arguments=(
        text("sessionId", "Session ID", description="To continue a chat. Empty: a new one."),
        text(
            "systemPrompt",
            "System prompt",
            multiline=True,
            description="How the model responds. Used for a new chat.",
        ),
        text("input", "Message", required=True, multiline=True),
    ),
    request="POST /api/v1/sessions/chat",
    body={
        "session_id": "{sessionId}",
        "system": "{systemPrompt}",
        "messages": [{"role": "user", "content": {"content_type": "text", "parts": ["{input:text}"]}}],
    },
    seconds=RESPONSE_SECONDS,
)
