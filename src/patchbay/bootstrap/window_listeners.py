"""`WindowListeners`: whether the workspace that the window has open listens on its usual port."""

from __future__ import annotations

from patchbay.bootstrap.opening_backend import OpeningBackend
from patchbay.desktop.core.taken_port import TakenPort


class WindowListeners:
    """Implements `ListenAccess` for this computer."""

    def __init__(self, opening: OpeningBackend) -> None:
        self._opening = opening

    async def taken_port(self) -> TakenPort | None:
        """Return the port of webhooks if another program uses it, and this window runs the flows."""
        from patchbay.bootstrap.local import LocalWorkspace

        opened = await self._opening.opened()
        runtime = opened.runtime if isinstance(opened, LocalWorkspace) else None
        if runtime is None or runtime.listeners is None or runtime.listeners.taken_port is None:
            return None
        return TakenPort(runtime.listeners.taken_port, runtime.listeners.webhooks)
