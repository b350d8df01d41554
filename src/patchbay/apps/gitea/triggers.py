"""Triggers."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from patchbay.domain.base import Json, JsonObject
from patchbay.integration import Context, dropdown, list_items, page_numbers, polling_trigger, rows
from patchbay.integration.templates import find_value

from .repositories import of_repository

_LIMIT = 50
_REPOSITORY = dropdown("repo", "Repository", source="listRepos", required=True, variables=True)
_STATES = (("all", "All"), ("open", "Open"), ("closed", "Closed"))


def _issues_query(parameters: JsonObject) -> JsonObject:
    return {
        "type": "issues",  # otherwise, pull requests are listed as well
        "state": parameters.get("issueType"),
        "labels": ",".join(map(str, find_value(parameters, "labels[].label") or ())),
        "limit": _LIMIT,
    }


new_issues = polling_trigger(
    key="newIssues",
    name="New issue",
    description="Starts when an issue is created in a repository.",
    arguments=[
        _REPOSITORY,
        dropdown("issueType", "Which issues", _STATES, required=True, value="all", variables=True),
        rows(
            "labels",
            "Labels",
            [
                dropdown(
                    "label",
                    "Label",
                    source="listLabels",
                    within="repo",
                    variables=True,
                )
            ],
            description="Only issues that have all of them.",
            add="Add label",
        ),
    ],
    items=list_items(of_repository("/issues"), query=_issues_query, pages=page_numbers()),
)

_PULLS_QUERY: JsonObject = {"state": "{pullType}", "sort": "{typeOfSort}", "limit": _LIMIT}
_newest_pulls = list_items(of_repository("/pulls"), query=_PULLS_QUERY, pages=page_numbers())
_pulls_in_another_order = list_items(
    of_repository("/pulls"), query=_PULLS_QUERY, pages=page_numbers(), sort_by="id"
)


async def _pulls(ctx: Context) -> AsyncGenerator[tuple[Json, str], None]:
    """Pull requests, newest first. In an order of the user's own, a new one can be on any page."""
    is_newest_first = ctx.parameters.get("typeOfSort") in (None, "", "all")
    async with aclosing((_newest_pulls if is_newest_first else _pulls_in_another_order)(ctx)) as found:
        async for item in found:
            yield item


new_pull_requests = polling_trigger(
    key="newPullRequests",
    name="New pull request",
    description="Starts when a pull request is created in a repository.",
    arguments=[
        _REPOSITORY,
        dropdown("pullType", "Which pull requests", _STATES, value="all", variables=True),
        dropdown(
            "typeOfSort",
            "Order",
            (
                ("oldest", "Oldest first"),
                ("recentupdate", "Most recently updated first"),
                ("leastupdate", "Least recently updated first"),
                ("mostcomment", "Most comments first"),
                ("leastcomment", "Fewest comments first"),
                ("priority", "Highest priority first"),
            ),
            variables=True,
            description="Leave empty for newest first, which is fastest.",
        ),
    ],
    items=_pulls,
)

new_stargazers = polling_trigger(
    key="newStargazers",
    name="New stargazer",
    description="Starts when someone stars a repository.",
    arguments=[_REPOSITORY],
    source=["repo"],
    items=list_items(
        of_repository("/stargazers"), query={"limit": _LIMIT}, pages=page_numbers(), last_first=True
    ),
)

new_watchers = polling_trigger(
    key="newWatchers",
    name="New watcher",
    description="Starts when someone starts watching a repository.",
    arguments=[_REPOSITORY],
    source=["repo"],
    items=list_items(
        of_repository("/subscribers"), query={"limit": _LIMIT}, pages=page_numbers(), last_first=True
    ),
)
