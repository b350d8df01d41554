"""Events of the desktop that can start a flow. They are noticed only while a flow waits for them."""

import asyncio
import itertools
import logging
import secrets
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from PySide6.QtCore import QMetaObject, QObject
from PySide6.QtGui import QGuiApplication

from patchbay.bootstrap.network_reports import network_reports
from patchbay.desktop.tasks.window_calls import WindowCalls
from patchbay.domain.base import JsonObject
from patchbay.domain.clock import now_ms
from patchbay.domain.desktop import ClipboardText, DesktopEvent, DesktopEventKind
from patchbay.domain.errors import AppError, NotSupported
from patchbay.platform.awake_clock import asleep_seconds

log = logging.getLogger("desktop")

MAX_EVENTS = 20
"""The latest events of each kind that are kept in memory."""
CLIPBOARD_PAUSE_SECONDS = 1.0
"""The clipboard is read at most this often; of several changes in between, the last one counts."""
SLEEP_CHECK_SECONDS = 5.0
MIN_SLEEP_SECONDS = 2.0


@dataclass(frozen=True)
class _Source:
    """A task that notices events of a kind. `listening` is set once it does."""

    task: asyncio.Task[None]
    listening: asyncio.Event


class DesktopEvents:
    """The latest events of each kind, and those who wait for the next one. Belongs to the event loop."""

    def __init__(
        self,
        calls: WindowCalls,
        read_clipboard: Callable[[], Awaitable[ClipboardText]],
        *,
        in_background: bool,
        asleep: Callable[[], float] = asleep_seconds,
    ) -> None:
        self._calls, self._read_clipboard, self._asleep = calls, read_clipboard, asleep
        self._prefix, self._numbers = secrets.token_hex(8), itertools.count(1)
        self._latest = {kind: deque[DesktopEvent](maxlen=MAX_EVENTS) for kind in DesktopEventKind}
        self._waiting: dict[DesktopEventKind, set[asyncio.Event]] = {kind: set() for kind in DesktopEventKind}
        self._sources: dict[DesktopEventKind, _Source] = {}
        self._reports_network = False
        self.add(DesktopEventKind.STARTED, {"inBackground": in_background})

    def latest(self, kind: DesktopEventKind) -> Sequence[DesktopEvent]:
        """The latest events, newest first."""
        return tuple(self._latest[kind])

    def add(self, kind: DesktopEventKind, data: JsonObject) -> None:
        """Keep an event, and wake up those who wait for it."""
        event = DesktopEvent(f"{kind}-{self._prefix}-{next(self._numbers)}", now_ms(), data)
        self._latest[kind].appendleft(event)
        self._wake_up(kind)

    async def require_support(self, kind: DesktopEventKind) -> None:
        """Raise `NotSupported` if events of this kind can't be noticed on this system."""
        if kind is DesktopEventKind.CLIPBOARD_CHANGED:
            _require_clipboard_events(await self._calls.call(QGuiApplication.platformName))
        elif kind is DesktopEventKind.NETWORK_CHANGED and not self._reports_network:
            async with network_reports() as reports:
                await reports.first()
            self._reports_network = True

    async def watch(self, kind: DesktopEventKind) -> AsyncGenerator[None, None]:
        """Yield once when listening has begun, and then after each event."""
        await self.require_support(kind)
        waiting = asyncio.Event()
        self._waiting[kind].add(waiting)
        try:
            source = await self._listen(kind)
            while source is None or not source.done():
                yield
                await waiting.wait()
                waiting.clear()
            source.result()
        finally:
            self._waiting[kind].discard(waiting)
            if not self._waiting[kind] and (ended := self._sources.pop(kind, None)) is not None:
                ended.task.cancel()

    async def _listen(self, kind: DesktopEventKind) -> "asyncio.Task[None] | None":
        """The task that notices events of this kind, once it does; None if none is needed."""
        source = self._sources.get(kind)
        if source is None or source.task.done():
            listening = asyncio.Event()
            if (work := self._source(kind, listening)) is None:
                return None
            task = asyncio.create_task(work, name=f"desktop events: {kind}")
            task.add_done_callback(lambda _: self._wake_up(kind))
            source = self._sources[kind] = _Source(task, listening)
        begun = asyncio.create_task(source.listening.wait())
        try:
            await asyncio.wait({source.task, begun}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            begun.cancel()
        return source.task

    def _wake_up(self, kind: DesktopEventKind) -> None:
        for waiting in self._waiting[kind]:
            waiting.set()

    def _source(self, kind: DesktopEventKind, listening: asyncio.Event) -> Coroutine[None, None, None] | None:
        """What notices events of this kind while a flow waits for them. Sets `listening` once it does."""
        if kind is DesktopEventKind.CLIPBOARD_CHANGED:
            return self._watch_clipboard(listening)
        if kind is DesktopEventKind.NETWORK_CHANGED:
            return self._watch_network(listening)
        return self._watch_sleep(listening) if kind is DesktopEventKind.WOKE_UP else None

    async def _watch_sleep(self, listening: asyncio.Event) -> None:
        before = self._asleep()
        listening.set()
        while True:
            await asyncio.sleep(SLEEP_CHECK_SECONDS)
            slept, before = self._asleep() - before, self._asleep()
            if slept >= MIN_SLEEP_SECONDS:
                self.add(DesktopEventKind.WOKE_UP, {"sleptSeconds": round(slept)})

    async def _watch_clipboard(self, listening: asyncio.Event) -> None:
        last = ""
        async with self._signals(_connect_clipboard) as changed:
            listening.set()
            while True:
                await changed.wait()
                changed.clear()
                try:
                    found = await self._read_clipboard()
                except AppError as error:
                    log.info("a change of the clipboard is ignored: %s", error.text())
                else:
                    if found.text and not found.is_secret and found.text != last:
                        last = found.text
                        self.add(DesktopEventKind.CLIPBOARD_CHANGED, {"text": found.text})
                await asyncio.sleep(CLIPBOARD_PAUSE_SECONDS)

    async def _watch_network(self, listening: asyncio.Event) -> None:
        async with network_reports() as reports:
            before = await reports.first()
            listening.set()
            while True:
                state = await reports.settled()
                if state.get("isOnline") != before.get("isOnline"):
                    before = state
                    self.add(DesktopEventKind.NETWORK_CHANGED, state)

    @asynccontextmanager
    async def _signals(self, connect: "Connect") -> AsyncIterator[asyncio.Event]:
        """An event that is set at each signal of the window's thread, while the block runs."""
        loop, changed = asyncio.get_running_loop(), asyncio.Event()
        holder: list[QMetaObject.Connection] = []

        def on_signal(*_: object) -> None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(changed.set)

        def disconnect() -> None:
            for connection in holder:
                QObject.disconnect(connection)

        try:
            await self._calls.call(lambda: holder.append(connect(on_signal)))
            yield changed
        finally:
            self._calls.post(disconnect)  # also if it was cancelled while the window connected


Connect = Callable[[Callable[..., None]], QMetaObject.Connection]


def _connect_clipboard(on_signal: Callable[..., None]) -> QMetaObject.Connection:
    clipboard = QGuiApplication.clipboard()

    def on_changed() -> None:
        # What Patchbay itself copied starts no flow: a flow that copies would start itself again.
        if not clipboard.ownsClipboard():
            on_signal()

    return clipboard.dataChanged.connect(on_changed)


def _require_clipboard_events(platform: str) -> None:
    if platform == "wayland":
        raise NotSupported(
            "On Wayland, only the active window learns that the clipboard has changed.",
            meaning="The flow would miss most changes.",
            todo="Use an X11 session, or read the clipboard in a flow that you start yourself.",
            feature="clipboardEvents",
        )
    if platform == "cocoa":
        raise NotSupported(
            "On macOS, Patchbay can't see which texts a password manager marked as secret.",
            meaning="So changes of the clipboard start no flows there.",
            todo="Read the clipboard in a flow that you start yourself.",
            feature="clipboardEvents",
        )
