"""Actions."""

from patchbay.integration import Action, Context, OnInterrupted, dropdown, request_action, segment, text

from .events import EVENT_TYPES, EXTERNAL, MEMBERS_ONLY, STATUSES, event_body, whole_number

_DESCRIPTION = text("description", "Description", multiline=True)
_IMAGE = text(
    "image",
    "Cover image",
    description="A PNG or JPEG as a data URI: data:image/png;base64, followed by the content in base64.",
)

create_scheduled_event = request_action(
    key="createScheduledEvent",
    name="Create scheduled event",
    description="Creates an event in the server, in a channel or elsewhere.",
    arguments=(
        dropdown(
            "entityType",
            "Where",
            EVENT_TYPES,
            required=True,
            variables=True,
            more_fields="listExternalScheduledEventFields",
        ),
        text("name", "Name", required=True),
        _DESCRIPTION,
        _IMAGE,
    ),
    request="POST /guilds/{auth.guildId}/scheduled-events",
    body=lambda parameters: {**event_body(parameters), "privacy_level": MEMBERS_ONLY},
)


async def _update(ctx: Context) -> None:
    """Change what is filled. An event outside of channels has an explicit null as its channel."""
    parameters = ctx.parameters
    body = event_body(parameters)
    if whole_number(parameters, "entityType") == EXTERNAL:
        body["channel_id"] = None
    if (status := whole_number(parameters, "status")) is not None:
        body["status"] = status
    guild, event = segment(ctx.auth.data.get("guildId")), segment(parameters.get("scheduledEventId"))
    response = await ctx.http.patch(f"/guilds/{guild}/scheduled-events/{event}", json=body)
    ctx.set_action_item(response.json())


update_scheduled_event = Action(
    key="updateScheduledEvent",
    name="Update scheduled event",
    description="Changes, starts, ends, or cancels an event of the server. Empty fields stay as they are.",
    arguments=(
        dropdown("scheduledEventId", "Event", source="listScheduledEvents", required=True, variables=True),
        dropdown("status", "Status", STATUSES, variables=True),
        dropdown(
            "entityType",
            "Where",
            EVENT_TYPES,
            required=True,
            variables=True,
            more_fields="listScheduledEventFieldsForUpdate",
        ),
        text("name", "Name"),
        _DESCRIPTION,
        _IMAGE,
    ),
    run=_update,
    on_interrupted=OnInterrupted.REPEAT,
)

send_message_to_channel = request_action(
    key="sendMessageToChannel",
    name="Send message to channel",
    description="Sends a message to a text channel of the server.",
    arguments=(
        dropdown("channel", "Channel", source="listChannels", required=True, variables=True),
        text(
            "message",
            "Message",
            required=True,
            multiline=True,
            description="Markdown, up to 2,000 characters.",
        ),
    ),
    request="POST /channels/{channel}/messages",
    body={"content": "{message}"},
)
