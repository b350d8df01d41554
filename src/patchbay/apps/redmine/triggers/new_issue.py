"""The trigger “New issue”."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from patchbay.domain.base import Json
from patchbay.integration import Context, dropdown, offset_pages, polling_trigger

_pages = offset_pages(
    "/issues.json",
    # Include closed issues: one can be created and closed between two polls. Sort by ID, because IDs only
    # grow, while creation times are whole seconds.
    query={"project_id": "{projectId}", "tracker_id": "{trackerId}", "status_id": "*", "sort": "id:desc"},
    at="issues",
    internal_id="id",
)


async def items(ctx: Context) -> AsyncGenerator[tuple[Json, str], None]:
    """Issues, newest first.

    Fetches the account first: with a key that is no longer valid, Redmine would return the public issues
    only.
    """
    await ctx.http.get("/users/current.json")
    async with aclosing(_pages(ctx)) as pages:
        async for item in pages:
            yield item


new_issue = polling_trigger(
    key="newIssue",
    name="New issue",
    description="Starts when an issue is created in a project or one of its subprojects.",
    arguments=[
        dropdown("projectId", label="Project", required=True, source="listProjects"),
        dropdown(
            "trackerId",
            label="Tracker",
            description="Leave empty for all trackers.",
            source="listTrackers",
            within="projectId",
        ),
    ],
    items=items,
)
