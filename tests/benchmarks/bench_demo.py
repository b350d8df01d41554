"""How long the demo workspace takes to build: what the lists show first, then everything."""

import asyncio
import json
import os
import tempfile
import time
from pathlib import Path

from patchbay.demo.build import SEED, remember
from patchbay.demo.workspace import furnish
from patchbay.domain.base import Json
from patchbay.service.key_homes import MemoryKeyHome
from patchbay.service.vault import Vault
from patchbay.storage.database import Database

Line = dict[str, Json]


def bench_demo_build() -> list[Line]:
    """Seconds from an empty folder to flows in the list, to the newest executions, and to all 20,000."""
    return asyncio.run(_measure())


async def _measure() -> list[Line]:
    moments: list[tuple[int, float]] = []
    with tempfile.TemporaryDirectory(
        prefix="patchbay-bench-", dir=os.environ.get("PATCHBAY_BENCH_DIR")
    ) as folder:
        start, cpu, now = time.perf_counter(), time.process_time(), time.time_ns() // 1_000_000
        db = await Database.open(Path(folder) / "demo.db")
        await furnish(db, now, Vault(db, MemoryKeyHome(), lambda: now).seal, SEED)
        furnished = time.perf_counter() - start
        stored = await remember(
            db, now, progress=lambda count: moments.append((count, time.perf_counter() - start))
        )
        detail: Line = {
            "executions": stored, "cpu_s": round(time.process_time() - cpu, 2), "bytes": db.size(),
            "flows_shown_s": round(furnished, 3), "newest_executions_shown_s": round(moments[0][1], 3),
        }  # fmt: skip
        await db.close()
    line: Line = {"name": "demo_build", "value": round(moments[-1][1], 3), "unit": "s", "detail": detail}
    print(json.dumps(line), flush=True)
    return [line]


if __name__ == "__main__":
    bench_demo_build()
