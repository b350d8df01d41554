"""Filter, delay, datastore, webhook and scheduler: apps without a third party."""

from typing import Any

import pytest
from tests.support.app_calls import NOON, act, built_in_action, built_in_trigger, context, items_of
from tests.support.forms import long_form

from patchbay.domain.errors import NotSupported, ValidationFailed
from patchbay.domain.ports import WebhookRequest
from patchbay.engine.cron import parse_schedule
from patchbay.integration.context import ExitRun, InMemoryDatastore, Park

HOUR = 3_600_000
DAY = 24 * HOUR


def condition(key: object, operator: str, value: object) -> dict:
    return {"key": key, "operator": operator, "value": value}


def any_of(*groups: list[dict]) -> dict:
    return {"or": [{"and": group} for group in groups]}


@pytest.mark.parametrize(
    ("key", "operator", "value", "holds"),
    [
        ("a", "equal", "a", True),
        ("a", "equal", "A", False),
        ("1", "equal", "1.0", False),
        (1, "equal", "1", True),
        (None, "equal", "", True),
        (True, "equal", "true", True),
        ({"a": 1}, "equal", '{"a":1}', True),
        ("a", "not_equal", "b", True),
        ("a", "not_equal", "a", False),
        ("10", "greater_than", "9", True),
        ("9", "greater_than", "9", False),
        ("b", "greater_than", "a", False),
        ("", "greater_than", "-1", False),
        ("-1.5", "less_than", "0", True),
        (" 2 ", "less_than", "3", True),
        ("2", "greater_than_or_equal", "2.0", True),
        ("1", "greater_than_or_equal", "2", False),
        ("2", "less_than_or_equal", "2", True),
        ("3", "less_than_or_equal", "2", False),
        ("hello", "contains", "ell", True),
        ("hello", "contains", "ELL", False),
        ("x", "contains", "", True),
        ("hello", "not_contains", "z", True),
        ("hello", "not_contains", "h", False),
    ],
)
async def test_every_comparison(key, operator, value, holds):
    parameters = any_of([condition(key, operator, value)])

    if holds:
        assert await act("filter", "continueIfMatches", parameters) == parameters
    else:
        with pytest.raises(ExitRun):
            await act("filter", "continueIfMatches", parameters)


async def test_a_pattern_is_evaluated_in_a_worker_process():
    parameters = any_of([condition("INV-42", "matches_pattern", r"^INV-\d+$"), condition("a", "equal", "a")])

    assert await act("filter", "continueIfMatches", parameters) == parameters
    with pytest.raises(NotSupported, match="worker"):
        await act("filter", "continueIfMatches", parameters, workers=None)


@long_form
async def test_a_pattern_that_takes_too_long_is_reported_at_the_conditions():
    parameters = any_of([condition("a" * 40 + "!", "matches_pattern", "^(a|a)+$")])

    with pytest.raises(ValidationFailed, match="more than 1 second") as caught:
        await act("filter", "continueIfMatches", parameters)
    assert list(caught.value.by_field) == ["or"]


async def test_dates_are_compared_with_the_time_of_the_run():
    parameters = any_of([condition("2026-03-01T13:00:00Z", "in_last", "1 day")])

    assert await act("filter", "continueIfMatches", parameters, now=NOON) == parameters
    with pytest.raises(ExitRun, match="“2026-03-01T13:00:00Z” is in the last “1 day”"):
        await act("filter", "continueIfMatches", parameters, now=NOON + 2 * HOUR)


async def test_one_group_is_enough_but_needs_all_its_conditions():
    yes, no = condition("a", "equal", "a"), condition("7", "greater_than", "10")

    assert await act("filter", "continueIfMatches", any_of([yes, no], [yes], [])) == any_of([yes], [yes])
    assert await act("filter", "continueIfMatches", any_of([no], [yes])) == any_of([yes])
    with pytest.raises(ExitRun, match="“7” is greater than “10”"):
        await act("filter", "continueIfMatches", any_of([yes, no]))
    with pytest.raises(ExitRun, match=r"\(and 1 more\)"):
        await act("filter", "continueIfMatches", any_of([no], [no]))


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"or": []},
        {"or": [{"and": []}]},
        {"or": "x"},
        {"or": [1]},
        {"or": [{"and": [{"operator": "like"}]}]},
    ],
)
async def test_a_filter_without_a_usable_condition_is_reported(parameters):
    with pytest.raises(ValidationFailed) as caught:
        await act("filter", "continueIfMatches", parameters)

    assert list(caught.value.by_field) == ["or"]


async def parked(action: str, parameters: dict, **more: Any) -> tuple[int, Any]:
    ctx = context("delay", parameters, **more)
    with pytest.raises(Park) as caught:
        await built_in_action("delay", action).run(ctx)
    return caught.value.until, ctx.action_output


@pytest.mark.parametrize(
    ("value", "unit", "length"),
    [
        ("5", "seconds", 5_000),
        ("0.5", "seconds", 500),
        ("5", "minutes", HOUR // 12),
        ("1.5", "hours", 3 * HOUR // 2),
        (2, "days", 2 * DAY),
        ("1", "weeks", 7 * DAY),
        ("0", "minutes", 0),
    ],
)
async def test_delay_for_waits_from_now(value, unit, length):
    until, output = await parked("delayFor", {"delayForUnit": unit, "delayForValue": value})

    assert until == NOON + length
    assert output["delayForUnit"] == unit
    assert output["until"].startswith("2026-03-")


@pytest.mark.parametrize(
    ("value", "unit"), [("soon", "days"), ("-1", "days"), ("1e99", "weeks"), ("1", "years"), ("", "days")]
)
async def test_an_invalid_delay_is_reported(value, unit):
    with pytest.raises(ValidationFailed):
        await act("delay", "delayFor", {"delayForUnit": unit, "delayForValue": value})


async def test_delay_until_a_date_in_the_zone_of_the_workspace():
    until, output = await parked("delayUntil", {"delayUntil": "2026-03-03 09:00"}, time_zone="Europe/Berlin")

    assert until == NOON + 20 * HOUR
    assert output == {"delayUntil": "2026-03-03 09:00", "until": "2026-03-03T09:00:00+01:00", "passed": False}


async def test_a_date_that_has_passed_is_not_waited_for():
    output = await act("delay", "delayUntil", {"delayUntil": "2020-01-01"})

    assert output["passed"] is True


async def test_an_invalid_date_is_reported():
    with pytest.raises(ValidationFailed, match="“whenever” isn't a date"):
        await act("delay", "delayUntil", {"delayUntil": "whenever"})


async def test_values_last_between_runs():
    store = InMemoryDatastore()

    written = await act("datastore", "setValue", {"key": " count ", "value": "7"}, datastore=store)
    read = await act("datastore", "getValue", {"key": "count"}, datastore=store)
    missing = await act("datastore", "getValue", {"key": "other"}, datastore=store)

    assert written == read == {"key": "count", "value": "7", "count": "7"}
    assert missing == {"key": "other", "value": None, "other": None}


@pytest.mark.parametrize("key", ["", "  ", None, "k" * 256])
async def test_a_value_needs_a_key(key):
    with pytest.raises(ValidationFailed):
        await act("datastore", "setValue", {"key": key, "value": "7"})


async def test_a_key_named_value_does_not_hide_the_value():
    store = InMemoryDatastore()

    assert await act("datastore", "setValue", {"key": "key", "value": "7"}, datastore=store) == {
        "key": "key",
        "value": "7",
    }


REQUEST = WebhookRequest(
    method="POST",
    headers={"Content-Type": "application/json", "Authorization": "Bearer abc", "X-Order": "7"},
    query={"a": "1"},
    body={"id": 5},
)


async def test_a_webhook_gives_headers_body_and_query_without_the_callers_credentials():
    (item,) = await items_of("webhook", "catchRawWebhook", {}, request=REQUEST)

    assert item.raw == {
        "headers": {"content-type": "application/json", "authorization": "•••", "x-order": "7"},
        "body": {"id": 5},
        "query": {"a": "1"},
    }


async def test_each_delivery_is_an_event_of_its_own():
    (one,) = await items_of("webhook", "catchRawWebhook", {}, request=REQUEST)
    (other,) = await items_of("webhook", "catchRawWebhook", {}, request=REQUEST)

    assert one.internal_id != other.internal_id


async def test_testing_a_webhook_that_was_never_called_returns_nothing():
    assert await items_of("webhook", "catchRawWebhook", {}, test=True) == []


async def test_respond_with_settles_the_answer_and_lets_the_run_continue():
    headers = [{"key": "X-A", "value": "1"}, {"key": "", "value": "dropped"}]
    ctx = context("webhook", {"statusCode": "201", "headers": headers, "body": '{"ok":true}'})

    await built_in_action("webhook", "respondWith").run(ctx)

    assert ctx.answer.model_dump() == {
        "status": 201,
        "headers": {"X-A": "1"},
        "body": '{"ok":true}',
    }
    assert ctx.action_output == {"statusCode": 201, "headers": {"X-A": "1"}, "body": '{"ok":true}'}


@pytest.mark.parametrize("code", ["99", "600", "abc", "200.5"])
async def test_an_invalid_status_is_reported(code):
    with pytest.raises(ValidationFailed):
        await act("webhook", "respondWith", {"statusCode": code, "body": ""})


async def test_the_status_is_200_when_none_is_given():
    assert (await act("webhook", "respondWith", {"body": "x"}))["statusCode"] == 200


@pytest.mark.parametrize(
    ("trigger", "parameters", "line"),
    [
        ("everyNMinutes", {"interval": 5, "triggersOnWeekend": True}, "*/5 * * * *"),
        ("everyNMinutes", {"interval": "59", "triggersOnWeekend": "false"}, "*/59 * * * 1-5"),
        ("everyHour", {"triggersOnWeekend": False}, "0 * * * 1-5"),
        ("everyHour", {}, "0 * * * *"),
        ("everyDay", {"hour": 0, "triggersOnWeekend": False}, "0 0 * * 1-5"),
        ("everyDay", {"hour": "23"}, "0 23 * * *"),
        ("everyWeek", {"weekday": 0, "hour": 8}, "0 8 * * 0"),
        ("everyMonth", {"day": 31, "hour": 8}, "0 8 31 * *"),
        ("everyHour", {"minute": 15}, "15 * * * *"),
        ("everyHour", {"minute": "0", "triggersOnWeekend": False}, "0 * * * 1-5"),
        ("everyNHours", {"interval": 6}, "0 */6 * * *"),
        ("everyNHours", {"interval": "23", "minute": 30, "triggersOnWeekend": False}, "30 */23 * * 1-5"),
        ("everyNDays", {"interval": "3", "firstDay": "2026-03-31", "times": "9"}, "0 9 2026-03-31/3 * *"),
        ("atTimes", {"times": "09:00, 17:00", "days": "1-5"}, "0 9,17 * * 1-5"),
        ("atTimes", {"times": "17:30;9:00 ,09:00\n12.30"}, "0 9 * * *\n30 12,17 * * *"),
        ("atTimes", {"times": "00:00", "days": 0}, "0 0 * * 0"),
        ("onDayOfMonth", {"day": "L", "times": "23:59"}, "59 23 L * *"),
        ("onDayOfMonth", {"day": "LW", "times": "8:00, 8:30"}, "0 8 LW * *\n30 8 LW * *"),
        ("onDayOfMonth", {"day": "1W", "times": "8:00"}, "0 8 1W * *"),
        ("onDayOfMonth", {"day": 15, "times": "8:00"}, "0 8 15 * *"),
        ("cronLine", {"cron": " 0 9 * * 5#2 "}, "0 9 * * 5#2"),
    ],
)
def test_schedules_as_cron_lines(trigger, parameters, line):
    cron = built_in_trigger("scheduler", trigger).cron(parameters)

    assert cron == line
    assert parse_schedule(cron)


@pytest.mark.parametrize(
    ("trigger", "parameters", "field"),
    [
        ("everyNMinutes", {}, "interval"),
        ("everyNMinutes", {"interval": 0}, "interval"),
        ("everyNMinutes", {"interval": 60}, "interval"),
        ("everyDay", {"hour": 24}, "hour"),
        ("everyDay", {"hour": "8.5"}, "hour"),
        ("everyWeek", {"weekday": 7, "hour": 1}, "weekday"),
        ("everyMonth", {"day": 0, "hour": 1}, "day"),
        ("everyHour", {"minute": 60}, "minute"),
        ("everyNHours", {"interval": 24}, "interval"),
        ("everyNHours", {"interval": 2, "minute": "x"}, "minute"),
        ("everyNDays", {"interval": 0, "firstDay": "2026-03-31", "times": "9:00"}, "interval"),
        ("everyNDays", {"interval": 2, "firstDay": "", "times": "9:00"}, "firstDay"),
        ("everyNDays", {"interval": 2, "firstDay": "31.3.2026", "times": "9:00"}, "firstDay"),
        ("everyNDays", {"interval": 2, "firstDay": "2026-02-30", "times": "9:00"}, "firstDay"),
        ("everyNDays", {"interval": 2, "firstDay": "2026-03-31", "times": "24:00"}, "times"),
        ("atTimes", {"times": " , ", "days": "*"}, "times"),
        ("atTimes", {"times": "9:00, soon", "days": "*"}, "times"),
        ("atTimes", {"times": "9:60", "days": "*"}, "times"),
        ("atTimes", {"times": ",".join(["9:00"] * 49), "days": "*"}, "times"),
        ("atTimes", {"times": "9:00", "days": "7"}, "days"),
        ("onDayOfMonth", {"day": "32", "times": "9:00"}, "day"),
        ("onDayOfMonth", {"times": "9:00"}, "day"),
        ("cronLine", {"cron": " "}, "cron"),
        ("cronLine", {"cron": "0 9 * * *\n" * 11}, "cron"),
    ],
)
def test_a_choice_outside_the_list_is_reported(trigger, parameters, field):
    with pytest.raises(ValidationFailed) as caught:
        built_in_trigger("scheduler", trigger).cron(parameters)

    assert list(caught.value.by_field) == [field]


async def test_a_start_gives_the_date_in_parts_in_the_zone_of_the_workspace():
    (item,) = await items_of("scheduler", "everyHour", {}, time_zone="Asia/Kolkata")

    assert item.internal_id == str(NOON)
    assert item.raw == {
        "year": 2026,
        "month": 3,
        "day": 2,
        "hour": 17,
        "minute": 30,
        "second": 0,
        "isoDateTime": "2026-03-02T17:30:00+05:30",
        "prettyDate": "March 2, 2026",
        "prettyTime": "5:30 PM",
        "weekdayName": "Monday",
        "weekday": 1,
        "timeZone": "Asia/Kolkata",
        "timestamp": NOON,
        "millisecond": 0,
        "ISO_date_time": "2026-03-02T17:30:00.000+05:30",
        "pretty_date": "Mar 2, 2026",
        "pretty_time": "5:30:00 PM",
        "pretty_day_of_week": "Monday",
        "day_of_week": 1,
    }
    assert list(item.raw)[:4] == ["isoDateTime", "prettyDate", "prettyTime", "weekdayName"]


@pytest.mark.parametrize(("trigger", "first"), [("everyNMinutes", "interval"), ("everyDay", "hour")])
def test_when_a_schedule_starts_comes_before_the_weekends(trigger, first):
    keys = [argument.key for argument in built_in_trigger("scheduler", trigger).arguments]

    assert keys == [first, "triggersOnWeekend"]


async def test_a_response_has_a_hundred_headers_at_most():
    rows = [{"key": f"x-{number}", "value": "v"} for number in range(101)]

    with pytest.raises(ValidationFailed, match="100 headers"):
        await act("webhook", "respondWith", {"statusCode": "200", "body": "", "headers": rows})
