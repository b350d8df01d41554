"""Scheduled backups of a real data folder: retention, failures, and what they never touch."""

import asyncio
import shutil
import sys
from collections import namedtuple
from dataclasses import replace
from datetime import datetime, time
from pathlib import Path

import pytest

from patchbay.bootstrap import backup, scheduled_backups
from patchbay.bootstrap.backup import BackupResult
from patchbay.bootstrap.scheduled_backups import ScheduledBackups
from patchbay.domain.backups import PASSPHRASE_ITEM, BackupInterval, BackupSchedule, BackupStatus
from patchbay.domain.errors import StorageFault
from patchbay.platform.backup_state import existing, read_backup_status, write_backup_status
from patchbay.platform.paths import AppPaths
from patchbay.platform.settings import SettingsFile
from patchbay.service.backup_archive import read_backup
from patchbay.service.key_stores import MemoryKeyStore
from patchbay.storage.database import Database

PASSPHRASE = "correct horse"
NOON = round(datetime(2026, 11, 23, 12).timestamp() * 1000)
Disk = namedtuple("Disk", "total used free")


class Folder:
    """A data folder with a database, and where its backups go."""

    def __init__(self, paths, out):
        self.paths, self.out = paths, out
        self.keys = MemoryKeyStore()
        self.told = 0
        self.now = NOON
        self.backups = ScheduledBackups(paths, lambda: self.keys, self._notify, lambda: self.now)
        self.schedule = BackupSchedule(BackupInterval.DAILY, time(3), folder=out, keep=2)

    def _notify(self):
        self.told += 1

    @property
    def status(self):
        return read_backup_status(self.paths)


@pytest.fixture
async def folder(tmp_path):
    paths = AppPaths.choose(tmp_path / "data")
    paths.prepare()
    await (await Database.open(paths.database)).close()
    made = Folder(paths, tmp_path / "backups")
    await made.keys.set(PASSPHRASE_ITEM, PASSPHRASE)
    return made


async def test_a_due_backup_is_made_once_and_can_be_opened(folder, tmp_path):
    settings = SettingsFile(folder.paths.settings)
    settings.value.backups.replace_with(folder.schedule)
    settings.save()

    await folder.backups.check()
    await folder.backups.check()

    [file] = folder.out.iterdir()
    assert (folder.status.files, folder.status.problem, folder.told) == ((file,), "", 1)
    (tmp_path / "unpacked").mkdir()
    with file.open("rb") as opened:
        assert read_backup(opened, PASSPHRASE, tmp_path / "unpacked").database.exists()


@pytest.fixture
def quick(monkeypatch):
    """Backups without content, since encrypting them takes a while."""

    async def write(paths, out, passphrase, key_store):
        out.write_text(passphrase)
        return BackupResult(out, 1, {})

    monkeypatch.setattr(backup, "back_up_with", write)
    return write


async def test_only_its_own_oldest_files_are_deleted(folder, quick):
    folder.out.mkdir()
    foreign = folder.out / "patchbay-2020-01-01-0000.patchbay"
    foreign.write_text("of another workspace")

    for _ in range(3):
        await folder.backups.make(folder.schedule)

    names = sorted(file.name for file in folder.out.iterdir())
    assert names == [
        "patchbay-2020-01-01-0000.patchbay",
        "patchbay-2026-11-23-1200-2.patchbay",
        "patchbay-2026-11-23-1200-3.patchbay",
    ]


async def test_a_clock_that_was_set_back_neither_overwrites_nor_deletes_the_newest(folder, quick):
    await folder.backups.make(folder.schedule)
    folder.now -= 86_400_000

    status = await folder.backups.make(folder.schedule)

    assert [file.name for file in status.files] == [
        "patchbay-2026-11-23-1200.patchbay",
        "patchbay-2026-11-22-1200.patchbay",
    ]


async def test_a_failure_is_stored_with_the_last_backup_and_leaves_no_file(folder, quick, monkeypatch):
    made = await folder.backups.make(folder.schedule)

    async def full(*_):
        raise StorageFault("The disk is full.")

    monkeypatch.setattr(backup, "back_up_with", full)
    await folder.backups.make(folder.schedule)

    assert folder.status == replace(made, problem="The disk is full.", problem_at=NOON)
    assert tuple(folder.out.iterdir()) == made.files


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"folder": None}, "No folder is chosen"),
        ({"passphrase_file": "missing"}, "There is no file"),
    ],
)
async def test_what_is_missing_is_named(folder, quick, tmp_path, change, problem):
    if "passphrase_file" in change:
        change = {"passphrase_file": tmp_path / "missing"}

    status = await folder.backups.make(replace(folder.schedule, **change))

    assert problem in status.problem


async def test_without_a_passphrase_nothing_is_written(folder, quick):
    await folder.keys.delete(PASSPHRASE_ITEM)

    status = await folder.backups.make(folder.schedule)

    assert status.problem.startswith("No passphrase is set")
    assert not folder.out.exists()


async def test_a_disk_without_space_is_noticed_before_anything_is_written(folder, quick, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Disk(10**9, 10**9, 1_000))

    status = await folder.backups.make(folder.schedule)

    assert "enough disk space" in status.problem
    assert tuple(folder.out.iterdir()) == ()


async def test_an_unreadable_state_counts_as_none(folder):
    folder.paths.backup_status.write_text("{", "utf-8")
    assert folder.status == BackupStatus()

    write_backup_status(folder.paths, BackupStatus(made_at=NOON, files=(folder.out,)))
    assert folder.status == BackupStatus(made_at=NOON, files=(folder.out,))


@pytest.fixture
def bugs(monkeypatch):
    """The errors that were reported as crashes."""
    reported = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, error, trace: reported.append(error))
    return reported


@pytest.mark.parametrize(
    ("error", "problem", "is_bug"),
    [
        (OSError(28, "No space left on device", "copy"), "No space left on device (copy).", False),
        (KeyError("field"), "because of a bug in Patchbay (KeyError).", True),
    ],
)
async def test_every_error_is_stored_and_announced(folder, quick, monkeypatch, bugs, error, problem, is_bug):
    made = await folder.backups.make(folder.schedule)

    async def fail(*_):
        raise error

    monkeypatch.setattr(backup, "back_up_with", fail)
    await folder.backups.make(folder.schedule)

    assert problem in folder.status.problem
    assert (folder.status.files, folder.told) == (made.files, 2)
    assert bugs == [error] * is_bug


async def test_the_schedule_continues_after_any_error(folder, monkeypatch, bugs):
    errors = [StorageFault("The disk is full."), PermissionError(13, "denied"), ZeroDivisionError()]
    passed = asyncio.Event()

    async def check():
        if errors:
            raise errors.pop(0)
        passed.set()

    monkeypatch.setattr(scheduled_backups, "CHECK_SECONDS", 0)
    monkeypatch.setattr(folder.backups, "check", check)
    running = asyncio.create_task(folder.backups.run())
    done, _ = await asyncio.wait(
        {running, waiting := asyncio.create_task(passed.wait())}, return_when=asyncio.FIRST_COMPLETED
    )
    running.cancel()

    assert done == {waiting}
    assert [type(bug) for bug in bugs] == [ZeroDivisionError]


async def test_a_backup_is_recorded_before_it_is_written(folder, quick, monkeypatch):
    recorded = []

    async def look(paths, out, *arguments):
        recorded.append(folder.status.files == (out,))
        return await quick(paths, out, *arguments)

    monkeypatch.setattr(backup, "back_up_with", look)
    await folder.backups.make(folder.schedule)

    assert recorded == [True]


async def test_what_an_interrupted_backup_left_is_deleted_by_the_next_one(folder, quick):
    [first] = (await folder.backups.make(folder.schedule)).files
    left = folder.out / "interrupted.patchbay"
    left.touch()
    write_backup_status(folder.paths, replace(folder.status, files=(first, left)))

    status = await folder.backups.make(folder.schedule)

    assert set(folder.out.iterdir()) == {first, status.files[-1]} == set(status.files)


async def test_a_state_that_cannot_be_stored_stops_the_backup_and_is_retried_an_hour_later(
    folder, quick, monkeypatch
):
    settings = SettingsFile(folder.paths.settings)
    settings.value.backups.replace_with(folder.schedule)
    settings.save()

    def refuse(*_):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(scheduled_backups, "write_backup_status", refuse)
    await folder.backups.check()
    await folder.backups.check()

    assert folder.told == 1
    assert tuple(folder.out.iterdir()) == ()


@pytest.mark.parametrize("error", [PermissionError(13, "denied"), OSError(5, "Input/output error")])
async def test_a_backup_on_a_drive_that_cannot_be_read_counts_as_there(
    folder, quick, monkeypatch, tmp_path, error
):
    away, real = tmp_path / "drive" / "old.patchbay", Path.stat
    write_backup_status(folder.paths, BackupStatus(made_at=1, files=(away,)))

    def stat(self, **options):
        if self == away:
            raise error
        return real(self, **options)

    monkeypatch.setattr(Path, "stat", stat)
    status = await folder.backups.make(folder.schedule)

    assert status.problem == ""
    assert status.files[0] == away


def test_a_backup_is_gone_if_its_folder_is_there_without_it(tmp_path):
    gone, away = tmp_path / "gone.patchbay", tmp_path / "drive" / "away.patchbay"

    assert existing((gone, tmp_path, away)) == (away,)
