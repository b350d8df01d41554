"""What is kept here of a service elsewhere, to be looked at when it is silent or slow."""

from collections.abc import Collection, Sequence
from typing import Protocol

from patchbay.domain.base import EpochMs, ExecutionId, FlowId, Model
from patchbay.domain.executions import Execution, ExecutionFilter, Histogram
from patchbay.domain.paging import Page, PageRequest


class ResponseStore(Protocol):
    """The last answer to each question, bounded; those not asked for longest go first.

    Nothing here raises: what could not be kept is simply not there later.
    """

    def keep(self, question: str, answer: bytes) -> None:
        """Returns at once; it is written in the background."""
        ...

    async def last(self, question: str) -> bytes | None: ...


class HistoryProgress(Model):
    """How far the history of a service has been read.

    A pass goes from the newest execution to the oldest. `left` are those below the place it has reached
    (None: it has not begun), `total` is how many there were then. All from `covered_from` down to that place
    are here.
    """

    wanted: bool = False
    """Reading goes on by itself until it is stopped."""
    number: int = 0
    """Passes are counted; what the last one no longer met is gone there."""
    left: int | None = None
    total: int = 0
    covered_from: EpochMs | None = None
    complete: bool = False
    """One pass has reached the end."""


class HistoryStore(Protocol):
    """Executions of a service, to be filtered and counted here. Nothing here raises."""

    async def mark(self) -> HistoryProgress: ...

    async def add(self, rows: Sequence[Execution], mark: HistoryProgress) -> int:
        """Keep these as met by the pass of the mark, and the mark with them, in one commit.

        Returns how many of them were not there, or had changed.
        """
        ...

    async def save_progress(self, mark: HistoryProgress) -> None: ...

    async def delete_unseen(self, mark: HistoryProgress) -> int:
        """A pass is over: what it did not meet is gone. Returns how many that were."""
        ...

    async def forget(self, execution_id: ExecutionId) -> None: ...

    async def extent(self) -> tuple[int, EpochMs | None]:
        """How many there are, and when the oldest was created."""
        ...

    async def unfinished(self, since: EpochMs, limit: int) -> tuple[ExecutionId, ...]:
        """Those created since then that had not ended when they were read, longest not looked at first."""
        ...

    async def find(
        self, where: ExecutionFilter, flows: Collection[FlowId] | None, page: PageRequest
    ) -> Page[Execution]:
        """Newest first. `flows` stands for the folder and the person of the filter; None: any flow.

        Raises `ValidationFailed` for a cursor of another list.
        """
        ...

    async def histogram(
        self,
        where: ExecutionFilter,
        flows: Collection[FlowId] | None,
        start: EpochMs,
        end: EpochMs,
        bars: int,
    ) -> Histogram:
        """Counts over [start, end) in equal spans; the time conditions of `where` do not apply."""
        ...


class RemoteCache(Protocol):
    """All that is kept of one service, in one private file."""

    @property
    def answers(self) -> ResponseStore | None:
        """The last answers; None for clients that only want current ones, such as commands."""
        ...

    @property
    def history(self) -> HistoryStore | None:
        """The copy of the history; None for the same clients."""
        ...

    def bind(self, owner: str) -> None:
        """Whose answers these are: those of another owner are deleted before anything is read."""
        ...

    async def note(self, name: str) -> str | None:
        """A small text kept under a name."""
        ...

    async def write_note(self, name: str, text: str) -> None: ...
    async def close(self) -> None: ...
