"""Access to the backups and the database of this computer, for the settings and for notifications."""

from pathlib import Path
from typing import Protocol

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
