"""Which program runs the engine of a data folder: waiting for its end, and handing the engine over.

A window takes over from another program that has ended. `patchbay serve` may ask a window for the engine with
a file in the data folder, since it is meant to run all the time.
"""

import asyncio
import contextlib
import json
import math
import os
from collections.abc import Callable

from patchbay.domain.errors import AppError
from patchbay.domain.file_moves import delete_file
from patchbay.platform import engine_lock as lock
from patchbay.platform.engine_lock import Attachment, EngineLock, EngineRole
from patchbay.platform.paths import AppPaths, write_private

CHECK_SECONDS = 1.0
PREPARE_AFTER_SECONDS = 5.0
"""When an attached window prepares to take over, so that this doesn't slow its start down."""
RESTART_SECONDS = 1.5
"""How long a window leaves the engine to a server that has ended, which a supervisor may restart at once."""
HAND_OVER_SECONDS = 20.0
"""How long a server waits for the engine of a window, whose running steps get 10 seconds."""
NEW_OWNER_SECONDS = 5.0
"""How long a window that has handed its engine over waits for the server to start it."""
_VACANT_CHECK_SECONDS = 0.25


class AttachmentWatch:
    """Detects when the program at `attachment` stops running the engine."""

    def __init__(
        self,
        paths: AppPaths,
        engine_lock: EngineLock,
        attachment: Attachment,
        prepare: Callable[[], object] = lambda: None,
    ) -> None:
        self._paths = paths
        self._lock = engine_lock
        self._prepare = prepare
        self.attachment = attachment

    async def wait_for_end(self, on_vacant: Callable[[bool], None]) -> None:
        """Wait until the folder has to be opened again: another program runs its engine, or none does.

        When a window ends, its engine can be taken over at once. `patchbay serve` may be about to restart,
        for example under systemd, so it gets `RESTART_SECONDS`. `on_vacant` reports that no program runs the
        engine meanwhile, and when one does again. `prepare` is called in a thread before it is needed.
        """
        loop = asyncio.get_running_loop()
        prepare_at = loop.time() + PREPARE_AFTER_SECONDS
        vacant_since: float | None = None
        restart_seconds = 0.0 if self.attachment.role is EngineRole.WINDOW else RESTART_SECONDS
        while True:
            await asyncio.sleep(CHECK_SECONDS if vacant_since is None else _VACANT_CHECK_SECONDS)
            found = lock.find_attachment(self._paths)
            if found is not None and found != self.attachment:
                return
            is_vacant = await asyncio.to_thread(self._is_vacant)
            if is_vacant is not (vacant_since is not None):
                vacant_since = loop.time() if is_vacant else None
                on_vacant(is_vacant)
            if is_vacant or loop.time() >= prepare_at:
                prepare_at = math.inf
                await asyncio.to_thread(self._prepare)
            if vacant_since is not None and loop.time() - vacant_since >= restart_seconds:
                return

    def _is_vacant(self) -> bool:
        return _is_free(self._lock)


class HandOverRequest:
    """The request of `patchbay serve` for the engine that a window runs, as a file in the data folder."""

    def __init__(self, paths: AppPaths, engine_lock: EngineLock | None = None) -> None:
        self._file = paths.engine_request_file
        self._lock = engine_lock

    def write(self) -> None:
        """Ask the window for the engine; if it has just removed an older request, again."""
        if not self._file.exists():
            write_private(self._file, json.dumps({"pid": os.getpid()}))

    def withdraw(self) -> None:
        """End the request; the engine was handed over, or isn't wanted any more."""
        with contextlib.suppress(OSError):
            delete_file(self._file)

    async def wait(self) -> None:
        """Wait for a request. One that was there before is left over from a program that was killed."""
        await asyncio.to_thread(self.withdraw)
        while True:
            await asyncio.sleep(CHECK_SECONDS)
            if self._file.exists():  # not in a thread, which would wake two more threads each time
                return

    async def wait_for_new_owner(self) -> None:
        """Wait until the program that asked has the engine, or doesn't want it any more."""
        ends = asyncio.get_running_loop().time() + NEW_OWNER_SECONDS
        while asyncio.get_running_loop().time() < ends:
            if not await asyncio.to_thread(self._is_pending):
                return
            await asyncio.sleep(_VACANT_CHECK_SECONDS)
        await asyncio.to_thread(self.withdraw)

    def _is_pending(self) -> bool:
        return self._file.exists() and self._lock is not None and _is_free(self._lock)


def _is_free(engine_lock: EngineLock) -> bool:
    try:
        acquired = engine_lock.acquire()
    except AppError:
        return False
    if acquired:
        engine_lock.release()
    return acquired
