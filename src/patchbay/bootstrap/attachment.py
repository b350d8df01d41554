"""Following the program that runs the engine of a data folder, while this program is attached to it."""

import asyncio
from collections.abc import Callable

from patchbay.domain.errors import AppError
from patchbay.platform import engine_lock as lock
from patchbay.platform.engine_lock import Attachment, EngineLock, EngineRole
from patchbay.platform.paths import AppPaths

CHECK_SECONDS = 1.0


class AttachmentWatch:
    """Notices when the program at `attachment` stops running the engine."""

    def __init__(self, paths: AppPaths, engine_lock: EngineLock, attachment: Attachment) -> None:
        self._paths, self._lock, self.attachment = paths, engine_lock, attachment
        self._may_take_over = attachment.role is EngineRole.WINDOW
        self.offered = False
        """Whether nothing runs the engine, and it takes `accept` to run it here."""

    def accept(self) -> None:
        """Run the engine here as soon as nobody else does."""
        self._may_take_over = True

    async def wait_for_end(self, on_offer: Callable[[bool], None]) -> None:
        """Return when the folder has to be opened again: another program runs its engine, or none does.

        The engine of a window that closed is free to take. `patchbay serve` may be about to restart, for
        example under systemd, and would fail if its engine were taken; so `on_offer` reports the vacancy,
        and this waits for the service or for `accept`.
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
