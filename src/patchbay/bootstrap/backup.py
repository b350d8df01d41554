"""A data folder into one encrypted file, and back on this or another computer."""

import asyncio
import contextlib
import glob
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from patchbay.bootstrap.key_store import LockedPassphraseVault, choose_key_store
from patchbay.bootstrap.pending_restore import (
    SIDE_FILES,
    commit_restore,
    finish_restore,
    pending_file,
    staging_folder,
)
from patchbay.domain.errors import Conflict, SecretsUnavailable, StorageFault
from patchbay.domain.ports import KeyStore
from patchbay.platform.engine_lock import EngineLock
from patchbay.platform.paths import PRIVATE, AppPaths
from patchbay.platform.settings import SettingsFile
from patchbay.platform.system_keyring import SystemKeyring
from patchbay.service import backup_archive
from patchbay.service.key_stores import PassphraseKeyStore
from patchbay.storage.database_copy import copy_database

_PART, _IN_USE = ".part", ".lock"


@dataclass(frozen=True)
class BackupResult:
    """What was written, and what is in it."""

    file: Path
    size: int
    counts: dict[str, int]
    missing_secrets: int = 0
    """Connections whose credentials are not in the keyring any more."""


def require_writable_target(out: Path, *, force: bool) -> None:
    """Refuse, before anything is asked, what must not be overwritten."""
    if out.is_dir():
        raise Conflict(f"{out} is a folder.", todo="Give the name of a file.")
    if out.exists() and not force:
        raise Conflict(f"{out} exists already.", todo="Choose another name, or overwrite it with --force.")


def require_empty_folder(paths: AppPaths, *, force: bool) -> None:
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


async def back_up(
    paths: AppPaths, out: Path, passphrase: str, vault_passphrase: str | None = None
) -> BackupResult:
    """Write the folder into `out`, also beside a program that uses it.

    `vault_passphrase` opens the folder's passphrase vault; None: the same that encrypts the backup.
    """
    if not paths.database.exists() and not pending_file(paths).exists():
        raise Conflict(f"There is nothing to back up in {paths.data}.", todo="Name the folder: --data-dir.")
    home = _choose_key_store(paths, vault_passphrase or passphrase)
    await asyncio.to_thread(_finish_interrupted_restore, paths)
    with staging_folder(paths) as folder:
        copy = folder / backup_archive.DATABASE
        await asyncio.to_thread(copy_database, paths.database, copy)
        found = await backup_archive.inspect_database(copy, home, items=isinstance(home, SystemKeyring))

        def write() -> int:
            with _replace_atomically(out) as part:
                with part.open("wb") as file:
                    backup_archive.write_backup(file, passphrase, copy, paths.settings, found.keys)
                    file.flush()
                    os.fsync(file.fileno())
                return part.stat().st_size

        return BackupResult(out, await asyncio.to_thread(write), found.counts, found.missing_secrets)


async def restore(
    paths: AppPaths,
    file: Path,
    passphrase: str,
    vault_passphrase: str | None = None,
    *,
    force: bool,
    passphrase_vault: bool,
) -> BackupResult:
    """Bring the content of `file` into an empty folder. Everything is verified before anything is touched.

    `vault_passphrase` is for the folder's passphrase vault; None: the same that opens the backup.
    """
    lock = EngineLock(paths.lock, paths.database)
    if not lock.acquire():
        raise Conflict(
            "Another Patchbay program is using this data folder.",
            meaning="Nothing was changed.",
            todo="Close it, or choose another folder with --data-dir.",
        )
    try:
        finish_restore(paths, lock)
        require_empty_folder(paths, force=force)
        with staging_folder(paths) as stage:
            # allow blocking: a command restores, nothing else runs on its loop
            home = _key_store_for_restore(
                paths, vault_passphrase or passphrase, stage, passphrase_vault=passphrase_vault
            )
            unpacked = await asyncio.to_thread(_read, file, passphrase, stage)
            found = await backup_archive.inspect_backup(unpacked)
            before = await _install_keys(unpacked, home)
            try:
                # allow blocking: a command restores, nothing else runs on its loop
                _prepare_stage(unpacked, paths, home, stage)
                lock.release_database()  # Windows replaces no file that is open
                commit_restore(paths, stage)  # on this thread: an interruption comes before or after it
            except BaseException:
                if not pending_file(paths).exists():
                    await backup_archive.restore_previous_keys(before, home)
                raise
        return BackupResult(
            paths.database, paths.database.stat().st_size, found.counts, found.missing_secrets
        )
    finally:
        lock.release()


def _finish_interrupted_restore(paths: AppPaths) -> None:
    if not pending_file(paths).exists():
        return
    lock = EngineLock(paths.lock, paths.database)
    if not lock.acquire():
        raise Conflict(
            "A restore of this data folder is under way.", todo="Wait until it has ended, then try again."
        )
    try:
        finish_restore(paths, lock)
    finally:
        lock.release()


def _choose_key_store(paths: AppPaths, passphrase: str) -> KeyStore:
    """The home this folder has; a passphrase vault is opened with this passphrase."""
    home = choose_key_store(paths, SettingsFile(paths.settings).value)
    return PassphraseKeyStore(paths.vault, passphrase) if isinstance(home, LockedPassphraseVault) else home


def _read(file: Path, passphrase: str, folder: Path) -> backup_archive.UnpackedBackup:
    try:
        with file.open("rb") as source:
            return backup_archive.read_backup(source, passphrase, folder)
    except OSError as error:
        raise StorageFault(
            f"The backup could not be unpacked: {error.strerror}.", meaning="Nothing was changed."
        ) from error


async def _install_keys(unpacked: backup_archive.UnpackedBackup, home: KeyStore) -> backup_archive.Keys:
    try:
        return await backup_archive.install_keys(unpacked, home, items=isinstance(home, SystemKeyring))
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


def _key_store_for_restore(
    paths: AppPaths, passphrase: str, stage: Path, *, passphrase_vault: bool
) -> KeyStore:
    """The home that the keys go to; a vault is changed in a copy that comes into place with the database."""
    home = (
        PassphraseKeyStore(paths.vault, passphrase)
        if passphrase_vault
        else _choose_key_store(paths, passphrase)
    )
    if not isinstance(home, PassphraseKeyStore):
        return home
    if paths.vault.exists():
        shutil.copy2(paths.vault, stage / paths.vault.name)
    return PassphraseKeyStore(stage / paths.vault.name, passphrase)


def _prepare_stage(
    unpacked: backup_archive.UnpackedBackup, paths: AppPaths, home: KeyStore, stage: Path
) -> None:
    """Leave in the stage what comes into place, and nothing else; the settings with this computer's home."""
    for side in SIDE_FILES:
        unpacked.database.with_name(unpacked.database.name + side).unlink(missing_ok=True)
    staged = stage / paths.settings.name
    content = unpacked.settings
    if content is None and paths.settings.exists():
        content = paths.settings.read_bytes()
    if content is not None:
        staged.write_bytes(content)
        staged.chmod(PRIVATE)
    settings = SettingsFile(staged)
    settings.value.secrets.home = "keyring" if isinstance(home, SystemKeyring) else "passphrase"
    settings.save()


@contextlib.contextmanager
def _replace_atomically(out: Path) -> Iterator[Path]:
    """A private file beside `out` that replaces it when the block ends well."""
    part = None
    try:
        _remove_abandoned(out)
        descriptor, name = tempfile.mkstemp(dir=out.parent, prefix=f".{out.name}.", suffix=_PART)
        os.close(descriptor)
        part = Path(name)
        with FileLock(f"{part}{_IN_USE}"):
            yield part
            part.replace(out)
    except OSError as error:
        raise StorageFault(
            f"{out} cannot be written: {error.strerror}.", todo="Choose another place."
        ) from error
    finally:
        if part is not None:
            part.unlink(missing_ok=True)
            Path(f"{part}{_IN_USE}").unlink(missing_ok=True)


def _remove_abandoned(out: Path) -> None:
    """Remove parts of backups to the same file whose program was killed."""
    parts = out.parent.glob(f".{glob.escape(out.name)}.*{_PART}*")
    for part in {file.with_name(file.name.removesuffix(_IN_USE)) for file in parts}:
        used = Path(f"{part}{_IN_USE}")
        with contextlib.suppress(OSError, Timeout):
            with FileLock(used, timeout=0):
                part.unlink(missing_ok=True)
            used.unlink(missing_ok=True)
