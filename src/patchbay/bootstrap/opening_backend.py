"""A backend that can be used while its workspace is still opening, so that the window appears at once."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Protocol, runtime_checkable

from patchbay.bootstrap.attachment import CHECK_SECONDS, AttachmentWatch, HandOverRequest
from patchbay.desktop.core.services import EngineOwner
from patchbay.domain.backend import Backend, Capabilities
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.errors import AppError
from patchbay.domain.forwarding_backend import ForwardingBackend

log = logging.getLogger("window")


class OpenWorkspace(Protocol):
    """An open workspace: its backend, and `close`."""

    @property
    def backend(self) -> Backend:
        """The backend of the open workspace."""
        ...

    async def close(self) -> None:
        """Close the backend, and stop what runs for it."""
        ...


@runtime_checkable
class AttachableWorkspace(Protocol):
    """A workspace whose engine may run in another program, which `watch` observes."""

    watch: AttachmentWatch | None


@runtime_checkable
class YieldingWorkspace(Protocol):
    """A workspace whose engine a server may ask for with `hand_over`."""

    hand_over: HandOverRequest | None


@runtime_checkable
class FillableWorkspace(Protocol):
    """A workspace that can be used before all its data exists, such as the demo."""

    async def filled(self) -> None:
        """Return when the sample data is complete. Raises what went wrong."""
        ...


class OpeningBackend(ForwardingBackend):
    """A `Backend` whose calls wait until the workspace is open.

    If opening fails, they raise the error, and the next call tries again. Use it on the event loop thread
    only, except `capabilities`. A workspace run by another program is opened again when that program stops or
    restarts; `on_owner` is then called with the kind of program.
    """

    def __init__(
        self,
        open_workspace: Callable[[], Awaitable[OpenWorkspace]],
        on_owner: Callable[[EngineOwner], None] = lambda _: None,
    ) -> None:
        self._open_workspace, self._on_owner = open_workspace, on_owner
        self._following: asyncio.Task[None] | None = None
        self._opening: asyncio.Task[OpenWorkspace] | None = None
        self._opened: OpenWorkspace | None = None
        self._closed = False
        self._opened_or_closed = asyncio.Event()
        """Set once the workspace is open, or this is closed."""

    @property
    def capabilities(self) -> Capabilities:
        return self._opened.backend.capabilities if self._opened else Capabilities()

    async def opened(self) -> OpenWorkspace:
        """Wait until the workspace is open. Raises the error if opening fails."""
        if self._opened is not None:
            return self._opened
        if self._opening is None or self._opening.done():
            self._opening = asyncio.create_task(self._open(), name="open-workspace")
        return await asyncio.shield(self._opening)

    async def changes(self) -> AsyncIterator[Change]:
        """Changes of the workspace, from when it is open.

        If opening fails, waits for a later call to open it, and then first yields a change of everything.
        """
        try:
            await self.opened()
        except AppError:
            await self._opened_or_closed.wait()
            if self._opened is not None:
                yield Change(noun=ResourceType.WORKSPACE)
        while not self._closed:
            opened = await self.opened()
            async for change in opened.backend.changes():
                yield change
            if self._closed or self._opened is opened:
                return
            yield Change(noun=ResourceType.WORKSPACE)

    async def close(self) -> None:
        """Close the workspace, also while it is opening."""
        self._closed = True
        self._opened_or_closed.set()
        for task in (self._opening, self._following):
            if task is not None and not task.done():
                task.cancel()
                await asyncio.wait([task])
        if self._opened is not None:
            opened, self._opened = self._opened, None
            await opened.close()

    async def _target(self, operation: Callable[..., Any]) -> Backend:
        return (await self.opened()).backend

    async def _open(self) -> OpenWorkspace:
        opened = await self._open_workspace()
        if self._closed:
            await opened.close()
            raise asyncio.CancelledError
        self._use(opened)
        self._opened_or_closed.set()
        return opened

    def _use(self, opened: OpenWorkspace) -> None:
        self._opened = opened
        if (watch := _watch_of(opened)) is not None:
            self._following = asyncio.create_task(self._follow(opened, watch), name="follow-attachment")
        elif (request := _request_of(opened)) is not None:
            self._following = asyncio.create_task(self._hand_over(opened, request), name="hand-over-engine")

    async def _follow(self, attached: OpenWorkspace, watch: AttachmentWatch) -> None:
        """Open the workspace again when the program that runs it has stopped or restarted."""
        await watch.wait_for_end(
            lambda vacant: self._on_owner(EngineOwner.NONE if vacant else EngineOwner.ANOTHER_PROGRAM)
        )
        opened = await self._open_again()
        self._use(opened)
        self._on_owner(EngineOwner.THIS_WINDOW if _watch_of(opened) is None else EngineOwner.ANOTHER_PROGRAM)
        await attached.close()  # ends its `changes()`, so that those of the new one are used

    async def _hand_over(self, owned: OpenWorkspace, request: HandOverRequest) -> None:
        """Close the workspace when a server asks for its engine, and attach to that server."""
        await request.wait()
        self._opened = None  # calls wait until the workspace is open again
        self._opening = asyncio.create_task(self._reopen(owned, request), name="reopen-workspace")

    async def _reopen(self, owned: OpenWorkspace, request: HandOverRequest) -> OpenWorkspace:
        closing = asyncio.create_task(owned.close(), name="close-workspace")
        try:
            await asyncio.shield(closing)
        except asyncio.CancelledError:
            await closing  # the database must be closed before the program ends
            raise
        await request.wait_for_new_owner()
        opened = await self._open_again()
        self._use(opened)
        self._on_owner(EngineOwner.THIS_WINDOW if _watch_of(opened) is None else EngineOwner.ANOTHER_PROGRAM)
        return opened

    async def _open_again(self) -> OpenWorkspace:
        while True:
            try:
                return await self._open_workspace()
            except AppError as error:  # such as another program that has opened the folder meanwhile
                log.warning("the workspace couldn't be opened again: %s", error.text())
                await asyncio.sleep(CHECK_SECONDS)


def _watch_of(opened: OpenWorkspace) -> AttachmentWatch | None:
    return opened.watch if isinstance(opened, AttachableWorkspace) else None


def _request_of(opened: OpenWorkspace) -> HandOverRequest | None:
    return opened.hand_over if isinstance(opened, YieldingWorkspace) else None
