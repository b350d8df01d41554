"""A desktop without a screen: it notes what steps show, and responds as a test says."""

import asyncio
from collections.abc import AsyncGenerator, Sequence

from patchbay.domain.base import Json
from patchbay.domain.desktop import (
    ClipboardText,
    DesktopEvent,
    DesktopEventKind,
    DesktopForm,
    Notification,
)
from patchbay.domain.errors import AppError


class FakeDesktop:
    """Implements `Desktop`. What waits for a person waits for `responses`."""

    def __init__(self) -> None:
        self.shown: list[Notification | DesktopForm] = []
        self.responses: asyncio.Queue[object] = asyncio.Queue()
        self.clipboard = ClipboardText()
        self.opened: list[str] = []
        self.screen = b"\x89PNG"
        self.happened: dict[DesktopEventKind, list[DesktopEvent]] = {kind: [] for kind in DesktopEventKind}
        self.details: list[str] = []
        """The details of the events that were read or waited for."""
        self.listening_error: AppError | None = None
        self.open = 0
        """How many forms and notifications are open."""
        self.is_waiting = asyncio.Event()
        self._waiting: set[asyncio.Task[object]] = set()

    async def show_notification(self, notification: Notification) -> str | None:
        self.shown.append(notification)
        return str(await self._response() or "") or None if notification.buttons else None

    async def show_form(self, form: DesktopForm) -> dict[str, Json] | None:
        self.shown.append(form)
        values = await self._response()
        assert values is None or isinstance(values, dict)
        return values

    async def copy_text(self, text: str) -> None:
        self.clipboard = ClipboardText(text)

    async def read_clipboard(self) -> ClipboardText:
        return self.clipboard

    async def open_address(self, address: str) -> None:
        self.opened.append(address)

    async def take_screenshot(self) -> bytes:
        return self.screen

    def events(self, kind: DesktopEventKind, detail: str = "") -> Sequence[DesktopEvent]:
        self.details.append(detail)
        return tuple(self.happened[kind])

    async def require_support(self, kind: DesktopEventKind) -> None:
        pass

    async def watch(self, kind: DesktopEventKind, detail: str = "") -> AsyncGenerator[None, None]:
        self.details.append(detail)
        if self.listening_error is not None:
            raise self.listening_error
        yield

    def interrupt(self) -> None:
        for waiting in self._waiting:
            waiting.cancel()

    async def _response(self) -> object:
        waiting = asyncio.ensure_future(self.responses.get())
        self._waiting.add(waiting)
        self.open += 1
        self.is_waiting.set()
        try:
            return await waiting
        finally:
            self.open -= 1
            self.is_waiting.clear()
            self._waiting.discard(waiting)
            waiting.cancel()
