"""Backups in memory, for tests of the settings."""

from dataclasses import replace
from pathlib import Path

from patchbay.domain.backups import BackupContents, BackupOverview, BackupSchedule, BackupStatus
from patchbay.domain.errors import AppError


class FakeBackups:
    """Keeps what the settings ask for; `fails` is raised by everything that makes or checks something."""

    def __init__(self, schedule: BackupSchedule | None = None) -> None:
        self.schedule = schedule or BackupSchedule()
        self.made = BackupStatus()
        self.passphrase = ""
        self.problems: tuple[str, ...] = ()
        self.fails: AppError | None = None

    async def status(self) -> BackupStatus:
        return self.made

    async def overview(self) -> BackupOverview:
        return BackupOverview(self.schedule, self.made, bool(self.passphrase))

    async def save(self, schedule: BackupSchedule) -> None:
        self.schedule = schedule

    async def set_passphrase(self, passphrase: str) -> None:
        self._require()
        self.passphrase = passphrase

    async def back_up_now(self) -> BackupStatus:
        self._require()
        self.made = replace(self.made, made_at=1_763_649_660_000, size=12_400_000, files=(Path("one"),))
        return self.made

    async def inspect(self, file: Path, passphrase: str) -> BackupContents:
        self._require()
        return BackupContents(file, 12_400_000, 1_763_649_660_000, (("flows", 24), ("connections", 1)))

    async def check_database(self) -> tuple[str, ...]:
        self._require()
        return self.problems

    def _require(self) -> None:
        if self.fails is not None:
            raise self.fails
