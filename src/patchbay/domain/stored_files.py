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


@dataclass(frozen=True)
class RepairResult:
    """Problems of a database before and after a repair, and the copy made before; None if none was needed."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    copy: Path | None

    def text(self) -> str:
        """The result in sentences."""
        if self.copy is None:
            return "The database is intact. Nothing was changed."
        kept = f"A copy from before is in {self.copy.name}."
        if not self.after:
            return f"The database was repaired. {kept}"
        damage = "; ".join(self.after[:3])
        return f"Some damage can't be repaired: {damage}. Restore a backup, if you have one. {kept}"
