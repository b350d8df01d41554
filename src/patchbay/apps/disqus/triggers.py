"""Triggers."""

from patchbay.domain.base import JsonObject
from patchbay.integration import cursor, dropdown, list_items, polling_trigger, rows
from patchbay.integration.templates import find_value

_LIST = "/3.0/posts/list.json"
_BY_CURSOR = cursor("cursor.next", "cursor", more="cursor.hasNext", limit_key="limit")
_FORUM = dropdown(
    "forumId",
    "Forum",
    source="listForums",
    required=True,
    variables=True,
    description="Disqus calls each website a forum.",
)


def _comments_query(parameters: JsonObject) -> JsonObject:
    chosen = [str(kind) for kind in find_value(parameters, "postTypes[].type") or ()]
    return {"forum": parameters.get("forumId"), "include": list(dict.fromkeys(chosen))}


new_comments = polling_trigger(
    key="newComments",
    name="New comment",
    description="Starts when someone comments on a website.",
    arguments=[
        rows(
            "postTypes",
            "Which comments",
            [
                dropdown(
                    "type",
                    "Kind",
                    (
                        ("unapproved", "Not approved yet"),
                        ("approved", "Approved"),
                        ("spam", "Spam"),
                        ("deleted", "Deleted"),
                        ("flagged", "Flagged"),
                        ("highlighted", "Highlighted"),
                    ),
                    variables=True,
                )
            ],
            description="Without any, approved comments.",
            add="Add kind",
        ),
        _FORUM,
    ],
    items=list_items(_LIST, at="response", query=_comments_query, pages=_BY_CURSOR),
)

new_flagged_comments = polling_trigger(
    key="newFlaggedComments",
    name="New flagged comment",
    description="Starts when a comment is flagged, also an older one.",
    arguments=[_FORUM],
    items=list_items(
        _LIST,
        at="response",
        query={"forum": "{forumId}", "filters": "Is_Flagged"},
        pages=_BY_CURSOR,
        sort_by="createdAt",  # an older comment that is flagged now can be on any page
    ),
)
