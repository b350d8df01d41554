"""Moves a workspace between the database file of a data folder and a PostgreSQL server.

The data folder keeps what isn't in the database: the passphrase vault, settings, and own apps. Without a
data key, secrets are still decrypted by the key that this folder, or the system keyring, has for the
workspace. With one, which is always that of the server, they are encrypted again: with the data key, or on
the way back with a key of the folder.
"""

import asyncio
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass

import patchbay.storage.postgresql.database  # noqa: F401  # says what to install if the driver is missing
from patchbay.bootstrap.workspace_location import mark_finishing, mark_moved, mark_own, unmark_moved
from patchbay.domain.errors import AppError, Conflict, NotFound, SecretsUnavailable, StorageFault
from patchbay.domain.ports import KeyStore
from patchbay.platform.engine_lock import EngineLock
from patchbay.platform.paths import AppPaths
from patchbay.service.data_key_store import DataKeyStore
from patchbay.service.secret_encryption import FINGERPRINT
from patchbay.service.secret_reencryption import ReencryptedSecrets, SecretReencryption, StoredSecrets
from patchbay.storage.moving.endpoints import MoveSource, MoveTarget, read_state
from patchbay.storage.moving.postgresql import PostgresSource, PostgresTarget
from patchbay.storage.moving.sqlite import SqliteSource, SqliteTarget
from patchbay.storage.moving.workspace_move import MovedRows, MoveProgress, WorkspaceMove
from patchbay.storage.postgresql.address import PostgresAddress
from patchbay.storage.postgresql.faults import translate_errors
from patchbay.storage.repositories import meta
from patchbay.storage.repositories.rows import Tx


@dataclass(frozen=True)
class MoveResult:
    """What was moved, or would be."""

    tables: tuple[MovedRows, ...]
    secrets: ReencryptedSecrets | None = None
    """What was encrypted with new keys, or would be; None if secrets keep their keys."""
    fingerprint: str | None = None
    """Of the data key that encrypts the secrets in the target; None if there is none."""
    was_finished: bool = False
    """An earlier run had finished the move, so this one did nothing."""

    @property
    def rows(self) -> int:
        """The rows of all tables."""
        return sum(table.rows for table in self.tables)


@dataclass(frozen=True)
class MoveKeys:
    """The key stores of a move that changes keys: that of the folder, and the data key of the server."""

    folder: KeyStore
    data_key: DataKeyStore

    def reencryption(self, source: MoveSource, target: MoveTarget, *, to_server: bool) -> SecretReencryption:
        """What encrypts the secrets again. Those of a folder may have a data key already."""
        has_data_key = meta.get(source.connection, FINGERPRINT) is not None
        from_store = self.data_key if has_data_key or not to_server else self.folder
        to_store = self.data_key if to_server else self.folder
        return SecretReencryption(from_store, to_store, f"move {source.name} {target.name}")


def move_workspace(
    paths: AppPaths,
    server: PostgresAddress,
    keys: MoveKeys | None = None,
    *,
    to_server: bool,
    on_progress: Callable[[MoveProgress], object],
    dry_run: bool = False,
) -> MoveResult:
    """Copy the workspace, compare all rows, and make the copy a workspace. The source isn't changed.

    With `keys`, secrets change theirs in the commit that makes the copy a workspace. Stopped at any point,
    the next call continues. Raises `Conflict` if a program uses the workspace or if the target has one,
    `NotFound` for a folder without a database, `SecretsUnavailable` for secrets that can't be decrypted, and
    `StorageFault`.
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
        marks = _Marks(paths, target, to_server=to_server)
        reencryption = None if keys is None else keys.reencryption(source, target, to_server=to_server)
        if move.is_finished():
            result = _verify(target, reencryption)
        else:
            move.require_suitable_target()
            if not to_server:
                _require_room(paths, source.size())
            with _secrets_explained():
                result = _move(move, reencryption, marks, dry_run=dry_run)
        if not dry_run:
            marks.after_finish()
        return result


@dataclass(frozen=True)
class _Marks:
    """What the data folder says about where its workspace is, during the last commit of a move and after it.

    It is written before the commit, so that a program that is killed right after it leaves the truth.
    """

    paths: AppPaths
    target: MoveTarget
    to_server: bool

    def finish(self, move: WorkspaceMove, change: Callable[[Tx], object]) -> None:
        """Finish the move, with `change` in its commit."""

        def change_and_mark(tx: Tx) -> None:
            change(tx)
            if self.to_server:
                mark_finishing(self.paths, self.target.name)
            else:
                mark_own(self.paths)

        try:
            move.finish(change_and_mark)
        except BaseException:
            if self.to_server and self._is_unfinished():
                unmark_moved(self.paths)
            raise

    def after_finish(self) -> None:
        """Record that the move is complete."""
        if self.to_server:
            mark_moved(self.paths, self.target.name)
        else:
            mark_own(self.paths)

    def _is_unfinished(self) -> bool:
        """Whether the commit certainly didn't take place."""
        with suppress(AppError), translate_errors():
            return read_state(self.target.values()) is not None
        return False


def _move(
    move: WorkspaceMove, reencryption: SecretReencryption | None, marks: _Marks, *, dry_run: bool
) -> MoveResult:
    """Copy all rows and finish. `reencryption` is tried first, so that a missing key is reported before."""
    fingerprint = (
        meta.get(move.source.connection, FINGERPRINT) if reencryption is None else reencryption.fingerprint
    )
    found = (
        None
        if reencryption is None
        else asyncio.run(reencryption.check(StoredSecrets.read(move.source.connection)))
    )
    if dry_run:
        return MoveResult(tuple(move.count_rows()), found, fingerprint)
    moved = tuple(move.copy())
    if reencryption is None:
        marks.finish(move, lambda _: None)
        return MoveResult(moved, None, fingerprint)
    asyncio.run(reencryption.prepare(StoredSecrets.read(move.target.connection)))
    marks.finish(move, reencryption.reencrypt)
    return MoveResult(moved, reencryption.done, fingerprint)


def _verify(target: MoveTarget, reencryption: SecretReencryption | None) -> MoveResult:
    """The result of a move that an earlier run has finished. Its secrets are decrypted once more."""
    stored = StoredSecrets.read(target.connection)
    found = None if reencryption is None else asyncio.run(reencryption.verify(stored))
    return MoveResult((), found, stored.fingerprint, was_finished=True)


@contextmanager
def _secrets_explained() -> Iterator[None]:
    """Say of secrets that can't be decrypted or encrypted what that means for a move."""
    try:
        yield
    except SecretsUnavailable as problem:
        meaning, todo = problem.meaning.removesuffix("Nothing was changed.").strip(), problem.todo
        if problem.reason in ("locked", "not_created"):
            meaning = ""
            todo = "Unlock the keyring, or give the passphrase of the folder's vault with --passphrase-file."
        raise SecretsUnavailable(
            problem.happened,
            reason=problem.reason,
            meaning=f"{meaning} Nothing was moved.".strip(),
            todo=todo,
        ) from problem


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
