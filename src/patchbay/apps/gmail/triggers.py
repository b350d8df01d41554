"""Triggers."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from patchbay.domain.base import Json
from patchbay.integration import Context, dropdown, polling_trigger, segment
from patchbay.integration.described_requests import prepare, values_of
from patchbay.integration.google import google_pages
from patchbay.integration.paging import read_pages

from .reading import readable

MAX_EMAILS = 100
"""Messages that are read in one poll. The next poll continues with the others."""
MESSAGES = "/gmail/v1/users/{auth.userId}/messages"


async def _emails(ctx: Context) -> AsyncGenerator[tuple[Json, str], None]:
    """New messages, newest first. Of the messages that are there when a flow is published, only IDs count."""
    request = prepare(MESSAGES, values_of(ctx), query={"labelIds": "{labelId}"})
    pages = read_pages(ctx, request, google_pages("maxResults", 500), "messages", absent_if_empty=True)
    read = 0
    async with aclosing(pages) as all_pages:
        async for listed in all_pages:
            ids = [str(row["id"]) for row in listed]
            known = await ctx.seen(ids)
            for message_id in (one for one in ids if one not in known):
                if read < MAX_EMAILS:
                    read += 1
                    with ctx.guard_item(message_id):
                        message = (await ctx.http.get(f"{request.url}/{segment(message_id)}")).json()
                        yield readable(message), message_id
                elif ctx.known_ids:
                    ctx.has_more_items = True
                    return
                else:
                    ctx.mark_known(message_id)
            if known and not ctx.unfinished_polls:
                return


new_emails = polling_trigger(
    key="newEmails",
    name="New email",
    description="Starts when an email arrives.",
    arguments=[
        dropdown(
            "labelId",
            "Label",
            source="listLabels",
            description="INBOX for incoming mail. Leave empty for all mail, also sent mail and drafts.",
            variables=True,
        )
    ],
    source=["labelId"],
    items=_emails,
)
