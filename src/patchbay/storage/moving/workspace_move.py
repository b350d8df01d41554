"""Copies all rows of a workspace in batches, compares both sides, and makes the target a workspace."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from typing import Any

from patchbay.domain.errors import Conflict, StorageFault
from patchbay.storage.migrate import HEAD_REVISION
from patchbay.storage.moving.content import MOVED_TABLES, Checksum, Differences, MovedTable, Row
from patchbay.storage.moving.endpoints import (
    MoveSource,
    MoveState,
    MoveTarget,
    RowsRejected,
    TableProgress,
    read_progress,
    read_state,
)
from patchbay.storage.repositories.rows import Tx

BATCH_ROWS = 2_000
BATCH_CHARACTERS = 4 * 1024**2
"""A batch ends after this many rows or characters, whatever comes first. It is in memory as a whole."""


class MovePhase(StrEnum):
    """What a move is doing."""

    COPYING = "copying"
    COMPARING = "comparing"
    FINISHING = "finishing"


@dataclass(frozen=True)
class MoveProgress:
    """How far a move is."""

    phase: MovePhase
    rows: int
    total: int
    table: str = ""

    @property
    def percent(self) -> int:
        """The share of the rows."""
        return 100 if not self.total else min(100, self.rows * 100 // self.total)


@dataclass(frozen=True)
class MovedRows:
    """What was moved of a table."""

    table: str
    rows: int
    checksum: str = ""
    """The same in the source and in the target; empty before they were compared."""
    nul_characters: int = 0
    long_ids: int = 0


@dataclass
class WorkspaceMove:
    """One run of a move; a later run with the same source and target continues it."""

    source: MoveSource
    target: MoveTarget
    on_progress: Callable[[MoveProgress], object] = lambda _: None
    _total: int = 0
    _done: int = 0
    _sums: dict[str, Checksum] = field(default_factory=dict)
    """Checksums of the tables that this run copied from their first row."""

    def require_suitable_target(self) -> None:
        """Raise `Conflict` if the target has a workspace, or is being filled from elsewhere."""
        state = read_state(self.target.values())
        if state is None:
            if not self.target.is_empty():
                raise Conflict(
                    f"{self.target.name} isn't empty.",
                    meaning="Only an empty database or folder can be the target. Nothing was changed.",
                    todo="Choose another target.",
                )
        elif state.source != self.source.name:
            raise Conflict(
                f"A move of another workspace into {self.target.name} isn't finished.",
                meaning=f"It began from {state.source}.",
                todo="Run that command again to continue, or choose another target.",
            )
        elif state.revision != HEAD_REVISION:
            raise Conflict(
                f"The move into {self.target.name} was begun by another version of Patchbay.",
                todo="Continue with that version, or empty the target.",
            )

    def _count_rows(self) -> None:
        self._total = sum(self.source.count(table) for table in MOVED_TABLES)

    def is_finished(self) -> bool:
        """Whether an earlier run has finished this move. Raises `Conflict` if the source is another now."""
        source, _, digest = (self.target.moved_from() or "").rpartition(" ")
        if source != self.source.name:
            return False
        self._count_rows()
        for table in MOVED_TABLES:
            self._checksum_of_source(table)
        if digest != self._digest():
            raise Conflict(
                f"{self.target.name} has a workspace that was moved from here before.",
                meaning="The source has changed since, and perhaps the target, too. Nothing was moved.",
                todo="Choose an empty target.",
            )
        return True

    def count_rows(self) -> list[MovedRows]:
        """What would be moved. Changes nothing."""
        return [MovedRows(table.name, self.source.count(table)) for table in MOVED_TABLES]

    def copy(self) -> list[MovedRows]:
        """Copy what hasn't been copied yet, and compare all rows. The target isn't a workspace yet.

        Starts over once if the source changed since an earlier run.
        """
        self.require_suitable_target()
        is_continued = read_state(self.target.values()) is not None
        if not is_continued:
            self._begin()
        self._count_rows()
        try:
            different = self._copy_and_compare()
        except RowsRejected:
            if not is_continued:
                raise
            different = ["rows that were copied before"]
        if different and is_continued:
            self._begin()
            different = self._copy_and_compare()
        if different:
            raise StorageFault(
                f"The copy differs from the source in: {', '.join(different)}.",
                meaning="The target wasn't made a workspace.",
                todo="Run the command again. If it happens again, check the source with “patchbay doctor”.",
            )
        values = self.target.values()
        done = [(table, read_progress(values, table)) for table in MOVED_TABLES]
        return [
            MovedRows(t.name, p.rows, str(self._sums[t.name]), p.nul_characters, p.long_ids) for t, p in done
        ]

    def finish(self, change: Callable[[Tx], object] = lambda _: None) -> None:
        """Make the target a workspace; `change` is part of the same commit."""
        self.on_progress(MoveProgress(MovePhase.FINISHING, self._total, self._total))
        self.target.finish(f"{self.source.name} {self._digest()}", change)

    def _digest(self) -> str:
        """One checksum for all tables of the source."""
        sums = " ".join(str(self._sums[table.name]) for table in MOVED_TABLES)
        return sha256(sums.encode()).hexdigest()

    def _begin(self) -> None:
        self._sums.clear()
        self.target.begin(MoveState(self.source.name, HEAD_REVISION))

    def _copy_and_compare(self) -> list[str]:
        """Copy the missing rows, and return the tables that differ."""
        values = self.target.values()
        found = {table: read_progress(values, table) for table in MOVED_TABLES}
        self._done = sum(progress.rows for progress in found.values())
        for table, progress in found.items():
            if not progress.is_complete:
                self._copy_table(table, progress)
        self._done = 0
        return [table.name for table in MOVED_TABLES if not self._is_equal(table)]

    def _copy_table(self, table: MovedTable, progress: TableProgress) -> None:
        checksum = Checksum() if progress.after is None else None
        found = Differences(progress.nul_characters, progress.long_ids)
        convert = self.target.converter(table, found)
        rows, after = progress.rows, progress.after
        self._report(MovePhase.COPYING, table)
        for batch in _batches(self.source.read_rows(table, after)):
            converted = [convert(row) for _, row in batch]
            if checksum is not None:
                for row in converted:
                    checksum.add(row)
            rows, after = rows + len(batch), batch[-1][0]
            self.target.load(
                table, converted, TableProgress(rows, after, False, found.nul_characters, found.long_ids)
            )
            self._done += len(batch)
            self._report(MovePhase.COPYING, table)
        complete = TableProgress(rows, after, True, found.nul_characters, found.long_ids)
        self.target.load(table, (), complete)
        if checksum is not None:
            self._sums[table.name] = checksum

    def _is_equal(self, table: MovedTable) -> bool:
        """Read a table in the target, and in the source unless this run has just read all of it."""
        copied = self._checksum_of(table, self.target.read_unordered(table))
        if table.name not in self._sums:
            self._checksum_of_source(table)
        return copied == self._sums[table.name]

    def _checksum_of_source(self, table: MovedTable) -> None:
        convert = self.target.converter(table, Differences())
        rows = map(convert, self.source.read_unordered(table))
        self._sums[table.name] = self._checksum_of(table, rows, counts=False)

    def _checksum_of(self, table: MovedTable, rows: Iterator[Row], *, counts: bool = True) -> Checksum:
        checksum = Checksum()
        for row in rows:
            checksum.add(row)
            if checksum.rows % BATCH_ROWS == 0:
                self._done += BATCH_ROWS * counts
                self._report(MovePhase.COMPARING, table)
        self._done += checksum.rows % BATCH_ROWS * counts
        self._report(MovePhase.COMPARING, table)
        return checksum

    def _report(self, phase: MovePhase, table: MovedTable) -> None:
        self.on_progress(MoveProgress(phase, self._done, self._total, table.name))


def _batches(rows: Iterator[tuple[Row, Row]]) -> Iterator[list[tuple[Row, Row]]]:
    batch: list[tuple[Row, Row]] = []
    size = 0
    for key, row in rows:
        batch.append((key, row))
        size += sum(map(_length, row))
        if len(batch) >= BATCH_ROWS or size >= BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _length(value: Any) -> int:
    return len(value) if isinstance(value, str | bytes) else 8
