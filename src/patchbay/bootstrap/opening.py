"""A workspace that is still being opened: the window is there at once, its questions wait."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Protocol, cast, runtime_checkable

from patchbay.domain.backend import Backend, Capabilities
from patchbay.domain.changes import Change, Noun
from patchbay.domain.errors import AppError


class OpenWorkspace(Protocol):
    """What opening yields: the workspace, and how to let go of it."""

    @property
    def backend(self) -> Backend: ...
    async def close(self) -> None: ...


@runtime_checkable
class Filling(Protocol):
    """A workspace that shows rows before all its data are there (the demo)."""

    async def filled(self) -> None: ...


class OpeningBackend:
    """Stands for a `Backend` from the first moment. Calls wait until it is open; when opening fails they
    raise why, and the next call tries again. Used on the loop thread only, but for `capabilities`.
    """

    def __init__(self, open_workspace: Callable[[], Awaitable[OpenWorkspace]]) -> None:
        self._open_workspace = open_workspace
        self._opening: asyncio.Task[OpenWorkspace] | None = None
        self._opened: OpenWorkspace | None = None
        self._closed = False
        self._settled = asyncio.Event()
        """It is open, or closed for good."""

    @property
    def capabilities(self) -> Capabilities:
        return self._opened.backend.capabilities if self._opened else Capabilities()

    def as_backend(self) -> Backend:
        """This object, typed as what it stands for."""
        return cast(Backend, self)

    async def opened(self) -> OpenWorkspace:
        """The workspace, once it is open. Raises what opening raised."""
        if self._opened is not None:
            return self._opened
        if self._opening is None or self._opening.done():
            self._opening = asyncio.create_task(self._open(), name="open-workspace")
        return await asyncio.shield(self._opening)

    async def changes(self) -> AsyncIterator[Change]:
        """Changes of the workspace, from when it is open: at once, or when a later call could open it; what
        was shown until then is told to be old.
        """
        try:
            await self.opened()
        except AppError:
            await self._settled.wait()
            if self._opened is not None:
                yield Change(noun=Noun.WORKSPACE)
        if self._opened is not None:
            async for change in self._opened.backend.changes():
                yield change

    async def close(self) -> None:
        """Let go of the workspace, also of one that is still being opened."""
        self._closed = True
        self._settled.set()
        opening = self._opening
        if opening is not None and not opening.done():
            opening.cancel()
            await asyncio.wait([opening])
        if self._opened is not None:
            opened, self._opened = self._opened, None
            await opened.close()

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        """Every operation of the protocol, waiting for the workspace first."""
        if name.startswith("_"):
            raise AttributeError(name)

        async def call(*arguments: Any, **named: Any) -> Any:
            opened = await self.opened()
            return await getattr(opened.backend, name)(*arguments, **named)

        return call

    async def _open(self) -> OpenWorkspace:
        opened = await self._open_workspace()
        if self._closed:
            await opened.close()
            raise asyncio.CancelledError
        self._opened = opened
        self._settled.set()
        return opened
