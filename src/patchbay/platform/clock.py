"""Now, in one place."""

import time

from patchbay.domain.base import EpochMs


def now_ms() -> EpochMs:
    """Milliseconds since the epoch, by the system's clock."""
    return time.time_ns() // 1_000_000
