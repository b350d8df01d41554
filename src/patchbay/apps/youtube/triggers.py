"""Triggers."""

from patchbay.domain.base import JsonObject
from patchbay.integration import list_items, polling_trigger, text
from patchbay.integration.google import google_pages
from patchbay.integration.polling import Items


def _search(**conditions: str) -> Items:
    query: JsonObject = {"part": "snippet", "type": "video", "order": "date", **conditions}
    return list_items(
        "/v3/search",
        at="items",
        internal_id="etag",
        query=query,
        pages=google_pages("maxResults", 50),
        absent_if_empty=True,
    )


new_video_by_search = polling_trigger(
    key="newVideoBySearch",
    name="New video by search",
    description="Starts when a new video matches a search.",
    arguments=[text("query", "Search for", required=True)],
    items=_search(q="{query}"),
)

new_video_in_channel = polling_trigger(
    key="newVideoInChannel",
    name="New video in channel",
    description="Starts when a video is published in a channel.",
    arguments=[
        text(
            "channelId",
            "Channel ID",
            required=True,
            placeholder="UC…",
            description="To copy it, open the channel's description, then Share channel.",
        )
    ],
    items=_search(channelId="{channelId}"),
)
