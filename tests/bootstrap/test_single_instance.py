"""A second start asks the open window over a local socket; what it sends is bounded and checked."""

import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtNetwork import QLocalSocket
from pytestqt.qtbot import QtBot
from tests.support.processes import program, run

from patchbay.bootstrap import single_instance
from patchbay.bootstrap.open_request import (
    MAX_BYTES,
    OpenRequest,
    Response,
    parse_request,
)
from patchbay.bootstrap.single_instance import InstanceServer, hand_over
from patchbay.domain.errors import StorageFault
from patchbay.platform.activation_tokens import take_tokens
from patchbay.platform.paths import AppPaths
from patchbay.platform.runtime_folder import WindowLock, runtime_folder


@pytest.fixture
def runtime(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a short name: that of a socket has at most about 100 bytes."""
    with tempfile.TemporaryDirectory(prefix="r") as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        yield Path(folder)


@pytest.fixture
def paths(tmp_path: Path, runtime: Path) -> AppPaths:
    return AppPaths.choose(tmp_path / "data")


class OpenWindow:
    """Answers like a window, and notes what it was asked."""

    def __init__(self, paths: AppPaths) -> None:
        self.lock = WindowLock(paths)
        assert self.lock.acquire()
        self.requests: list[OpenRequest] = []
        self.server = InstanceServer(self.lock, self._respond)

    def close(self) -> None:
        self.server.close()
        self.lock.release()

    def _respond(self, request: OpenRequest) -> Response:
        self.requests.append(request)
        return Response.SHOWN if request.workspace != "demo" else Response.OTHER_WORKSPACE


@pytest.fixture
def window(qtbot: QtBot, paths: AppPaths) -> Iterator[OpenWindow]:
    opened = OpenWindow(paths)
    yield opened
    opened.close()


START_AGAIN = """
import sys
from patchbay.bootstrap.open_request import parse_request
from patchbay.bootstrap.single_instance import hand_over
from patchbay.platform.paths import AppPaths
from patchbay.platform.runtime_folder import WindowLock
print(hand_over(WindowLock(AppPaths.choose(sys.argv[1])), parse_request(sys.argv[2].encode())))
"""


def start_again(qtbot: QtBot, paths: AppPaths, request: OpenRequest) -> str:
    """What another process is told that is started while the window goes on."""
    words = [sys.executable, "-c", START_AGAIN, str(paths.data), request.to_line().decode()]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        qtbot.waitUntil(lambda: process.poll() is not None)
        assert process.stdout is not None
        return process.stdout.read().strip()


def sent(qtbot: QtBot, window: OpenWindow, data: bytes) -> bytes:
    """What a program is told that sends this, once the connection has ended."""
    socket = QLocalSocket()
    socket.connectToServer(window.lock.socket)
    assert socket.waitForConnected()
    socket.write(data)
    socket.flush()
    qtbot.waitUntil(lambda: socket.state() is QLocalSocket.LocalSocketState.UnconnectedState)
    return bytes(socket.readAll().data())


def test_a_second_start_hands_over_what_it_was_to_open(qtbot, paths, window):
    request = OpenRequest(workspace="local", file="/data/ada/flow.json", activation_token="t1")

    assert start_again(qtbot, paths, request) == "shown"
    assert window.requests == [request]


def test_another_workspace_needs_a_window_of_its_own(qtbot, paths, window):
    assert start_again(qtbot, paths, OpenRequest(workspace="demo")) == "other-workspace"


def test_a_start_takes_the_place_of_a_window_that_has_ended(qtbot, paths, window):
    window.close()

    assert start_again(qtbot, paths, OpenRequest()) == "None"


def test_a_socket_left_by_a_killed_window_is_replaced(qtbot, paths, window):
    left = Path(window.lock.socket)
    window.close()
    left.write_bytes(b"")

    again = OpenWindow(paths)

    assert start_again(qtbot, paths, OpenRequest()) == "shown"
    again.close()


def test_a_window_that_does_not_respond_leaves_the_start_a_window_of_its_own(paths):
    lock = WindowLock(paths)
    assert lock.acquire()

    assert hand_over(WindowLock(paths), OpenRequest(), seconds=0.0) is Response.OTHER_WORKSPACE
    lock.release()


def test_other_data_folders_have_windows_of_their_own(tmp_path, paths, window):
    other = WindowLock(AppPaths.choose(tmp_path / "other"))

    assert other.acquire()
    other.release()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has pipes and access lists instead")
def test_only_this_user_can_connect(window, runtime):
    folder = (runtime / "patchbay").stat()
    socket = Path(window.lock.socket).stat()

    assert stat.S_IMODE(folder.st_mode) == 0o700
    assert stat.S_ISSOCK(socket.st_mode)
    assert stat.S_IMODE(socket.st_mode) & 0o077 == 0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such links")
def test_a_planted_folder_is_not_used(runtime, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (runtime / "patchbay").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(StorageFault, match="isn't a folder of this user"):
        runtime_folder()


@pytest.mark.skipif(sys.platform == "win32", reason="modes mean little on Windows")
def test_a_folder_that_others_could_use_is_closed_to_them(runtime):
    (runtime / "patchbay").mkdir()
    (runtime / "patchbay").chmod(0o777)

    assert stat.S_IMODE(runtime_folder().stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "line",
    [
        b"show\n",
        b"[]\n",
        b"\xff\xfe\n",
        b'{"file": "relative.json"}\n',
        b'{"file": "/a\\u0000b"}\n',
        b'{"file": 5}\n',
        b'{"background": "yes"}\n',
        b'{"activation_token": "two words"}\n',
        b'{"link": "' + b"x" * 3000 + b'"}\n',
        b"[" * 5000 + b"\n",
    ],
)
def test_a_request_that_is_not_one_is_rejected_and_shows_nothing(qtbot, window, line):
    assert sent(qtbot, window, line) == b"rejected\n"
    assert window.requests == []


def test_an_endless_request_is_cut_off(qtbot, window):
    assert sent(qtbot, window, b"x" * (MAX_BYTES + 1)) == b""
    assert window.requests == []


def test_a_program_that_sends_nothing_is_disconnected(qtbot, window, monkeypatch):
    monkeypatch.setattr(single_instance, "REQUEST_MS", 1)

    assert sent(qtbot, window, b"") == b""


def test_further_connections_are_refused_while_too_many_are_open(qtbot, window, monkeypatch):
    monkeypatch.setattr(single_instance, "MAX_CONNECTIONS", 0)

    assert sent(qtbot, window, OpenRequest().to_line()) == b""
    assert window.requests == []


def test_a_request_survives_the_way_through_the_socket():
    request = OpenRequest(file="/data/ada/“flow”.json", link="patchbay://flows", background=True)

    assert parse_request(request.to_line()) == request


def test_tokens_of_the_desktop_are_handed_over_once(monkeypatch):
    monkeypatch.setenv("XDG_ACTIVATION_TOKEN", "abc")
    monkeypatch.setenv("DESKTOP_STARTUP_ID", "not a token")

    request = OpenRequest(background=False, **take_tokens())

    assert (request.activation_token, request.startup_id) == ("abc", "")
    assert "XDG_ACTIVATION_TOKEN" not in os.environ


def test_a_link_that_nothing_can_open_is_explained(tmp_path):
    done = run(
        program("patchbay://engine/pause", data=tmp_path / "data"), env={"QT_QPA_PLATFORM": "offscreen"}
    )

    assert done.code == 1
    assert "isn't a link that Patchbay can open" in done.err
