import asyncio
from collections.abc import AsyncGenerator
from email.utils import parsedate_to_datetime
from itertools import islice
from urllib.parse import unquote, urlsplit
from xml.sax.saxutils import escape

from patchbay.domain.base import Json
from patchbay.integration import Context, dropdown, polling_trigger
from patchbay.integration.values import text_of

from ..dav import CALDAV, DAV, Entry, report
from ..events import read_event

_AT_ONCE = 50
_LOOKED = "looked"
"""Says that there was a first look, also at a calendar that was empty then."""
_EVENTS = (
    '<C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT"/></C:comp-filter></C:filter>'
)
_LISTED = f"<prop><getetag/><getlastmodified/></prop>{_EVENTS}"


async def items(ctx: Context) -> AsyncGenerator[tuple[Json, str], None]:
    """Events that were not seen before, newest change first. One that was only changed has been seen."""
    calendar = text_of(ctx.parameters, "calendar")
    listed = await report(ctx, calendar, "C:calendar-query", _LISTED)
    new = iter(await _unknown(ctx, sorted(listed, key=_changed, reverse=True)))
    while batch := list(islice(new, 1 if ctx.execution.test_run else _AT_ONCE)):
        for raw, entry in await _read(ctx, calendar, batch):
            yield raw, _id(entry)


async def _unknown(ctx: Context, listed: list[Entry]) -> list[Entry]:
    """What is not known yet. At the first look, which starts nothing, most events need not be read."""
    if ctx.execution.test_run:
        return listed
    ctx.mark_known(_LOOKED)
    known = ctx.known_ids | await ctx.seen([_id(entry) for entry in listed])
    unknown = [entry for entry in listed if _id(entry) not in known]
    if ctx.known_ids:
        return unknown
    for entry in unknown[_AT_ONCE:]:
        ctx.mark_known(_id(entry))
    return unknown[:_AT_ONCE]


async def _read(ctx: Context, calendar: str, batch: list[Entry]) -> list[tuple[Json, Entry]]:
    """The events themselves, in the order of the batch; one that is gone meanwhile is left out."""
    links = "".join(f"<href>{escape(urlsplit(entry.url).path)}</href>" for entry in batch)
    wanted = f"<prop><getetag/><C:calendar-data/></prop>{links}"
    found = {_id(entry): entry for entry in await report(ctx, calendar, "C:calendar-multiget", wanted)}
    texts = [
        (found[_id(entry)].text(f"{CALDAV}calendar-data"), entry) for entry in batch if _id(entry) in found
    ]
    # Reading takes a millisecond or more each; other flows go on meanwhile.
    return await asyncio.to_thread(
        lambda: [(_item(ctx, text, entry), entry) for text, entry in texts if text]
    )


def _item(ctx: Context, text: str, entry: Entry) -> Json:
    return {**read_event(text, ctx.time_zone), "url": entry.url, "etag": entry.text(f"{DAV}getetag")}


def _changed(entry: Entry) -> float:
    """When the server saw the last change; servers that do not tell give their own order."""
    try:
        return parsedate_to_datetime(entry.text(f"{DAV}getlastmodified")).timestamp()
    except (ValueError, TypeError):
        return 0.0


def _id(entry: Entry) -> str:
    """The name of the event in its calendar. It stays when the event changes, and nothing else has it."""
    return unquote(urlsplit(entry.url).path).rstrip("/").rpartition("/")[2]


new_event = polling_trigger(
    key="newEvent",
    name="New event",
    description="Starts when an event is added to a calendar. A series counts once.",
    arguments=[dropdown("calendar", "Calendar", source="listCalendars", required=True)],
    items=items,
    source=["calendar"],
)
