"""How long the demo workspace takes to build, as the window builds it."""

import asyncio
import time
from pathlib import Path

from tests.benchmarks.lines import Line, folder, line

from patchbay.bootstrap.demo import open_demo
from patchbay.domain.executions import ExecutionFilter
from patchbay.domain.paging import PageRequest
from patchbay.platform.paths import AppPaths


def bench_build() -> Line:
    """Seconds from nothing to a complete demo; rows of the lists are there well before."""
    with folder() as place:
        usable, complete, executions = asyncio.run(_build(place))
    return line("demo_build_s", complete, "s", lists_there_after_s=round(usable, 3), executions=executions)


async def _build(place: Path) -> tuple[float, float, int]:
    start = time.perf_counter()
    demo = await open_demo(AppPaths.choose(place), run=False)
    usable = time.perf_counter() - start
    await demo.filled()
    complete = time.perf_counter() - start
    page = await demo.backend.list_executions(ExecutionFilter(), PageRequest())
    await demo.close()
    return usable, complete, page.total
