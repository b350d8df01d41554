"""Whether the clock on the wall went on evenly, told by a clock that cannot be set."""

from collections.abc import Callable

from patchbay.domain.base import EpochMs

NOTICED = 5_000
"""Milliseconds. Below this clocks are only being adjusted."""


class Jumps:
    """Compares two clocks from look to look; `steady` gives seconds from any beginning (`time.monotonic`)."""

    def __init__(self, steady: Callable[[], float]) -> None:
        self._steady = steady
        self._even: int | None = None
        self._seen = 0

    def at(self, wall: EpochMs) -> int:
        """By how many milliseconds the clock was set since `settle`, negative when back; 0 for nothing much.

        A computer that slept looks like one whose clock was set forward.
        """
        self._seen = wall - round(self._steady() * 1000)
        if self._even is None:
            self._even = self._seen
        by = self._seen - self._even
        return by if abs(by) > NOTICED else 0

    def settle(self) -> None:
        """What was seen last counts as even from now on; small differences never add up."""
        self._even = self._seen
