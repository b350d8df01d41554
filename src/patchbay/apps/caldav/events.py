"""Calendar events: parsed for steps and encoded for servers (RFC 5545, with `icalendar`)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from patchbay.domain.base import JsonObject
from patchbay.domain.errors import ValidationFailed
from patchbay.integration.values import parameter_error, parse_time_zone

if TYPE_CHECKING:
    from icalendar import Component

MAX_TEXT_LENGTH = 2 * 1024 * 1024
"""Max. characters of one calendar object."""
_TITLE_SEARCH_LENGTH = 20_000
_SUMMARY = re.compile(r"^SUMMARY(?:;[^:\n]{0,200})?:([^\n]{0,150})", re.MULTILINE | re.IGNORECASE)
_FOLD = re.compile(r"\r?\n[ \t]")
_FREQUENT_RULE = re.compile(r"FREQ=(?!YEARLY|MONTHLY)|BY(?:SECOND|MINUTE|HOUR)=")
_TEXTS = ("summary", "description", "location", "status", "url")
_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)


@dataclass(frozen=True)
class NewEvent:
    """An event to create. All-day events have dates, and `end` is their last day."""

    uid: str
    summary: str
    start: datetime | date
    end: datetime | date | None
    description: str = ""
    location: str = ""


def read_events(texts: list[str], time_zone: str) -> list[JsonObject]:
    """Parse calendar objects. Each result has the `event`, or in `unreadable` why it can't be read.

    Called in a worker process, because anyone can send an invitation.
    """
    found: list[JsonObject] = []
    for text in texts:
        try:
            found.append({"event": read_event(text, time_zone)})
        except ValidationFailed as error:
            found.append({"unreadable": error.happened})
    return found


def read_event(text: str, time_zone: str) -> JsonObject:
    """The event of a calendar object; for a series, its first. Raises `ValidationFailed`."""
    from icalendar import Calendar
    from icalendar.timezone import tzp

    _require_sane_size(text)
    # The library caches time zones by name, and another event may define the same name differently.
    tzp.use_default()
    try:
        events = Calendar.from_ical(text).walk("VEVENT")
        main = next((event for event in events if "RECURRENCE-ID" not in event), None) or events[0]
        return describe(main, time_zone)
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, OSError, RecursionError):
        raise parameter_error("event", "It isn't a valid calendar entry.") from None


def find_title(text: str) -> str:
    """The title of an event, without parsing all of it; empty if it has none."""
    found = _SUMMARY.search(text[:_TITLE_SEARCH_LENGTH])
    return found[1].strip() if found else ""


def _require_sane_size(text: str) -> None:
    """Raise `ValidationFailed` for too large objects, and time zones that change more than once a month."""
    if len(text) > MAX_TEXT_LENGTH:
        raise parameter_error("event", f"It is larger than {MAX_TEXT_LENGTH // 1024**2} MB.")
    unfolded = _FOLD.sub("", text).upper()
    place = 0
    while (begin := unfolded.find("BEGIN:VTIMEZONE", place)) >= 0:
        end = unfolded.find("END:VTIMEZONE", begin)
        place = len(unfolded) if end < 0 else end
        if _FREQUENT_RULE.search(unfolded, begin, place):
            raise parameter_error("event", "Its time zone changes more than once a month.")


def describe(event: Component, time_zone: str) -> JsonObject:
    """The event as text and ISO times. Times without a zone are in `time_zone`."""
    start = event.decoded("DTSTART")
    end = event.decoded("DTEND", None) or _after(start, event.decoded("DURATION", None))
    whole_days = not isinstance(start, datetime)
    zone_name = event["DTSTART"].params.get("TZID")
    rule: Any = event.get("RRULE")
    texts: JsonObject = {key: str(event.get(key.upper(), "")) for key in _TEXTS}
    return {
        "uid": str(event.get("UID", "")),
        **texts,
        "allDay": whole_days,
        "start": _iso(start, time_zone),
        "end": _iso(end - _DAY if whole_days and end > start else end, time_zone),
        "timeZone": None if whole_days else str(zone_name or (start.tzinfo and "UTC") or time_zone),
        "recurrence": None if rule is None else str(rule.to_ical(), "utf-8"),
        "organizer": _address(event["ORGANIZER"]) if "ORGANIZER" in event else None,
        "attendees": [_address(item) for item in _as_list(event.get("ATTENDEE"))],
        "categories": [str(name) for item in _as_list(event.get("CATEGORIES")) for name in item.cats],
        "created": _date_property(event, "CREATED", time_zone),
        "lastModified": _date_property(event, "LAST-MODIFIED", time_zone),
    }


def encode_event(new: NewEvent, now: datetime) -> tuple[Component, bytes]:
    """The event, and its calendar object with the definition of its time zone."""
    from icalendar import Calendar, Event

    event = Event()
    event.add("uid", new.uid)
    event.add("dtstamp", now.astimezone(UTC))
    event.add("created", now.astimezone(UTC))
    event.add("dtstart", new.start)
    # Calendars store the time after the event. Without an end, it lasts an hour, or a day.
    if isinstance(new.start, datetime):
        event.add("dtend", new.end or new.start + _HOUR)
    else:
        event.add("dtend", (new.end or new.start) + _DAY)
    for name, text in (
        ("summary", new.summary),
        ("description", new.description),
        ("location", new.location),
    ):
        if text:
            event.add(name, text)
    calendar = Calendar()
    calendar.add("prodid", "-//Patchbay//Patchbay//EN")
    calendar.add("version", "2.0")
    calendar.add_component(event)
    calendar.add_missing_timezones()
    return event, calendar.to_ical()


def _after(start: Any, duration: timedelta | None) -> Any:
    if duration is not None:
        return start + duration
    return start if isinstance(start, datetime) or start == date.max else start + _DAY


def _iso(value: datetime | date, time_zone: str) -> str:
    if isinstance(value, datetime) and value.tzinfo is None:
        value = value.replace(tzinfo=parse_time_zone(time_zone))
    return value.isoformat()


def _date_property(event: Component, name: str, time_zone: str) -> str | None:
    return _iso(event.decoded(name), time_zone) if name in event else None


def _address(value: Any) -> JsonObject:
    """The email address and name of a person in a calendar."""
    mail = str(value).removeprefix("mailto:").removeprefix("MAILTO:")
    return {"email": mail, "name": str(value.params.get("CN", "")) or None}


def _as_list(value: Any) -> list[Any]:
    return [] if value is None else value if isinstance(value, list) else [value]
