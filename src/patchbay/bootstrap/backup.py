"""A data folder into one encrypted file, and back on this or another computer."""

import asyncio
import contextlib
import os
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from patchbay.bootstrap.secrets import ClosedVault, choose_home
from patchbay.domain.errors import Conflict, SecretsUnavailable, StorageFault
from patchbay.domain.ports import KeyHome
from patchbay.platform.keyring_home import SystemKeyring
from patchbay.platform.lock import EngineLock
from patchbay.platform.paths import PRIVATE, AppPaths
from patchbay.platform.settings import SettingsFile
from patchbay.service import backup
from patchbay.service.key_homes import PassphraseKeyHome
from patchbay.storage.copies import copy_file

_SIDE_FILES = ("", "-wal", "-shm", "-generation")


@dataclass(frozen=True)
class Outcome:
    """What was written, and what is in it."""

    file: Path
    size: int
    counts: dict[str, int]
    lost: int = 0
    """Connections whose credentials are not in the keyring any more."""


def check_target(out: Path, *, force: bool) -> None:
    """Refuse, before anything is asked, what must not be overwritten."""
    if out.is_dir():
        raise Conflict(f"{out} is a folder.", todo="Give the name of a file.")
    if out.exists() and not force:
        raise Conflict(f"{out} exists already.", todo="Choose another name, or overwrite it with --force.")


def check_folder(paths: AppPaths, *, force: bool) -> None:
    """Refuse, before anything is asked, a folder with data in it."""
    if _holds_data(paths.database) and not force:
        raise Conflict(
            f"The data folder {paths.data} holds a database already.",
            meaning="Nothing was changed.",
            todo="Choose another folder with --data-dir; or add --force, which keeps that database aside.",
        )


def _holds_data(database: Path) -> bool:
    """Whether a database is there; the lock on a new folder creates an empty file."""
    return database.exists() and database.stat().st_size > 0


async def back_up(paths: AppPaths, out: Path, passphrase: str) -> Outcome:
    """Write the folder into `out`, also beside a program that uses it."""
    if not paths.database.exists():
        raise Conflict(f"There is nothing to back up in {paths.data}.", todo="Name the folder: --data-dir.")
    home = _home(paths, passphrase)
    with _workroom(paths) as room:
        copy = room / backup.DATABASE
        await asyncio.to_thread(copy_file, paths.database, copy)
        found = await backup.take_inventory(copy, home, items=isinstance(home, SystemKeyring))

        def write() -> int:
            with _replacing(out) as part:
                with part.open("wb") as file:
                    backup.write_backup(file, passphrase, copy, paths.settings, found.keys)
                    file.flush()
                    os.fsync(file.fileno())
                return part.stat().st_size

        return Outcome(out, await asyncio.to_thread(write), found.counts, found.lost)


async def restore(
    paths: AppPaths, file: Path, passphrase: str, *, force: bool, passphrase_vault: bool
) -> Outcome:
    """Bring the content of `file` into an empty folder. Everything is verified before anything is touched."""
    lock = EngineLock(paths.lock, paths.database)
    if not lock.acquire():
        raise Conflict(
            "Another Patchbay program is using this data folder.",
            meaning="Nothing was changed.",
            todo="Close it, or choose another folder with --data-dir.",
        )
    try:
        check_folder(paths, force=force)
        had_vault = paths.vault.exists()
        home: KeyHome = (
            PassphraseKeyHome(paths.vault, passphrase) if passphrase_vault else _home(paths, passphrase)
        )
        with _workroom(paths) as room:
            unpacked = await asyncio.to_thread(_read, file, passphrase, room)
            found = await backup.inventory_of(unpacked)
            before = await _settle(unpacked, home)
            lock.release_database()  # Windows replaces no file that is open
            try:
                _move_in(unpacked, paths, home)  # on this thread: an interruption comes before or after it
            except BaseException:
                await backup.unsettle(before, home)
                if not had_vault:
                    paths.vault.unlink(missing_ok=True)  # it would count as a choice of the vault
                raise
        return Outcome(paths.database, paths.database.stat().st_size, found.counts, found.lost)
    finally:
        lock.release()


def _home(paths: AppPaths, passphrase: str) -> KeyHome:
    """The home this folder has; a passphrase vault is opened with the passphrase of the backup."""
    home = choose_home(paths, SettingsFile(paths.settings).value)
    return PassphraseKeyHome(paths.vault, passphrase) if isinstance(home, ClosedVault) else home


def _read(file: Path, passphrase: str, room: Path) -> backup.Unpacked:
    try:
        with file.open("rb") as source:
            return backup.read_backup(source, passphrase, room)
    except OSError as error:
        raise StorageFault(
            f"The backup could not be unpacked: {error.strerror}.", meaning="Nothing was changed."
        ) from error


async def _settle(unpacked: backup.Unpacked, home: KeyHome) -> backup.Keys:
    try:
        return await backup.settle(unpacked, home, items=isinstance(home, SystemKeyring))
    except SecretsUnavailable as problem:
        if not isinstance(home, SystemKeyring):
            raise
        raise SecretsUnavailable(
            problem.happened,
            reason=problem.reason,
            meaning="The key in the backup has no place here, so nothing was restored.",
            todo="Start or unlock a system keyring; or restore with --vault passphrase, which keeps "
            "the key in a file under the passphrase of the backup.",
        ) from problem


def _move_in(unpacked: backup.Unpacked, paths: AppPaths, home: KeyHome) -> None:
    """The last step: what was there goes aside, then the database comes into place."""
    suffix = time.strftime(".before-restore-%Y%m%d-%H%M%S")
    moved: list[tuple[Path, Path]] = []
    old = [paths.database.with_name(paths.database.name + side) for side in _SIDE_FILES]
    aside = [paths.database.with_name(paths.database.name + suffix + side) for side in _SIDE_FILES]
    if unpacked.settings is not None:
        old.append(paths.settings)
        aside.append(paths.settings.with_name(paths.settings.name + suffix))
    try:
        for here, there in zip(old, aside, strict=True):
            if here.exists():
                here.replace(there)
                moved.append((here, there))
        _put_settings(unpacked.settings, paths, home)
        unpacked.database.replace(paths.database)
    except BaseException as error:
        for here, there in reversed(moved):
            there.replace(here)
        if isinstance(error, OSError):
            raise StorageFault(
                f"The database could not be put in place: {error.strerror}.", meaning="Nothing was changed."
            ) from error
        raise


def _put_settings(content: bytes | None, paths: AppPaths, home: KeyHome) -> None:
    """The settings of the backup, with the home that this computer has."""
    if content is not None:
        paths.settings.write_bytes(content)
        paths.settings.chmod(PRIVATE)
    settings = SettingsFile(paths.settings)
    settings.value.secrets.home = "keyring" if isinstance(home, SystemKeyring) else "passphrase"
    settings.save()


@contextlib.contextmanager
def _workroom(paths: AppPaths) -> Iterator[Path]:
    """A folder of our own beside the database, as closed as that; gone with the block."""
    with tempfile.TemporaryDirectory(dir=paths.data, prefix=".backup-") as folder:
        yield Path(folder)


@contextlib.contextmanager
def _replacing(out: Path) -> Iterator[Path]:
    """A private file beside `out` that replaces it when the block ends well."""
    part = None
    try:
        descriptor, name = tempfile.mkstemp(dir=out.parent, prefix=f".{out.name}.")
        os.close(descriptor)
        part = Path(name)
        yield part
        part.replace(out)
    except OSError as error:
        raise StorageFault(
            f"{out} cannot be written: {error.strerror}.", todo="Choose another place."
        ) from error
    finally:
        if part is not None:
            part.unlink(missing_ok=True)
