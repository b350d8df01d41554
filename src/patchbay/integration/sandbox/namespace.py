"""Process 1 of the namespace an isolated program runs in: when it ends, everything in there does."""

import asyncio
import json
import os
import signal
import sys
from contextlib import suppress

_LONGEST = 4096


class Namespace:
    """Learns from bubblewrap which process is number 1, and ends it.

    Bubblewrap's other process, the one we start, returns when the program does, also while others in the
    namespace go on. A pidfd stays with the process when its number is given to another one.
    """

    def __init__(self, told: int | None) -> None:
        """`told`: the descriptor bubblewrap's `--info-fd` leads to; None where there is no namespace."""
        self.init: int | None = None
        self._told, self._pidfd = told, -1
        self._said = b""
        if told is not None:
            os.set_blocking(told, False)
            asyncio.get_running_loop().add_reader(told, self._read)

    def end(self) -> None:
        """Kill process 1, whatever became of the process that started it. Only once."""
        if sys.platform != "linux" or self._told is None:
            return
        self._read()
        self._stop_reading()
        if self._pidfd >= 0:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
            os.close(self._pidfd)
            self._pidfd = -1

    def _read(self) -> None:
        if sys.platform != "linux" or self._told is None or self.init is not None:
            return
        with suppress(BlockingIOError):
            part = os.read(self._told, _LONGEST)
            self._said += part
            if not part:
                self._stop_reading()
        with suppress(ValueError, KeyError, ProcessLookupError):
            pid = int(json.loads(self._said)["child-pid"])
            self._pidfd = os.pidfd_open(pid)
            self.init = pid

    def _stop_reading(self) -> None:
        if self._told is not None:
            asyncio.get_running_loop().remove_reader(self._told)
            self._told = None
