"""Drive the real program from outside: a display, a mouse, a keyboard, and what a screen reader reads.

Nothing here imports the program or calls into it. Controls are found in the accessibility tree and operated
by events of the X server at the place where they are.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path

import pytest
from tests.window.accessible import AccessibilityBus, Node, Place

PROGRAMS = ("Xvfb", "dbus-daemon", "openbox", "xdotool")
BUS_LAUNCHERS = ("/usr/libexec/at-spi-bus-launcher", "/usr/lib/at-spi2-core/at-spi-bus-launcher")
WIDTH, HEIGHT = 1440, 900
OF_THE_TESTS = ("QT_", "XDG_", "PYSIDE6_")
"""What sets up Qt for other tests."""
NOWHERE = "http://127.0.0.1:9"
"""A proxy that isn't there, so that no request leaves the computer."""
CLIPBOARD = """
import os, sys
from PySide6.QtCore import QSocketNotifier
from PySide6.QtGui import QGuiApplication
app = QGuiApplication(sys.argv)
with open(sys.argv[1], "ab", buffering=0) as noted:
    app.clipboard().dataChanged.connect(lambda: noted.write(b"."))
    texts = os.open(sys.argv[2], os.O_RDWR)
    listener = QSocketNotifier(texts, QSocketNotifier.Type.Read)
    listener.activated.connect(lambda *_: app.clipboard().setText(os.read(texts, 4096).decode()))
    app.exec()
"""
"""A program that notes each change of the clipboard, which only another window of the display hears of, and
puts there what is written into a pipe."""
FREES_TAB = "Esc, then Tab"
"""What a field says in which Tab indents."""
PATIENCE = 30.0
"""Seconds to wait for something that a person would see; generous, because the machine may be busy."""

UNSEEN_SECONDS = 0.5
"""How long a change that can't be seen may go unread."""

needs_a_desktop = pytest.mark.skipif(
    not all(map(shutil.which, PROGRAMS)) or not any(map(os.path.exists, BUS_LAUNCHERS)),
    reason=f"a display to test on needs {', '.join(PROGRAMS)} and at-spi2-core",
)


@contextmanager
def desktop(home: Path) -> Iterator[dict[str, str]]:
    """The environment of a fresh display with a window manager and an accessibility bus."""
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(OF_THE_TESTS)},
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(home),
        "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
        "XDG_SESSION_TYPE": "x11",
        "QT_QPA_PLATFORM": "xcb",
        "LANG": "C.UTF-8",
        "NO_AT_BRIDGE": "0",
        "PATH": f"{_browser(home).parent}:{os.environ.get('PATH', '')}",
        "BROWSER": "xdg-open",
        "QT_LOGGING_RULES": "qt.accessibility.atspi.warning=false",  # we ask about objects just gone
        "http_proxy": NOWHERE,
        "https_proxy": NOWHERE,
        "no_proxy": "127.0.0.1,localhost,::1",
    }
    with ExitStack() as ends:

        def start(*words: str, says: bool = False) -> str:
            out = subprocess.PIPE if says else subprocess.DEVNULL
            process = subprocess.Popen(
                words,
                env=environment,
                stdout=out,
                stderr=subprocess.DEVNULL,
                text=True,
                start_new_session=True,
            )
            ends.callback(_end, process)
            return process.stdout.readline().strip() if process.stdout is not None else ""

        number = start(
            "Xvfb",
            "-displayfd",
            "1",
            "-screen",
            "0",
            f"{WIDTH}x{HEIGHT}x24",
            "-fbdir",
            str(home),
            "-nolisten",
            "tcp",
            "-noreset",  # else it starts anew when its only program leaves, and loses those that come
            says=True,
        )
        environment["DISPLAY"] = f":{number}"
        environment["DBUS_SESSION_BUS_ADDRESS"] = start(
            "dbus-daemon", "--session", "--nofork", "--print-address=1", says=True
        )
        start(next(filter(os.path.exists, BUS_LAUNCHERS)), "--launch-immediately")
        managing = start("openbox", "--sm-disable", "--startup", "echo managing", says=True)
        assert managing, "the window manager has ended: a window whose dialog closes would get no keys"
        os.mkfifo(home / "to-copy")
        start(sys.executable, "-c", CLIPBOARD, str(home / "copies.txt"), str(home / "to-copy"))
        yield environment


def _browser(home: Path) -> Path:
    """A stand-in for the browser: it notes each address in `opened.txt` and opens nothing."""
    folder = home / "bin"
    folder.mkdir(exist_ok=True)
    browser = folder / "xdg-open"
    browser.write_text(f'#!/bin/sh\necho "$@" >> "{home}/opened.txt"\n', encoding="utf-8")
    browser.chmod(0o755)
    return browser


class Picture:
    """What is on the screen at one moment, to be compared with another moment."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._pixels = bytearray(WIDTH * HEIGHT * 4)
        with (Path(environment["HOME"]) / "Xvfb_screen0").open("rb") as image:
            image.seek(-len(self._pixels), os.SEEK_END)
            image.readinto(self._pixels)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Picture) and self._pixels == other._pixels

    __hash__ = None  # type: ignore[assignment]

    def without(self, places: Iterable[Place]) -> "Picture":
        """A copy in which these places are blank."""
        copy = object.__new__(Picture)
        copy._pixels = bytearray(self._pixels)
        for place in places:
            left, right = max(place.x, 0), min(place.x + place.width, WIDTH)
            blank = bytes(4 * max(right - left, 0))
            for y in range(max(place.y, 0), min(place.y + place.height, HEIGHT)) if blank else ():
                start = (y * WIDTH + left) * 4
                copy._pixels[start : start + len(blank)] = blank
        return copy


class PatchbayWindow:
    """One `patchbay` process on a display."""

    def __init__(
        self,
        environment: dict[str, str],
        data: Path,
        *arguments: str,
        stdin: str = "",
        program: Sequence[str] = (sys.executable, "-m", "patchbay"),
    ) -> None:
        self._environment = {**environment, "PATCHBAY_DATA_DIR": str(data)}
        self.data = data
        self._errors = data.with_name(f"stderr-{time.monotonic_ns()}.txt").open("w+", encoding="utf-8")
        self._process = subprocess.Popen(
            [*program, *arguments],
            env=self._environment,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=self._errors,
            start_new_session=True,
        )
        assert self._process.stdin is not None
        self._process.stdin.write(stdin)
        self._process.stdin.close()
        self.bus = AccessibilityBus(environment["DBUS_SESSION_BUS_ADDRESS"], self._process.pid)
        self.bus.find_application(2 * PATIENCE)
        self._activate()

    def close(self) -> None:
        self.bus.close()
        _end(self._process)
        self._errors.close()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def complaints(self) -> list[str]:
        """What should never be there: lines on standard error, and crash reports."""
        self._errors.flush()
        lines = Path(self._errors.name).read_text("utf-8").splitlines()
        reports = (file for file in self.data.rglob("*crash*.*") if file.stat().st_size)
        return [*lines, *map(str, reports)]

    @property
    def exit_code(self) -> int | None:
        """None while the program runs."""
        return self._process.poll()

    @property
    def opened_addresses(self) -> list[str]:
        """The addresses that were handed to the browser on this display."""
        noted = Path(self._environment["HOME"]) / "opened.txt"
        return noted.read_text("utf-8").splitlines() if noted.exists() else []

    @property
    def copies(self) -> int:
        """How often the clipboard of this display has changed."""
        noted = Path(self._environment["HOME"]) / "copies.txt"
        return noted.stat().st_size if noted.exists() else 0

    def _activate(self) -> None:
        """Wait until the window is there and takes the keys."""
        self.wait(lambda tree: next(iter(tree.children), None), "window")
        self._await_activity()

    def _await_activity(self) -> None:
        """Wait until a window of the program is active: keys that are pressed before that go nowhere.

        After a dialog has closed, this takes the window manager a moment. For a window beside another one,
        it sometimes leaves it to a click on the title.
        """
        end = time.monotonic() + PATIENCE / 10
        while not (active := self.bus.is_active()) and time.monotonic() < end and self.exit_code is None:
            time.sleep(0.02)
        if not active and self.exit_code is None:
            place = self.bus.tree().children[0].place
            self.click_at(place.middle[0], place.y - 10)
            self.wait(_active, "active window")

    # Seeing

    def picture(self) -> Picture:
        return Picture(self._environment)

    def rest(self, seconds: float = 1.0) -> None:
        """Wait until the picture stays as it is for a moment, for at most so many seconds."""
        end = time.monotonic() + seconds
        last = self.picture()
        time.sleep(0.06)
        while time.monotonic() < end and (now := self.picture()) != last:
            last = now
            time.sleep(0.06)

    def see(self, role: str, name: str | re.Pattern[str], *, within: str | None = None) -> Node:
        """The control of this role and name, once it is showing; `within` names what holds it."""
        return self.wait(lambda tree: next(_find(tree, role, name, within), None), f"{role} “{name}”")

    def see_at_rest(self, role: str, name: str | re.Pattern[str], *, within: str | None = None) -> Node:
        """Like `see`, once it has stopped moving: what just opens may still find its place."""
        last = self.see(role, name, within=within)
        while (now := self.see(role, name, within=within)).place != last.place:
            last = now
        return now

    def all(self, role: str, within: str | None = None) -> list[Node]:
        """Every control of this role that is showing now."""
        return list(_find(self.bus.tree(), role, None, within))

    def wait(self, found: Callable[[Node], Node | None], what: str) -> Node:
        """What `found` finds in the tree, once it finds something. Fails with the tree as text."""
        end = time.monotonic() + PATIENCE
        while True:
            shown, tree = self.picture(), self.bus.tree()
            if (node := found(tree)) is not None:
                return node
            if (code := self.exit_code) is not None:
                raise AssertionError(f"no {what}: the window has ended with {code}, saying {self.complaints}")
            if time.monotonic() > end:
                raise AssertionError(f"no {what} after {PATIENCE:g} s in\n{tree.outline()}")
            self._await_change(shown)

    def _await_change(self, shown: Picture) -> None:
        """Wait until the picture is another one, or for a moment: not all that is read can be seen.

        Reading the tree takes a hundred times as long as a look at the picture, here and in the program.
        """
        end = time.monotonic() + UNSEEN_SECONDS
        time.sleep(0.05)
        while self.picture() == shown and time.monotonic() < end:
            time.sleep(0.05)

    # Acting

    def click(self, node: Node) -> None:
        x, y = node.place.middle
        self._xdotool("mousemove", str(x), str(y), "click", "1")

    def click_at(self, x: int, y: int, *, button: int = 1, times: int = 1) -> None:
        self._xdotool("mousemove", str(x), str(y), "click", "--repeat", str(times), str(button))

    def drag(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        """Press the mouse at one place and let go at another, by way of the middle."""
        between = [str((one + other) // 2) for one, other in zip(start, end, strict=True)]
        self._xdotool("mousemove", *map(str, start), "mousedown", "1", "mousemove", *between)
        self._xdotool("mousemove", *map(str, end), "mouseup", "1")

    def point_at(self, x: int, y: int) -> None:
        """Move the mouse without a click."""
        self._xdotool("mousemove", str(x), str(y))

    def press(self, *keys: str) -> None:
        """Press keys one after the other, by their X names: Return, Down, ctrl+k."""
        self._await_activity()
        self._xdotool("key", "--delay", "40", *keys)

    def tab_round(self, most: int = 120, key: str = "Tab") -> list[Node]:
        """Where the Tab key stops, until it comes round to a place again."""
        stops: list[Node] = []
        inside = any("focused" in n.states and FREES_TAB in n.description for n in self.bus.tree().walk())
        for _ in range(most):
            keys = ("Escape", key) if inside else (key,)
            stop = self.bus.focus_after(partial(self.press, *keys))
            inside = stop is not None and FREES_TAB in stop.description
            if stop is None or stop.path in {node.path for node in stops}:
                break
            stops.append(stop)
        return stops

    def type(self, text: str) -> None:
        self._await_activity()
        self._xdotool("type", "--delay", "30", text)

    def paste(self, text: str) -> None:
        """Put a text of up to 4096 bytes on the clipboard and paste it: keyboards lack some letters."""
        before = self.copies
        (Path(self._environment["HOME"]) / "to-copy").write_text(text, encoding="utf-8")
        end = time.monotonic() + PATIENCE
        while self.copies == before:
            assert time.monotonic() < end, "the clipboard hasn't changed"
            time.sleep(0.02)
        self.press("ctrl+v")

    def open_tab(self, name: str) -> None:
        self.click(self.see("page tab", name))
        self.wait(lambda tree: next(_find(tree, "page tab list", name, None), None), f"tab {name}")

    def _xdotool(self, *words: str) -> None:
        subprocess.run(["xdotool", *words], env=self._environment, check=True, timeout=PATIENCE)


def _find(tree: Node, role: str, name: str | re.Pattern[str] | None, within: str | None) -> Iterator[Node]:
    tops: Sequence[Node] = [tree] if within is None else [node for node in tree.walk() if node.name == within]
    for top in tops:
        for node in top.walk():
            if node.role == role and (name is None or _is_named(node, name)):
                yield node


def _active(tree: Node) -> Node | None:
    return next((node for node in tree.walk() if "active" in node.states), None)


def _is_named(node: Node, name: str | re.Pattern[str]) -> bool:
    return node.name == name if isinstance(name, str) else name.fullmatch(node.name) is not None


def _end(process: subprocess.Popen[str] | subprocess.Popen[bytes]) -> None:
    """End a process, and those it started: it leads a session of its own."""
    for how in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, how)
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=PATIENCE)
    if process.stdout is not None:
        process.stdout.close()
