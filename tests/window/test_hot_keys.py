"""Hot keys while another window has the focus: they start flows, until the program that owns them ends."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.support import flow_files as files
from tests.support.patience import STARTING
from tests.support.processes import Process, program, run, until
from tests.support.session_bus import private_session_bus
from tests.support.shortcut_portal import running_portal
from tests.support.virtual_display import xdotool
from tests.window.driver import PatchbayWindow, needs_a_desktop
from tests.window.workspaces import passphrase_file

pytestmark = [needs_a_desktop, pytest.mark.timeout(300), pytest.mark.acceptance]

FOCUSED = """
import sys
from PySide6.QtWidgets import QApplication, QLineEdit
app = QApplication(sys.argv)
line = QLineEdit()
line.setWindowTitle("Another program")
line.textChanged.connect(lambda text: print(text, flush=True))
line.show()
print("shown", flush=True)
app.exec()
"""
"""A program with a window that says what is typed into it."""
OWN_KEYS = """
import ctypes, sys
xlib = ctypes.CDLL("libX11.so.6")
xlib.XOpenDisplay.restype = ctypes.c_void_p
xlib.XDefaultRootWindow.restype = ctypes.c_ulong
xlib.XStringToKeysym.restype = ctypes.c_ulong
errors = []
on_error = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(lambda *_: errors.append(1) or 0)
xlib.XSetErrorHandler(on_error)
display = ctypes.c_void_p(xlib.XOpenDisplay(None))
root = ctypes.c_ulong(xlib.XDefaultRootWindow(display))
keycode = xlib.XKeysymToKeycode(display, ctypes.c_ulong(xlib.XStringToKeysym(b"p")))
xlib.XGrabKey(display, keycode, 4 | 8, root, 0, 1, 1)
xlib.XSync(display, 0)
print("taken" if errors else "owned", flush=True)
sys.stdin.read()
"""
"""A program that grabs Ctrl+Alt+P and keeps it until its input ends."""
FLOW = "On the key"
WARNING = "another program or the desktop already uses Ctrl+Alt+P"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    passphrase_file(tmp_path / "passphrase")
    return tmp_path / "data"


@contextmanager
def _other_program(display: dict[str, str], script: str) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-c", script]
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, env=display, text=True, **pipes) as running:
        try:
            yield running
        finally:
            running.terminate()


def _line(running: "subprocess.Popen[str]") -> str:
    assert running.stdout is not None
    return running.stdout.readline().strip()


def _owner(display: dict[str, str]) -> str:
    """Whether a program can grab the keys now: `owned`, or `taken` if another one has."""
    with _other_program(display, OWN_KEYS) as trying:
        return _line(trying)


def _engine_state(data: Path) -> str:
    done = run(program("engine", "status", "--json", data=data))
    return str(done.json["health"]["state"]) if done.code == 0 else done.err


def _starts(data: Path) -> list[dict[str, Any]]:
    listed = run(program("execution", "list", "--name", FLOW, "--json", data=data)).json
    found: list[dict[str, Any]] = listed["data"] if isinstance(listed, dict) else listed
    return found


def _flow_file(data: Path) -> Path:
    """A file with a flow for Ctrl+Alt+P."""
    pressed = files.step("desktop", "hotKeyPressed", keys="alt+ctrl+p")
    document = files.flow(FLOW, pressed, files.trimmed("{{step.#1.keys}}"))
    return files.write(data.with_name("flow.json"), document)


def _publish(data: Path) -> None:
    done = run(program("flow", "import", _flow_file(data), "--publish", data=data))
    assert done.code == 0, done.err


def _change(data: Path, how: str) -> None:
    done = run(program("flow", how, FLOW, data=data))
    assert done.code == 0, done.err


def test_keys_start_a_flow_of_a_hidden_window_once_per_press_and_are_free_after_it(
    display: dict[str, str], data: Path
) -> None:
    name, vault = display["DISPLAY"], data.with_name("passphrase")
    environment = {**display, "PATCHBAY_DATA_DIR": str(data)}
    hidden = Process(program("--passphrase-file", vault, "--background"), data.with_name("said"), environment)
    try:
        until(lambda: _engine_state(data) == "running", STARTING)
        _publish(data)
        until(lambda: _owner(display) == "taken")
        with _other_program(display, FOCUSED) as focused:
            assert _line(focused) == "shown"
            xdotool(name, "search", "--sync", "--name", "Another program", "windowfocus", "--sync")
            xdotool(name, "type", "x")
            assert _line(focused) == "x"

            xdotool(name, "key", "ctrl+alt+p")
            until(lambda: len(_starts(data)) == 1)
            xdotool(name, "keydown", "ctrl", "keydown", "alt", "keydown", "p", "sleep", "1.5")
            xdotool(name, "keyup", "p", "keyup", "alt", "keyup", "ctrl")
            until(lambda: len(_starts(data)) == 2)
            xdotool(name, "key", "ctrl+alt+p")
            until(lambda: len(_starts(data)) == 3)
            xdotool(name, "type", "y")
            assert _line(focused) == "xy", "no other program gets the keys of a flow"

        [newest, *_] = until(lambda: [one for one in _starts(data) if one["state"] == "success"])
        shown = run(program("execution", "show", newest["id"], "--json", data=data)).json
        assert shown["executionSteps"][-1]["dataOut"] == {"output": "Ctrl+Alt+P"}
        _change(data, "pause")
        until(lambda: _owner(display) == "owned")
        _change(data, "resume")
        until(lambda: _owner(display) == "taken")
        _change(data, "unpublish")
        until(lambda: _owner(display) == "owned")
        _change(data, "publish")
        until(lambda: _owner(display) == "taken")
        hidden.stop()
    finally:
        hidden.kill()

    assert _owner(display) == "owned"
    assert len(_starts(data)) == 3


def test_keys_of_another_program_are_named_until_they_are_free(display: dict[str, str], data: Path) -> None:
    vault = ("--passphrase-file", str(data.with_name("passphrase")))
    with closing(PatchbayWindow(display, data, *vault, "--workspace", "local")) as window:
        window.see("push button", "Engine running")
        with _other_program(display, OWN_KEYS) as owner:
            assert _line(owner) == "owned"
            _publish(data)

            window.wait(_mentions(WARNING), "warning")
        window.wait(lambda tree: None if _mentions(WARNING)(tree) else tree, "window without the warning")

        xdotool(display["DISPLAY"], "key", "ctrl+alt+p")
        until(lambda: len(_starts(data)) == 1)
        assert window.complaints == []


def test_on_wayland_the_portal_of_the_desktop_reports_the_keys(display: dict[str, str], data: Path) -> None:
    """The window is drawn with X11, and a portal stands in for that of a Wayland desktop."""
    vault = data.with_name("passphrase")
    with private_session_bus() as bus:
        wayland = {"WAYLAND_DISPLAY": "wayland-0", "DBUS_SESSION_BUS_ADDRESS": bus}
        environment = {**display, **wayland, "PATCHBAY_DATA_DIR": str(data)}
        words = program("--passphrase-file", vault, "--workspace", "local")
        window = Process(words, data.with_name("said"), environment)
        try:
            until(lambda: _engine_state(data) == "running", STARTING)
            file = _flow_file(data)
            rejected = run(program("flow", "import", file, "--publish", data=data))
            assert "doesn't notify programs of hot keys" in rejected.out + rejected.err

            asyncio.run(_publish_and_press(bus, data))
            window.stop()
        finally:
            window.kill()
    assert _owner(display) == "owned", "X11 was used as well"


async def _publish_and_press(bus: str, data: Path) -> None:
    async with running_portal(bus, seconds=4 * STARTING) as portal:
        await asyncio.to_thread(_change, data, "publish")
        await portal.has_bound.wait()
        assert portal.bound == [{"flow-ctrl-alt-p": "CTRL+ALT+p"}]
        await asyncio.to_thread(until, lambda: not _starts(data))
        for count in (1, 2):
            await portal.press("flow-ctrl-alt-p")
            await asyncio.to_thread(until, lambda wanted=count: len(_starts(data)) == wanted)


def _mentions(text: str) -> Any:
    def find(tree: Any) -> Any:
        return next((node for node in tree.walk() if text in f"{node.name} {node.description}"), None)

    return find
