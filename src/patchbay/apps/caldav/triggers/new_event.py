"""The trigger “New event”."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from urllib.parse import unquote, urlsplit
from xml.sax.saxutils import escape  # writes XML, reads none

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.errors import ComputationStopped, ThirdPartyError, ValidationFailed
from patchbay.integration import Context, dropdown, polling_trigger
from patchbay.integration.values import parameter_error, text_of

from ..dav import CALDAV, DAV, Entry, report
from ..events import MAX_TEXT_LENGTH, find_title, read_events

READ_TIMEOUT_SECONDS = 60.0
"""After this time, other events are left to the next poll, so that hostile ones can't make it time out."""
SECONDS = 10.0
OUTPUT_BYTES = 32 << 20
MAX_RESPONSE_LENGTH = MAX_TEXT_LENGTH + 1
"""Characters of an event that are parsed: enough to detect that it is too long."""
_BATCH_SIZE = 50
_MAX_DATE_LENGTH = 100
_SERVER_ERROR = 500
_SCAN_MARKER = "looked"
"""An ID that records the first poll, even if the calendar was empty then."""
_EVENTS = (
    '<C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT"/></C:comp-filter></C:filter>'
)
_LIST_PROPERTIES = f"<prop><getetag/><getlastmodified/></prop>{_EVENTS}"


async def items(ctx: Context) -> AsyncGenerator[tuple[Json, str], None]:
    """Events that are new, latest change first. Changes of known events aren't reported."""
    calendar = text_of(ctx.parameters, "calendar")
    ends = asyncio.get_running_loop().time() + READ_TIMEOUT_SECONDS
    listed = await report(ctx, calendar, "C:calendar-query", _LIST_PROPERTIES)
    unknown = await _find_new_entries(ctx, sorted(listed, key=_changed_at, reverse=True))
    at_once = 1 if ctx.execution.test_run else _BATCH_SIZE
    for first in range(0, len(unknown), at_once):
        if first and asyncio.get_running_loop().time() > ends:
            _postpone(ctx, unknown[first:])
            return
        for source, outcome in await _read(ctx, calendar, unknown[first : first + at_once]):
            if isinstance(outcome, Exception):
                ctx.skip_item(source.id, outcome, find_title(source.text))
            else:
                yield (
                    {**outcome, "url": source.entry.url, "etag": source.entry.text(f"{DAV}getetag")},
                    source.id,
                )


def _postpone(ctx: Context, unread: list[Entry]) -> None:
    """Leave events to the next poll, where they are still new. The first poll marks them as known."""
    if not ctx.known_ids and not ctx.execution.test_run:
        for entry in unread:
            ctx.mark_known(_id(entry))


async def _find_new_entries(ctx: Context, listed: list[Entry]) -> list[Entry]:
    """The entries that aren't known yet. At the first poll, which starts no runs, most aren't needed."""
    if ctx.execution.test_run:
        return listed
    ctx.mark_known(_SCAN_MARKER)
    known = ctx.known_ids | await ctx.seen([_id(entry) for entry in listed])
    unknown = [entry for entry in listed if _id(entry) not in known]
    if ctx.known_ids:
        return unknown
    for entry in unknown[_BATCH_SIZE:]:
        ctx.mark_known(_id(entry))
    return unknown[:_BATCH_SIZE]


@dataclass(frozen=True)
class Source:
    """An event as the server sent it."""

    entry: Entry
    text: str

    @property
    def id(self) -> str:
        """The ID of the item: one per occurrence."""
        return _id(self.entry)


Outcome = JsonObject | Exception
"""An event as data, or why it can't be read."""


async def _read(ctx: Context, calendar: str, batch: list[Entry]) -> list[tuple[Source, Outcome]]:
    """Read the events of a batch, in its order, without those deleted meanwhile."""
    try:
        return await _read_batch(ctx, calendar, batch)
    except (ComputationStopped, ValidationFailed, ThirdPartyError) as error:
        if isinstance(error, ThirdPartyError) and (error.status or 0) < _SERVER_ERROR:
            raise
        # One of them may be the cause. Read one by one, the others succeed.
        alone = [found for entry in batch for found in await _read_one(ctx, calendar, entry)]
        if len(batch) > 1 and all(isinstance(outcome, Exception) for _, outcome in alone):
            raise  # the server is the cause
        return alone


async def _read_batch(ctx: Context, calendar: str, batch: list[Entry]) -> list[tuple[Source, Outcome]]:
    links = "".join(f"<href>{escape(urlsplit(entry.url).path)}</href>" for entry in batch)
    wanted = f"<prop><getetag/><C:calendar-data/></prop>{links}"
    found = {_id(entry): entry for entry in await report(ctx, calendar, "C:calendar-multiget", wanted)}
    given = [found[_id(entry)] for entry in batch if _id(entry) in found]
    sources = [
        Source(entry, text[:MAX_RESPONSE_LENGTH])
        for entry in given
        if (text := entry.text(f"{CALDAV}calendar-data"))
    ]
    if not sources:
        return []
    texts = [source.text for source in sources]
    read = await ctx.compute(read_events, texts, ctx.time_zone, seconds=SECONDS, output_bytes=OUTPUT_BYTES)
    return [(source, _outcome(one)) for source, one in zip(sources, read, strict=True)]


async def _read_one(ctx: Context, calendar: str, entry: Entry) -> list[tuple[Source, Outcome]]:
    """Read one event. Empty if the server can't send it now; then the next poll requests it again."""
    try:
        return await _read_batch(ctx, calendar, [entry])
    except (ComputationStopped, ValidationFailed) as error:
        return [(Source(entry, ""), error)]
    except ThirdPartyError as error:
        if (error.status or 0) < _SERVER_ERROR:
            raise
        return []


def _outcome(read: JsonObject) -> Outcome:
    event = read.get("event")
    return event if isinstance(event, dict) else parameter_error("event", str(read["unreadable"]))


def _changed_at(entry: Entry) -> float:
    """The time of the last change; 0 for servers that don't send it, so that their order is used."""
    try:
        return parsedate_to_datetime(entry.text(f"{DAV}getlastmodified")[:_MAX_DATE_LENGTH]).timestamp()
    except (ValueError, TypeError, OverflowError, OSError):
        return 0.0


def _id(entry: Entry) -> str:
    """The name of the event in its calendar, which is unique and never changes."""
    return unquote(urlsplit(entry.url).path).rstrip("/").rpartition("/")[2]


new_event = polling_trigger(
    key="newEvent",
    name="New event",
    description="Starts when an event is added to a calendar. Recurring events start it once.",
    arguments=[dropdown("calendar", "Calendar", source="listCalendars", required=True)],
    items=items,
    source=["calendar"],
)
