"""The caldav app with servers that are larger or odder than the one at hand."""

import re
from collections.abc import Callable, Sequence
from typing import Any
from xml.sax.saxutils import escape

import httpx
import pytest
from tests.support.app_calls import built_in, built_in_app, context, items_of
from tests.support.bombs.calendar import CALENDARS, DEMONSTRATED
from tests.support.patience import PATIENCE
from tests.support.third_party import Reply, Seen, third_party

from patchbay.domain.base import AppKey
from patchbay.domain.errors import ValidationFailed
from patchbay.integration.context import Context
from patchbay.integration.http_factory import HttpFactory

CALDAV = AppKey("caldav")

EVENT = (
    "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:{}\nSUMMARY:{}\nDTSTART:20260302T090000Z\nEND:VEVENT\nEND:VCALENDAR"
)


def multi_status(*responses: str) -> Reply:
    names = 'xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"'
    return Reply(207, body=f"<multistatus {names}>{''.join(responses)}</multistatus>")


def response(href: str, properties: str, status: str = "HTTP/1.1 200 OK") -> str:
    stat = f"<propstat><prop>{properties}</prop><status>{status}</status></propstat>"
    return f"<response><href>{href}</href>{stat}</response>"


def changed(minute: int) -> str:
    return f"<getlastmodified>Mon, 02 Mar 2026 {minute // 60:02}:{minute % 60:02}:00 GMT</getlastmodified>"


def calendar(events: dict[str, int], texts: dict[str, str] | None = None) -> Callable[[Seen], Reply]:
    """A server with one calendar: names of events and the minute of their last change."""

    def answer(seen: Seen) -> Reply:
        if b"calendar-multiget" not in seen.body:
            return multi_status(*(response(f"/cal/{name}", changed(at)) for name, at in events.items()))
        wanted = re.findall(rb"/cal/([^<]+)", seen.body)
        return multi_status(
            *(response(f"/cal/{name.decode()}", _data(name.decode(), texts)) for name in wanted)
        )

    return answer


def _data(name: str, texts: dict[str, str] | None) -> str:
    return f"<C:calendar-data>{(texts or {}).get(name) or EVENT.format(name, name)}</C:calendar-data>"


async def look(events: dict[str, int], **more: Any) -> list[str]:
    async with third_party(calendar(events)) as server:
        data = {"serverUrl": server.url, "username": "ann", "password": "secret-1234"}
        items = await items_of("caldav", "newEvent", {"calendar": f"{server.url}/cal/"}, data=data, **more)
    return [item.internal_id for item in items if item.starts]


async def test_events_come_in_the_order_of_their_last_change():
    assert await look({"a": 1, "b": 3, "c": 2}) == ["b", "c", "a"]


async def test_new_events_below_changed_ones_are_found():
    events = {f"old-{number}": 1000 + number for number in range(150)} | {"new": 5}

    assert await look(events, known_ids=frozenset(name for name in events if name != "new")) == ["new"]


async def test_in_a_large_calendar_a_deleted_event_brings_no_old_one_back():
    events = {f"event-{number}": min(number, 1439) for number in range(2100)}
    newest = max(events, key=lambda name: events[name])

    async def before(names: Sequence[str]) -> frozenset[str]:
        return frozenset(names) - {newest}

    assert await look(events, known_ids=frozenset({"looked", "deleted"}), find_seen_ids=before) == [newest]


async def test_the_first_look_knows_every_event_and_reads_only_a_few():
    events = {f"event-{number}": number for number in range(300)}
    async with third_party(calendar(events)) as server:
        data = {"serverUrl": server.url, "username": "ann", "password": "secret-1234"}
        items = await items_of("caldav", "newEvent", {"calendar": f"{server.url}/cal/"}, data=data)

    assert {item.internal_id for item in items} == {*events, "looked"}
    assert sum(item.starts for item in items) == 50


async def test_an_event_that_cannot_be_read_is_skipped_under_its_title():
    broken = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:x\nSUMMARY:Odd\nDTSTART:yesterday\nEND:VEVENT\nEND:VCALENDAR"
    async with third_party(calendar({"x": 1, "good": 2}, {"x": broken})) as server:
        data = {"serverUrl": server.url, "username": "ann", "password": "secret-1234"}
        [_, good, skipped] = await items_of(
            "caldav", "newEvent", {"calendar": f"{server.url}/cal/"}, data=data
        )

    assert good.raw["uid"] == "good"
    assert skipped.internal_id == "x"
    assert "“Odd” (x)" in skipped.problem["happened"]


async def test_hostile_events_are_skipped_one_by_one_and_the_others_come():
    chosen = [*DEMONSTRATED, "clocks that change each second", "two starts", "half a surrogate pair"]
    texts = {
        f"bomb-{number}": CALENDARS[name].encode("utf-8", "replace").decode()
        for number, name in enumerate(chosen)
    }
    events = {"first": 0, **{name: 1 + number for number, name in enumerate(texts)}, "last": 1000}

    async with third_party(calendar(events, {name: escape(text) for name, text in texts.items()})) as server:
        data = {"serverUrl": server.url, "username": "ann", "password": "secret-1234"}
        items = await items_of(
            "caldav",
            "newEvent",
            {"calendar": f"{server.url}/cal/"},
            data=data,
            known_ids=frozenset({"looked"}),
        )

    ids = [item.internal_id for item in items if item.starts]
    read = {item.internal_id for item in items if item.starts and item.problem is None}
    assert {"first", "last"} <= read
    assert len(ids) == len(set(ids))
    assert {name for name in set(events) - set(ids) if texts[name].strip()} == set()


@pytest.mark.parametrize("character", ["\x0b", "\0", "&#11;", "&#xD800;", "\ufffe"])
async def test_a_character_that_no_xml_may_hold_stops_nothing(character):
    texts = {"odd": EVENT.format("odd", f"a{character}b")}
    async with third_party(calendar({"odd": 1, "good": 2}, texts)) as server:
        data = {"serverUrl": server.url, "username": "ann", "password": "secret-1234"}
        items = await items_of("caldav", "newEvent", {"calendar": f"{server.url}/cal/"}, data=data)

    assert [item.raw["summary"] for item in items if item.starts] == ["good", "ab"]


@pytest.mark.parametrize("trouble", ["fault", "no XML"])
async def test_an_event_that_the_server_cannot_give_does_not_keep_the_others_away(trouble):
    listing = calendar({"bad": 1, "good": 2, "better": 3})

    def answer(seen: Seen) -> Reply:
        if b"calendar-multiget" in seen.body and b"/cal/bad" in seen.body:
            return Reply(500, body="oops") if trouble == "fault" else multi_status("<response>")
        return listing(seen)

    async with third_party(answer) as server:
        data = {"serverUrl": server.url, "username": "ann", "password": "secret-1234"}
        items = await items_of("caldav", "newEvent", {"calendar": f"{server.url}/cal/"}, data=data)

    starts = [item for item in items if item.starts]
    assert [item.internal_id for item in starts if item.problem is None] == ["better", "good"]
    assert [item.internal_id for item in starts if item.problem] == (["bad"] if trouble == "no XML" else [])


@pytest.fixture
async def verified():
    """Connects to a server with this answer and gives what the app stored."""
    factory = HttpFactory(timeout=PATIENCE)

    async def verify(url: str) -> Context:
        data = {"serverUrl": url, "username": "ann", "password": "secret-1234"}
        ctx = context("caldav", {}, data=data, http_factory=factory)
        auth = built_in_app("caldav").auth
        assert auth is not None
        await auth.verify_credentials(ctx)
        return ctx

    yield verify
    await factory.aclose()


@pytest.mark.parametrize("status", [301, 302, 303, 307])
async def test_the_well_known_address_leads_to_the_calendars(verified, status):
    """RFC 6764: the start page is a page, and the service says where its calendars are."""
    principal = "<current-user-principal><href>/dav/ann/</href></current-user-principal>"
    home = (
        "<displayname>Ann Ott</displayname><C:calendar-home-set><href>/dav/cals/</href></C:calendar-home-set>"
    )

    def answer(seen: Seen) -> Reply:
        if seen.path == "/.well-known/caldav":
            return Reply(status, headers={"Location": "/dav/"})
        if seen.method != "PROPFIND" or not seen.path.startswith("/dav/"):
            return Reply(405, body="<html><title>Welcome</title></html>")
        return multi_status(response(seen.path, principal if seen.path == "/dav/" else home))

    async with third_party(answer) as server:
        ctx = await verified(server.url)

        assert ctx.auth.data["screenName"] == "Ann Ott at 127.0.0.1"
        assert ctx.auth.data["calendarHome"] == f"{server.url}/dav/cals/"


@pytest.mark.parametrize(
    ("home", "accepted"),
    [
        ("https://p01-caldav.example.org/ann/", True),
        ("https://evil.example/ann/", False),
        ("https://evil.example.org/ann/", False),
        ("http://p01-caldav.example.org/ann/", False),
        ("https://p01-caldav.example.org.evil.example/", False),
    ],
)
async def test_calendars_may_be_on_a_sister_of_the_server_only(home, accepted):
    """Asked over a transport: names such as these lead nowhere."""

    def answer(request: httpx.Request) -> httpx.Response:
        asks_for_home = b"calendar-home-set" in request.content
        link = home if asks_for_home else "/ann/"
        name = "C:calendar-home-set" if asks_for_home else "current-user-principal"
        reply = multi_status(response(request.url.path, f"<{name}><href>{link}</href></{name}>"))
        return httpx.Response(207, text=reply.body)

    factory = HttpFactory(transport=httpx.MockTransport(answer))
    data = {"serverUrl": "https://caldav.example.org", "username": "ann", "password": "secret-1234"}
    ctx = context("caldav", {}, data=data, http_factory=factory)

    if accepted:
        assert await built_in().dynamic_data(CALDAV, "listCalendars").load(ctx) == []
    else:
        with pytest.raises(ValidationFailed, match="isn't on the connection's server"):
            await built_in().dynamic_data(CALDAV, "listCalendars").load(ctx)
    await factory.aclose()


async def test_a_step_sends_no_password_to_a_sister_that_the_server_did_not_name():
    data = {"serverUrl": "https://caldav.example.org", "username": "ann", "password": "secret-1234"}

    with pytest.raises(ValidationFailed, match="isn't on the connection's server"):
        await items_of("caldav", "newEvent", {"calendar": "https://evil.example.org/"}, data=data)


async def test_properties_that_a_server_does_not_have_are_passed_over(verified):
    principal = "<current-user-principal><href>/ann/</href></current-user-principal>"
    home = "<C:calendar-home-set><href>/ann/</href></C:calendar-home-set>"
    missing = response("/ann/", "<displayname/>", "HTTP/1.1 404 Not Found")

    def answer(seen: Seen) -> Reply:
        found = principal if seen.path == "" or seen.path == "/" else home
        return multi_status(
            response(seen.path, found).replace("</response>", "") + missing.partition("</href>")[2]
        )

    async with third_party(answer) as server:
        ctx = await verified(server.url)

    assert ctx.auth.data["screenName"] == "ann at 127.0.0.1"
