"""Triggers."""

from collections.abc import AsyncGenerator

from patchbay.domain.base import Json
from patchbay.domain.charsets import charset_from_content_type
from patchbay.integration import Context, polling_trigger, text
from patchbay.integration.third_party_errors import UnexpectedResponse
from patchbay.integration.urls import is_absolute
from patchbay.integration.values import text_of

from .feeds import read_feed

_ACCEPT = "application/rss+xml, application/atom+xml, application/rdf+xml, application/xml;q=0.9, */*;q=0.8"


async def items(ctx: Context) -> AsyncGenerator[tuple[Json, str], None]:
    """The items that the flow hasn't seen, newest first as far as they have dates.

    A feed lists its items in any order, so all are compared with the flow's history.
    """
    response = await ctx.http.get(_address(text_of(ctx.parameters, "feedUrl")), headers={"Accept": _ACCEPT})
    charset = charset_from_content_type(response.headers.get("content-type", ""))
    found = await ctx.compute(
        read_feed, response.content, charset, response.url, megabytes=512, output_bytes=64 << 20
    )
    if found is None:
        raise UnexpectedResponse(response, "an RSS or Atom feed", "something else, such as a web page")
    seen = await ctx.seen([internal_id for _, internal_id in found])
    for item, internal_id in found:
        if internal_id not in seen:
            yield item, internal_id


def _address(entered: str) -> str:
    """The address as a web address: `feed://` is how browsers mark feeds, and the scheme can be missing."""
    address = entered.strip()
    if address.lower().startswith("feed:"):
        address = address[5:].lstrip("/")
    return address if not address or is_absolute(address) else f"https://{address}"


new_items_in_feed = polling_trigger(
    key="newItemsInFeed",
    name="New item in feed",
    description="Starts for each new item of an RSS or Atom feed.",
    arguments=[
        text(
            "feedUrl",
            "Feed URL",
            required=True,
            variables=False,
            placeholder="https://example.com/feed.xml",
        )
    ],
    source=["feedUrl"],
    supports_connections=False,
    items=items,
)
