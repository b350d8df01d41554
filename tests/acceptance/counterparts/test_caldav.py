"""CalDAV with Radicale, from PyPI: a new event in one calendar creates an event in another."""

from collections.abc import Iterator
from typing import NamedTuple

import pytest
from tests.support import flow_files as files
from tests.support.radicale import PASSWORD, USER, Radicale, radicale
from tests.support.served_app_tests import ServedAppTests, changed

pytestmark = pytest.mark.acceptance


class Calendars(NamedTuple):
    """The server, and the addresses of two calendars of the user."""

    radicale: Radicale
    meetings: str
    travel: str


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Calendars]:
    with radicale(tmp_path_factory.mktemp("radicale")) as running:
        meetings, travel = (running.make_calendar(name, name.title()) for name in ("meetings", "travel"))
        yield Calendars(running, meetings, travel)


class TestCalDav(ServedAppTests):
    app = "caldav"
    screen_name = f"{USER} at 127.0.0.1"
    rejection = "401"
    bad = {"password": "planted-wrong-5512"}

    def fields(self, server):
        return {"serverUrl": server.radicale.address, "username": USER}

    def good(self, server):
        return {"password": PASSWORD}

    def withdrawn(self, server):
        return changed(server.radicale.set_password, "another-one-1", PASSWORD)

    def trigger(self, server):
        return files.step("caldav", "newEvent", calendar=server.meetings)

    def action(self, server):
        return files.step(
            "caldav",
            "createEvent",
            calendar=server.travel,
            summary="Train to {{step.#1.location}}",
            start="2026-03-02 07:00",
            timeZone="Europe/Berlin",
        )

    def happen(self, server):
        event = ("SUMMARY:Meeting", "LOCATION:Köln", "DTSTART:20260302T090000Z", "DTEND:20260302T100000Z")
        server.radicale.put(server.meetings, "meeting", *event)

    def check_effect(self, server, trigger, action):
        stored = server.radicale.get(action["url"])
        assert trigger["summary"] == "Meeting"
        assert action["url"].startswith(server.travel)
        assert "SUMMARY:Train to Köln" in stored
        assert "DTSTART;TZID=Europe/Berlin:20260302T070000" in stored
