"""The archive of `make bundle`: its size, and its window, started from where it was unpacked.

Measures the archive in `dist`, or in the folder PATCHBAY_DIST; prints nothing if there is none.
"""

import contextlib
import os
import shutil
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.lines import ROOT, Line, folder, line
from tests.benchmarks.measurements import cpu_seconds, open_window, tree, window
from tests.benchmarks.versions import Version

ROUNDS = 5
SETTLE_SECONDS = 20.0
IDLE_SECONDS = 60.0
ASKED = {
    "window_first_paint [ms]": ("bundle_first_paint_ms", 350),
    "window_rows [ms]": ("bundle_rows_ms", 700),
    "window_rows_cpu [ms]": ("bundle_rows_cpu_ms", None),
    "window_idle_memory [MB]": ("bundle_idle_memory_mb", 150),
}
"""The name of each figure, and the most it should be where ten million additions take 0.45 s."""


def measure() -> list[Line]:
    """Print and return all figures of the archive."""
    dist = Path(os.environ.get("PATCHBAY_DIST", ROOT / "dist"))
    archive = next(iter(sorted(dist.glob("*-linux-x86_64.tar.xz"), reverse=True)), None)
    if archive is None:
        print(f"No archive of make bundle in {dist}, so it isn't measured.", file=sys.stderr)
        return []
    size = line("bundle_size_mb", archive.stat().st_size / 1e6, "MB", asked=150)
    with folder() as place:
        version = _unpacked(archive, place)
        return [size, *_start(version, place), *_idle(version, place)]


def _unpacked(archive: Path, place: Path) -> Version:
    shutil.unpack_archive(archive, place, filter="tar")
    [program] = place.glob("patchbay-*")
    return Version("bundle", "", program, program / "python" / "bin" / "python3")


def _start(version: Version, place: Path) -> Iterator[Line]:
    """Warm starts on a data folder with 40 flows and their executions."""
    with window(version, place) as measure_once:
        measure_once()
        rounds = [measure_once() for _ in range(ROUNDS)]
    for figure, (name, asked) in ASKED.items():
        every = [round(each[figure]) for each in rounds]
        unit = figure.removesuffix("]").partition("[")[2]
        yield line(name, statistics.median(every), unit, asked=asked, every=every)


def _idle(version: Version, place: Path) -> Iterator[Line]:
    """The window after it has settled, with the engine of this computer and nothing to do."""
    with open_window(version, place / "data", "local") as (process, _):
        time.sleep(SETTLE_SECONDS)
        before, wakings, start = _cpu(process.pid), _wakings(process.pid), time.monotonic()
        time.sleep(IDLE_SECONDS)
        seconds = time.monotonic() - start
        cpu = 100 * (_cpu(process.pid) - before) / seconds
        wakings = (_wakings(process.pid) - wakings) / seconds
    yield line("bundle_idle_cpu_percent", cpu, "%", asked=0.3, seconds=round(seconds))
    yield line("bundle_idle_wakings_per_s", wakings, "1/s", asked=4, seconds=round(seconds))


def _cpu(pid: int) -> float:
    return sum(map(cpu_seconds, tree(pid)))


def _wakings(pid: int) -> float:
    """How often a thread of the process, or of those below it, has waited for something, so far."""
    count = 0
    for each in tree(pid):
        for status in Path(f"/proc/{each}/task").glob("*/status"):
            with contextlib.suppress(OSError):
                lines = status.read_text("ascii").splitlines()
                count += sum(int(one.split()[1]) for one in lines if one.startswith("voluntary_ctxt"))
    return count


if __name__ == "__main__":
    measure()
