"""Makes a restore atomic, and removes files left behind by killed programs.

All files are first written to a staging folder. Then a small file with the name of that folder is written:
from then on, the restore is certain. The next program that gets the engine's lock finishes it before anything
else, however often it is interrupted.
"""

import contextlib
import json
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from patchbay.domain.errors import StorageFault
from patchbay.domain.file_moves import delete_file, replace_file
from patchbay.domain.small_files import read_json_object
from patchbay.platform.engine_lock import EngineLock
from patchbay.platform.paths import AppPaths, write_private

SIDE_FILES = ("-wal", "-shm", "-generation")
_STAGES = ".backup-"
_IN_USE = "in-use.lock"
_STAGE_NAME = re.compile(r"\.backup-[0-9A-Za-z_]+")
_ASIDE = re.compile(r"\.before-restore-[0-9-]+")
_TEMPORARY = (".vault.json.*", ".service.json.*", ".restore.json.*")
"""Temporary files beside their targets. While this program has the lock, they are from a killed program."""


def commit_restore(paths: AppPaths, stage: Path) -> None:
    """Move the database, settings, and vault from `stage` to their places.

    Renames existing files instead of overwriting them. Raises `StorageFault`.
    """
    aside = time.strftime(".before-restore-%Y%m%d-%H%M%S")
    try:
        write_private(paths.pending_restore, json.dumps({"stage": stage.name, "aside": aside}))
        _finish(paths)
    except OSError as error:
        raise _restore_fault(error, started=paths.pending_restore.exists()) from error


def finish_restore(paths: AppPaths, lock: EngineLock) -> bool:
    """Finish an interrupted restore, if there is one, and remove abandoned files. Needs the engine's lock.

    Returns whether there was one.
    """
    pending = paths.pending_restore.exists()
    try:
        if pending:
            lock.release_database()  # the file at this place is about to be replaced
            _finish(paths)
        remove_abandoned_stages(paths)
    except OSError as error:
        raise _restore_fault(error, started=True) from error
    except (ValueError, KeyError, TypeError) as error:
        raise StorageFault(
            f"{paths.pending_restore.name} is damaged, so an interrupted restore can't be finished.",
            meaning="Nothing was changed.",
            todo="To keep the current database, delete the file. Then restore the backup again.",
        ) from error
    if pending and not lock.acquire_database():
        raise _restore_fault(OSError(0, "another program opened the database"), started=True)
    return pending


def _finish(paths: AppPaths) -> None:
    """Move the files; safe to repeat after an interruption at any point."""
    stage, aside = _read_pending(paths)
    if (stage / paths.database.name).exists():
        for side in (*SIDE_FILES, ""):
            _move_aside(paths.database.with_name(paths.database.name + side), aside, side)
        replace_file(stage / paths.database.name, paths.database)
    for target in (paths.settings, paths.vault):
        if (stage / target.name).exists():
            _move_aside(target, aside)
            replace_file(stage / target.name, target)
    shutil.rmtree(stage, ignore_errors=True)
    delete_file(paths.pending_restore)


def _read_pending(paths: AppPaths) -> tuple[Path, str]:
    """The staging folder, and the suffix for the names of existing files.

    Raises `ValueError` for names that Patchbay doesn't create, so that it never removes other folders.
    """
    found = read_json_object(paths.pending_restore)
    stage, aside = found["stage"], found["aside"]
    if not (_STAGE_NAME.fullmatch(stage) and _ASIDE.fullmatch(aside)) or (paths.data / stage).is_symlink():
        raise ValueError(f"unexpected names in {paths.pending_restore.name}")
    return paths.data / stage, aside


def _move_aside(file: Path, aside: str, side: str = "") -> None:
    """Rename `name.db-wal` to `name.db<aside>-wal`, unless that was done before."""
    if not file.exists():
        return
    target = file.with_name(file.name.removesuffix(side) + aside + side)
    if target.exists() or not file.stat().st_size:
        delete_file(file)  # created by a program that opened the folder in between
    else:
        replace_file(file, target)


@contextlib.contextmanager
def staging_folder(paths: AppPaths) -> Iterator[Path]:
    """A private folder beside the database, removed after the block unless a restore from it has started."""
    remove_abandoned_stages(paths)
    stage = Path(tempfile.mkdtemp(dir=paths.data, prefix=_STAGES))
    try:
        with FileLock(stage / _IN_USE):
            yield stage
    finally:
        if not paths.pending_restore.exists():
            shutil.rmtree(stage, ignore_errors=True)


def remove_abandoned_stages(paths: AppPaths) -> None:
    """Remove staging folders whose program was killed, except that of an unfinished restore."""
    kept = _read_pending(paths)[0] if paths.pending_restore.exists() else None
    for stage in paths.data.glob(f"{_STAGES}*"):
        if stage == kept or stage.is_symlink() or not stage.is_dir():
            continue
        with contextlib.suppress(OSError, Timeout):
            with FileLock(stage / _IN_USE, timeout=0):
                pass
            shutil.rmtree(stage, ignore_errors=True)


def remove_temporary_files(paths: AppPaths) -> None:
    """Remove files that were being written when their program was killed; the engine's lock must be held."""
    for pattern in _TEMPORARY:
        for file in paths.data.glob(pattern):
            with contextlib.suppress(OSError):
                delete_file(file)


def _restore_fault(error: OSError, *, started: bool) -> StorageFault:
    if started:
        return StorageFault(
            f"The restore couldn't be finished: {error.strerror}.",
            meaning="The restore resumes the next time Patchbay starts.",
            todo="Check the disk and the permissions of the data folder, then start Patchbay.",
        )
    return StorageFault(
        f"The database couldn't be moved to its place: {error.strerror}.", meaning="Nothing was changed."
    )
