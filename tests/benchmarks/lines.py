"""What every benchmark prints and stands on."""

import json
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from os import environ
from pathlib import Path
from typing import Any

Line = dict[str, Any]


def line(name: str, value: float, unit: str, **detail: Any) -> Line:
    """Print one figure as a line of JSON."""
    told: Line = {"name": name, "value": round(value, 3), "unit": unit, "detail": detail}
    print(json.dumps(told), flush=True)
    return told


@contextmanager
def folder() -> Iterator[Path]:
    """A folder on the disk to measure: PATCHBAY_BENCH_DIR, else the system's temporary folder."""
    with tempfile.TemporaryDirectory(prefix="patchbay-bench-", dir=environ.get("PATCHBAY_BENCH_DIR")) as made:
        yield Path(made)


def commit_rate(place: Path) -> int:
    """One-row commits a second of this disk (WAL, FULL) in this very run: the ground all figures stand on."""
    with closing(sqlite3.connect(place / "probe.db", isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        db.execute("CREATE TABLE probe (value TEXT)")
        count, start = 0, time.perf_counter()
        while (spent := time.perf_counter() - start) < 0.5:
            db.execute("INSERT INTO probe VALUES ('x')")
            count += 1
    return round(count / spent)


def memory_mb(process: int | str) -> float:
    """Memory in use (resident) of a process; 0 where the system does not tell in this way."""
    try:
        text = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    except OSError:
        return 0.0
    resident = next(each for each in text.splitlines() if each.startswith("VmRSS:"))
    return int(resident.split()[1]) / 1024
