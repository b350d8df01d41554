"""Sentences about schedules, and the parts of cron lines that croniter doesn't know."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchbay.engine.cron import CronLine, next_time, next_times
from patchbay.engine.cron_sentences import describe_schedule

BERLIN = ZoneInfo("Europe/Berlin")
THURSDAY = datetime(2026, 11, 26, 12, 0, tzinfo=BERLIN)


def at(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


def starts(cron: str, count: int = 3, after: datetime = THURSDAY) -> list[str]:
    return [
        datetime.fromtimestamp(one / 1000, BERLIN).strftime("%Y-%m-%d %H:%M")
        for one in next_times(cron, at(after), BERLIN, count)
    ]


@pytest.mark.parametrize(
    ("cron", "sentence"),
    [
        ("0 9 * * 1-5\n30 17 * * 1-5", "Every weekday at 09:00 and 17:30"),
        ("* * * * *", "Every minute"),
        ("*/1 * * * *", "Every minute"),
        ("*/5 * * * *", "Every 5 minutes"),
        ("*/25 * * * *", "Every hour at :00, :25, and :50"),
        ("0 * * * *", "Every hour"),
        ("15 * * * 1-5", "Every hour at :15, every weekday"),
        ("5,35 * * * *", "Every hour at :05 and :35"),
        ("*/5 9-17 * * 1-5", "Every 5 minutes from 09:00 to 17:55, every weekday"),
        ("*/5 3 * * *", "Every 5 minutes from 03:00 to 03:55"),
        ("0 */2 * * *", "Every 2 hours from 00:00 to 22:00"),
        ("15 */6 * * *", "Every day at 00:15, 06:15, 12:15, and 18:15"),
        ("0 9-17 * * *", "Every hour from 09:00 to 17:00"),
        ("7,8,9,22 9-11 * * *", "Every day at 09:07, 09:08, 09:09, and 9 other times until 11:22"),
        ("0 9 * * *", "Every day at 09:00"),
        ("0 9 * * 0,6", "Every Saturday and Sunday at 09:00"),
        ("0 9 * * mon,wed,fri", "Every Monday, Wednesday, and Friday at 09:00"),
        ("0 9 * 12 *", "Every day in December at 09:00"),
        ("0 9 1,15 1,7 *", "On the 1st and 15th of the month in January and July at 09:00"),
        ("0 9 2,3,11,22,31 * *", "On the 2nd, 3rd, 11th, 22nd, and 31st of the month at 09:00"),
        ("0 0 L * *", "On the last day of the month at 00:00"),
        ("0 8 LW * *", "On the last weekday of the month at 08:00"),
        ("0 8 1W * *", "On the first weekday of the month at 08:00"),
        ("0 8 15w * *", "On the weekday nearest to the 15th of the month at 08:00"),
        ("0 9 2026-11-27/3 * *", "Every 3 days from 27 November 2026 at 09:00"),
        ("0 9 2026-11-27/1 * *", "Every day from 27 November 2026 at 09:00"),
        ("0 9 13 * 5", "On the 13th of the month and every Friday at 09:00"),
        ("0 9 * * 5#2", "On the second Friday of the month at 09:00"),
        ("0 9 * * L5", "On the last Friday of the month at 09:00"),
        ("0 9 * * 5#1,5#3", "On the first and third Friday of the month at 09:00"),
        ("0 9 1 * *\n0 12 * * 6", "On the 1st of the month at 09:00; every Saturday at 12:00"),
        ("\n 0 9 * * * \n\n0 9 * * *", "Every day at 09:00"),
    ],
)
def test_a_schedule_in_words(cron, sentence):
    assert describe_schedule(cron) == sentence


@pytest.mark.parametrize(
    ("cron", "expected"),
    [
        ("0 8 LW * *", ["2026-11-30 08:00", "2026-12-31 08:00", "2027-01-29 08:00"]),
        ("0 8 1W * *", ["2026-12-01 08:00", "2027-01-01 08:00", "2027-02-01 08:00"]),
        ("0 8 31W * *", ["2026-12-31 08:00", "2027-01-29 08:00", "2027-03-31 08:00"]),
        ("0 9 2026-11-24/3 * *", ["2026-11-27 09:00", "2026-11-30 09:00", "2026-12-03 09:00"]),
        ("0 9 2027-01-30/30 * *", ["2027-01-30 09:00", "2027-03-01 09:00", "2027-03-31 09:00"]),
        ("0 9 L,15W * *", ["2026-11-30 09:00", "2026-12-15 09:00", "2026-12-31 09:00"]),
        ("30 17 * * *\n0 9 * * *\n30 17 * * 4", ["2026-11-26 17:30", "2026-11-27 09:00", "2026-11-27 17:30"]),
        ("0 9 2027-04-30/2 4,5 *", ["2027-04-30 09:00", "2027-05-02 09:00", "2027-05-04 09:00"]),
        ("0 9 2035-06-01/7,1 * *", ["2026-12-01 09:00", "2027-01-01 09:00", "2027-02-01 09:00"]),
        ("0 9 2035-06-01/7 * *", ["2035-06-01 09:00", "2035-06-08 09:00", "2035-06-15 09:00"]),
        ("0 9 29 2 *", ["2028-02-29 09:00", "2032-02-29 09:00", "2036-02-29 09:00"]),
        ("0 9 31 12 *", ["2026-12-31 09:00", "2027-12-31 09:00", "2028-12-31 09:00"]),
        ("0 9 31 2 *\n0 9 * * *", ["2026-11-27 09:00", "2026-11-28 09:00", "2026-11-29 09:00"]),
    ],
)
def test_the_next_starts(cron, expected):
    assert starts(cron) == expected


def test_several_times_a_day_across_clock_changes():
    both = "30 2 * * *\n30 3 * * *"
    forward = datetime(2027, 3, 27, 12, 0, tzinfo=BERLIN)
    back = datetime(2027, 10, 30, 12, 0, tzinfo=BERLIN)

    assert starts(both, 4, forward) == [
        "2027-03-28 03:00",  # 02:30 is skipped
        "2027-03-28 03:30",
        "2027-03-29 02:30",
        "2027-03-29 03:30",
    ]
    assert starts(both, 3, back) == ["2027-10-31 02:30", "2027-10-31 03:30", "2027-11-01 02:30"]


@pytest.mark.parametrize(
    ("cron", "problem"),
    [
        ("", "Enter a cron line."),
        (" \n ", "Enter a cron line."),
        ("x", "A cron line needs 5 fields, unlike “x”."),
        ("0 0 9 * * *", "A cron line needs 5 fields, unlike “0 0 9 * * *”."),
        ("61 * * * *", "“61” isn't a valid minute."),
        ("0 24 * * *", "“24” isn't a valid hour."),
        ("0 9 32 * *", "“32” isn't a valid day of the month."),
        ("0 9 32W * *", "“32W” isn't a valid day of the month."),
        ("0 9 0W * *", "“0W” isn't a valid day of the month."),
        ("0 9 2026-02-30/3 * *", "“2026-02-30/3” isn't a valid day of the month."),
        ("0 9 2026-11-27/0 * *", "“2026-11-27/0” isn't a valid day of the month."),
        ("0 9 * foo *", "“foo” isn't a valid month."),
        ("0 9 * * W", "“W” isn't a valid day of the week."),
        ("0 9 * * *\n0 9 * * 8", "“8” isn't a valid day of the week."),
        ("0 9 31 2 *", "This schedule never matches any date."),
        ("0 9 2050-01-01/3 * *", "This schedule never matches any date."),
        ("0 9 31 2 *\n" * 51, "A schedule has at most 50 cron lines."),
    ],
)
def test_what_is_wrong_is_named(cron, problem):
    with pytest.raises(ValueError) as caught:
        next_time(cron, at(THURSDAY), BERLIN)

    assert str(caught.value) == problem


def weekday_nearest_to(year: int, month: int, number: int) -> date | None:
    """The nearest of all days of the month that are Monday to Friday, by looking at each."""
    days = [date(year, month, 1) + timedelta(days=offset) for offset in range(31)]
    in_month = [day for day in days if day.month == month]
    if number > len(in_month):
        return None
    weekdays = [day for day in in_month if day.isoweekday() <= 5]
    return min(weekdays, key=lambda day: abs(day.day - number))


@given(st.integers(1990, 2060), st.integers(1, 12), st.integers(1, 31))
def test_the_nearest_weekday_is_the_only_day_that_matches(year: int, month: int, number: int):
    line = CronLine.of(f"0 9 {number}W * *")
    first = date(year, month, 1)

    matching = [
        day
        for offset in range(31)
        if (day := first + timedelta(days=offset)).month == month and line.matches_day(day)
    ]

    nearest = weekday_nearest_to(year, month, number)
    assert matching == ([nearest] if nearest else [])


@given(st.dates(date(2000, 1, 1), date(2040, 1, 1)), st.integers(1, 400), st.integers(-500, 2000))
def test_every_n_days_is_counted_from_the_first_day(first: date, step: int, offset: int):
    line = CronLine.of(f"0 9 {first}/{step} * *")

    assert line.matches_day(first + timedelta(days=offset)) == (offset >= 0 and offset % step == 0)
