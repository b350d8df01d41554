"""Triggers."""

from collections.abc import AsyncGenerator

from patchbay.integration import Context, dropdown, polling_trigger, segment
from patchbay.integration.polling import MAX_PAGES, Item
from patchbay.integration.values import text_of

from .tokens import get_as_client

_PAGE_SIZE = 100


async def items(ctx: Context) -> AsyncGenerator[Item, None]:
    """The messages, newest first. `since` is the ID that the messages of the next page are below."""
    application = text_of(ctx.parameters, "applicationId").strip()
    path = f"/application/{segment(application)}/message" if application else "/message"
    since = 0
    for _ in range(MAX_PAGES * (1 + ctx.unfinished_polls)):
        query = {"since": since} if since else {}
        page = (await get_as_client(ctx, path, limit=_PAGE_SIZE, **query)).json()
        messages = page["messages"]
        for message in messages:
            yield message, str(message["id"])
        since = int((page.get("paging") or {}).get("since") or 0)
        if not since or not messages:
            return
    ctx.has_more_items = True


new_message = polling_trigger(
    key="newMessage",
    name="New message",
    description="Starts for each new message. The connection needs a client token.",
    arguments=(
        dropdown(
            "applicationId",
            "Application",
            source="listApplications",
            description="Leave empty for the messages of all applications.",
        ),
    ),
    source=["applicationId"],
    items=items,
)
