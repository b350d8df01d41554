"""Kills the process if it takes too long to exit."""

import contextlib
import faulthandler
import logging
import math
import os
import threading
import time

log = logging.getLogger(__name__)

EXIT_SECONDS = 15.0
"""The time to exit, of which running steps get 10 seconds."""
FORCED_EXIT_CODE = 1
"""Exit code if the watchdog killed the process."""
_LOG_SECONDS = 1.0
_DUMP_DELAY_SECONDS = 2.0


class ExitWatchdog:
    """Kills the process `seconds` after it was armed, unless it has exited before.

    Otherwise, a thread that hangs or a step that blocks the event loop would keep the process alive.
    Interrupted runs are recovered at the next start, as after a crash.
    """

    def __init__(self, seconds: float = EXIT_SECONDS) -> None:
        self._seconds = seconds
        self._ends_at = math.inf

    def arm(self, more_seconds: float = 0) -> None:
        """Start the countdown, or shorten it. Can be called in a signal handler, and repeatedly."""
        seconds = self._seconds + more_seconds
        ends_at = time.monotonic() + seconds
        if ends_at >= self._ends_at:
            return
        self._ends_at = ends_at
        threading.Thread(
            target=self._kill_process, args=(seconds,), name="exit-watchdog", daemon=True
        ).start()
        # Code that never releases the interpreter lock blocks that thread too; this timer doesn't need it.
        null_file = open(os.devnull, "w")  # noqa: SIM115  stays open until the end
        faulthandler.dump_traceback_later(seconds + _DUMP_DELAY_SECONDS, file=null_file, exit=True)

    def _kill_process(self, seconds: float) -> None:
        threading.Event().wait(seconds)
        message = (
            f"Patchbay didn't stop within {seconds:g} seconds because a task didn't finish, "
            "so it was killed. Interrupted runs resume at the next start."
        )
        with contextlib.suppress(OSError):
            os.write(2, f"{message}\n".encode())
        # In a thread, because whatever hangs may hold a lock of the log.
        log_thread = threading.Thread(target=log.error, args=(message,), daemon=True)
        log_thread.start()
        log_thread.join(_LOG_SECONDS)
        os._exit(FORCED_EXIT_CODE)
