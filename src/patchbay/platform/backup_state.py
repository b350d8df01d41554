"""The file that says how the last scheduled backups went."""

import json
import stat
from contextlib import suppress
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter

from patchbay.domain.backups import BackupStatus
from patchbay.domain.small_files import read_small_file
from patchbay.platform.paths import AppPaths, write_private

_MAX_BYTES = 4 << 20


@cache
def _status_type() -> TypeAdapter[BackupStatus]:
    return TypeAdapter(BackupStatus)


def read_backup_status(paths: AppPaths) -> BackupStatus:
    """How the last backups went; as if there were none if the file is missing or unreadable."""
    with suppress(OSError, ValueError):
        return _status_type().validate_json(read_small_file(paths.backup_status, _MAX_BYTES))
    return BackupStatus()


def write_backup_status(paths: AppPaths, status: BackupStatus) -> None:
    """Store how a backup went."""
    write_private(paths.backup_status, json.dumps(_status_type().dump_python(status, mode="json"), indent=1))


def existing(files: tuple[Path, ...]) -> tuple[Path, ...]:
    """Those of these files that still exist, or may exist on a drive that can't be read now."""
    return tuple(file for file in files if _may_exist(file))


def _may_exist(file: Path) -> bool:
    try:
        return stat.S_ISREG(file.stat().st_mode)
    except FileNotFoundError:
        return not _is_reachable(file.parent)
    except OSError:
        return True


def _is_reachable(folder: Path) -> bool:
    """Whether a folder is there. That of a drive that isn't connected usually isn't."""
    try:
        folder.stat()
    except OSError:
        return False
    return True
