"""`WindowDesktop`: the desktop for steps and triggers, as the window's process reaches it."""

import asyncio
import itertools
import json
import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, QPoint, QRect, QTimer, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication, QImage, QPainter
from PySide6.QtWidgets import QSystemTrayIcon, QWidget

from patchbay.bootstrap.desktop_events import DesktopEvents
from patchbay.desktop.kit import clipboard
from patchbay.desktop.shell.desktop_forms import DesktopFormQueue
from patchbay.desktop.shell.desktop_notifications import flow_title, plain_message, system_tray
from patchbay.desktop.tasks.window_calls import WindowCalls
from patchbay.domain.base import Json
from patchbay.domain.desktop import (
    MAX_CLIPBOARD_LENGTH,
    MAX_WAITING_FORMS,
    ClipboardText,
    DesktopEvent,
    DesktopEventKind,
    DesktopForm,
    Notification,
)
from patchbay.domain.errors import AppError, Conflict, NotSupported, TimedOut
from patchbay.platform.notifications import notify
from patchbay.platform.png import png_file
from patchbay.platform.program import python_command
from patchbay.platform.screenshot_portal import portal_screenshot

CLIPBOARD_SECONDS = 10.0
_MAX_JSON_BYTES = 8 * MAX_CLIPBOARD_LENGTH
_MAX_SHOWN = 20
"""Notifications without buttons that stay open, in the background."""
_TRAY_MS = 30_000
_READ_IN_OWN_PROCESS = frozenset(("xcb", "windows", "cocoa"))
"""Platforms on which reading the clipboard waits for the program that owns the text.

On Wayland, only the active window can read it, and Qt waits for up to a second.
"""

_WITHOUT_DOCK_ICON = {"QT_MAC_DISABLE_FOREGROUND_APPLICATION_TRANSFORM": "1"}

Notify = Callable[..., Coroutine[Any, Any, str | None]]


class WindowDesktop:
    """Implements `Desktop`, which describes its methods. Created on the window's thread."""

    def __init__(
        self,
        owner: QObject,
        *,
        window: QWidget | None = None,
        in_background: bool = False,
        notify: Notify | None = notify,
    ) -> None:
        """Forms appear on the screen of `window`."""
        self._calls = WindowCalls(owner)
        self._forms = DesktopFormQueue(owner, window)
        self._tray = TrayMessages(owner)
        self._events = DesktopEvents(self._calls, self.read_clipboard, in_background=in_background)
        self._notify = notify
        self._numbers = itertools.count(1)
        self._waiting: set[asyncio.Future[Any]] = set()
        self._shown: dict[asyncio.Task[None], None] = {}
        """The notifications that are open in the background, oldest first."""
        self._ending: set[asyncio.Task[None]] = set()
        """Those that are being closed."""

    async def show_notification(self, notification: Notification) -> str | None:
        if not notification.buttons:
            while len(self._ending) >= _MAX_SHOWN:  # each keeps a connection to the desktop
                await asyncio.wait(self._ending, return_when=asyncio.FIRST_COMPLETED)
            self._show_in_background(notification)
            return None
        if self._notify is None:
            raise _no_buttons_error()
        buttons = {str(number): label for number, label in enumerate(notification.buttons)}
        work = self._notify(flow_title(notification), notification.text, buttons, needs_buttons=True)
        async with self._waiting_slot() as waiting:
            task = asyncio.create_task(work)
            try:
                await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
                if waiting.cancelled():
                    raise asyncio.CancelledError
                return buttons.get(task.result() or "")
            except NotSupported:
                raise _no_buttons_error() from None
            finally:
                await _end(task)

    async def show_form(self, form: DesktopForm) -> dict[str, Json] | None:
        number, loop = next(self._numbers), asyncio.get_running_loop()
        async with self._waiting_slot() as waiting:

            def on_response(values: dict[str, Json] | None) -> None:
                def respond() -> None:
                    if not waiting.done():
                        waiting.set_result(values)

                with suppress(RuntimeError):  # the loop has ended
                    loop.call_soon_threadsafe(respond)

            def on_failure() -> None:
                def fail() -> None:
                    if not waiting.done():
                        waiting.set_exception(_unshown_error())

                with suppress(RuntimeError):  # the loop has ended
                    loop.call_soon_threadsafe(fail)

            self._calls.post(partial(self._forms.show, number, form, on_response, on_failure))
            try:
                values: dict[str, Json] | None = await waiting
                return values
            finally:
                self._calls.post(partial(self._forms.withdraw, number))

    async def copy_text(self, text: str) -> None:
        await self._calls.call(lambda: QGuiApplication.clipboard().setText(text))

    async def read_clipboard(self) -> ClipboardText:
        platform = await self._calls.call(QGuiApplication.platformName)
        if platform in _READ_IN_OWN_PROCESS:
            return await _read_in_own_process(platform)
        return await self._calls.call(partial(_read_here, platform))

    async def open_address(self, address: str) -> None:
        if not await self._calls.call(lambda: QDesktopServices.openUrl(QUrl(address))):
            raise AppError(
                "No program could be started for this address.",
                todo="Choose a default program for it in the settings of the desktop.",
            )

    async def take_screenshot(self) -> bytes:
        if await self._calls.call(QGuiApplication.platformName) == "wayland":
            return await portal_screenshot()
        width, height, pixels = await self._calls.call(_grab_screens)
        return await asyncio.to_thread(png_file, width, height, pixels)

    def events(self, kind: DesktopEventKind, detail: str = "") -> Sequence[DesktopEvent]:
        return self._events.latest(kind, detail)

    async def require_support(self, kind: DesktopEventKind) -> None:
        await self._events.require_support(kind)

    def watch(self, kind: DesktopEventKind, detail: str = "") -> AsyncGenerator[None, None]:
        return self._events.watch(kind, detail)

    def interrupt(self) -> None:
        for waiting in (*self._waiting, *self._shown):
            waiting.cancel()

    def close(self) -> None:
        """Hide what is shown, because the program ends. Called on the window's thread.

        The steps aren't notified, so that they are interrupted, and not ended without a response.
        """
        self._forms.close()

    @asynccontextmanager
    async def _waiting_slot(self) -> AsyncIterator["asyncio.Future[Any]"]:
        """One of the slots for what waits for the person, and what it waits for."""
        if len(self._waiting) >= MAX_WAITING_FORMS:
            raise Conflict(
                f"{MAX_WAITING_FORMS} steps are already waiting for a person at this computer.",
                meaning="This one wasn't shown, so that forms and notifications don't occupy all runs.",
                todo="Respond to those that are open, then retry.",
            )
        waiting: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.add(waiting)
        try:
            yield waiting
        finally:
            self._waiting.discard(waiting)
            waiting.cancel()

    def _show_in_background(self, notification: Notification) -> None:
        if len(self._shown) >= _MAX_SHOWN:
            oldest = next(iter(self._shown))
            del self._shown[oldest]
            self._ending.add(oldest)
            oldest.cancel()
        task = asyncio.create_task(self._show(notification), name="notification")
        self._shown[task] = None
        task.add_done_callback(self._forget)

    def _forget(self, task: "asyncio.Task[None]") -> None:
        self._shown.pop(task, None)
        self._ending.discard(task)

    async def _show(self, notification: Notification) -> None:
        texts = flow_title(notification), notification.text
        try:
            if self._notify is None:
                raise NotSupported("There is no notification service.")
            await self._notify(*texts, {})
        except NotSupported:
            self._calls.post(partial(self._tray.show, *map(plain_message, texts)))


class TrayMessages(QObject):
    """Shows notifications with a tray icon, which is visible only as long as they are."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._icon: QSystemTrayIcon | None = None
        self._hide_timer = QTimer(self, singleShot=True, interval=_TRAY_MS)
        self._hide_timer.timeout.connect(self._hide)

    def show(self, title: str, text: str) -> None:
        """Show a notification, if the desktop has a tray."""
        self._icon = self._icon or system_tray()
        if self._icon is not None:
            self._icon.setIcon(QGuiApplication.windowIcon())
            self._icon.show()
            self._icon.showMessage(title, text, self._icon.MessageIcon.Information, _TRAY_MS)
            self._hide_timer.start()

    def _hide(self) -> None:
        if self._icon is not None:
            self._icon.hide()


def _unshown_error() -> AppError:
    return AppError(
        "The form couldn't be shown.",
        meaning="No one was asked. The log of Patchbay says why.",
        todo="Check the fields of the form, then retry.",
    )


async def _end(task: "asyncio.Task[Any]") -> None:
    if not task.done():
        task.cancel()
        await asyncio.wait({task})


def _no_buttons_error() -> NotSupported:
    return NotSupported(
        "The notifications of this desktop have no buttons.",
        meaning="The notification wasn't shown, because nothing could be chosen.",
        todo="Remove the buttons, or use “Ask me” instead.",
        feature="notificationButtons",
    )


def _read_here(platform: str) -> ClipboardText:
    if platform == "wayland" and QGuiApplication.focusWindow() is None:
        raise NotSupported(
            "Wayland shows the clipboard only to the window with the keyboard focus.",
            meaning="The Patchbay window isn't active, so the clipboard can't be read.",
            todo="Click the Patchbay window, then retry, or use an X11 session.",
            feature="clipboard",
        )
    return clipboard.text_of(QGuiApplication.clipboard().mimeData())


async def _read_in_own_process(platform: str) -> ClipboardText:
    """The text, read by a process that ends if the program that owns the text doesn't respond."""
    process = await asyncio.create_subprocess_exec(
        *python_command(),
        "-m",
        clipboard.__name__,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        limit=_MAX_JSON_BYTES,
        cwd=os.sep,
        env={**os.environ, "QT_QPA_PLATFORM": platform, **_WITHOUT_DOCK_ICON},
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(CLIPBOARD_SECONDS):
            printed = await process.stdout.read(_MAX_JSON_BYTES)
            while part := await process.stdout.read(_MAX_JSON_BYTES):
                printed += part
            await process.wait()
    except TimeoutError:
        raise TimedOut(
            f"The clipboard couldn't be read within {CLIPBOARD_SECONDS:.0f} seconds.",
            meaning="The program from which the text was copied doesn't respond.",
            todo="Copy the text again, then retry.",
        ) from None
    finally:
        with suppress(ProcessLookupError):
            process.kill()
    return _parse(printed)


def _parse(printed: bytes) -> ClipboardText:
    try:
        found: Mapping[str, Any] = json.loads(printed)
    except ValueError:
        raise AppError("The clipboard couldn't be read.", todo="Copy the text again, then retry.") from None
    if "happened" in found:
        raise AppError(str(found["happened"]), todo=str(found.get("todo", "")))
    return ClipboardText(str(found["text"]), bool(found["isSecret"]))


def _grab_screens() -> tuple[int, int, bytes]:
    """Width, height, and pixels of a picture of all screens, as they lie beside each other.

    It is encoded in another thread, and so without Qt, which that could use only after `QtTypes`.
    """
    screens = QGuiApplication.screens()
    whole, scale = QRect(), 1.0
    for screen in screens:
        whole, scale = whole.united(screen.geometry()), max(scale, screen.devicePixelRatio())
    if whole.isEmpty():
        raise NotSupported("There is no screen.", feature="screenshot")
    picture = QImage(whole.size() * scale, QImage.Format.Format_RGB32)
    picture.fill(0)
    painter = QPainter(picture)
    painter.scale(scale, scale)
    painter.translate(QPoint(0, 0) - whole.topLeft())
    for screen in screens:
        painter.drawPixmap(screen.geometry(), screen.grabWindow(0))
    painter.end()
    picture = picture.convertToFormat(QImage.Format.Format_RGB888)
    width, height, line = picture.width(), picture.height(), picture.bytesPerLine()
    pixels = memoryview(picture.constBits())
    return width, height, b"".join(pixels[y * line : y * line + width * 3] for y in range(height))
