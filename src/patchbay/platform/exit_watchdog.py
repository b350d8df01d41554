"""Ends the program for good when closing it takes too long, whatever it is that doesn't let go."""

import contextlib
import faulthandler
import logging
import os
import threading

log = logging.getLogger(__name__)

EXIT_SECONDS = 15.0
"""How long after the wish to end the program is gone: steps get ten seconds of it."""
FORCED_EXIT_CODE = 1
"""Exit code of a program that was ended by the watchdog."""
_LOG_SECONDS = 1.0
_DUMP_DELAY_SECONDS = 2.0


class ExitWatchdog:
    """Ends the process `seconds` after it was armed, unless it has ended by itself.

    A thread that hangs or a step that computes on the event loop would otherwise keep the program alive. What
    was running is left as after a crash, and resumes at the next start.
    """

    def __init__(self, seconds: float = EXIT_SECONDS) -> None:
        self._seconds = seconds
        self._armed = False

    def arm(self) -> None:
        """Begin to count. Safe in a signal handler, and more than once."""
        if self._armed:
            return
        self._armed = True
        threading.Thread(target=self._kill_process, name="exit-watchdog", daemon=True).start()
        # Code that never gives the interpreter back stops that thread too; this one needs no interpreter.
        null_file = open(os.devnull, "w")  # noqa: SIM115  stays open until the end
        faulthandler.dump_traceback_later(self._seconds + _DUMP_DELAY_SECONDS, file=null_file, exit=True)

    def _kill_process(self) -> None:
        threading.Event().wait(self._seconds)
        message = (
            f"Patchbay didn't stop within {self._seconds:g} seconds because a task didn't finish, "
            "so it was killed. Interrupted runs resume at the next start."
        )
        with contextlib.suppress(OSError):
            os.write(2, f"{message}\n".encode())
        # A lock of the log may be held by what hangs.
        log_thread = threading.Thread(target=log.error, args=(message,), daemon=True)
        log_thread.start()
        log_thread.join(_LOG_SECONDS)
        os._exit(FORCED_EXIT_CODE)
