"""The server stops on a signal, whatever is running; a run that crashes it can be cancelled."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from tests.support import flow_files as files
from tests.support.forms import long_form
from tests.support.processes import Interface, Process, Service, alive, program, run, until

from patchbay.platform import engine_lock
from patchbay.platform.exit_watchdog import EXIT_SECONDS, FORCED_EXIT_CODE
from patchbay.platform.paths import AppPaths

APP = """
import asyncio
import os
import time
from pathlib import Path

from patchbay.integration import Action, App, OnInterrupted

from .sums import spin


def _begun(ctx):
    with Path(ctx.parameters["begun"]).open("a") as file:
        file.write("x")


async def on_its_loop(ctx):
    _begun(ctx)
    while True:
        pass


async def in_a_thread(ctx):
    _begun(ctx)
    await asyncio.to_thread(time.sleep, 600)


async def deaf(ctx):
    _begun(ctx)
    while True:
        try:
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            pass


async def in_a_worker(ctx):
    _begun(ctx)
    await ctx.compute(spin, seconds=600)


async def die(ctx):
    _begun(ctx)
    os._exit(9)


app = App(
    name="Stubborn", key="stubborn", primary_color="#000000", description="Never ends.",
    actions=[
        Action(key=run.__name__, name=run.__name__, description="Never ends.", run=run,
               supports_connections=False, on_interrupted=OnInterrupted.REPEAT)
        for run in (on_its_loop, in_a_thread, deaf, in_a_worker, die)
    ],
)
"""
SUMS = """
import re


def spin() -> None:
    re.match(r"(a+)+$", "a" * 60 + "b")
"""


class Stubborn:
    """A data folder with a published flow whose only step is an action of the app above."""

    def __init__(self, folder: Path, action: str) -> None:
        self.data, self.begun = folder / "data", folder / "begun"
        app = self.data / "apps" / "stubborn"
        app.mkdir(parents=True)
        (app / "__init__.py").write_text(APP, "utf-8")
        (app / "sums.py").write_text(SUMS, "utf-8")
        step = files.step("stubborn", action, begun=str(self.begun))
        flow = files.write(folder / "flow.json", files.flow("Never", files.catch(), step))
        [made] = run(program("flow", "import", flow, "--publish", "--json", data=self.data)).json
        self.path = f"/webhooks/flows/{made['id']}"

    def call(self, service: Service) -> None:
        """Start a run, and wait until its step has begun."""
        httpx.post(service.address + self.path, json={}, timeout=30)
        until(lambda: self.calls)

    def bring_down(self, service: Service) -> None:
        """Start a run whose step ends the process."""
        with contextlib.suppress(httpx.HTTPError):
            httpx.post(service.address + self.path, json={}, timeout=30)
        try:
            assert service.process.popen.wait(30) == 9
        finally:
            service.process.kill()

    @property
    def calls(self) -> int:
        return len(self.begun.read_text("ascii")) if self.begun.exists() else 0

    def dies(self) -> int:
        """The exit code of a server that continues the run."""
        process = Process(program("serve", "--port", 0, data=self.data), self.data / "stderr")
        try:
            return process.popen.wait(60)
        finally:
            process.kill()


@pytest.mark.acceptance
@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    ("action", "code"),
    [("on_its_loop", 0), ("in_a_thread", FORCED_EXIT_CODE), ("deaf", 0), ("in_a_worker", 0)],
)
def test_the_service_ends_within_its_grace(tmp_path: Path, action: str, code: int) -> None:
    stubborn = Stubborn(tmp_path, action)
    service = Service(stubborn.data).start()
    try:
        stubborn.call(service)
        told = time.monotonic()
        service.process.popen.send_signal(signal.SIGTERM)
        found = service.process.popen.wait(60)
    finally:
        service.process.kill()

    assert found == code
    assert time.monotonic() - told < EXIT_SECONDS + 10  # generous: the machine may be busy
    words = service.process.said
    assert ("didn't stop within" in words) == (code == FORCED_EXIT_CODE)
    assert "Traceback" not in words


@long_form
@pytest.mark.timeout(120)
def test_callers_of_webhooks_are_answered_before_the_service_ends(tmp_path: Path) -> None:
    stubborn = Stubborn(tmp_path, "in_a_worker")
    service = Service(stubborn.data).start()
    try:
        with ThreadPoolExecutor(1) as pool, _Upload(service.address, stubborn.path) as upload:
            waiting = pool.submit(httpx.post, f"{service.address}{stubborn.path}/sync", json={}, timeout=60)
            until(lambda: stubborn.calls)
            service.process.popen.send_signal(signal.SIGTERM)
            waited = waiting.result()
            late = upload.finish()
        service.process.popen.wait(60)
    finally:
        service.process.kill()

    assert waited.status_code == 503
    assert "accepted. The flow continues" in waited.json()["meta"]["meaning"]
    assert "retry-after" not in waited.headers
    assert late.startswith(b"HTTP/1.1 503 ")
    assert b"retry-after:" in late.lower()
    assert b"The request wasn't accepted." in late
    assert "Traceback" not in service.process.said
    second = Service(stubborn.data).start()
    try:
        until(lambda: stubborn.calls == 2)
    finally:
        second.process.kill()


class _Upload:
    """A call to a webhook whose body has half arrived."""

    def __init__(self, address: str, path: str) -> None:
        where = urlsplit(address)
        self._socket = socket.create_connection((where.hostname or "", where.port or 0), timeout=30)
        head = f"POST {path} HTTP/1.1\r\nHost: {where.netloc}\r\nContent-Type: application/json\r\n"
        self._socket.sendall(f"{head}Content-Length: 2\r\n\r\n{{".encode())

    def finish(self) -> bytes:
        """Send the rest; the response up to the end of the connection."""
        self._socket.sendall(b"}")
        with self._socket.makefile("rb") as answer:
            return answer.read()

    def __enter__(self) -> "_Upload":
        return self

    def __exit__(self, *error: object) -> None:
        self._socket.close()


@pytest.mark.parametrize("work", ["while True: pass", "thread.join()"])
def test_the_watchdog_ends_a_process_that_does_not_end(work: str) -> None:
    program_text = textwrap.dedent(f"""
        import threading, time
        from patchbay.platform.exit_watchdog import ExitWatchdog
        ExitWatchdog(0.3).arm()
        thread = threading.Thread(target=time.sleep, args=(600,))
        thread.start()
        {work}
    """)

    done = subprocess.run(
        [sys.executable, "-c", program_text], capture_output=True, text=True, timeout=60, check=False
    )

    assert done.returncode == FORCED_EXIT_CODE
    assert "didn't stop within 0.3 seconds" in done.stderr
    assert "Traceback" not in done.stderr


@long_form
@pytest.mark.skipif(sys.platform == "win32", reason="needs timers that interrupt nothing")
def test_the_watchdog_ends_even_what_never_lets_go_of_the_interpreter() -> None:
    program_text = (
        "import re\n"
        "from patchbay.platform.exit_watchdog import ExitWatchdog\n"
        "ExitWatchdog(0.3).arm()\n"
        "re.match(r'(a+)+$', 'a' * 60 + 'b')\n"
    )

    done = subprocess.run([sys.executable, "-c", program_text], capture_output=True, timeout=60, check=False)

    assert done.returncode == FORCED_EXIT_CODE


@long_form
@pytest.mark.long
@pytest.mark.timeout(180)
def test_a_step_that_kills_the_service_runs_twice_and_then_fails_with_words(tmp_path: Path) -> None:
    stubborn = Stubborn(tmp_path, "die")
    stubborn.bring_down(Service(stubborn.data).start())
    assert stubborn.dies() == 9

    with Service(stubborn.data) as third:
        told = Interface(third)
        [ended] = told.finished("Never")
        error = _failed_step(told, ended["id"])["errorDetails"]
        told.close()

    assert stubborn.calls == 2
    assert ended["status"] == "failure"
    assert error["kind"] == "StoppedTwice"
    assert error["todo"]


@long_form
@pytest.mark.timeout(180)
def test_a_service_that_a_run_brings_down_is_repaired_with_safe(tmp_path: Path) -> None:
    stubborn = Stubborn(tmp_path, "die")
    stubborn.bring_down(Service(stubborn.data).start())

    with Service(stubborn.data, serve=["--safe"]) as safe:
        words = safe.process.popen.stdout
        assert words is not None
        said = words.readline() + words.readline()
        told = Interface(safe)
        [waiting] = told.executions("Never")
        assert waiting["finishedAt"] is None
        cancelled = safe.command("execution", "cancel", waiting["id"])
        resumed = safe.command("engine", "resume")
        [ended] = told.finished("Never")
        told.close()

    assert b"patchbay engine resume" in said
    assert (cancelled.code, resumed.code) == (0, 0)
    assert ended["state"] == "cancelled"
    assert stubborn.calls == 1


def _failed_step(told: Interface, execution_id: str) -> dict[str, Any]:
    step: dict[str, Any] = next(one for one in told.steps(execution_id) if one["status"] == "failure")
    return step


@pytest.mark.acceptance
@pytest.mark.timeout(120)
def test_the_window_starts_paused_with_safe_and_ends_although_a_step_never_does(tmp_path: Path) -> None:
    stubborn = Stubborn(tmp_path, "in_a_thread")
    words = program("--workspace", "local", "--safe", data=stubborn.data)
    window = subprocess.Popen(
        words, env={**os.environ, "QT_QPA_PLATFORM": "offscreen"}, stderr=subprocess.PIPE, text=True
    )
    try:
        status = until(lambda: _engine_of(stubborn.data, window.pid), seconds=60)
        assert status["health"]["state"] == "paused"
        address = _address(stubborn.data)
        httpx.post(address + stubborn.path, json={}, timeout=30)
        assert stubborn.calls == 0
        assert run(program("engine", "resume", data=stubborn.data)).code == 0
        until(lambda: stubborn.calls)
        window.send_signal(signal.SIGTERM)
        assert window.wait(60) == FORCED_EXIT_CODE
    finally:
        window.kill()
        window.wait()
        assert window.stderr is not None
        window.stderr.close()


def _address(data: Path) -> str:
    found = engine_lock.find_attachment(AppPaths.choose(data))
    return "" if found is None else found.address


def _engine_of(data: Path, pid: int) -> dict[str, Any]:
    """What the engine says once the window answers for it."""
    assert alive(pid)
    if not _address(data):
        return {}
    done = run(program("engine", "status", "--json", data=data))
    return done.json if done.code == 0 else {}


def test_a_server_that_drains_accepts_requests_while_its_health_check_fails(tmp_path: Path):
    data = tmp_path / "data"
    file = files.write(tmp_path / "flow.json", files.flow("Called", files.catch(), files.trimmed("a")))
    [made] = run(program("flow", "import", file, "--publish", "--json", data=data)).json
    with Service(data, serve=("--drain", "300")) as service, httpx.Client(base_url=service.address) as http:
        service.process.popen.send_signal(signal.SIGTERM)

        until(lambda: http.get("/healthcheck").status_code == 503)
        assert http.post(f"/webhooks/flows/{made['id']}", json={}).status_code == 204

        service.process.stop()  # the second signal ends it
