"""Actions."""

from patchbay.integration import request_action, text

create_link_post = request_action(
    key="createLinkPost",
    name="Create link post",
    description="Posts a link to a community.",
    arguments=(
        text("title", "Title", required=True, description="Up to 300 characters."),
        text("subreddit", "Subreddit", required=True, placeholder="selfhosted", description="Without r/."),
        text("url", "Link", required=True),
    ),
    request="POST /api/submit",
    body={"api_type": "json", "kind": "link", "sr": "{subreddit}", "title": "{title}", "url": "{url}"},
    form=True,
)
