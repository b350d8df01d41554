"""Actions."""

from patchbay.integration import dropdown, request_action, text

create_post = request_action(
    key="createPost",
    name="Create post",
    description="Posts a text from your account.",
    arguments=(
        text(
            "text", "Text", required=True, multiline=True, description="On most servers up to 500 characters."
        ),
        dropdown(
            "visibility",
            "Visibility",
            (
                ("public", "Public"),
                ("unlisted", "Quiet public: not in timelines and search"),
                ("private", "Followers"),
                ("direct", "Only people who are mentioned"),
            ),
            variables=True,
            description="Leave empty for the default of your account.",
        ),
        text(
            "spoilerText", "Content warning", description="Shown instead of the text until someone opens it."
        ),
        text("inReplyToId", "In reply to", description="The ID of a post, such as status.id of a mention."),
        text("language", "Language", placeholder="en", description="Two letters."),
    ),
    request="POST /api/v1/statuses",
    body={
        "status": "{text:text}",
        "visibility": "{visibility}",
        "spoiler_text": "{spoilerText:text}",
        "in_reply_to_id": "{inReplyToId:text}",
        "language": "{language}",
    },
    idempotency_header="Idempotency-Key",
)
