"""How fast this machine is at this moment, so that figures from different hours can be compared."""

import functools
import sqlite3
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any

ADDITIONS = 10_000_000
_PROBE_SECONDS = 0.5
_VALID_SECONDS = 30.0


def machine_reference(place: Path) -> dict[str, Any]:
    """The CPU seconds of ten million additions, and the commits per second of the disk below `place`.

    Measured again when the last measurement is 30 seconds old.
    """
    return _measure(place, int(time.monotonic() / _VALID_SECONDS))


@functools.lru_cache(maxsize=1)
def _measure(place: Path, _: int) -> dict[str, Any]:
    return {
        "ten_million_additions_s": round(additions_seconds(), 3),
        "full_commits_per_s": commit_rate(place),
    }


def additions_seconds() -> float:
    """CPU seconds of ten million additions in Python."""
    start, total = time.process_time(), 0
    for _ in range(ADDITIONS):
        total += 1  # noqa: SIM113  the additions are what is measured
    return time.process_time() - start


def commit_rate(place: Path) -> int:
    """Commits of one row per second on the disk of this folder (WAL, synchronous FULL)."""
    with (
        tempfile.TemporaryDirectory(prefix="patchbay-probe-", dir=place) as made,
        closing(sqlite3.connect(Path(made) / "probe.db", isolation_level=None)) as db,
    ):
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        db.execute("CREATE TABLE probe (value TEXT)")
        count, start = 0, time.perf_counter()
        while (spent := time.perf_counter() - start) < _PROBE_SECONDS:
            db.execute("INSERT INTO probe VALUES ('x')")
            count += 1
    return round(count / spent)
