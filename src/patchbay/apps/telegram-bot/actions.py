"""Actions."""

from patchbay.integration import YES_NO, dropdown, request_action, text

send_message = request_action(
    key="sendMessage",
    name="Send message",
    description="Sends a text to a person, group, or channel, as the bot.",
    arguments=(
        text(
            "chatId",
            "Chat ID",
            required=True,
            description="Of a message that the bot received (message.chat.id), or @name of a public channel.",
        ),
        text("text", "Text", required=True, multiline=True, description="Up to 4,096 characters."),
        dropdown(
            "disableNotification",
            "Silent",
            YES_NO,
            value=False,
            variables=True,
            description="Yes: the recipient's device makes no sound.",
        ),
        dropdown(
            "parseMode",
            "Formatting",
            (
                ("", "None"),
                ("MarkdownV2", "Markdown"),
                ("HTML", "HTML"),
                ("Markdown", "Markdown, old version"),
            ),
            variables=True,
        ),
    ),
    request="POST /sendMessage",
    body={
        "chat_id": "{chatId}",
        "text": "{text}",
        "disable_notification": "{disableNotification:bool}",
        "parse_mode": "{parseMode}",
    },
)
