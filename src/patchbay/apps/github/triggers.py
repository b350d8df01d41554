"""Triggers."""

from collections.abc import AsyncGenerator
from datetime import datetime
from typing import Any

from patchbay.domain.base import Json
from patchbay.integration import (
    Context,
    dropdown,
    hmac_signature,
    link_header,
    list_items,
    polling_trigger,
    webhook_trigger,
)
from patchbay.integration.described_requests import prepare, values_of
from patchbay.integration.paging import links_of, rows_of
from patchbay.integration.polling import MAX_PAGES, Items
from patchbay.integration.values import epoch_ms

_REPOSITORY = dropdown("repo", "Repository", source="listRepos", required=True)
_NEWEST = {"sort": "created", "direction": "desc", "state": "all"}
_BY_LINK = link_header(limit_key="per_page")

new_issues = polling_trigger(
    key="newIssues",
    name="New issue",
    description="Starts when an issue is created in a repository, or in any of your repositories.",
    arguments=[
        dropdown("repo", "Repository", source="listRepos", description="Leave empty for all repositories."),
        dropdown(
            "issueType",
            "Which issues",
            (
                ("all", "All"),
                ("assigned", "Assigned to you"),
                ("created", "Created by you"),
                ("mentioned", "Mentioning you"),
                ("subscribed", "You're subscribed to"),
            ),
            required=True,
            value="all",
        ),
        dropdown(
            "label",
            "Label",
            source="listLabels",
            within="repo",
        ),
    ],
    items=list_items(
        lambda parameters: "/repos/{repo:path}/issues" if parameters.get("repo") else "/issues",
        query={**_NEWEST, "filter": "{issueType}", "labels": "{label}"},
        pages=_BY_LINK,
    ),
)

new_pull_requests = polling_trigger(
    key="newPullRequests",
    name="New pull request",
    description="Starts when a pull request is created in a repository.",
    arguments=[_REPOSITORY],
    items=list_items("/repos/{repo:path}/pulls", query=_NEWEST, pages=_BY_LINK),
)


def _from_last_page(line: str, *, accept: str = "") -> Items:
    """The rows of a list that GitHub only sends oldest first, with the time as ID if it sends one."""

    async def items(ctx: Context) -> AsyncGenerator[tuple[Json, str], None]:
        query = {"per_page": 100}
        first = prepare(line, values_of(ctx), query=query, headers={"Accept": accept} if accept else None)
        response = await first.send(ctx)
        if last := links_of(response).get("last"):
            response = await first.moved_to(last).send(ctx)
        for _ in range(MAX_PAGES * (1 + ctx.unfinished_polls)):
            for row in reversed(rows_of(response, "")):
                yield _user_and_id(row)
            previous = links_of(response).get("prev")
            if not previous:
                return
            response = await first.moved_to(previous).send(ctx)
        ctx.has_more_items = True

    return items


def _user_and_id(row: dict[str, Any]) -> tuple[Json, str]:
    if "starred_at" in row:
        return row["user"], str(epoch_ms(datetime.fromisoformat(row["starred_at"])))
    return row, str(row["id"])


new_stargazers = polling_trigger(
    key="newStargazers",
    name="New stargazer",
    description="Starts when someone stars a repository.",
    arguments=[_REPOSITORY],
    source=["repo"],
    items=_from_last_page("/repos/{repo:path}/stargazers", accept="application/vnd.github.star+json"),
)

new_watchers = polling_trigger(
    key="newWatchers",
    name="New watcher",
    description="Starts when someone starts watching a repository.",
    arguments=[_REPOSITORY],
    source=["repo"],
    items=_from_last_page("/repos/{repo:path}/subscribers"),
)

new_pull_request_event = webhook_trigger(
    key="newPullRequestEvent",
    name="Pull request event",
    description="Starts at once when a pull request is opened, changed, reviewed, merged, or closed.",
    arguments=[_REPOSITORY],
    register="POST /repos/{repo:path}/hooks",
    body={
        "name": "web",
        "active": True,
        "events": ["pull_request"],
        "config": {"url": "{webhookUrl}", "content_type": "json", "secret": "{webhookSecret}"},
    },
    unregister="DELETE /repos/{repo:path}/hooks/{remoteWebhookId}",
    only=lambda body, parameters: "pull_request" in body,  # GitHub first sends a ping
    verify=hmac_signature("X-Hub-Signature-256", prefix="sha256="),
)
