"""Channels and members for dropdowns."""

from patchbay.integration import cursor, option_list

_PAGES = cursor("response_metadata.next_cursor", "cursor", limit_key="limit", limit=200)

list_channels = option_list(
    "listChannels",
    "/conversations.list",
    query={"types": "public_channel,private_channel", "exclude_archived": "true"},
    at="channels",
    pages=_PAGES,
)
list_users = option_list(
    "listUsers",
    "/users.list",
    at="members",
    label="{profile.real_name|real_name|name}",
    pages=_PAGES,
    only=lambda member, parameters: not member.get("deleted"),
)
