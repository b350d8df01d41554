"""Repairs what can be rebuilt from the data of a database file: its indexes."""

import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from patchbay.domain.errors import StorageFault
from patchbay.domain.stored_files import RepairResult
from patchbay.storage.integrity import inspect_file, missing_indexes
from patchbay.storage.sqlite import translate_sqlite_errors


def repair_file(path: Path) -> RepairResult:
    """Copy the file, then rebuild its indexes. No other program may have it open. Raises `StorageFault`."""
    before = find_problems(path)
    if not before:
        return RepairResult((), (), None)
    copy = _copy_aside(path)
    with translate_sqlite_errors(), closing(sqlite3.connect(path, isolation_level=None)) as driver:
        driver.execute("REINDEX")
        for statement in missing_indexes(driver):
            driver.execute(statement)
        driver.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return RepairResult(before, find_problems(path), copy)


def find_problems(path: Path) -> tuple[str, ...]:
    """Damage, breaking differences of the schema, and missing indexes. Raises `StorageFault`."""
    report = inspect_file(path)
    differences = [
        difference.text
        for difference in report.differences
        if difference.is_breaking or difference.text.endswith(" is missing")
    ]
    return (*report.damage, *differences)


def _copy_aside(path: Path) -> Path:
    """Copy the file and its write-ahead log, so that a repair that makes it worse can be undone."""
    copy = path.with_name(f"{path.name}{time.strftime('.before-repair-%Y%m%d-%H%M%S')}")
    try:
        if shutil.disk_usage(path.parent).free < 2 * path.stat().st_size:
            raise StorageFault(
                "There isn't enough disk space to copy the database before it is repaired.",
                meaning="Nothing was changed.",
                todo="Free some space, then try again.",
            )
        for side in ("", "-wal"):
            if (source := path.with_name(path.name + side)).exists():
                shutil.copy2(source, copy.with_name(copy.name + side))
    except OSError as error:
        raise StorageFault(
            f"The database couldn't be copied before the repair: {error.strerror or error}.",
            meaning="Nothing was changed.",
        ) from error
    return copy
