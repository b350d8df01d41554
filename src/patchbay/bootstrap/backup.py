"""Backs up a data folder to one encrypted file, and restores it on this or another computer."""

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

from patchbay.bootstrap.key_store import choose_key_store, settings_value
from patchbay.bootstrap.pending_restore import (
    SIDE_FILES,
    commit_restore,
    finish_restore,
    staging_folder,
)
from patchbay.domain.errors import Conflict, SecretsUnavailable, StorageFault
from patchbay.domain.file_moves import delete_file, replace_file
from patchbay.domain.ports import KeyStore, KeyStoreKind
from patchbay.platform.engine_lock import EngineLock
from patchbay.platform.paths import PRIVATE, AppPaths
from patchbay.platform.settings import SettingsFile
from patchbay.service import backup_archive
from patchbay.service.key_stores import PassphraseKeyStore
from patchbay.storage.database_copy import copy_database

_PART = ".part"
_IN_USE = ".lock"


@dataclass(frozen=True)
class BackupResult:
    """The file that was written, and what it contains."""

    file: Path
    size: int
    counts: dict[str, int]
    missing_secrets: int = 0
    """Number of connections whose credentials are no longer in the keyring."""


def require_writable_target(out: Path, *, force: bool) -> None:
    """Raise `Conflict` if the file exists, before the user is asked for a passphrase."""
    if out.is_dir():
        raise Conflict(f"{out} is a folder.", todo="Enter the name of a file.")
    if out.exists() and not force:
        raise Conflict(f"{out} already exists.", todo="Choose another name, or use --force to overwrite it.")


def require_empty_folder(paths: AppPaths, *, force: bool) -> None:
    """Raise `Conflict` if the folder has a database, before the user is asked for a passphrase."""
    # An empty file doesn't count, since locking a new folder creates one.
    if paths.database.exists() and paths.database.stat().st_size > 0 and not force:
        raise Conflict(
            f"The data folder {paths.data} already contains a database.",
            meaning="Nothing was changed.",
            todo="Choose another folder with --data-dir, or use --force, which renames that database.",
        )


async def back_up(
    paths: AppPaths, out: Path, passphrase: str, vault_passphrase: str | None = None
) -> BackupResult:
    """Back up the folder to `out`, also while another program uses it.

    `vault_passphrase` opens the folder's passphrase vault; None: the same as the backup's.
    """
    if not paths.database.exists() and not paths.pending_restore.exists():
        raise Conflict(
            f"There is nothing to back up in {paths.data}.", todo="Choose the data folder with --data-dir."
        )
    key_store = _choose_key_store(paths, vault_passphrase or passphrase)
    await asyncio.to_thread(_finish_interrupted_restore, paths)
    return await back_up_with(paths, out, passphrase, key_store)


async def back_up_with(paths: AppPaths, out: Path, passphrase: str, key_store: KeyStore) -> BackupResult:
    """Back up the folder to `out` with the keys in this key store."""
    with staging_folder(paths) as folder:
        copy = folder / backup_archive.DATABASE
        await asyncio.to_thread(copy_database, paths.database, copy)
        found = await backup_archive.inspect_database(copy, key_store, items=key_store.holds_items)

        def write() -> int:
            with _replace_atomically(out) as part:
                with part.open("wb") as file:
                    backup_archive.write_backup(file, passphrase, copy, paths.settings, found.keys)
                    file.flush()
                    os.fsync(file.fileno())
                return part.stat().st_size

        return BackupResult(out, await asyncio.to_thread(write), found.counts, found.missing_secrets)


async def inspect(paths: AppPaths, file: Path, passphrase: str) -> dict[str, int]:
    """Verify a whole backup and decrypt all of its secrets; returns numbers by name. Changes nothing."""
    with staging_folder(paths) as stage:
        unpacked = await asyncio.to_thread(_read, file, passphrase, stage)
        return (await backup_archive.inspect_backup(unpacked)).counts


async def restore(
    paths: AppPaths,
    file: Path,
    passphrase: str,
    vault_passphrase: str | None = None,
    *,
    force: bool,
    passphrase_vault: bool,
) -> BackupResult:
    """Restore `file` to an empty folder. Verifies everything before changing anything.

    `vault_passphrase` is for the folder's passphrase vault; None: the same as the backup's.
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
            key_store = _key_store_for_restore(
                paths, vault_passphrase or passphrase, stage, passphrase_vault=passphrase_vault
            )
            unpacked = await asyncio.to_thread(_read, file, passphrase, stage)
            found = await backup_archive.inspect_backup(unpacked)
            before = await _install_keys(unpacked, key_store)
            try:
                # allow blocking: a command restores, nothing else runs on its loop
                _prepare_stage(unpacked, paths, key_store, stage)
                lock.release_database()  # Windows can't replace an open file
                commit_restore(paths, stage)  # on this thread, so that it can't be interrupted
            except BaseException:
                if not paths.pending_restore.exists():
                    await backup_archive.restore_previous_keys(before, key_store)
                raise
        return BackupResult(
            paths.database, paths.database.stat().st_size, found.counts, found.missing_secrets
        )
    finally:
        lock.release()


def _finish_interrupted_restore(paths: AppPaths) -> None:
    if not paths.pending_restore.exists():
        return
    lock = EngineLock(paths.lock, paths.database)
    if not lock.acquire():
        raise Conflict(
            "This data folder is being restored.", todo="Wait until that is finished, then try again."
        )
    try:
        finish_restore(paths, lock)
    finally:
        lock.release()


def _choose_key_store(paths: AppPaths, passphrase: str) -> KeyStore:
    """The key store of this folder; a passphrase vault is opened with this passphrase."""
    key_store = choose_key_store(paths, SettingsFile(paths.settings).value)
    return (
        PassphraseKeyStore(paths.vault, passphrase)
        if key_store.kind is KeyStoreKind.PASSPHRASE_VAULT
        else key_store
    )


def _read(file: Path, passphrase: str, folder: Path) -> backup_archive.UnpackedBackup:
    try:
        with file.open("rb") as source:
            return backup_archive.read_backup(source, passphrase, folder)
    except OSError as error:
        raise StorageFault(
            f"The backup couldn't be unpacked: {error.strerror}.", meaning="Nothing was changed."
        ) from error


async def _install_keys(unpacked: backup_archive.UnpackedBackup, key_store: KeyStore) -> backup_archive.Keys:
    try:
        return await backup_archive.install_keys(unpacked, key_store, items=key_store.holds_items)
    except SecretsUnavailable as problem:
        if key_store.kind is not KeyStoreKind.SYSTEM_KEYRING:
            raise
        raise SecretsUnavailable(
            problem.happened,
            reason=problem.reason,
            meaning="The key in the backup can't be saved, so nothing was restored.",
            todo="Start or unlock a system keyring, or use --vault passphrase, which saves the key in a file "
            "encrypted with the passphrase of the backup.",
        ) from problem


def _key_store_for_restore(
    paths: AppPaths, passphrase: str, stage: Path, *, passphrase_vault: bool
) -> KeyStore:
    """The key store to restore keys to. A vault is changed in a copy, which is moved in with the database."""
    key_store = (
        PassphraseKeyStore(paths.vault, passphrase)
        if passphrase_vault
        else _choose_key_store(paths, passphrase)
    )
    if key_store.kind is not KeyStoreKind.PASSPHRASE_VAULT:
        return key_store
    if paths.vault.exists():
        shutil.copy2(paths.vault, stage / paths.vault.name)
    return PassphraseKeyStore(stage / paths.vault.name, passphrase)


def _prepare_stage(
    unpacked: backup_archive.UnpackedBackup, paths: AppPaths, key_store: KeyStore, stage: Path
) -> None:
    """Leave in the stage only what is moved in, and settings that name this computer's key store."""
    for side in SIDE_FILES:
        delete_file(unpacked.database.with_name(unpacked.database.name + side))
    staged = stage / paths.settings.name
    content = unpacked.settings
    if content is None and paths.settings.exists():
        content = paths.settings.read_bytes()
    if content is not None:
        staged.write_bytes(content)
        staged.chmod(PRIVATE)
    settings = SettingsFile(staged)
    settings.value.secrets.home = settings_value(key_store.kind)
    settings.save()


@contextlib.contextmanager
def _replace_atomically(out: Path) -> Iterator[Path]:
    """A private file beside `out` that replaces it if the block succeeds."""
    part = None
    try:
        _remove_abandoned(out)
        descriptor, name = tempfile.mkstemp(dir=out.parent, prefix=f".{out.name}.", suffix=_PART)
        os.close(descriptor)
        part = Path(name)
        with FileLock(f"{part}{_IN_USE}"):
            yield part
            replace_file(part, out)
    except OSError as error:
        raise StorageFault(
            f"{out} can't be written: {error.strerror}.", todo="Choose another location."
        ) from error
    finally:
        if part is not None:
            delete_file(part)
            delete_file(Path(f"{part}{_IN_USE}"))


def _remove_abandoned(out: Path) -> None:
    """Remove incomplete backups to the same file whose program was killed."""
    parts = out.parent.glob(f".{glob.escape(out.name)}.*{_PART}*")
    for part in {file.with_name(file.name.removesuffix(_IN_USE)) for file in parts}:
        used = Path(f"{part}{_IN_USE}")
        with contextlib.suppress(OSError, Timeout):
            with FileLock(used, timeout=0):
                delete_file(part)
            delete_file(used)
