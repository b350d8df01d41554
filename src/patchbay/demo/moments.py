"""When things happen at the services of the demo."""

from datetime import UTC, datetime

from patchbay.domain.base import EpochMs

SLOT_MS = 25 * 60_000
"""Something new happens at each polled service once in this time (milliseconds)."""

_SLOTS_SHOWN = 3


def slots(now: EpochMs) -> list[int]:
    """The numbers of the newest items every polled service has, newest first."""
    return [now // SLOT_MS - age for age in range(_SLOTS_SHOWN)]


def format_iso(at: EpochMs) -> str:
    """A moment as services write it."""
    return datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
