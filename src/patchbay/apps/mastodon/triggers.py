"""Triggers."""

from patchbay.integration import link_header, list_items, polling_trigger

new_mention = polling_trigger(
    key="newMention",
    name="New mention",
    description="Starts when someone mentions you. The post is in status.",
    items=list_items(
        "/api/v1/notifications", query={"types[]": "mention"}, pages=link_header(limit_key="limit", limit=40)
    ),
)
