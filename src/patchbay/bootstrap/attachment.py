"""Watches the program that runs the engine of a data folder while this program is attached to it."""

import asyncio
from collections.abc import Callable

from patchbay.domain.errors import AppError
from patchbay.platform import engine_lock as lock
from patchbay.platform.engine_lock import Attachment, EngineLock, EngineRole
from patchbay.platform.paths import AppPaths

CHECK_SECONDS = 1.0


class AttachmentWatch:
    """Detects when the program at `attachment` stops running the engine."""

    def __init__(self, paths: AppPaths, engine_lock: EngineLock, attachment: Attachment) -> None:
        self._paths = paths
        self._lock = engine_lock
        self.attachment = attachment
        self._may_take_over = attachment.role is EngineRole.WINDOW
        self.offered = False
        """Whether no program runs the engine, and `accept` would run it here."""

    def accept(self) -> None:
        """Run the engine here as soon as no other program does."""
        self._may_take_over = True

    async def wait_for_end(self, on_offer: Callable[[bool], None]) -> None:
        """Wait until the folder has to be opened again: another program runs its engine, or none does.

        When a window closes, its engine can be taken over at once. `patchbay serve` may be about to restart,
        for example under systemd, and would fail if another program had taken over. So `on_offer` reports
        that no program runs the engine, and this waits for the server to return or for `accept`.
        """
        while True:
            await asyncio.sleep(CHECK_SECONDS)
            found = lock.find_attachment(self._paths)
            if found is not None and found != self.attachment:
                return
            vacant = await asyncio.to_thread(self._is_vacant)
            if vacant and self._may_take_over:
                return
            if vacant is not self.offered:
                self.offered = vacant
                on_offer(vacant)

    def _is_vacant(self) -> bool:
        try:
            acquired = self._lock.acquire()
        except AppError:
            return False
        if acquired:
            self._lock.release()
        return acquired
