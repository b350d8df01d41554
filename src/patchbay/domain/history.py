"""Looking through a long history: a search in what steps took in and put out, and a copy read from afar."""

from enum import StrEnum

from patchbay.domain.base import EpochMs, Model
from patchbay.domain.executions import Execution


class SearchPage(Model):
    """What one stretch of a search found, newest first. Stretches are bounded in time, not in finds.

    `searched` counts the executions looked through in this stretch, `reached` is the time of the oldest of
    them. `next_cursor` goes on with older ones and is None when there are none.
    """

    items: tuple[Execution, ...]
    searched: int
    reached: EpochMs | None = None
    next_cursor: str | None = None


class HistoryCopyState(StrEnum):
    """How the copy of a remote history stands."""

    NOT_NEEDED = "not_needed"
    """The workspace answers every question itself."""
    ABSENT = "absent"
    READING = "reading"
    STOPPED = "stopped"
    COMPLETE = "complete"


class HistoryCopy(Model):
    """The copy of a service's history that is kept here so that it can be filtered in every way.

    `done` of `total` executions are there, the newest first, back to `oldest_at`. `problem` says why reading
    stopped, in words.
    """

    state: HistoryCopyState = HistoryCopyState.NOT_NEEDED
    done: int = 0
    total: int = 0
    oldest_at: EpochMs | None = None
    problem: str | None = None
