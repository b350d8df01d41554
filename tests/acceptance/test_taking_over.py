"""Whoever survives runs the flows: two windows, or a window and `serve`, as real processes on one folder."""

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from tests.support import flow_files as files
from tests.support import patient
from tests.support.forms import long_form
from tests.support.processes import Process, Service, alive, program, run, until

from patchbay.platform.engine_lock import Attachment, EngineRole, find_attachment
from patchbay.platform.paths import AppPaths

OFFSCREEN = {"QT_QPA_PLATFORM": "offscreen", "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring"}


class Folder:
    """A data folder with a published flow, and the programs that share it."""

    def __init__(self, root: Path, ends: ExitStack) -> None:
        self._ends = ends
        self.data = root / "data"
        self._vault = root / "passphrase"
        self._vault.touch(mode=0o600)
        self._vault.write_text("correct horse battery staple", encoding="utf-8")
        self._paths = AppPaths.choose(self.data)
        document = files.flow("Orders", files.catch(wait=True), files.respond(200, "done"))
        file = files.write(root / "flow.json", document)
        words = program(*self._options, "flow", "import", file, "--publish", "--json", data=self.data)
        [flow] = run(words).json
        self._hook = f"webhooks/flows/{flow['id']}/sync"

    @property
    def _options(self) -> tuple[str, ...]:
        return "--passphrase-file", str(self._vault)

    def window(self) -> Process:
        """A window of its own process, without a display."""
        words = program(*self._options, "--workspace", "local", "--new-window", data=self.data)
        said = self.data.with_name(f"said-{len(list(self.data.parent.glob('said-*')))}")
        window = Process(words, said, OFFSCREEN, fresh=True)
        self._ends.callback(window.kill)
        return window

    def serve(self) -> Service:
        service = Service(self.data, *self._options, fresh=True).start()
        self._ends.callback(service.process.kill)
        return service

    def owner(self, pid: int) -> Attachment:
        """The process with this ID as the one that runs the flows, once it does."""
        return until(lambda: found if (found := find_attachment(self._paths)) and found.pid == pid else None)

    def run_flow(self) -> str:
        """What the flow answers at the address of the program that runs it."""
        running = find_attachment(self._paths)
        assert running is not None
        answer = patient.post(f"{running.address}/{self._hook}", json={})
        return answer.text

    def attached(self, window: Process) -> None:
        """Wait until the window uses the engine of another program."""
        port = find_attachment(self._paths).address.rpartition(":")[2]
        until(lambda: _is_connected(window.pid, int(port)))


def _is_connected(pid: int, port: int) -> bool:
    """Whether a process has a connection to this port of the computer."""
    sockets: set[str] = set()
    for file in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed meanwhile
            sockets.add(os.readlink(file))
    lines = [line.split() for line in Path(f"/proc/{pid}/net/tcp").read_text("ascii").splitlines()[1:]]
    return any(f"socket:[{line[9]}]" in sockets and line[2].endswith(f":{port:04X}") for line in lines)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Folder]:
    with ExitStack() as ends:
        yield Folder(tmp_path, ends)


@long_form
def test_a_window_runs_the_flows_when_the_window_that_ran_them_is_killed(folder: Folder) -> None:
    first = folder.window()
    folder.owner(first.pid)
    second = folder.window()
    folder.attached(second)
    assert folder.run_flow() == "done"

    os.kill(first.pid, signal.SIGKILL)

    assert folder.owner(second.pid).role is EngineRole.WINDOW
    assert folder.run_flow() == "done"


@long_form
def test_a_window_runs_the_flows_when_serve_is_killed_and_gives_them_back(folder: Folder) -> None:
    service = folder.serve()
    window = folder.window()
    folder.attached(window)

    service.process.kill()
    assert folder.owner(window.pid).role is EngineRole.WINDOW
    assert folder.run_flow() == "done"

    again = folder.serve()
    assert folder.owner(again.process.pid).role is EngineRole.SERVICE
    folder.attached(window)
    assert folder.run_flow() == "done"
    assert alive(window.pid)

    again.process.stop()
    folder.owner(window.pid)
    assert folder.run_flow() == "done"
