"""`make bench`: one JSON line for each figure, {"name", "value", "unit", "detail"}; about ten minutes."""

import asyncio
import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"

from tests.benchmarks import (
    bench_bombs,
    bench_demo,
    bench_engine,
    bench_hold_ups,
    bench_interface,
    bench_long,
    bench_service,
    bench_sleepers,
    bench_window,
    long_history,
)
from tests.benchmarks.lines import folder


def main() -> None:
    """Every benchmark in turn; each prints its lines as soon as it has them."""
    bench_window.bench_start()
    bench_demo.bench_build()
    bench_engine.bench_throughput()
    bench_service.bench_webhook()
    bench_service.bench_memory()
    bench_window.bench_memory()
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
