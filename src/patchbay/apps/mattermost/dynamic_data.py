"""Channels for dropdowns."""

from patchbay.integration import option_list

list_channels = option_list(
    "listChannels",
    "/api/v4/users/me/channels",
    label="{display_name|name}",
    only=lambda channel, parameters: not channel.get("delete_at"),
)
