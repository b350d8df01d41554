"""A clock that stops while the computer sleeps, on every system, and how long it has slept."""

import ctypes
import sys
import time
from typing import Any

_UNITS_PER_SECOND = 10_000_000


if sys.platform == "win32":
    _kernel: Any = ctypes.WinDLL("kernel32")
    _kernel.QueryUnbiasedInterruptTime.argtypes = (ctypes.POINTER(ctypes.c_uint64),)

    def awake_seconds() -> float:
        """Seconds since the computer was started, without those it slept.

        `time.monotonic` counts them on Windows, so that sleep would look like waiting.
        """
        units = ctypes.c_uint64()
        if not _kernel.QueryUnbiasedInterruptTime(ctypes.byref(units)):
            return time.monotonic()
        return units.value / _UNITS_PER_SECOND

    def asleep_seconds() -> float:
        """Seconds that the computer has slept since it was started; setting the clock doesn't change it."""
        return time.monotonic() - awake_seconds()

else:
    awake_seconds = time.monotonic

    def asleep_seconds() -> float:
        """Seconds that the computer has slept since it was started; setting the clock doesn't change it."""
        if sys.platform == "darwin":
            return time.clock_gettime(time.CLOCK_MONOTONIC) - time.clock_gettime(time.CLOCK_UPTIME_RAW)
        boot = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
        return time.clock_gettime(boot) - time.clock_gettime(time.CLOCK_MONOTONIC)
