"""Starts of schedules in any zone at any moment, compared with a clock that is watched minute by minute."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import cache
from itertools import islice, pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.support.fuzzing import examples

from patchbay.engine import cron as arithmetic
from patchbay.engine.cron import CronLine, count_between, newest_between, next_time, times_between

MINUTE = 60_000
HOUR = 3_600_000
DAY = 86_400_000
HORIZON = 3 * DAY
ZONES = (
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "America/Sao_Paulo",
    "America/Havana",
    "America/Caracas",
    "Africa/Casablanca",
    "Africa/Cairo",
    "Antarctica/Troll",
    "Asia/Kathmandu",
    "Asia/Tehran",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "Pacific/Kiritimati",
    "Pacific/Kwajalein",
)
YEARS = range(1985, 2031)

hours, days = st.integers(0, 23), st.sampled_from(["*", "1-5"])
LINES = st.one_of(
    st.builds("*/{} * * * {}".format, st.integers(1, 59), days),
    st.builds("0 * * * {}".format, days),
    st.builds("0 {} * * {}".format, hours, days),
    st.builds("0 {} * * {}".format, hours, st.integers(0, 6)),
    st.builds("0 {} {} * *".format, hours, st.integers(1, 31)),
    st.builds("{} {} * * *".format, st.integers(0, 59), hours),
    st.builds("*/{} {}-23 * * *".format, st.integers(5, 40), hours),
    st.builds("{} */{} * * *".format, st.integers(0, 59), st.integers(1, 12)),
)


def moment(year: int) -> int:
    return int(datetime.fromisoformat(f"{year}-01-01T00:00+00:00").timestamp() * 1000)


@cache
def changes(zone: str) -> tuple[int, ...]:
    """Days, give or take one, on which clocks of the zone were set."""
    tz = ZoneInfo(zone)
    marks = range(moment(YEARS[0]), moment(YEARS[-1]), DAY)
    offsets = ((at, datetime.fromtimestamp(at / 1000, tz).utcoffset()) for at in marks)
    return tuple(late for (_, before), (late, after) in pairwise(offsets) if before != after)


@st.composite
def places(draw: st.DrawFn) -> tuple[str, int]:
    """A zone and a moment, mostly one about which its clocks are set."""
    zone = draw(st.sampled_from(ZONES))
    near = changes(zone)
    mostly = draw(st.integers(0, 4))
    if near and mostly:
        at = draw(st.sampled_from(near)) + draw(st.integers(-36 * 60, 24 * 60)) * MINUTE
    else:
        at = draw(st.integers(moment(YEARS[0]), moment(YEARS[-1])))
    return zone, at + draw(st.sampled_from([0, 0, 1, -1, 30_500]))


def matches(line: str, wall: datetime) -> bool:
    """Whether a clock that shows this names a start; only for lines as they are made above."""
    shown = (wall.minute, wall.hour, wall.day, wall.month, wall.isoweekday() % 7)
    return all(_fits(field, value) for field, value in zip(line.split(), shown, strict=True))


def _fits(field: str, value: int) -> bool:
    among, _, step = field.partition("/")
    low, _, high = among.partition("-")
    if low == "*":
        return value % int(step or 1) == 0
    return int(low) <= value <= int(high or low) and (value - int(low)) % int(step or 1) == 0


def watched(line: str, after: int, until: int, tz: ZoneInfo) -> Iterator[int]:
    """The starts in (after, until], by looking at the clock every minute."""
    every_hour = line.split()[1].startswith("*")
    before = datetime.fromtimestamp(after // MINUTE * 60, tz)
    for at in range((after // MINUTE + 1) * MINUTE, until + 1, MINUTE):
        now = datetime.fromtimestamp(at / 1000, tz)
        wall = now.replace(tzinfo=None)
        if matches(line, wall):
            if every_hour or now.fold == 0:
                yield at
        elif not every_hour and any(matches(line, left_out) for left_out in _jumped(before, now)):
            yield at
        before = now


def _jumped(before: datetime, now: datetime) -> Iterator[datetime]:
    """What the clock would have shown between two looks a minute apart, had it not been set forward."""
    wall, end = before.replace(tzinfo=None) + timedelta(minutes=1), now.replace(tzinfo=None)
    while wall < end:
        yield wall
        wall += timedelta(minutes=1)


@examples(25, of=240)
@given(LINES, places())
@example("0 2 * * *", ("Australia/Lord_Howe", 1_759_590_000_000))
@example("*/7 * * * *", ("Pacific/Apia", 1_325_239_000_000))
@example("0 12 * * *", ("Pacific/Apia", 1_325_239_000_000))
def test_starts_are_those_a_watched_clock_names(line: str, place: tuple[str, int]):
    zone, after = place
    tz, until = ZoneInfo(zone), after + HORIZON
    expected = list(watched(line, after, until, tz))

    found = list(islice(times_between(line, next_time(line, after, tz), until, tz), len(expected) + 1))

    assert found == expected
    assert next_time(line, after, tz) > after


@examples(20, of=240)
@given(LINES, places(), st.integers(0, 40 * DAY))
def test_counting_agrees_with_going_from_one_to_the_next(line: str, place: tuple[str, int], span: int):
    zone, after = place
    tz = ZoneInfo(zone)
    first = next_time(line, after, tz)
    until = first + span
    one_by_one = list(times_between(line, first, until, tz))

    count, last = count_between(line, first, until, tz)

    assert last == one_by_one[-1]
    assert count == min(len(one_by_one), arithmetic.MAX_COUNTED)
    assert newest_between(line, first, until, tz, 7) == tuple(one_by_one[-7:])


@examples(60, of=400)
@given(st.integers(0, 59), hours, places())
def test_a_time_of_day_starts_once_on_every_day_whatever_clocks_do(
    minute: int, hour: int, place: tuple[str, int]
):
    zone, after = place
    tz, line = ZoneInfo(zone), f"{minute} {hour} * * *"
    starts = list(islice(times_between(line, next_time(line, after, tz), after + 12 * DAY, tz), 12))

    shown = [datetime.fromtimestamp(at / 1000, tz).replace(tzinfo=None) for at in starts]

    for earlier, later in pairwise(shown):
        assert earlier < later
        assert later - earlier <= timedelta(days=2)


def test_a_long_absence_is_counted_up_to_a_limit_and_its_last_start_is_right():
    tz = ZoneInfo("Europe/Berlin")
    first = next_time("* * * * *", 1_790_000_000_000, tz)
    until = first + 100 * DAY + 30_000

    assert count_between("* * * * *", first, until, tz) == (arithmetic.MAX_COUNTED, first + 100 * DAY)


@pytest.mark.parametrize(
    ("line", "day", "named"),
    [
        ("0 9 L * *", "2028-02-29", True),
        ("0 9 L * *", "2028-02-28", False),
        ("0 9 * * 5#2", "2026-11-13", True),
        ("0 9 * * 5#2", "2026-11-20", False),
        ("0 9 * * L5", "2026-11-27", True),
        ("0 9 * * L5", "2026-11-20", False),
        ("0 9 13 * 5", "2026-11-20", True),
        ("0 9 13 * 5", "2026-12-13", True),
        ("0 9 13 * 5", "2026-12-14", False),
        ("0 9 * feb sun", "2026-02-01", True),
        ("0 9 * feb 7", "2026-03-01", False),
    ],
)
def test_what_a_line_names(line: str, day: str, *, named: bool):
    assert CronLine.of(line).matches_day(datetime.fromisoformat(day).date()) is named


@pytest.mark.parametrize("line", ["", "* * * *", "* * * * * *", "61 * * * *", "0 0 31 2 *", "x * * * *"])
def test_a_line_that_names_nothing_is_refused(line: str):
    with pytest.raises(ValueError, match=r".+"):
        next_time(line, 1_790_000_000_000, ZoneInfo("UTC"))
