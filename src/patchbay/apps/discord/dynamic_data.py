"""Channels and events of the server for dropdowns."""

from patchbay.integration import option_list

_TEXT, _VOICE, _ANNOUNCEMENT, _STAGE = 0, 2, 5, 13

list_channels = option_list(
    "listChannels",
    "/guilds/{auth.guildId}/channels",
    only=lambda channel, parameters: channel.get("type") in (_TEXT, _ANNOUNCEMENT),
)
list_voice_channels = option_list(
    "listVoiceChannels",
    "/guilds/{auth.guildId}/channels",
    only=lambda channel, parameters: channel.get("type") in (_VOICE, _STAGE),
)
list_scheduled_events = option_list("listScheduledEvents", "/guilds/{auth.guildId}/scheduled-events")
