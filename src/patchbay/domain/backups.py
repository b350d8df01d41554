"""Scheduled backups: when they are due, and how the last ones went."""

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from enum import StrEnum
from pathlib import Path

from patchbay.domain.base import EpochMs
from patchbay.domain.clock import HOUR_MS, local_datetime

RETRY_MS = HOUR_MS
"""How long after a failure a backup is tried again."""
PASSPHRASE_ITEM = "backup:passphrase"
"""The name of the passphrase in the key store."""
_CLOCK_TOLERANCE_MS = 60_000


class BackupInterval(StrEnum):
    """How often backups are made."""

    NEVER = "never"
    DAILY = "day"
    WEEKLY = "week"


@dataclass(frozen=True)
class BackupSchedule:
    """When backups are made, where, and how many are kept. `weekday` counts for weekly ones; 0 is Monday."""

    every: BackupInterval = BackupInterval.NEVER
    at: time = time(3)
    weekday: int = 6
    folder: Path | None = None
    keep: int = 7
    passphrase_file: Path | None = None
    """A private file with the passphrase; without one, the passphrase is in the key store."""

    def last_due(self, now: datetime) -> datetime | None:
        """The last time at or before `now` (local) at which a backup was due; None without a schedule."""
        if self.every is BackupInterval.NEVER:
            return None
        due = datetime.combine(now.date(), self.at).astimezone()
        while due > now or (self.every is BackupInterval.WEEKLY and due.weekday() != self.weekday):
            due = datetime.combine(due.date() - timedelta(days=1), self.at).astimezone()
        return due

    def next_due(self, now: datetime) -> datetime | None:
        """The first time after `now` (local) at which a backup is due; None without a schedule."""
        last = self.last_due(now)
        if last is None:
            return None
        days = 1 if self.every is BackupInterval.DAILY else 7
        return datetime.combine(last.date() + timedelta(days=days), self.at).astimezone()


@dataclass(frozen=True)
class BackupStatus:
    """The last backup that was made, and the problem since then. `files` are those made, oldest first."""

    made_at: EpochMs | None = None
    size: int = 0
    files: tuple[Path, ...] = ()
    problem: str = ""
    problem_at: EpochMs | None = None

    def is_due(self, schedule: BackupSchedule, now: EpochMs) -> bool:
        """Whether a backup is to be made now; after a failure, only an hour later."""
        due = schedule.last_due(local_datetime(now))
        if due is None:
            return False
        due_ms = round(due.timestamp() * 1000)
        # A time in the future is from before the clock was set back.
        is_made = self.made_at is not None and due_ms <= self.made_at <= now + _CLOCK_TOLERANCE_MS
        has_waited = self.problem_at is None or not 0 <= now - self.problem_at < RETRY_MS
        return not is_made and has_waited


@dataclass(frozen=True)
class BackupOverview:
    """What the settings show about backups. `passphrase_problem`: why it can't be read."""

    schedule: BackupSchedule
    status: BackupStatus
    has_passphrase: bool
    passphrase_problem: str = ""


@dataclass(frozen=True)
class BackupContents:
    """What a backup file contains: its size, when it was written, and numbers by name."""

    file: Path
    size: int
    written_at: EpochMs
    counts: tuple[tuple[str, int], ...]
