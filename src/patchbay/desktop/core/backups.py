"""Access to the backups and the database of this computer, for the settings and for notifications."""

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from patchbay.desktop.core.language import number_text, tr_count
from patchbay.domain.backups import BackupContents, BackupOverview, BackupSchedule, BackupStatus


class BackupAccess(Protocol):
    """Makes and checks backups. Every method raises `AppError`."""

    async def status(self) -> BackupStatus:
        """How the last backups went."""
        ...

    async def overview(self) -> BackupOverview:
        """The schedule, how the last backups went, and whether there is a passphrase."""
        ...

    async def save(self, schedule: BackupSchedule) -> None:
        """Store the schedule."""
        ...

    async def set_passphrase(self, passphrase: str) -> None:
        """Store the passphrase of further backups."""
        ...

    async def back_up_now(self) -> BackupStatus:
        """Make a backup in the folder of the schedule."""
        ...

    async def inspect(self, file: Path, passphrase: str) -> BackupContents:
        """Check a whole backup, and return what it contains."""
        ...

    async def check_database(self) -> tuple[str, ...]:
        """Problems of the database; none if it is intact."""
        ...


def counts_text(counts: Iterable[tuple[str, int]]) -> str:
    """The numbers of a backup as text: "24 flows, 12 connections, 20,000 executions"."""
    return ", ".join(_count_text(name, number) for name, number in counts)


def _count_text(name: str, number: int) -> str:
    match name:
        case "flows":
            return tr_count(number, "{n} flow", "{n} flows")
        case "connections":
            return tr_count(number, "{n} connection", "{n} connections")
        case "executions":
            return tr_count(number, "{n} execution", "{n} executions")
    return f"{number_text(number)} {name}"
