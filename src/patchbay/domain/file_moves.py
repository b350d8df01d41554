"""Replaces and deletes files that another process may be reading.

On Windows, both fail while a virus scanner, an indexer, or a backup has the file open, usually for some
milliseconds.
"""

import time
from collections.abc import Callable
from pathlib import Path

RETRY_DELAYS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6)
"""Seconds before each further attempt."""
_IN_USE = (5, 32, 33)
"""Errors of Windows: access denied, sharing violation, lock violation."""


def replace_file(source: Path, target: Path) -> None:
    """Move a file to `target`, in place of a file that is there. Raises `OSError`."""
    _retry(lambda: source.replace(target))


def delete_file(file: Path) -> None:
    """Delete a file, if it exists. Raises `OSError`."""
    _retry(lambda: file.unlink(missing_ok=True))


def _retry(change: Callable[[], object]) -> None:
    for delay in RETRY_DELAYS:
        try:
            change()
        except PermissionError as error:
            if getattr(error, "winerror", None) not in _IN_USE:
                raise
            time.sleep(delay)
        else:
            return
    change()
