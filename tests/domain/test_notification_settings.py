"""Quiet hours: which local times they include, also over midnight."""

from datetime import datetime, time

import pytest

from patchbay.domain.notification_settings import QuietHours

WORKDAYS = frozenset(range(5))
# 23 November 2026 is a Monday.


@pytest.mark.parametrize(
    ("begin", "end", "day", "clock", "is_quiet"),
    [
        (time(22), time(7), 23, time(21, 59), False),
        (time(22), time(7), 23, time(22), True),
        (time(22), time(7), 24, time(6, 59), True),
        (time(22), time(7), 24, time(7), False),
        (time(22), time(7), 23, time(6), False),  # it would have begun on Sunday
        (time(22), time(7), 28, time(6), True),  # it began on Friday
        (time(22), time(7), 28, time(23), False),
        (time(12), time(13), 23, time(12, 30), True),
        (time(12), time(13), 23, time(13), False),
        (time(12), time(13), 28, time(12, 30), False),
        (time(8), time(8), 23, time(8), True),
        (time(8), time(8), 24, time(7), True),
    ],
)
def test_quiet_hours(begin, end, day, clock, is_quiet):
    hours = QuietHours(True, begin, end, WORKDAYS)

    assert hours.is_quiet(datetime.combine(datetime(2026, 11, day), clock)) is is_quiet


def test_hours_that_are_off_are_never_quiet():
    assert not QuietHours(False, time(0), time(0)).is_quiet(datetime(2026, 11, 23, 12))
