"""Hot keys on Wayland, where only the desktop itself notices them (portal interface GlobalShortcuts)."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from patchbay.domain.errors import AppError, Forbidden, NotSupported
from patchbay.domain.hot_keys import HotKey
from patchbay.domain.records import record
from patchbay.platform.desktop_portal import PORTAL_ENDED, Portal, Variant, desktop_portal, request_token
from patchbay.platform.hot_keys import Presses

if TYPE_CHECKING:
    from jeepney import DBusErrorResponse

CONSENT_SECONDS = 300.0
"""The desktop may ask the person first."""
SETTLE_SECONDS = 0.3
"""Wait for further hot keys before they are bound: each time, the desktop may ask again."""
REPEAT_SECONDS = 1.0
"""A press within this time after another one without a release is a repetition, if a desktop sends those."""
MAX_ERROR_LENGTH = 200
"""Characters that are shown of what the desktop says."""
_MODIFIERS = {"Ctrl": "CTRL", "Alt": "ALT", "Shift": "SHIFT", "Meta": "LOGO"}
_KEYS = {"Space": "space", "Enter": "Return", "Backspace": "BackSpace", "PageUp": "Prior", "PageDown": "Next"}


@record
class _Grab:
    """A combination that a flow waits for. `bound` is done once the desktop reports its presses."""

    hot_key: HotKey
    presses: Presses
    bound: "asyncio.Future[None]"


class PortalHotKeys:
    """Implements `HotKeys` with one session of the portal, which has all combinations.

    A session can't get further shortcuts, so each change leads to a new one.
    """

    def __init__(self) -> None:
        self._grabs: dict[str, _Grab] = {}
        """By the IDs of the shortcuts."""
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._is_supported = False

    async def require_support(self) -> None:
        if not self._is_supported:
            async with _shortcut_portal():
                self._is_supported = True

    @asynccontextmanager
    async def grabbed(self, hot_key: HotKey) -> AsyncIterator[Presses]:
        bound: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        grab = _Grab(hot_key=hot_key, presses=Presses(), bound=bound)
        self._grabs[shortcut_id(hot_key)] = grab
        self._changed.set()
        if self._task is None:
            self._task = asyncio.create_task(self._serve(), name="hot keys of the portal")
        try:
            await bound
            yield grab.presses
        finally:
            if self._grabs.get(shortcut_id(hot_key)) is grab:
                del self._grabs[shortcut_id(hot_key)]
                self._changed.set()
            bound.cancel()

    async def _serve(self) -> None:
        """Keep a session with all combinations, until there are none."""
        try:
            while self._grabs:
                await asyncio.sleep(SETTLE_SECONDS)
                wanted = {key: grab.hot_key for key, grab in self._grabs.items()}
                try:
                    async with _shortcut_portal() as portal:
                        await self._report(portal, wanted)
                except AppError as error:
                    self._fail(wanted, error)
        finally:
            self._task = None
            self._fail(
                tuple(self._grabs), AppError("Listening for hot keys failed", todo="Restart Patchbay.")
            )

    async def _report(self, portal: "_Shortcuts", wanted: Mapping[str, HotKey]) -> None:
        """Bind combinations, and report their presses until others are wanted."""
        session = await portal.bind(wanted)
        self._fail(wanted.keys() - session.shortcuts, _declined_error())
        held = {key: _HeldShortcut() for key in session.shortcuts}
        while session.shortcuts and self._grabs.keys() == session.shortcuts:
            for grab in self._grabs.values():
                if not grab.bound.done():
                    grab.bound.set_result(None)
            self._changed.clear()
            await self._report_until_change(portal, session.handle, held)
            await asyncio.sleep(SETTLE_SECONDS)

    async def _report_until_change(
        self, portal: "_Shortcuts", session: str, held: Mapping[str, "_HeldShortcut"]
    ) -> None:
        changed = asyncio.create_task(self._changed.wait())
        try:
            while not changed.done():
                arrived = asyncio.create_task(portal.next_signal(session))
                try:
                    await asyncio.wait({changed, arrived}, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    arrived.cancel()
                if arrived.done():
                    self._handle(arrived.result(), held)
        finally:
            changed.cancel()

    def _handle(self, signal: "_Signal", held: Mapping[str, "_HeldShortcut"]) -> None:
        if (shortcut := held.get(signal.shortcut)) is None:
            return
        if signal.name == "Deactivated":
            shortcut.release()
        elif shortcut.press() and (grab := self._grabs.get(signal.shortcut)) is not None:
            grab.presses.pressed()

    def _fail(self, keys: Iterable[str], error: AppError) -> None:
        """End combinations with an error."""
        for key in keys:
            if (grab := self._grabs.pop(key, None)) is None:
                continue
            if not grab.bound.done():
                grab.bound.set_exception(error)
            elif not grab.bound.cancelled():
                grab.presses.failed(error)


def shortcut_id(hot_key: HotKey) -> str:
    """The ID of a combination for the desktop, which remembers its consent by it."""
    return f"flow-{hot_key.text.lower().replace('+', '-')}"


def trigger_text(hot_key: HotKey) -> str:
    """The combination as the portal expects it: `CTRL+ALT+p`."""
    key = _KEYS.get(hot_key.key, hot_key.key)
    modifiers = [_MODIFIERS[name] for name in hot_key.modifiers]
    return "+".join((*modifiers, key.lower() if len(key) == 1 else key))


class _HeldShortcut:
    """Tells presses from repetitions, for desktops that don't tell when a key is released as well."""

    def __init__(self) -> None:
        self._last: float | None = None

    def press(self) -> bool:
        """Note a press; returns whether the key was released before."""
        now, last = asyncio.get_running_loop().time(), self._last
        self._last = now
        return last is None or now - last >= REPEAT_SECONDS

    def release(self) -> None:
        """Note a release."""
        self._last = None


@record
class _Session:
    handle: str
    shortcuts: frozenset[str]
    """The IDs of the shortcuts that the desktop has bound."""


@record
class _Signal:
    name: str
    shortcut: str


class _Shortcuts:
    """The interface of the portal for shortcuts."""

    def __init__(self, portal: Portal) -> None:
        self._portal = portal

    async def bind(self, wanted: Mapping[str, HotKey]) -> _Session:
        """Create a session with these shortcuts."""
        token: Variant = ("s", request_token())
        results = await self._request("CreateSession", "a{sv}", session_handle_token=token)
        handle = str(results.get("session_handle", ("s", ""))[1])
        shortcuts = [
            (
                key,
                {
                    "description": ("s", f"Start flows in Patchbay ({hot_key.text})"),
                    "preferred_trigger": ("s", trigger_text(hot_key)),
                },
            )
            for key, hot_key in wanted.items()
        ]
        self._portal.end_time_limit()
        results = await self._request("BindShortcuts", "oa(sa{sv})sa{sv}", handle, shortcuts, "")
        bound = results.get("shortcuts", ("a(sa{sv})", []))[1]
        found = [shortcut[0] for shortcut in bound] if isinstance(bound, list) else []
        return _Session(handle=handle, shortcuts=frozenset(found) & wanted.keys())

    async def next_signal(self, session: str) -> _Signal:
        """The next signal of a session. Raises `AppError` if the session or the portal has ended."""
        while True:
            path, name, body = await self._portal.next_signal()
            if name == PORTAL_ENDED or (name == "Closed" and path == session):
                raise AppError(
                    "The desktop has ended the hot keys of Patchbay", todo="Patchbay tries again soon."
                )
            if name in ("Activated", "Deactivated") and body[0] == session:
                return _Signal(name=name, shortcut=str(body[1]))

    async def _request(
        self, method: str, signature: str, *values: object, **options: Variant
    ) -> Mapping[str, Variant]:
        """Call a method to which the desktop responds later, and return the results."""
        from jeepney import DBusErrorResponse

        try:
            code, results = await self._portal.request(
                method, signature, *values, seconds=CONSENT_SECONDS, **options
            )
        except DBusErrorResponse as error:
            raise _rejected_error(error) from None
        except TimeoutError:
            raise _declined_error() from None
        if code != 0:
            raise _declined_error()
        return results


@asynccontextmanager
async def _shortcut_portal() -> AsyncIterator[_Shortcuts]:
    """Raises `NotSupported` if the portal for shortcuts is missing."""
    async with desktop_portal("GlobalShortcuts", _missing_error()) as portal:
        yield _Shortcuts(portal)


def _missing_error() -> NotSupported:
    return NotSupported(
        "This desktop doesn't notify programs of hot keys",
        meaning="On Wayland, xdg-desktop-portal does that, whose global shortcuts are missing here.",
        todo="Use a desktop that has them, such as KDE Plasma 5.27 or GNOME 48 with its "
        "xdg-desktop-portal, or an X11 session.",
        feature="hotKeys",
    )


def _rejected_error(error: "DBusErrorResponse") -> NotSupported:
    said = " ".join(map(str, error.data)) if error.data else error.name
    return NotSupported(
        f"The desktop rejected the hot key: {said[:MAX_ERROR_LENGTH]}",
        todo="Start Patchbay from the menu of the desktop, by which the desktop recognises it.",
        feature="hotKeys",
    )


def _declined_error() -> Forbidden:
    return Forbidden(
        "The desktop didn't allow this hot key",
        meaning="It probably asked for consent, which was declined or not given.",
        todo="Pause and resume the flow, and allow the hot key when the desktop asks.",
    )
