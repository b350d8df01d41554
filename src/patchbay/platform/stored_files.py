"""What Patchbay stores on this computer outside the database: which files, the log, and crash reports."""

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from patchbay.domain.base import EpochMs
from patchbay.domain.errors import StorageFault
from patchbay.domain.stored_files import CrashReport, StoredPlace
from patchbay.platform.paths import LOG_NAME, AppPaths

SHOWN_OF_A_LOG = 256 * 1024
"""How much of the end of a log or crash report is shown, in bytes."""
_REPORT_NAME = re.compile(r"crash-(\d{8}-\d{6})-[0-9a-f]{12}\.txt")
_MAX_REPORTS = 200
_COPY = "Copy of the database from before an upgrade, a restore, or a repair"
_SIDE_FILES = ("-wal", "-shm", "-generation", ".part")


class StoredFiles:
    """Reads the files of a data folder. Every method may wait for the disk."""

    def __init__(self, paths: AppPaths) -> None:
        self._paths = paths

    def places(self) -> tuple[StoredPlace, ...]:
        """What is stored where, with its size."""
        paths = self._paths
        found = {
            "Flows, executions, and encrypted credentials": paths.database,
            "Key of the credentials, encrypted by the passphrase": paths.vault,
            "Settings": paths.settings,
            "Your own apps": paths.apps,
            "Copies of what servers have": paths.cache,
            "Log and crash reports": paths.logs,
        }
        copies = sorted(paths.data.glob(f"{paths.database.name}.before-*"))
        existing = [(title, path) for title, path in found.items() if path.exists()]
        existing += [(_COPY, path) for path in copies if not path.name.endswith(_SIDE_FILES)]
        return tuple(StoredPlace(title, path, _size(path)) for title, path in existing)

    def log(self) -> str:
        """The end of the newest log file; empty if there is none."""
        written: dict[Path, float] = {}
        for file in self._paths.logs.glob(f"{LOG_NAME.removesuffix('.log')}*.log"):
            with suppress(OSError):  # it was deleted in between
                written[file] = file.stat().st_mtime
        return _end_of(max(written, key=written.__getitem__)) if written else ""

    def crash_reports(self) -> tuple[CrashReport, ...]:
        """The crash reports, newest first."""
        reports = sorted(self._paths.logs.rglob("crash-*.txt"), key=lambda file: file.name, reverse=True)
        return tuple(_describe(reports[:_MAX_REPORTS]))

    def crash_report(self, report: CrashReport) -> str:
        """The text of a report."""
        return _end_of(report.path)

    def delete_crash_report(self, report: CrashReport) -> None:
        """Delete a report. Raises `StorageFault`."""
        try:
            report.path.unlink(missing_ok=True)
        except OSError as error:
            raise StorageFault(
                "The crash report couldn't be deleted.", meaning=f"{error.strerror or error}."
            ) from error


def _describe(files: list[Path]) -> Iterator[CrashReport]:
    for file in files:
        if name := _REPORT_NAME.fullmatch(file.name):
            moment = datetime.strptime(name[1], "%Y%m%d-%H%M%S").replace(tzinfo=UTC)
            lines = _end_of(file).rstrip().splitlines()
            yield CrashReport(file, EpochMs(int(moment.timestamp() * 1000)), lines[-1] if lines else "")


def _end_of(file: Path) -> str:
    """The last lines of a text file, as far as they fit; empty if it can't be read."""
    with suppress(OSError), file.open("rb") as opened:
        start = max(0, file.stat().st_size - SHOWN_OF_A_LOG)
        opened.seek(start)
        text = opened.read(SHOWN_OF_A_LOG).decode("utf-8", "replace")
        return text.partition("\n")[2] if start else text
    return ""


def _size(path: Path) -> int:
    """The size of a file, or of all files in a folder, in bytes. With a database, its journal counts too."""
    if path.is_dir():
        files = [file for file in path.rglob("*") if file.is_file() and not file.is_symlink()]
    else:
        files = [path, *(path.with_name(path.name + end) for end in ("-wal", "-shm"))]
    total = 0
    for file in files:
        with suppress(OSError):
            total += file.stat().st_size
    return total
