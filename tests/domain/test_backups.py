"""Scheduled backups: when one is due."""

from datetime import datetime, time

import pytest

from patchbay.domain.backups import RETRY_MS, BackupInterval, BackupSchedule, BackupStatus

DAILY = BackupSchedule(BackupInterval.DAILY, time(3))
WEEKLY = BackupSchedule(BackupInterval.WEEKLY, time(3), weekday=6)


def at(day: int, hour: int, minute: int = 0) -> datetime:
    return datetime(2026, 11, day, hour, minute).astimezone()


def ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


@pytest.mark.parametrize(
    ("schedule", "now", "last", "following"),
    [
        (DAILY, at(23, 3), at(23, 3), at(24, 3)),
        (DAILY, at(23, 2, 59), at(22, 3), at(23, 3)),
        (WEEKLY, at(23, 12), at(22, 3), at(29, 3)),  # the 22nd is a Sunday
        (WEEKLY, at(22, 2), at(15, 3), at(22, 3)),
    ],
)
def test_due_times(schedule, now, last, following):
    assert schedule.last_due(now) == last
    assert schedule.next_due(now) == following


@pytest.mark.parametrize(
    ("status", "is_due"),
    [
        (BackupStatus(), True),
        (BackupStatus(made_at=ms(at(23, 3))), False),
        (BackupStatus(made_at=ms(at(22, 3))), True),
        (BackupStatus(made_at=ms(at(30, 3))), True),  # the clock was ahead then
        (BackupStatus(problem="full", problem_at=ms(at(23, 12)) - RETRY_MS + 1), False),
        (BackupStatus(problem="full", problem_at=ms(at(23, 12)) - RETRY_MS), True),
    ],
)
def test_a_backup_is_due(status, is_due):
    assert status.is_due(DAILY, ms(at(23, 12))) is is_due


def test_without_a_schedule_none_is_due():
    assert not BackupStatus().is_due(BackupSchedule(), ms(at(23, 12)))
    assert BackupSchedule().next_due(at(23, 12)) is None
