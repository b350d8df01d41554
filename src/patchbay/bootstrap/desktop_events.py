"""Events of the desktop that can start a flow. They are noticed only while a flow waits for them."""

import asyncio
import itertools
import logging
import secrets
from collections import defaultdict, deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QMetaObject, QObject
from PySide6.QtGui import QGuiApplication

from patchbay.bootstrap.network_reports import network_reports
from patchbay.desktop.tasks.window_calls import WindowCalls
from patchbay.domain.base import JsonObject
from patchbay.domain.clock import now_ms
from patchbay.domain.desktop import ClipboardText, DesktopEvent, DesktopEventKind
from patchbay.domain.errors import AppError, NotSupported
from patchbay.domain.hot_keys import parse_hot_key
from patchbay.platform.awake_clock import asleep_seconds
from patchbay.platform.hot_keys import HotKeys, hot_keys_of_system

log = logging.getLogger("desktop")

MAX_EVENTS = 20
"""The latest events of each kind that are kept in memory."""
CLIPBOARD_PAUSE_SECONDS = 1.0
"""The clipboard is read at most this often; of several changes in between, the last one counts."""
SLEEP_CHECK_SECONDS = 5.0
MIN_SLEEP_SECONDS = 2.0

Work = Callable[[], Coroutine[None, None, None]]


class _Topic(NamedTuple):
    """What flows wait for. `detail` distinguishes events of one kind."""

    kind: DesktopEventKind
    detail: str = ""


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
        self._latest: defaultdict[_Topic, deque[DesktopEvent]] = defaultdict(
            lambda: deque[DesktopEvent](maxlen=MAX_EVENTS)
        )
        self._waiting: defaultdict[_Topic, set[asyncio.Event]] = defaultdict(set)
        self._sources: dict[_Topic, _Source] = {}
        self._ending: defaultdict[_Topic, set[asyncio.Task[None]]] = defaultdict(set)
        """Tasks that were cancelled, and may still occupy what their successor needs, such as a hot key."""
        self._reports_network = False
        self._hot_keys: HotKeys | None = None
        self.add(DesktopEventKind.STARTED, {"inBackground": in_background})

    def latest(self, kind: DesktopEventKind, detail: str = "") -> Sequence[DesktopEvent]:
        """The latest events, newest first."""
        return tuple(self._latest.get(_Topic(kind, detail), ()))

    def add(self, kind: DesktopEventKind, data: JsonObject, detail: str = "") -> None:
        """Keep an event, and wake up those who wait for it."""
        event = DesktopEvent(f"{kind}-{self._prefix}-{next(self._numbers)}", now_ms(), data)
        topic = _Topic(kind, detail)
        self._latest[topic].appendleft(event)
        self._wake_up(topic)

    async def require_support(self, kind: DesktopEventKind) -> None:
        """Raise `NotSupported` if events of this kind can't be noticed on this system."""
        if kind is DesktopEventKind.CLIPBOARD_CHANGED:
            _require_clipboard_events(await self._calls.call(QGuiApplication.platformName))
        elif kind is DesktopEventKind.NETWORK_CHANGED and not self._reports_network:
            async with network_reports() as reports:
                await reports.first()
            self._reports_network = True
        elif kind is DesktopEventKind.HOT_KEY_PRESSED:
            await (await self._system_hot_keys()).require_support()

    async def watch(self, kind: DesktopEventKind, detail: str = "") -> AsyncGenerator[None, None]:
        """Yield once when listening has begun, and then after each event."""
        await self.require_support(kind)
        waiting, topic = asyncio.Event(), _Topic(kind, detail)
        self._waiting[topic].add(waiting)
        try:
            source = await self._listen(topic)
            while source is None or not source.done():
                yield
                await waiting.wait()
                waiting.clear()
            source.result()
        finally:
            self._waiting[topic].discard(waiting)
            if not self._waiting[topic]:
                del self._waiting[topic]
                self._end(topic)

    def _end(self, topic: _Topic) -> None:
        """Stop noticing events that no flow waits for any more."""
        if (source := self._sources.pop(topic, None)) is not None and not source.task.done():
            source.task.cancel()
            ending = self._ending[topic]
            ending.add(source.task)
            source.task.add_done_callback(ending.discard)

    async def _listen(self, topic: _Topic) -> "asyncio.Task[None] | None":
        """The task that notices these events, once it does; None if none is needed."""
        source = self._sources.get(topic)
        if source is None or source.task.done():
            listening = asyncio.Event()
            if (work := self._source(topic, listening)) is None:
                return None
            task = asyncio.create_task(
                _after(frozenset(self._ending[topic]), work), name=f"desktop events: {topic.kind}"
            )
            task.add_done_callback(lambda _: self._wake_up(topic))
            source = self._sources[topic] = _Source(task, listening)
        begun = asyncio.create_task(source.listening.wait())
        try:
            await asyncio.wait({source.task, begun}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            begun.cancel()
        return source.task

    def _wake_up(self, topic: _Topic) -> None:
        for waiting in self._waiting.get(topic, ()):
            waiting.set()

    def _source(self, topic: _Topic, listening: asyncio.Event) -> Work | None:
        """What notices these events while a flow waits for them. Sets `listening` once it does."""
        if topic.kind is DesktopEventKind.HOT_KEY_PRESSED:
            return partial(self._watch_hot_key, topic.detail, listening)
        if topic.kind is DesktopEventKind.CLIPBOARD_CHANGED:
            return partial(self._watch_clipboard, listening)
        if topic.kind is DesktopEventKind.NETWORK_CHANGED:
            return partial(self._watch_network, listening)
        return partial(self._watch_sleep, listening) if topic.kind is DesktopEventKind.WOKE_UP else None

    async def _watch_hot_key(self, keys: str, listening: asyncio.Event) -> None:
        hot_keys = await self._system_hot_keys()
        async with hot_keys.grabbed(parse_hot_key(keys)) as presses:
            listening.set()
            while True:
                await presses.next()
                self.add(DesktopEventKind.HOT_KEY_PRESSED, {"keys": keys}, keys)

    async def _system_hot_keys(self) -> HotKeys:
        if self._hot_keys is None:
            platform = await self._calls.call(QGuiApplication.platformName)
            self._hot_keys = self._hot_keys or hot_keys_of_system(platform, self._calls.post)
        return self._hot_keys

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


async def _after(ending: frozenset["asyncio.Task[None]"], work: Work) -> None:
    """Run `work` once these cancelled tasks have ended."""
    if ending:
        await asyncio.wait(ending)
    await work()


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
