"""Files that Patchbay stores on this computer, as the settings show them."""

from dataclasses import dataclass
from pathlib import Path

from patchbay.domain.base import EpochMs


@dataclass(frozen=True)
class StoredPlace:
    """A file or folder, what is in it, and its size in bytes."""

    title: str
    path: Path
    size: int


@dataclass(frozen=True)
class CrashReport:
    """A report of an internal error. `summary` is its last line, usually the error."""

    path: Path
    happened_at: EpochMs
    summary: str
