"""The action “Create event”."""

from datetime import date, datetime
from urllib.parse import quote, urljoin
from uuid import NAMESPACE_URL, uuid4, uuid5

from patchbay.domain.errors import ThirdPartyError
from patchbay.integration import YES_NO, Action, Context, OnInterrupted, dropdown, text
from patchbay.integration.values import (
    as_bool,
    local_time,
    parameter_error,
    parse_date_time,
    parse_time_zone,
    text_of,
)

from ..dav import require_known_address
from ..events import NewEvent, describe, encode_event

LAST_YEAR = 9998
"""The day after an event's last day must exist, too."""
_EXISTS = 412


async def run(ctx: Context) -> None:
    """Create the event, with a name that retries reuse."""
    time_zone = parse_time_zone(text_of(ctx.parameters, "timeZone").strip() or ctx.time_zone)
    event, content = encode_event(_new_event(ctx), local_time(ctx.now, time_zone))
    calendar = text_of(ctx.parameters, "calendar").rstrip("/") + "/"
    url = require_known_address(ctx, urljoin(calendar, quote(f"{event['UID']}.ics")))
    headers = {"Content-Type": "text/calendar; charset=utf-8", "If-None-Match": "*"}
    try:
        response = await ctx.http.put(url, content=content, headers=headers)
        etag = response.headers.get("etag")
    except ThirdPartyError as error:
        if error.status != _EXISTS or not ctx.idempotency_key:
            raise
        etag = None  # an earlier attempt of this step created it
    ctx.set_action_item({**describe(event, ctx.time_zone), "url": url, "etag": etag})


def _new_event(ctx: Context) -> NewEvent:
    whole_days = as_bool(ctx.parameters.get("allDay"))
    start, end = _time(ctx, "start", whole_days), None
    if text_of(ctx.parameters, "end").strip():
        end = _time(ctx, "end", whole_days)
        if end < start:
            raise parameter_error(
                "end", "The event ends before it starts.", "Check both times and the time zone."
            )
    return NewEvent(
        uid=str(uuid5(NAMESPACE_URL, ctx.idempotency_key) if ctx.idempotency_key else uuid4()),
        summary=text_of(ctx.parameters, "summary").strip(),
        start=start,
        end=end,
        description=text_of(ctx.parameters, "description"),
        location=text_of(ctx.parameters, "location").strip(),
    )


def _time(ctx: Context, key: str, whole_days: bool) -> datetime | date:
    time_zone = parse_time_zone(text_of(ctx.parameters, "timeZone").strip() or ctx.time_zone)
    moment = parse_date_time(text_of(ctx.parameters, key), time_zone=time_zone, now=ctx.now, key=key)
    try:
        moment = moment.astimezone(time_zone)
    except OverflowError:
        moment = moment.replace(year=LAST_YEAR + 1)
    if not 1 < moment.year <= LAST_YEAR:
        raise parameter_error(
            key, f"Dates after the year {LAST_YEAR} aren't supported.", "Enter another date."
        )
    return moment.date() if whole_days else moment


create_event = Action(
    key="createEvent",
    name="Create event",
    description="Adds an event to a calendar.",
    on_interrupted=OnInterrupted.REPEAT_WITH_KEY,
    arguments=(
        dropdown("calendar", "Calendar", source="listCalendars", required=True, variables=True),
        text("summary", "Title", required=True),
        dropdown("allDay", "All day", YES_NO, value=False, variables=True),
        text("start", "Start", required=True, placeholder="2026-12-31 14:30"),
        text(
            "end",
            "End",
            placeholder="2026-12-31 15:30",
            description="If empty, the event lasts one hour. For all-day events, this is the last day.",
        ),
        text(
            "timeZone",
            "Time zone",
            placeholder="Europe/Berlin",
            description="For times without an offset. If empty, the workspace's time zone.",
        ),
        text("location", "Location"),
        text("description", "Description", multiline=True),
    ),
    run=run,
)
