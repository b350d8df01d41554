"""The desktop of the window: what waits for the person, the clipboard with its secrets, and events."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Coroutine, Iterator, Mapping
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar

import pytest
from PySide6.QtCore import SIGNAL, QByteArray, QMimeData, QObject, QRect, QTimer
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QSystemTrayIcon
from tests.support.patience import PATIENCE

from patchbay.bootstrap import desktop_events, network_reports, window_desktop
from patchbay.bootstrap.window_desktop import _MAX_SHOWN as MAX_SHOWN
from patchbay.bootstrap.window_desktop import TrayMessages, WindowDesktop, _parse, _read_in_own_process
from patchbay.desktop.kit import clipboard
from patchbay.desktop.kit.secret_fields import copy_text
from patchbay.desktop.tasks import LoopThread
from patchbay.domain.desktop import (
    MAX_WAITING_FORMS,
    ClipboardText,
    DesktopEventKind,
    DesktopForm,
    DesktopFormField,
    FieldKind,
    Notification,
)
from patchbay.domain.errors import AppError, Conflict, NotSupported

T = TypeVar("T")
MS = int(PATIENCE * 1000)
WHICH = DesktopForm("Which?", fields=(DesktopFormField("name", "Name"),))


class Notifier:
    """Notes the notifications, and clicks `clicks`; waits if that is empty."""

    def __init__(self) -> None:
        self.shown: list[tuple[str, str, Mapping[str, str], bool]] = []
        self.clicks: list[str | None] = []
        self.has_buttons = True
        self.ended = 0
        self.open: list[str] = []

    async def __call__(
        self, title: str, text: str, buttons: Mapping[str, str], *, needs_buttons: bool = False
    ) -> str | None:
        if needs_buttons and not self.has_buttons:
            raise NotSupported("no buttons")
        self.shown.append((title, text, buttons, needs_buttons))
        self.open.append(title)
        try:
            if not self.clicks:
                await asyncio.Event().wait()
            return self.clicks.pop(0)
        finally:
            self.ended += 1
            self.open.remove(title)


class TrayIcon(QSystemTrayIcon):
    """An icon of a desktop that has a tray."""

    shown = hidden = False

    def show(self) -> None:
        self.shown = True

    def hide(self) -> None:
        self.hidden = True

    def showMessage(self, *_: object) -> None:
        pass


@pytest.fixture
def loop() -> Iterator[LoopThread]:
    made = LoopThread()
    made.start()
    yield made
    made.stop()


@pytest.fixture
def notifier() -> Notifier:
    return Notifier()


@pytest.fixture
def owner(qtbot) -> QObject:
    return QObject()


@pytest.fixture
def desktop(owner, notifier, loop) -> Iterator[WindowDesktop]:
    made = WindowDesktop(owner, notify=notifier)
    yield made
    made._forms.close()


@pytest.fixture
def result_of(qtbot, loop) -> Callable[[Coroutine[Any, Any, T]], T]:
    """Waits for a coroutine on the loop thread, while the window's thread goes on."""

    def wait(work: Coroutine[Any, Any, T]) -> T:
        future = loop.submit(work)
        qtbot.waitUntil(future.done, timeout=MS)
        return future.result()

    return wait


def _shown(qtbot, desktop: WindowDesktop) -> Any:
    qtbot.waitUntil(lambda: desktop._forms.dialog is not None, timeout=MS)
    return desktop._forms.dialog


def _closed(qtbot, desktop: WindowDesktop) -> None:
    qtbot.waitUntil(lambda: desktop._forms.dialog is None, timeout=MS)


def _done(qtbot, future: Future[Any]) -> None:
    qtbot.waitUntil(future.done, timeout=MS)


def test_what_is_sent_arrives_at_the_step(qtbot, loop, desktop):
    asking = loop.submit(desktop.show_form(WHICH))
    dialog = _shown(qtbot, desktop)
    dialog.fields["name"].editor.setText("Ada")
    dialog.arming.timeout.emit()

    dialog.send.click()

    _done(qtbot, asking)
    assert asking.result() == {"name": "Ada"}


def test_a_form_that_cannot_be_shown_ends_its_step_with_an_error(desktop, result_of):
    broken = DesktopForm("Which?", fields=(DesktopFormField("size", "Size", FieldKind.CHOICE, options=None),))

    with pytest.raises(AppError, match="couldn't be shown"):
        result_of(desktop.show_form(broken))


def test_of_many_notifications_the_oldest_are_closed(qtbot, desktop, notifier, result_of):
    async def show(number: int) -> None:
        for one in range(number):
            await desktop.show_notification(Notification(f"Number {one}"))

    result_of(show(MAX_SHOWN * 2))

    qtbot.waitUntil(lambda: notifier.ended == MAX_SHOWN or len(notifier.open) == MAX_SHOWN)
    assert notifier.open == [f"Number {one}" for one in range(MAX_SHOWN, MAX_SHOWN * 2)]


def test_a_burst_waits_for_notifications_that_the_desktop_closes_slowly(qtbot, loop, owner, result_of):
    connected: list[str] = []
    closing = asyncio.Event()

    async def slow(title: str, *_: object) -> None:
        connected.append(title)
        try:
            await asyncio.Event().wait()
        finally:
            await closing.wait()
            connected.remove(title)

    desktop = WindowDesktop(owner, notify=slow)

    async def burst() -> int:
        for one in range(MAX_SHOWN * 3):
            showing = asyncio.create_task(desktop.show_notification(Notification(f"Number {one}")))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        most = len(connected)
        closing.set()
        await showing
        return most

    assert result_of(burst()) == MAX_SHOWN * 2
    loop.loop.call_soon_threadsafe(desktop.interrupt)
    qtbot.waitUntil(lambda: not connected, timeout=int(PATIENCE * 1000))


def test_the_tray_icon_of_a_notification_is_hidden_after_its_time(qtbot, owner, monkeypatch):
    icon = TrayIcon()
    monkeypatch.setattr(window_desktop, "system_tray", lambda: icon)
    monkeypatch.setattr(window_desktop, "_TRAY_MS", 10)
    TrayMessages(owner).show("Done", "")

    assert icon.shown
    qtbot.waitUntil(lambda: icon.hidden)


def test_a_form_disappears_with_its_step(qtbot, loop, desktop):
    asking = loop.submit(desktop.show_form(WHICH))
    _shown(qtbot, desktop)

    asking.cancel()

    _closed(qtbot, desktop)


def test_everything_that_waits_is_interrupted_when_the_engine_stops(
    qtbot, loop, desktop, notifier, result_of
):
    asking = loop.submit(desktop.show_form(WHICH))
    choosing = loop.submit(desktop.show_notification(Notification("Ship?", buttons=("Yes",))))
    result_of(desktop.show_notification(Notification("Done")))
    _shown(qtbot, desktop)
    qtbot.waitUntil(lambda: len(notifier.shown) == 2)

    loop.loop.call_soon_threadsafe(desktop.interrupt)

    for waiting in (asking, choosing):
        _done(qtbot, waiting)
        assert waiting.cancelled()
    _closed(qtbot, desktop)
    qtbot.waitUntil(lambda: notifier.ended == 2)


def test_the_end_of_the_program_hides_a_form_without_a_response(qtbot, loop, desktop):
    asking = loop.submit(desktop.show_form(WHICH))
    _shown(qtbot, desktop)

    desktop.close()

    assert desktop._forms.dialog is None
    loop.loop.call_soon_threadsafe(desktop.interrupt)
    _done(qtbot, asking)
    assert asking.cancelled()


def test_only_so_many_steps_wait_at_a_time(qtbot, loop, desktop, result_of):
    asking = [loop.submit(desktop.show_form(WHICH)) for _ in range(MAX_WAITING_FORMS)]
    _shown(qtbot, desktop)

    with pytest.raises(Conflict, match="already waiting"):
        result_of(desktop.show_form(WHICH))

    asking[-1].cancel()
    _done(qtbot, asking[-1])
    asking[-1] = loop.submit(desktop.show_form(WHICH))
    desktop._forms.dialog.reject()
    _done(qtbot, asking[0])
    assert asking[0].result() is None
    for one in asking:
        one.cancel()
    _closed(qtbot, desktop)


def test_the_label_of_the_button_is_returned(desktop, notifier, result_of):
    notifier.clicks = ["1", None]
    notification = Notification("Ship?", "Order 7", ("Later", "Ship"), "Orders")

    assert result_of(desktop.show_notification(notification)) == "Ship"
    assert result_of(desktop.show_notification(notification)) is None
    assert notifier.shown[0] == ("Flow “Orders”: Ship?", "Order 7", {"0": "Later", "1": "Ship"}, True)


def test_buttons_that_cannot_be_shown_are_an_error(owner, desktop, notifier, result_of):
    notifier.has_buttons = False
    notification = Notification("Ship?", buttons=("Yes",))

    for without in (desktop, WindowDesktop(owner, notify=None)):
        with pytest.raises(NotSupported, match="no buttons") as caught:
            result_of(without.show_notification(notification))

        assert "Ask me" in caught.value.todo


def _content(text: str, **formats: bytes) -> QMimeData:
    content = QMimeData()
    content.setText(text)
    for name, data in formats.items():
        content.setData(name, QByteArray(data))
    return content


@pytest.mark.parametrize(
    ("name", "data", "is_secret"),
    [
        ("x-kde-passwordManagerHint", b"secret", True),
        ("x-kde-passwordManagerHint", b"public", False),
        ("org.nspasteboard.ConcealedType", b"", True),
        ('application/x-qt-windows-mime;value="ExcludeClipboardContentFromMonitorProcessing"', b"", True),
        ('application/x-qt-windows-mime;value="CanIncludeInClipboardHistory"', b"\0\0\0\0", True),
        ('application/x-qt-windows-mime;value="CanIncludeInClipboardHistory"', b"\1\0\0\0", False),
        ("text/html", b"<b>a</b>", False),
    ],
)
def test_secrets_of_password_managers_are_recognised(qtbot, name, data, is_secret):
    found = clipboard.text_of(_content("hunter2", **{name: data}))

    assert found == (ClipboardText(is_secret=True) if is_secret else ClipboardText("hunter2"))


def test_a_text_that_is_too_long_is_an_error(qtbot, monkeypatch):
    monkeypatch.setattr(clipboard, "MAX_CLIPBOARD_LENGTH", 3)

    with pytest.raises(AppError, match="longer than 3"):
        clipboard.text_of(_content("four"))


def test_a_picture_on_the_clipboard_is_no_text(qtbot):
    content = QMimeData()
    content.setData("image/png", QByteArray(b"\x89PNG"))

    assert clipboard.text_of(content) == ClipboardText()


@pytest.mark.parametrize("printed", [b"", b"{", b'{"happened": "It is too long.", "todo": "Copy less."}'])
def test_what_the_reading_process_prints_is_checked(printed):
    with pytest.raises(AppError):
        _parse(printed)


def test_a_copied_text_is_on_the_clipboard(desktop, result_of):
    result_of(desktop.copy_text("for later"))

    assert QGuiApplication.clipboard().text() == "for later"


def test_a_screenshot_is_a_png_file(desktop, result_of, monkeypatch):
    """It is encoded without Qt, which another thread can't use before all its types exist."""
    whole = QRect()
    for screen in QGuiApplication.screens():
        whole = whole.united(screen.geometry())

    handed_over: list[object] = []
    to_thread = asyncio.to_thread

    def note(work: Callable[..., T], *given: object) -> Coroutine[Any, Any, T]:
        handed_over.extend(given)
        return to_thread(work, *given)

    monkeypatch.setattr(asyncio, "to_thread", note)

    picture = QImage.fromData(result_of(desktop.take_screenshot()))

    assert {type(one) for one in handed_over} == {int, bytes}
    assert picture.size() == whole.size() * QGuiApplication.primaryScreen().devicePixelRatio()


@pytest.mark.parametrize("platform", ["xcb", "windows", "cocoa"])
def test_where_the_owner_of_a_copied_text_may_be_slow_another_process_reads_it(
    desktop, result_of, monkeypatch, platform
):
    async def read(on: str) -> ClipboardText:
        return ClipboardText(f"read on {on}")

    monkeypatch.setattr(QGuiApplication, "platformName", staticmethod(lambda: platform))
    monkeypatch.setattr(window_desktop, "_read_in_own_process", read)

    assert result_of(desktop.read_clipboard()) == ClipboardText(f"read on {platform}")


def test_a_start_is_an_event_of_its_own(owner):
    first, second = (WindowDesktop(owner, in_background=hidden) for hidden in (False, True))
    [one], [other] = (desktop.events(DesktopEventKind.STARTED) for desktop in (first, second))

    assert one.id != other.id
    assert (one.data, other.data) == ({"inBackground": False}, {"inBackground": True})


async def _next_event(desktop: WindowDesktop, kind: DesktopEventKind, cause: Callable[[], object]) -> Any:
    watching = desktop.watch(kind)
    await anext(watching)
    cause()
    await anext(watching)
    await watching.aclose()
    return desktop.events(kind)[0]


def test_waking_up_is_an_event_with_the_time_asleep(desktop, result_of, monkeypatch):
    asleep = [100.0]
    monkeypatch.setattr(desktop_events, "SLEEP_CHECK_SECONDS", 0.01)
    monkeypatch.setattr(desktop._events, "_asleep", lambda: asleep[0])

    def sleep() -> None:
        asyncio.get_running_loop().call_later(0.05, lambda: asleep.append(asleep.pop() + 3600))

    event = result_of(_next_event(desktop, DesktopEventKind.WOKE_UP, sleep))

    assert event.data == {"sleptSeconds": 3600}
    assert not desktop._events._sources, "it still looks, although no flow waits"


REPORTS = """
import json, sys
for state in json.loads(sys.argv[1]):
    print(json.dumps(dict(zip(("isOnline", "reachability"), state))), flush=True)
    sys.stdin.read(1)
sys.stdin.read()
"""


@pytest.fixture
def report(monkeypatch):
    """Makes a process report these states: one at first, the others once something is written to it."""

    def prepare(*states: tuple[bool, str] | tuple[()]) -> None:
        command = (sys.executable, "-c", REPORTS, json.dumps(states))
        monkeypatch.setattr(network_reports, "reporting_command", lambda: command)

    return prepare


@pytest.fixture
def written(monkeypatch):
    """Writes a byte to the process that was started last, so that it reports its next state."""
    started: list[asyncio.subprocess.Process] = []
    create = asyncio.create_subprocess_exec

    async def note(*words: Any, **given: Any) -> asyncio.subprocess.Process:
        started.append(await create(*words, **given))
        return started[-1]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", note)
    return lambda: started[-1].stdin.write(b".")


def test_going_online_or_offline_is_an_event_but_no_other_change_of_the_network(
    qtbot, loop, desktop, report, written, monkeypatch
):
    monkeypatch.setattr(network_reports, "PAUSE_SECONDS", 0.0)
    report((False, "local"), (False, "site"), (True, "online"), (True, "online"), (False, "disconnected"))

    async def watch() -> None:
        signals = desktop.watch(DesktopEventKind.NETWORK_CHANGED)
        await anext(signals)
        written()
        async for _ in signals:
            pass

    settled = network_reports.NetworkReports.settled

    async def settled_and_next(reports: network_reports.NetworkReports) -> Any:
        state = await settled(reports)
        written()
        return state

    monkeypatch.setattr(network_reports.NetworkReports, "settled", settled_and_next)
    watching = loop.submit(watch())
    qtbot.waitUntil(lambda: len(desktop.events(DesktopEventKind.NETWORK_CHANGED)) == 2, timeout=MS)
    watching.cancel()

    found = [event.data["reachability"] for event in desktop.events(DesktopEventKind.NETWORK_CHANGED)]
    assert found == ["disconnected", "online"]
    qtbot.waitUntil(lambda: not desktop._events._sources, timeout=MS)


def test_a_system_that_says_nothing_about_the_network_is_an_error(desktop, report, result_of):
    report(())

    with pytest.raises(NotSupported, match="doesn't report changes"):
        result_of(desktop.require_support(DesktopEventKind.NETWORK_CHANGED))


def test_the_process_that_reports_the_network_ends_with_the_window():
    with subprocess.Popen(network_reports.reporting_command(), stdin=-1, stdout=subprocess.PIPE) as reporting:
        printed, _ = reporting.communicate(timeout=PATIENCE)

    assert all(isinstance(json.loads(line), dict) for line in printed.splitlines())


def test_a_second_flow_listens_only_once_the_source_does(result_of, desktop, monkeypatch):
    """If the first one is stopped meanwhile, the second one still gets the source."""
    ready = asyncio.Event()

    async def source(listening: asyncio.Event) -> None:
        await ready.wait()
        listening.set()
        await asyncio.Event().wait()

    async def watch() -> tuple[bool, bool]:
        monkeypatch.setattr(desktop._events, "_watch_sleep", source)
        watchings = [desktop.watch(DesktopEventKind.WOKE_UP) for _ in range(2)]
        first, second = (asyncio.ensure_future(anext(one)) for one in watchings)
        for _ in range(5):
            await asyncio.sleep(0)
        early = second.done()
        first.cancel()
        ready.set()
        await asyncio.wait({first, second})
        await watchings[1].aclose()
        return early, second.exception() is None

    assert result_of(watch()) == (False, True)


def test_listening_that_is_stopped_while_the_window_connects_leaves_no_connection(
    qtbot, loop, desktop, owner, monkeypatch
):
    timer = QTimer(owner)
    watching: list[Future[Any]] = []

    def connect(on_signal: Callable[..., None]) -> Any:
        made = timer.timeout.connect(on_signal)
        watching[0].cancel()
        return made

    async def watch() -> None:
        async for _ in desktop.watch(DesktopEventKind.CLIPBOARD_CHANGED):
            pass

    monkeypatch.setattr(desktop_events, "_connect_clipboard", connect)
    watching.append(loop.submit(watch()))

    qtbot.waitUntil(watching[0].cancelled, timeout=MS)
    qtbot.waitUntil(lambda: timer.receivers(SIGNAL("timeout()")) == 0, timeout=MS)


def test_wayland_and_macos_say_why_the_clipboard_starts_no_flows(monkeypatch, result_of, desktop):
    for platform, said in (("wayland", "active window"), ("cocoa", "marked as secret")):
        monkeypatch.setattr(QGuiApplication, "platformName", staticmethod(lambda p=platform: p))

        with pytest.raises(NotSupported, match=said):
            result_of(desktop.require_support(DesktopEventKind.CLIPBOARD_CHANGED))


def test_a_change_of_the_clipboard_is_an_event_but_no_secret_and_no_repetition(
    qtbot, loop, desktop, result_of, monkeypatch
):
    found = [ClipboardText("first"), ClipboardText(is_secret=True), ClipboardText("first")]
    reads = []
    changes: list[Callable[..., None]] = []

    async def read() -> ClipboardText:
        reads.append(1)
        return found.pop(0) if found else ClipboardText("last")

    def connect(on_signal: Callable[..., None]) -> Any:
        changes.append(on_signal)
        return QTimer(desktop._forms).timeout.connect(on_signal)

    monkeypatch.setattr(desktop_events, "CLIPBOARD_PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(desktop_events, "_connect_clipboard", connect)
    monkeypatch.setattr(desktop._events, "_read_clipboard", read)

    async def watch() -> None:
        async for _ in desktop.watch(DesktopEventKind.CLIPBOARD_CHANGED):
            pass

    watching = loop.submit(watch())
    qtbot.waitUntil(lambda: bool(changes))
    for number in range(1, 5):
        changes[0]()
        qtbot.waitUntil(lambda n=number: len(reads) == n)
    qtbot.waitUntil(lambda: len(desktop.events(DesktopEventKind.CLIPBOARD_CHANGED)) == 2)
    watching.cancel()

    texts = [event.data["text"] for event in desktop.events(DesktopEventKind.CLIPBOARD_CHANGED)]
    assert texts == ["last", "first"]


def test_a_watch_ends_with_the_error_of_what_it_listens_to(desktop, result_of, monkeypatch):
    monkeypatch.setattr(desktop_events, "SLEEP_CHECK_SECONDS", 0.01)
    clock = iter([1.0])
    monkeypatch.setattr(desktop._events, "_asleep", lambda: next(clock))

    with pytest.raises((StopIteration, RuntimeError)):
        result_of(_next_event(desktop, DesktopEventKind.WOKE_UP, lambda: None))


def test_a_secret_that_is_copied_in_patchbay_is_not_read(qtbot):
    copy_text("hunter2", secret=True)

    found = clipboard.text_of(QGuiApplication.clipboard().mimeData())

    assert found == ClipboardText(is_secret=True)
    assert QGuiApplication.clipboard().text() == "hunter2"
    QGuiApplication.clipboard().clear()


def test_the_reader_of_the_clipboard_imports_nothing_from_the_current_folder(
    desktop, result_of, monkeypatch, tmp_path
):
    (tmp_path / "json.py").write_text("open('ran', 'w')")
    monkeypatch.chdir(tmp_path)

    with suppress(AppError):
        result_of(_read_in_own_process("offscreen"))

    assert not (tmp_path / "ran").exists()
