"""The window as a process of its own: its start, its memory at rest, how long it stands still under load."""

import json
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import httpx
from tests.benchmarks.bench_service import three_steps
from tests.benchmarks.lines import Line, folder, line
from tests.support import flow_files as files
from tests.support.processes import Done, program, run

STARTS = 5
PER_SECOND = 100
CALLERS = 4
CHILD_SECONDS = 60


def bench_start() -> list[Line]:
    """Milliseconds from the start of the process to the first paint, and to rows in the Flows list."""
    with folder() as place:
        _once(place, "demo", "start")  # warms the disk's cache
        seen = [_once(place, "demo", "start") for _ in range(STARTS)]
    detail = {"runs": STARTS, "platform": "offscreen", "workspace": "demo"}
    return [
        line(
            name,
            statistics.median(values := sorted(one[name] for one in seen)),
            "ms",
            **detail,
            every=[round(value) for value in values],
        )
        for name in ("window_start_ms", "rows_shown_ms")
    ]


def bench_memory() -> Line:
    """Resident memory of a window on the complete demo that has nothing to do."""
    with folder() as place:
        found = _once(place, "demo", "memory")
    detail = {"process": "patchbay (window and engine)", "workspace": "demo"}
    return line("memory_idle_window_mb", found["memory_mb"] or 0.0, "MB", **detail)


def bench_stall() -> Line:
    """The longest time the window stood still while its process ran 100 executions a second."""
    with folder() as place:
        file = files.write(place / "flow.json", three_steps("Load"))
        [made] = run(program("flow", "import", file, "--publish", "--json", data=place)).json
        with _start(place, "local", "stall") as child:
            assert child.stdout is not None
            assert json.loads(child.stdout.readline()) == {"ready": True}
            address = json.loads((place / "service.json").read_text())["address"]
            sent = Load(f"{address}/webhooks/flows/{made['id']}").until_ended(child)
            found = json.loads(child.stdout.read())
        ran = _executions(place)
    detail = {"executions": len(ran), "asked_per_second": PER_SECOND, "executions_per_second": _rate(ran)}
    assert len(ran) == sent
    return line("ui_stall_ms", found["ui_stall_ms"], "ms", **detail)


class Load:
    """Calls a webhook at a steady pace from threads of another process than the one that is measured."""

    def __init__(self, hook: str) -> None:
        self._hook = hook
        self._sent = 0
        self._lock = threading.Lock()
        self._end = threading.Event()

    def until_ended(self, child: "subprocess.Popen[str]") -> int:
        """Call until the child has measured; how many calls were taken."""
        threads = [threading.Thread(target=self._call) for _ in range(CALLERS)]
        for thread in threads:
            thread.start()
        child.wait(CHILD_SECONDS)
        self._end.set()
        for thread in threads:
            thread.join()
        return self._sent

    def _call(self) -> None:
        pause, due = CALLERS / PER_SECOND, time.monotonic()
        with httpx.Client() as http:
            while not self._end.is_set():
                try:
                    answer = http.post(self._hook, json={"customer": " Ada "})
                except httpx.TransportError:
                    return  # the window has closed
                with self._lock:
                    self._sent += answer.status_code == 204
                due += pause
                self._end.wait(max(0.0, due - time.monotonic()))


def _executions(place: Path) -> list[dict[str, Any]]:
    done: Done = run(program("execution", "list", "--limit", 5000, "--json", data=place))
    found: list[dict[str, Any]] = done.json
    return found


def _rate(ran: list[dict[str, Any]]) -> float:
    ends = sorted(item["finishedAt"] for item in ran if item["finishedAt"])
    return round(len(ends) / (ends[-1] - ends[0]) * 1000, 1)


def _start(place: Path, workspace: str, measure: str) -> "subprocess.Popen[str]":
    words = [
        sys.executable,
        "-m",
        "tests.benchmarks.window_child",
        str(time.time()),
        str(place),
        workspace,
        measure,
    ]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True)


def _once(place: Path, workspace: str, measure: str) -> dict[str, Any]:
    with _start(place, workspace, measure) as child:
        said, _ = child.communicate(timeout=CHILD_SECONDS)
    found: dict[str, Any] = json.loads(said)
    return found
