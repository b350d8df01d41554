"""The local cache of a remote server, for when it is offline or slow: responses, and a copy of its
history.
"""

from collections.abc import Collection, Sequence
from typing import Protocol

from patchbay.domain.base import EpochMs, ExecutionId, FlowId, Model
from patchbay.domain.executions import Execution, ExecutionFilter, Histogram
from patchbay.domain.paging import Page, PageRequest


class ResponseStore(Protocol):
    """A bounded cache of the latest response to each request; the least recently used are dropped first.

    Nothing here raises: a response that couldn't be stored is a cache miss later.
    """

    def put(self, request_key: str, response: bytes) -> None:
        """Store the response in the background; returns at once."""
        ...

    async def get(self, request_key: str) -> bytes | None: ...


class HistoryProgress(Model):
    """How far the history of a server has been downloaded.

    A pass goes from the newest execution to the oldest. `left` is the number of executions that it hasn't
    reached yet (None: not started), `total` the length of the server's list when it was last read. All
    executions from `covered_from` back to the place that the pass has reached are stored.
    """

    wanted: bool = False
    """The download continues until it is stopped."""
    number: int = 0
    """Number of the pass. Executions that the latest one didn't find have been deleted on the server."""
    left: int | None = None
    total: int = 0
    covered_from: EpochMs | None = None
    complete: bool = False
    """Whether a pass has reached the end."""


class HistoryStore(Protocol):
    """The local copy of a server's executions, to filter and count. Nothing here raises except `find`."""

    async def progress(self) -> HistoryProgress:
        """Return how much of the history is stored."""
        ...

    async def add(self, rows: Sequence[Execution], progress: HistoryProgress) -> int:
        """Store executions that the current pass found, and its progress, in one commit.

        Returns how many of them were new or had changed.
        """
        ...

    async def save_progress(self, progress: HistoryProgress) -> None:
        """Store how much of the history has been read."""
        ...

    async def delete_unseen(self, progress: HistoryProgress) -> int:
        """After a pass, delete the executions that it didn't find. Returns how many."""
        ...

    async def forget(self, execution_id: ExecutionId) -> None:
        """Delete one execution from the copy."""
        ...

    async def extent(self) -> tuple[int, EpochMs | None]:
        """Return the number of executions, and when the oldest was created."""
        ...

    async def unfinished(self, since: EpochMs, limit: int) -> tuple[ExecutionId, ...]:
        """Executions created since then that were unfinished when last read, least recently read first."""
        ...

    async def find(
        self, where: ExecutionFilter, flows: Collection[FlowId] | None, page: PageRequest
    ) -> Page[Execution]:
        """List executions, newest first. `flows` replaces the folder and user of the filter; None: any flow.

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
        """Count executions in [start, end) in equal spans, ignoring the time conditions of `where`."""
        ...


class RemoteCache(Protocol):
    """The cache of one server, in one private file."""

    @property
    def responses(self) -> ResponseStore | None:
        """The latest responses; None for clients that don't use cached ones, such as commands."""
        ...

    @property
    def history(self) -> HistoryStore | None:
        """The copy of the history; None for clients without a cache."""
        ...

    def bind(self, owner: str) -> None:
        """Set the owner of the cache. Data of another owner is deleted before anything is read."""
        ...

    async def note(self, name: str) -> str | None:
        """A short text stored under a name."""
        ...

    async def write_note(self, name: str, text: str) -> None:
        """Store a text under a name, replacing the previous one."""
        ...

    async def close(self) -> None: ...
