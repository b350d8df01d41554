"""Place and time of a scheduled event, which depend on where it takes place."""

from collections.abc import Sequence

from patchbay.integration import Argument, Context, DynamicFields, dropdown, text

from .events import EXTERNAL, whole_number

_TIME = "Such as 2026-03-31T14:30:00+02:00."


def _fields(ctx: Context, *, required: bool) -> Sequence[Argument]:
    """Discord requires the place and the times of a new event, and the end of one outside of its channels."""
    where = whole_number(ctx.parameters, "entityType")
    if where is None:
        return []
    is_external = where == EXTERNAL
    place = (
        text("location", "Location", required=required)
        if is_external
        else dropdown("channel_id", "Channel", source="listVoiceChannels", required=required, variables=True)
    )
    return [
        place,
        text("scheduledStartTime", "Start", required=required, description=_TIME),
        text("scheduledEndTime", "End", required=required and is_external, description=_TIME),
    ]


async def load_for_new(ctx: Context) -> Sequence[Argument]:
    """The fields of a new event."""
    return _fields(ctx, required=True)


async def load_for_update(ctx: Context) -> Sequence[Argument]:
    """The fields of an event that is changed; none of them has to be filled."""
    return _fields(ctx, required=False)


list_external_scheduled_event_fields = DynamicFields(
    key="listExternalScheduledEventFields", load=load_for_new
)
list_scheduled_event_fields_for_update = DynamicFields(
    key="listScheduledEventFieldsForUpdate", load=load_for_update
)
