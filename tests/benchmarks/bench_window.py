"""The window as a process of its own: how long it doesn't respond under load."""

import json
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import httpx
from tests.benchmarks.data_folders import three_steps
from tests.benchmarks.lines import Line, folder, line
from tests.support import flow_files as files
from tests.support.processes import Done, program, run

PER_SECOND = 100
CALLERS = 4
CHILD_SECONDS = 60


def bench_stall() -> Line:
    """The longest time the window stood still while its process ran 100 executions a second."""
    with folder() as place:
        file = files.write(place / "flow.json", three_steps("Load"))
        [made] = run(program("flow", "import", file, "--publish", "--json", data=place)).json
        with _start(place) as child:
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
                    answer = http.post(self._hook, json={"customer": {"name": " Ada "}})
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


def _start(place: Path) -> "subprocess.Popen[str]":
    words = [sys.executable, "-m", "tests.benchmarks.window_child", str(place)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
