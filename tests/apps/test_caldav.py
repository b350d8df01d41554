"""The caldav app against a real server, Radicale."""

from collections.abc import AsyncIterator, Iterator
from itertools import count
from typing import Any

import pytest
from tests.support.app_calls import act, items_of
from tests.support.bombs.calendar import DEMONSTRATED
from tests.support.forms import long_form
from tests.support.living_flows import change, open_runtime_with, poll, publish, runs, steps
from tests.support.radicale import PASSWORD, USER, Radicale, radicale
from tests.support.third_party import Reply, third_party
from tests.support.workspace import WorkspaceRuntime

from patchbay.domain.base import AppKey, JsonObject
from patchbay.domain.connections import Connection, ConnectionHealth
from patchbay.domain.errors import ThirdPartyError, ValidationFailed
from patchbay.domain.executions import ExecutionState

_NUMBERS = count(1)
MEETING = ("SUMMARY:Meeting", "DTSTART:20260302T090000Z", "DTEND:20260302T100000Z")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Radicale]:
    with radicale(tmp_path_factory.mktemp("radicale")) as running:
        yield running


@pytest.fixture
def calendar(server: Radicale) -> str:
    """A calendar of the test's own."""
    number = next(_NUMBERS)
    return server.make_calendar(f"calendar-{number}", f"Calendar {number}")


@pytest.fixture
async def runtime(tmp_path) -> AsyncIterator[WorkspaceRuntime]:
    opened = await open_runtime_with(tmp_path, "caldav")
    yield opened
    await opened.close()


def credentials(server: Radicale, password: str = PASSWORD, path: str = "") -> dict[str, Any]:
    return {"serverUrl": server.address + path, "username": USER, "password": password}


async def connect(runtime: WorkspaceRuntime, server: Radicale) -> Connection:
    return await runtime.backend.add_connection(AppKey("caldav"), credentials(server))


async def create(server: Radicale, calendar: str, **values: Any) -> dict[str, Any]:
    parameters = {"calendar": calendar, "summary": "Lunch", "start": "2026-07-01 12:00", **values}
    made = await act("caldav", "createEvent", parameters, data=credentials(server), time_zone="Europe/Berlin")
    assert isinstance(made, dict)
    return made


async def look(server: Radicale, calendar: str, **more: Any) -> list[tuple[str, JsonObject]]:
    items = await items_of("caldav", "newEvent", {"calendar": calendar}, data=credentials(server), **more)
    return [(item.internal_id, item.raw) for item in items if item.starts]


# Connecting


async def test_a_good_password_is_accepted_and_the_connection_named_after_the_person(runtime, server):
    made = await connect(runtime, server)
    tested = await runtime.backend.test_connection(made.id)

    assert made.screen_name == f"{USER} at 127.0.0.1"
    assert tested.health is ConnectionHealth.VALID


async def test_a_bad_password_is_refused_and_leaves_nothing_behind(runtime, server):
    with pytest.raises(ThirdPartyError) as refused:
        await runtime.backend.add_connection("caldav", credentials(server, "bad-password"))

    assert refused.value.status == 401
    assert await runtime.backend.list_connections() == ()


async def test_a_password_changed_at_the_server_is_noticed(runtime, server, tmp_path_factory):
    with radicale(tmp_path_factory.mktemp("changing")) as other:
        made = await connect(runtime, other)
        other.set_password("another-password")

        tested = await runtime.backend.test_connection(made.id)

    assert tested.health is ConnectionHealth.NEEDS_ATTENTION
    assert "401" in (tested.reason or "")


async def test_an_address_below_the_servers_own_is_found_too(runtime, server):
    made = await runtime.backend.add_connection("caldav", credentials(server, path=f"/{USER}/"))

    assert made.verified


async def test_a_server_that_speaks_no_caldav_is_reported(runtime):
    async with third_party(Reply(body="<html><title>Welcome</title></html>")) as page:
        values = {"serverUrl": page.url, "username": USER, "password": PASSWORD}
        with pytest.raises(ValidationFailed, match="no CalDAV server at this address"):
            await runtime.backend.add_connection("caldav", values)


async def test_an_answer_that_blows_up_when_entities_are_expanded_is_refused(runtime):
    bomb = '<!DOCTYPE a [<!ENTITY b "boom"><!ENTITY c "&b;&b;&b;">]><a>&c;</a>'
    async with third_party(Reply(status=207, body=bomb)) as hostile:
        values = {"serverUrl": hostile.url, "username": USER, "password": PASSWORD}
        with pytest.raises(ValidationFailed, match="no CalDAV server at this address"):
            await runtime.backend.add_connection("caldav", values)


# Choosing a calendar


async def test_calendars_are_offered_by_name_but_not_lists_of_tasks(runtime, server, calendar):
    server.make_calendar("tasks", "Tasks", holds="VTODO")
    connection = await connect(runtime, server)
    flow = await runtime.flow(change("caldav", "newEvent", connection.id))

    options = await runtime.backend.dynamic_options(flow.steps[0].id, "listCalendars", {})

    labels = {option.value: option.label for option in options}
    assert labels[calendar].startswith("Calendar ")
    assert "Tasks" not in labels.values()


@pytest.mark.parametrize("elsewhere", ["https://evil.example/cal/", "http://127.0.0.1:1/ann/cal/"])
async def test_the_password_goes_to_no_other_server(server, elsewhere):
    with pytest.raises(ValidationFailed, match="isn't on the connection's server"):
        await look(server, elsewhere)
    with pytest.raises(ValidationFailed, match="isn't on the connection's server"):
        await create(server, elsewhere)


# New event → create event, run by the engine


@long_form
async def test_a_new_event_starts_a_flow_that_creates_one_in_another_calendar(runtime, server, calendar):
    copies = server.make_calendar("copies", "Copies")
    server.put(calendar, "old", *MEETING)
    connection = await connect(runtime, server)
    await publish(
        runtime,
        change("caldav", "newEvent", connection.id, calendar=calendar),
        change(
            "caldav",
            "createEvent",
            connection.id,
            calendar=copies,
            summary="Prepare: {{step.{trigger}.summary}}",
            start="{{step.{trigger}.start}}",
            end="{{step.{trigger}.end}}",
            timeZone="Europe/Berlin",
        ),
    )

    server.put(calendar, "new", *MEETING[1:], "SUMMARY:Board\\, with guests")
    await poll(runtime)
    [execution] = await runs(runtime, 1)

    assert execution.state is ExecutionState.SUCCESS
    trigger, action = await steps(runtime, execution)
    assert (trigger.data_out["uid"], trigger.data_out["start"]) == ("new", "2026-03-02T09:00:00+00:00")
    stored = server.get(action.data_out["url"])
    assert "SUMMARY:Prepare: Board\\, with guests" in stored
    assert "DTSTART;TZID=Europe/Berlin:20260302T100000" in stored


@long_form
async def test_changed_and_deleted_events_start_nothing(runtime, server, calendar):
    server.put(calendar, "one", *MEETING)
    server.put(calendar, "two", *MEETING)
    connection = await connect(runtime, server)
    await publish(
        runtime, change("caldav", "newEvent", connection.id, calendar=calendar), change("tools", "pass")
    )

    server.put(calendar, "one", "SUMMARY:Moved", *MEETING[1:])
    server.client.delete(f"{calendar}two.ics")
    await poll(runtime)
    server.put(calendar, "three", *MEETING)
    await poll(runtime)
    found = await runs(runtime, 1)

    assert len(found) == 1
    assert (await steps(runtime, found[0]))[0].data_out["uid"] == "three"


# What is read


async def test_events_come_newest_change_first_and_known_ones_are_left_out(server, calendar):
    for name in ("a", "b", "c"):
        server.put(calendar, name, *MEETING)

    every = await look(server, calendar)
    fresh = await look(server, calendar, known_ids=frozenset({"c.ics", "a.ics"}))
    shown = await look(server, calendar, test=True, known_ids=frozenset({"a.ics", "b.ics", "c.ics"}))

    assert sorted(name for name, _ in every) == ["a.ics", "b.ics", "c.ics"]
    assert [name for name, _ in fresh] == ["b.ics"]
    assert len(shown) == 1


async def test_an_event_is_described_in_plain_text(server, calendar):
    server.put(
        calendar,
        "full",
        *MEETING[1:],
        "SUMMARY:Lunch\\, late",
        "LOCATION:Canteen",
        "DESCRIPTION:Bring\\ncups",
        "RRULE:FREQ=WEEKLY;COUNT=3",
        "ORGANIZER;CN=Ann:mailto:ann@example.org",
        "ATTENDEE;CN=Bob:mailto:bob@example.org",
        "ATTENDEE:mailto:eve@example.org",
        "CATEGORIES:Food,Team",
    )

    [(_, found)] = await look(server, calendar)
    event: Any = found

    assert {key: event[key] for key in ("summary", "location", "description", "allDay", "recurrence")} == {
        "summary": "Lunch, late",
        "location": "Canteen",
        "description": "Bring\ncups",
        "allDay": False,
        "recurrence": "FREQ=WEEKLY;COUNT=3",
    }
    assert event["organizer"] == {"email": "ann@example.org", "name": "Ann"}
    assert [person["email"] for person in event["attendees"]] == ["bob@example.org", "eve@example.org"]
    assert event["categories"] == ["Food", "Team"]
    assert (event["url"], bool(event["etag"])) == (f"{calendar}full.ics", True)


@pytest.mark.parametrize(
    ("lines", "start", "end", "zone"),
    [
        (("DTSTART;VALUE=DATE:20260302", "DTEND;VALUE=DATE:20260304"), "2026-03-02", "2026-03-03", None),
        (("DTSTART;VALUE=DATE:20260302",), "2026-03-02", "2026-03-02", None),
        (
            ("DTSTART:20260302T090000", "DURATION:PT90M"),
            "2026-03-02T09:00:00+01:00",
            "2026-03-02T10:30:00+01:00",
            "Europe/Berlin",
        ),
        (
            ("DTSTART;TZID=America/New_York:20260702T090000", "DTEND;TZID=America/New_York:20260702T100000"),
            "2026-07-02T09:00:00-04:00",
            "2026-07-02T10:00:00-04:00",
            "America/New_York",
        ),
    ],
)
async def test_times_are_returned_with_their_zone(server, calendar, lines, start, end, zone):
    server.put(calendar, "timed", "SUMMARY:Timed", *lines)

    [(_, event)] = await look(server, calendar, time_zone="Europe/Berlin")

    assert (event["start"], event["end"], event["timeZone"]) == (start, end, zone)
    assert event["allDay"] is (zone is None)


# What is written


async def test_an_event_without_an_end_takes_an_hour_in_the_workspaces_zone(server, calendar):
    made = await create(server, calendar, location="Canteen", description="Bring\ncups")

    assert (made["start"], made["end"]) == ("2026-07-01T12:00:00+02:00", "2026-07-01T13:00:00+02:00")
    stored = server.get(str(made["url"]))
    assert "BEGIN:VTIMEZONE" in stored
    assert "DTSTART;TZID=Europe/Berlin:20260701T120000" in stored
    assert "LOCATION:Canteen" in stored


async def test_an_event_of_whole_days_includes_its_last_day(server, calendar):
    made = await create(server, calendar, allDay=True, start="2026-07-01", end="2026-07-03")

    assert (made["start"], made["end"], made["allDay"]) == ("2026-07-01", "2026-07-03", True)
    assert "DTEND;VALUE=DATE:20260704" in server.get(str(made["url"]))


async def test_a_time_with_an_offset_is_written_in_the_zone_asked_for(server, calendar):
    made = await create(server, calendar, start="2026-07-01T10:00:00Z", timeZone="America/New_York")

    assert (made["start"], made["timeZone"]) == ("2026-07-01T06:00:00-04:00", "America/New_York")


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"start": "soon"}, "start"),
        ({"end": "2026-07-01 11:00"}, "end"),
        ({"timeZone": "Mars/Olympus"}, "timeZone"),
    ],
)
async def test_values_that_make_no_event_are_reported_at_their_field(server, calendar, values, field):
    with pytest.raises(ValidationFailed) as refused:
        await create(server, calendar, **values)

    assert list(refused.value.by_field) == [field]


async def test_a_step_that_is_repeated_after_a_crash_makes_no_second_event(server, calendar):
    parameters = {"calendar": calendar, "summary": "Once", "start": "2026-07-01 12:00"}
    given = {"data": credentials(server), "idempotency_key": "execution-1:2"}

    first = await act("caldav", "createEvent", parameters, **given)
    second = await act("caldav", "createEvent", parameters, **given)

    assert first["url"] == second["url"]
    assert len(await look(server, calendar)) == 1


async def test_a_calendar_that_is_gone_is_reported_in_the_servers_words(server):
    with pytest.raises(ThirdPartyError) as refused:
        await create(server, f"{server.address}/{USER}/gone/")

    assert refused.value.status in (404, 409)


async def test_every_event_around_a_hostile_one_starts_the_flow_and_that_is_shown_once(
    runtime, server, calendar
):
    account = await connect(runtime, server)
    new_event = change("caldav", "newEvent", account.id, calendar=calendar)
    await publish(runtime, new_event, change("tools", "pass", text="{{step.{trigger}.summary}}"))
    server.put(calendar, "before", *MEETING[1:], "SUMMARY:Before")
    server.put(calendar, "bomb", "SUMMARY:Bomb", *DEMONSTRATED["TZID of 300 characters"])
    server.put(calendar, "after", *MEETING[1:], "SUMMARY:After")

    await poll(runtime)
    await poll(runtime)

    found = await runs(runtime, 3)
    assert len(found) == 3
    [skipped] = [one for one in found if one.state is ExecutionState.FAILURE]
    error = (await steps(runtime, skipped))[0].error_details
    assert (error["kind"], error["item"]) == ("ItemSkipped", {"id": "bomb.ics", "name": "Bomb"})
    told = [(await steps(runtime, one))[0].data_out for one in found if one is not skipped]
    assert {item["summary"] for item in told} == {"Before", "After"}
    server.put(calendar, "later", *MEETING[1:], "SUMMARY:Later")
    await poll(runtime)
    assert (await steps(runtime, (await runs(runtime, 4))[0]))[0].data_out["summary"] == "Later"
