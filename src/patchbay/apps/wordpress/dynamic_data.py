"""Posts, and their possible categories, tags, authors, images, and statuses, for dropdowns."""

from typing import Any

from patchbay.domain.base import Json
from patchbay.integration import option_list

from .paging import PAGES

_NEWEST = {"order": "desc"}
_STATUSES: list[Json] = ["publish", "future", "draft", "pending", "private"]


def _by_key(statuses: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """The statuses, which are listed by their keys."""
    return [{"slug": key, **status} for key, status in statuses.items()]


list_categories = option_list("listCategories", "/?rest_route=/wp/v2/categories", query=_NEWEST, pages=PAGES)
list_tags = option_list("listTags", "/?rest_route=/wp/v2/tags", query=_NEWEST, pages=PAGES)
list_users = option_list("listUsers", "/?rest_route=/wp/v2/users", query=_NEWEST, pages=PAGES)
list_media = option_list(
    "listMedia",
    "/?rest_route=/wp/v2/media",
    label="{title.rendered|slug}",
    query=_NEWEST,
    pages=PAGES,
    in_order=True,
)
list_posts = option_list(
    "listPosts",
    "/?rest_route=/wp/v2/posts",
    label="{title.rendered|slug}",
    query={**_NEWEST, "status[]": _STATUSES},
    pages=PAGES,
    in_order=True,
)
list_statuses = option_list(
    "listStatuses", "/?rest_route=/wp/v2/statuses", at=_by_key, value="{slug}", in_order=True
)
