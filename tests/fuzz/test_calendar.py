"""Reading calendars and answers of CalDAV servers: bounded in time and memory, and without odd errors."""

import json
from contextlib import suppress
from email.utils import format_datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.bombs.calendar import ANSWERS, CALENDARS, DEMONSTRATED, START, calendar, in_zone
from tests.support.bounded import bounded
from tests.support.forms import in_forms
from tests.support.fuzzing import fuzz

from patchbay.apps.caldav.dav import Entry
from patchbay.apps.caldav.events import find_title, read_event, read_events
from patchbay.apps.caldav.triggers.new_event import _changed_at
from patchbay.domain.errors import ValidationFailed
from patchbay.integration.multi_status import read_multi_status


def read(text: str) -> int:
    return len(json.dumps(read_events([text], "Europe/Berlin"))) + len(find_title(text))


LARGE_CALENDARS = {
    "100,000 categories",
    "20,000 attendees",
    "20,000 dates",
    "20,000 open events",
    "5,000 events",
    "ends only",
    "line of 2 MB",
    "open zone",
}


@pytest.mark.parametrize("large", in_forms([False, True], short=[False]))
def test_no_calendar_takes_long_or_stops_the_reader(large):
    cases = {name: (text,) for name, text in CALENDARS.items() if (name in LARGE_CALENDARS) == large}

    assert bounded(read, cases, seconds=4)


def test_no_answer_of_a_server_takes_long_or_stops_the_reader():
    bounded(read_multi_status, {name: (content,) for name, content in ANSWERS.items()}, seconds=4)


def test_all_day_on_the_last_day_there_is_can_be_read():
    event = read_event(calendar(*DEMONSTRATED["all day on the last day there is"]), "UTC")

    assert (event["start"], event["end"]) == ("9999-12-31", "9999-12-31")


def test_the_time_zone_of_one_event_means_nothing_in_another_one():
    zone = in_zone("RRULE:FREQ=YEARLY;BYMONTH=3")
    other = zone.replace("+0200", "+0900").replace("+0100", "+0900")

    first = read_event(zone, "UTC")
    second = read_event(other, "UTC")

    assert str(second["start"]).endswith("+09:00")
    assert first["start"] != second["start"]


@fuzz(120)
@given(
    st.lists(
        st.sampled_from(
            [
                "DTSTART",
                "DTEND",
                "DURATION",
                "RRULE",
                "UID",
                "ATTENDEE",
                "ORGANIZER",
                "CATEGORIES",
                ";TZID=",
                ";VALUE=DATE",
                ";VALUE=PERIOD",
                "Europe/Berlin",
                ":",
                "P",
                "T",
                "Z",
                "20260302",
                "T090000",
                "FREQ=DAILY",
                "CREATED",
                ";",
                ",",
                "=",
                '"',
                "\r\n",
                "BEGIN:VEVENT",
                "END:VEVENT",
                "BEGIN:VALARM",
                "END:VALARM",
                START,
                "9999",
                "-",
                "mailto:",
            ]
        )
        | st.text(max_size=4),
        max_size=30,
    )
)
def test_no_mixture_of_the_marks_of_an_event_stops_the_reader(pieces):
    text = calendar("".join(pieces))

    assert read(text)
    with suppress(ValidationFailed):
        json.dumps(read_event(text, "UTC"))


@fuzz(60)
@given(st.text(max_size=60) | st.datetimes().map(format_datetime))
def test_no_date_of_a_change_stops_the_trigger(text):
    properties: dict[str, Any] = {"{DAV:}getlastmodified": {"text": text, "href": "", "children": []}}

    assert isinstance(_changed_at(Entry("http://a", properties)), float)


@pytest.mark.parametrize("link", ["http://[", "http://a]b/", "//[::1", "\0", "http://a:99999999/"])
def test_no_link_stops_the_reader(link):
    assert isinstance(Entry("http://a/", {"x": {"text": "", "href": link, "children": []}}).link("x"), str)
