"""Moves a workspace between the database file of a data folder and a PostgreSQL server.

The data folder keeps what isn't in the database: the passphrase vault, settings, and own apps. So secrets are
still decrypted by the key that this folder, or the system keyring, has for the workspace.
"""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass

import patchbay.storage.postgresql.database  # noqa: F401  # says what to install if the driver is missing
from patchbay.domain.errors import Conflict, NotFound, StorageFault
from patchbay.platform.engine_lock import EngineLock
from patchbay.platform.paths import AppPaths
from patchbay.storage.moving.endpoints import MoveSource, MoveTarget
from patchbay.storage.moving.postgresql import PostgresSource, PostgresTarget
from patchbay.storage.moving.sqlite import SqliteSource, SqliteTarget
from patchbay.storage.moving.workspace_move import MovedRows, MoveProgress, WorkspaceMove
from patchbay.storage.postgresql.address import PostgresAddress
from patchbay.storage.postgresql.faults import translate_errors


@dataclass(frozen=True)
class MoveResult:
    """What was moved, or would be."""

    tables: tuple[MovedRows, ...]
    was_finished: bool = False
    """An earlier run had finished the move, so this one did nothing."""

    @property
    def rows(self) -> int:
        """The rows of all tables."""
        return sum(table.rows for table in self.tables)


def move_workspace(
    paths: AppPaths,
    server: PostgresAddress,
    *,
    to_server: bool,
    on_progress: Callable[[MoveProgress], object],
    dry_run: bool = False,
) -> MoveResult:
    """Copy the workspace, compare all rows, and make the copy a workspace. The source isn't changed.

    Stopped at any point, the next call continues. Raises `Conflict` if a program uses the workspace or if the
    target has one, `NotFound` for a folder without a database, and `StorageFault`.
    """
    if to_server and not (paths.database.exists() and paths.database.stat().st_size):
        raise NotFound(f"There is no database in {paths.data}.", todo="Choose the data folder with --from.")
    with _locked(paths) as lock, translate_errors(), ExitStack() as opened:
        source: MoveSource
        target: MoveTarget
        if to_server:
            source = opened.enter_context(closing(SqliteSource(paths.database)))
            target = opened.enter_context(closing(PostgresTarget(server)))
        else:
            source = opened.enter_context(closing(PostgresSource(server)))
            target = opened.enter_context(
                closing(SqliteTarget(paths.database, lock.release_database, dry_run=dry_run))
            )
        move = WorkspaceMove(source, target, on_progress)
        if move.is_finished():
            return MoveResult((), was_finished=True)
        move.require_suitable_target()
        if not to_server:
            _require_room(paths, source.size())
        if dry_run:
            return MoveResult(tuple(move.count_rows()))
        moved = tuple(move.copy())
        move.finish()
        if to_server:
            paths.moved.write_text(json.dumps({"to": target.name}), "utf-8")
        else:
            paths.moved.unlink(missing_ok=True)
        return MoveResult(moved)


@contextmanager
def _locked(paths: AppPaths) -> Iterator[EngineLock]:
    """Keep other programs from using the data folder."""
    lock = EngineLock(paths.lock, paths.database)
    if not lock.acquire():
        raise Conflict(
            "Another Patchbay program is using this data folder.",
            meaning="Nothing was moved.",
            todo="Close it, and run the command again.",
        )
    try:
        yield lock
    finally:
        lock.release()
        if lock.created_database and paths.database.exists() and not paths.database.stat().st_size:
            paths.database.unlink()  # locking has created it


def _require_room(paths: AppPaths, needed: int) -> None:
    free = shutil.disk_usage(paths.data).free
    if free < needed:
        raise StorageFault(
            f"There isn't enough room in {paths.data}.",
            meaning=f"The workspace needs about {needed / 1e6:,.0f} MB, and {free / 1e6:,.0f} MB are free. "
            "Nothing was moved.",
            todo="Free some space, or choose another folder with --to.",
        )
