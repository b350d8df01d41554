"""Actions."""

from patchbay.integration import dropdown, request_action, rows, text

_EMOJI = (
    ("+1", "👍"),
    ("partying_face", "🥳"),
    ("tada", "🎉"),
    ("heavy_check_mark", "✔️"),
    ("loudspeaker", "📢"),
    ("-1", "👎"),
    ("warning", "⚠️"),
    ("rotating_light", "🚨"),
    ("triangular_flag_on_post", "🚩"),
    ("skull", "💀"),
    ("facepalm", "🤦"),
    ("no_entry", "⛔"),
    ("no_entry_sign", "🚫"),
    ("cd", "💿"),
    ("computer", "💻"),
)

send_message = request_action(
    key="sendMessage",
    name="Send message",
    description="Sends a notification to everyone who subscribed to a topic.",
    arguments=(
        text(
            "topic", "Topic", required=True, description="On ntfy.sh, anyone who knows the topic can read it."
        ),
        text("message", "Message", required=True, multiline=True),
        text("title", "Title"),
        text("email", "Email", description="Also sends the notification to this address."),
        text("click", "Link", description="The address that opens when the notification is tapped."),
        text("attach", "Attachment", description="The address of a file to attach."),
        text("filename", "File name", description="The name under which the attachment is saved."),
        text("delay", "Delay", placeholder="30min", description="Such as 30min, 9am, or a Unix timestamp."),
        dropdown(
            "priority",
            "Priority",
            ((5, "Urgent"), (4, "High"), (3, "Default"), (2, "Low"), (1, "Lowest")),
            value=3,
            variables=True,
        ),
        rows(
            "tags",
            "Tags",
            (dropdown("tag", "Tag", [(tag, f"{emoji} {tag}") for tag, emoji in _EMOJI], variables=True),),
            add="Add tag",
            description="ntfy shows them as emoji before the title.",
        ),
    ),
    request="POST /",
    body={
        "topic": "{topic}",
        "message": "{message}",
        "title": "{title}",
        "email": "{email}",
        "click": "{click}",
        "attach": "{attach}",
        "filename": "{filename}",
        "delay": "{delay:text}",
        "priority": "{priority:number}",
        "tags": "{tags[].tag}",
    },
)
