"""Triggers."""

from patchbay.integration import dropdown, list_items, polling_trigger

from .paging import PAGES

_STATUS = dropdown("status", "Status", source="listStatuses", required=True, variables=True)
# "edit" is only for users: without it, WordPress treats a revoked password like a visitor without one.
_NEWEST = {"status": "{status}", "orderby": "date", "order": "desc", "context": "edit"}

new_comment = polling_trigger(
    key="newComment",
    name="New comment",
    description="Starts when a comment is written.",
    arguments=[
        dropdown(
            "status",
            "Status",
            (("approve", "Approved"), ("hold", "Pending"), ("spam", "Spam"), ("trash", "In the trash")),
            required=True,
            variables=True,
        )
    ],
    items=list_items("/?rest_route=/wp/v2/comments", query=_NEWEST, pages=PAGES),
)

new_page = polling_trigger(
    key="newPage",
    name="New page",
    description="Starts when there is a new page with this status.",
    arguments=[_STATUS],
    items=list_items("/?rest_route=/wp/v2/pages", query=_NEWEST, pages=PAGES),
)

new_post = polling_trigger(
    key="newPost",
    name="New post",
    description="Starts when there is a new post with this status.",
    arguments=[_STATUS],
    items=list_items("/?rest_route=/wp/v2/posts", query=_NEWEST, pages=PAGES),
)
