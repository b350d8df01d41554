"""What steps can't use, wherever it is: Patchbay's own data, and the file systems of the kernel."""

import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from patchbay.integration.local_files.errors import (
    link_error,
    linked_file_error,
    not_a_file_error,
    own_data_error,
)
from patchbay.integration.local_files.folders import identity_of, is_link
from patchbay.integration.local_files.paths import AllowedPath

_KERNEL_FOLDERS = ("/proc", "/sys", "/dev")


class Protected:
    """What is protected at this moment. Folders are recognised by what they are, not by their names."""

    def __init__(self, own_folders: Sequence[Path]) -> None:
        self._own_folders = tuple(own_folders)
        self._identities = {identity_of(status) for one in own_folders if (status := _status(str(one)))}
        top = os.stat(os.sep).st_dev
        devices = {status.st_dev for one in _KERNEL_FOLDERS if (status := _status(one))}
        self._devices = devices - {top}

    def __contains__(self, status: os.stat_result) -> bool:
        return status.st_dev in self._devices or identity_of(status) in self._identities

    def is_below(self, folder: os.stat_result) -> bool:
        """Whether one of Patchbay's own folders is somewhere below a folder."""
        return any(
            (status := _status(str(around))) is not None and os.path.samestat(status, folder)
            for one in self._own_folders
            for around in Path(os.path.realpath(one)).parents
        )

    def require_usable(self, path: AllowedPath, status: os.stat_result) -> None:
        """Raise `Forbidden` for everything but a regular file of its own.

        A file with a second name (a hard link) can be one from outside of the allowed folder.
        """
        if is_link(status):
            raise link_error(path)
        if not stat.S_ISREG(status.st_mode):
            raise not_a_file_error(path, is_folder=stat.S_ISDIR(status.st_mode))
        if status in self:
            raise own_data_error(path)
        if status.st_nlink > 1:
            raise linked_file_error(path)


def _status(path: str) -> os.stat_result | None:
    with suppress(OSError):
        return os.stat(path)
    return None
