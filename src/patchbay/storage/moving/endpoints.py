"""What a move needs of the database it reads and of the one it fills."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from patchbay.domain.errors import Conflict, StorageFault
from patchbay.storage.moving.content import Differences, MovedTable, Row, RowConverter
from patchbay.storage.repositories.rows import Tx

MOVE_TABLE = "patchbay_move"
"""The table of an unfinished target with the state of the move. A workspace never has it."""
CREATE_MOVE_TABLE = f"CREATE TABLE {MOVE_TABLE} (key TEXT PRIMARY KEY, value TEXT NOT NULL)"
_STATE_KEY = "move"


@dataclass(frozen=True)
class TableProgress:
    """How much of a table has been copied."""

    rows: int = 0
    after: tuple[Any, ...] | None = None
    """The key of the last row in the source that was copied; None before the first."""
    is_complete: bool = False
    nul_characters: int = 0
    long_ids: int = 0


@dataclass(frozen=True)
class MoveState:
    """What an unfinished target was made from, and by which version of the schema."""

    source: str
    revision: str

    def to_row(self) -> tuple[str, str]:
        """The row of `MOVE_TABLE`."""
        return _STATE_KEY, json.dumps(vars(self))


def progress_row(table: MovedTable, progress: TableProgress) -> tuple[str, str]:
    """The row of `MOVE_TABLE` for a table."""
    return f"table:{table.name}", json.dumps(vars(progress))


def read_progress(values: Mapping[str, str], table: MovedTable) -> TableProgress:
    """How much of a table has been copied, from the values of `MOVE_TABLE`."""
    text = values.get(f"table:{table.name}")
    if text is None:
        return TableProgress()
    stored = json.loads(text)
    after = stored.pop("after")
    return TableProgress(**stored, after=None if after is None else tuple(after))


def read_state(values: Mapping[str, str]) -> MoveState | None:
    """The state of the move, from the values of `MOVE_TABLE`; None before it began."""
    text = values.get(_STATE_KEY)
    return None if text is None else MoveState(**json.loads(text))


class Endpoint(Protocol):
    """A database that a move reads."""

    name: str
    """The file or the server, for messages."""

    @property
    def connection(self) -> Tx:
        """For queries."""
        ...

    def count(self, table: MovedTable) -> int:
        """Number of rows."""
        ...

    def read_rows(self, table: MovedTable, after: Sequence[Any] | None) -> Iterator[tuple[Row, Row]]:
        """The keys and the rows behind a key, in the order of their keys."""
        ...

    def read_unordered(self, table: MovedTable) -> Iterator[Row]:
        """All rows."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...


class MoveSource(Endpoint, Protocol):
    """The workspace that is moved. Nothing writes to it meanwhile."""

    def size(self) -> int:
        """Bytes that it takes on disk."""
        ...


class MoveTarget(Endpoint, Protocol):
    """The database that is filled. It can be opened as a workspace once `finish` has returned."""

    def moved_from(self) -> str | None:
        """Where the finished workspace in it was moved from; None if there is no such workspace."""
        ...

    def is_empty(self) -> bool:
        """Whether there is no workspace in it, finished or not."""
        ...

    def values(self) -> Mapping[str, str]:
        """The values of `MOVE_TABLE`; none if no move into it has begun."""
        ...

    def begin(self, state: MoveState) -> None:
        """Create the tables, without indexes. What an unfinished move has copied is deleted."""
        ...

    def converter(self, table: MovedTable, found: Differences) -> RowConverter:
        """What turns rows into those that it stores."""
        ...

    def load(self, table: MovedTable, rows: Iterable[Row], progress: TableProgress) -> None:
        """Store rows and the progress in one commit."""
        ...

    def finish(self, moved_from: str, change: Callable[[Tx], object]) -> None:
        """Make it a workspace, in one commit that contains the `change`."""
        ...


def moving_path(database: Path) -> Path:
    """The file that a move fills, beside the database that it becomes."""
    return database.with_name(f"{database.name}.moving")


class RowsRejected(StorageFault):
    """The target can't store rows, such as those that refer to rows it doesn't have."""

    def __init__(self, table: str, target: str) -> None:
        super().__init__(
            f"Rows of the table “{table}” don't fit into {target}.",
            meaning="It wasn't made a workspace, and the source wasn't changed.",
            todo="Check the source with “patchbay doctor”.",
        )


def schema_fault(name: str, revision: str | None, expected: str) -> Conflict:
    """The error for a source whose schema isn't that of this version."""
    if revision is None:
        return Conflict(f"There is no workspace in {name}.", todo="Choose another one with --from.")
    return Conflict(
        f"{name} was last used by another version of Patchbay (schema {revision} instead of {expected}).",
        meaning="Only a workspace of this version can be moved, and the source is never changed.",
        todo="Start it once with this version, which upgrades it, stop it, and run the command again.",
    )


def unfinished_move(place: str, undo: str) -> StorageFault:
    """The error for a database that a move hasn't completely filled; `undo` abandons the move."""
    return StorageFault(
        f"A move into {place} isn't finished.",
        meaning="Only a part of the workspace is in it.",
        todo=f"Run the same “patchbay move” command again to continue, or {undo} to abandon the move.",
    )
