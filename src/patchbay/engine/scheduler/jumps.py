"""Whether the clock on the wall went on evenly, told by a clock that cannot be set."""

from collections.abc import Callable

from patchbay.domain.base import EpochMs

MIN_JUMP_MS = 5_000
"""Milliseconds. Below this clocks are only being adjusted."""


class ClockJumpDetector:
    """Compares two clocks from look to look; `monotonic` gives seconds from any beginning (`time.monotonic`)."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._settled_offset: int | None = None
        self._current_offset = 0

    def at(self, wall: EpochMs) -> int:
        """By how many milliseconds the clock was set since `settle`, negative when back; 0 for nothing much.

        A computer that slept looks like one whose clock was set forward.
        """
        self._current_offset = wall - round(self._monotonic() * 1000)
        if self._settled_offset is None:
            self._settled_offset = self._current_offset
        by = self._current_offset - self._settled_offset
        return by if abs(by) > MIN_JUMP_MS else 0

    def settle(self) -> None:
        """What was seen last counts as even from now on; small differences never add up."""
        self._settled_offset = self._current_offset
