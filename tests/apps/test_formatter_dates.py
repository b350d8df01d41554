"""Every date transform."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.app_calls import NOON, act

from patchbay.domain.errors import ValidationFailed

dates = import_module("patchbay.apps.formatter.transforms.dates")


async def date(given: object, to: str, time_zone: str = "UTC", **more: Any) -> Any:
    parameters = {"transform": "formatDateTime", "input": given, "toFormat": to, **more}
    return (await act("formatter", "date-time", parameters, time_zone=time_zone))["output"]


async def test_the_current_timestamp_is_the_clock_of_the_run():
    now = await act("formatter", "date-time", {"transform": "getCurrentTimestamp"})
    seconds = await act("formatter", "date-time", {"transform": "getCurrentTimestampInSeconds"})

    assert now["output"] == NOON
    assert seconds["output"] == NOON // 1000


@pytest.mark.parametrize(
    ("to", "wanted"),
    [
        ("yyyy-MM-dd HH:mm:ss", "2026-03-05 04:07:09"),
        ("d.M.yy H:m:s", "5.3.26 4:7:9"),
        ("cccc, MMMM d yyyy", "Thursday, March 5 2026"),
        ("ccc MMM dd", "Thu Mar 05"),
        ("h:mm a", "4:07 AM"),
        ("hh a", "04 AM"),
        ("SSS", "080"),
        ("ZZ", "+00:00"),
        ("ZZZ", "+0000"),
        ("Z", "+0"),
        ("z", "UTC"),
        ("X", "1772683629"),
        ("x", "1772683629080"),
        ("yyyy-MM-dd'T'HH:mm:ssZZ", "2026-03-05T04:07:09+00:00"),
        ("'day' d", "day 5"),
        ("/", "/"),
        ("LLLL L EEE", "March 3 Thu"),
        ("ZZZZ", "UTC"),
        ("uu", "08"),
        ("D t", "3/5/2026 4:07 AM"),
        ("DDDD", "Thursday, March 5, 2026"),
        ("kkkk-WW o q", "2026-10 64 1"),
        ("l YYYY", "l YYYY"),
        ("'open d", "open d"),
    ],
)
async def test_every_token_writes_its_part(to, wanted):
    assert await date("2026-03-05T04:07:09.080Z", to) == wanted


@pytest.mark.parametrize(
    ("given", "pattern", "wanted"),
    [
        ("05.03.2026 16:07", "dd.MM.yyyy HH:mm", "2026-03-05 16:07:00"),
        ("5/3/26", "d/M/yy", "2026-03-05 00:00:00"),
        ("12/31/69", "MM/dd/yy", "1969-12-31 00:00:00"),
        ("March 5 2026", "MMMM d yyyy", "2026-03-05 00:00:00"),
        ("mar 5 2026", "MMM d yyyy", "2026-03-05 00:00:00"),
        ("12:05 am", "hh:mm a", "2026-03-02 00:05:00"),
        ("1:05 PM", "h:mm a", "2026-03-02 13:05:00"),
        ("2026-03-05 01:00 +0200", "yyyy-MM-dd HH:mm ZZZ", "2026-03-04 23:00:00"),
        ("2026-03-05 01:00 -05:30", "yyyy-MM-dd HH:mm ZZ", "2026-03-05 06:30:00"),
        ("2026-03-05 01:00 Z", "yyyy-MM-dd HH:mm ZZ", "2026-03-05 01:00:00"),
        ("1772683629", "X", "2026-03-05 04:07:09"),
        ("1772683629080", "x", "2026-03-05 04:07:09"),
        ("03-2026", "MM-yyyy", "2026-03-01 00:00:00"),
        ("Thu 5", "ccc d", "2026-03-05 00:00:00"),
        ("2026-03-05T04:07:09Z", "auto", "2026-03-05 04:07:09"),
        ("5 March 2026", "", "2026-03-05 00:00:00"),
    ],
)
async def test_every_pattern_reads_its_date(given, pattern, wanted):
    assert await date(given, "yyyy-MM-dd HH:mm:ss", fromFormat=pattern) == wanted


async def test_dates_move_between_time_zones():
    zones = {"fromTimezone": "America/New_York", "toTimezone": "Asia/Kolkata"}

    assert await date("2026-07-01 12:00", "yyyy-MM-dd HH:mm Z", **zones) == "2026-07-01 21:30 +5:30"


async def test_the_zone_of_the_workspace_counts_when_none_is_given():
    assert await date("2026-07-01 12:00", "HH:mm ZZ", "Europe/Berlin") == "12:00 +02:00"
    assert await date("2026-07-01 12:00Z", "HH:mm z", "Europe/Berlin") == "14:00 Europe/Berlin"


@pytest.mark.parametrize(
    ("given", "more"),
    [
        ("soon", {"to": "yyyy"}),
        ("", {"to": "yyyy"}),
        ("2026-01-01", {"to": ""}),
        ("2026-01-01", {"to": "y" * 101}),
        ("31.02.2026", {"to": "yyyy", "fromFormat": "dd.MM.yyyy"}),
        ("2026", {"to": "yyyy", "fromFormat": "dd.MM.yyyy"}),
        ("1 1", {"to": "yyyy", "fromFormat": "d dd"}),
        ("2026-01-01", {"to": "yyyy", "toTimezone": "Moon/Base"}),
        ("2026-01-01", {"to": "ZZZZZ"}),
        ("2026-01-01", {"to": "yyyy", "fromFormat": "kkkk-MM-dd"}),
        ("0000-01-01", {"to": "yyyy", "fromFormat": "yyyy-MM-dd"}),
        ("2026-01-01 00:00 +99:99", {"to": "yyyy", "fromFormat": "yyyy-MM-dd HH:mm ZZ"}),
    ],
)
async def test_an_invalid_date_or_pattern_is_reported(given, more):
    with pytest.raises(ValidationFailed):
        await date(given, **more)


@given(
    st.datetimes(min_value=datetime(1970, 1, 2), max_value=datetime(2068, 12, 30)),
    st.integers(-12 * 60, 14 * 60),
)
def test_what_was_written_is_read_again(moment, offset):
    moment = moment.replace(
        microsecond=moment.microsecond // 1000 * 1000, tzinfo=timezone(timedelta(minutes=offset))
    )
    pattern = "cccc, MMMM d yyyy h:mm:ss.SSS a ZZ"

    assert dates.read(dates.write(moment, pattern), pattern, UTC, NOON) == moment


@pytest.mark.parametrize("pattern", dates.PATTERNS)
def test_every_pattern_on_offer_reads_what_it_writes(pattern):
    moment = datetime(2026, 11, 25, 16, 30, tzinfo=UTC)

    written = dates.write(moment, pattern)

    assert dates.write(dates.read(written, pattern, UTC, NOON), pattern) == written


@given(st.text(max_size=30), st.text(max_size=30))
def test_every_pattern_reads_a_date_with_a_time_zone_or_rejects_the_text(text, pattern):
    with suppress(ValidationFailed):
        assert dates.read(text, pattern, UTC, NOON).utcoffset() is not None
