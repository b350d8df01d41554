"""What every benchmark prints, stores in the history, and measures with."""

import functools
import json
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from os import environ
from pathlib import Path
from typing import Any

from tests.benchmarks.reference import machine_reference

Line = dict[str, Any]

ROOT = Path(__file__).resolve().parents[2]
HISTORY = ROOT / "bench-history.jsonl"
"""Every figure ever printed on this machine; ignored by git. PATCHBAY_BENCH_HISTORY names another file."""


def line(name: str, value: float, unit: str, **detail: Any) -> Line:
    """Print one figure as a line of JSON with the machine's reference, and append it to the history."""
    reference = machine_reference(Path(environ.get("PATCHBAY_BENCH_DIR", tempfile.gettempdir())))
    figure: Line = {
        "name": name,
        "value": round(value, 3),
        "unit": unit,
        "detail": detail,
        "reference": reference,
    }
    print(json.dumps(figure), flush=True)
    stored = {
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "commit": commit_of_head(),
        **figure,
    }
    with Path(environ.get("PATCHBAY_BENCH_HISTORY", HISTORY)).open("a", encoding="utf-8") as history:
        history.write(json.dumps(stored) + "\n")
    return figure


@functools.cache
def commit_of_head() -> str:
    """The commit of this checkout, with “+” if files were changed since; empty without git."""
    words = ["git", "-C", str(ROOT), "describe", "--always", "--exclude", "*", "--dirty=+"]
    found = subprocess.run(words, capture_output=True, text=True, check=False)
    return found.stdout.strip()


@contextmanager
def folder() -> Iterator[Path]:
    """A folder on the disk to measure: PATCHBAY_BENCH_DIR, else the system's temporary folder."""
    with tempfile.TemporaryDirectory(prefix="patchbay-bench-", dir=environ.get("PATCHBAY_BENCH_DIR")) as made:
        yield Path(made)


def memory_mb(process: int | str) -> float:
    """Memory in use (resident) of a process; 0 where the system does not tell in this way."""
    try:
        text = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    except OSError:
        return 0.0
    resident = next(each for each in text.splitlines() if each.startswith("VmRSS:"))
    return int(resident.split()[1]) / 1024
