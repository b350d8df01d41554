"""`make bench`: one JSON line for each figure, {"name", "value", "unit", "detail", "reference"}; an hour.

`reference` is the speed of the machine at that moment. `make bench BASE=COMMIT` compares two commits instead
(`end_to_end.py`). All figures are also appended to `bench-history.jsonl`.
"""

import asyncio
import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"

from tests.benchmarks import (
    bench_bombs,
    bench_bundle,
    bench_demo,
    bench_engine,
    bench_hold_ups,
    bench_interface,
    bench_long,
    bench_sleepers,
    bench_window,
    end_to_end,
    long_history,
)
from tests.benchmarks.lines import folder


def main() -> None:
    """Every benchmark in turn; each prints its lines as soon as it has them."""
    end_to_end.measure(base=None, pairs=end_to_end.PAIRS, only=[])
    bench_demo.bench_build()
    bench_bundle.measure()
    bench_engine.bench_throughput()
    bench_window.bench_stall()
    bench_hold_ups.bench_hold_ups()
    bench_sleepers.bench_sleepers()
    bench_bombs.bench_bombs()
    with folder() as place:
        asyncio.run(long_history.make(place))
        bench_interface.measure(place)
        bench_long.measure(place)


if __name__ == "__main__":
    main()
