"""Opens the workspace of a data folder, or attaches to the program that already has it open."""

from __future__ import annotations

import asyncio
import os
import socket
import uuid
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from patchbay.bootstrap.attachment import HAND_OVER_SECONDS, AttachmentWatch, HandOverRequest
from patchbay.bootstrap.key_store import choose_key_store
from patchbay.bootstrap.listen_options import ListenOptions, listen_options_from
from patchbay.bootstrap.pending_restore import finish_restore, remove_temporary_files
from patchbay.bootstrap.workspace_location import recorded_server, require_own_database
from patchbay.domain.access import Scope
from patchbay.domain.audit_log import Actor, ActorKind
from patchbay.domain.backend import Backend
from patchbay.domain.changes import ResourceType
from patchbay.domain.clock import now_ms
from patchbay.domain.desktop import Desktop
from patchbay.domain.errors import AppError, Conflict, NotSupported, StorageFault
from patchbay.domain.peers import ALL_FLOWS, WorkFilter
from patchbay.domain.ports import KeyStore
from patchbay.platform import engine_lock as lock
from patchbay.platform.app_nap import AppNapGuard
from patchbay.platform.engine_lock import EngineLock, EngineRole
from patchbay.platform.paths import AppPaths
from patchbay.platform.settings import Settings, SettingsFile

if TYPE_CHECKING:
    from patchbay.bootstrap.http_listeners import HttpListeners
    from patchbay.bootstrap.scheduled_backups import ScheduledBackups
    from patchbay.bootstrap.workspace_runtime import WorkspaceRuntime
    from patchbay.storage.postgresql.address import PostgresAddress

ATTACH_SECONDS = 5.0
PLACE_FILE = "program-id"
"""In data folders of programs that share a database."""

COMMAND = Actor(kind=ActorKind.COMMAND, name="This computer", scope=Scope.ADMIN)
WINDOW = Actor(kind=ActorKind.WINDOW, name="This computer", scope=Scope.ADMIN)


@dataclass
class LocalWorkspace:
    """An open workspace. If another program runs it, `runtime` is None, and `watch` watches that program.

    `hand_over` is how a server asks for the engine, if this program gives it away.
    """

    backend: Backend
    runtime: WorkspaceRuntime | None = None
    lock: EngineLock | None = None
    paths: AppPaths | None = None
    watch: AttachmentWatch | None = None
    hand_over: HandOverRequest | None = None
    database: Path | PostgresAddress | None = None
    """Where the data is, if not in the folder's own file."""
    app_nap: AppNapGuard = field(default_factory=AppNapGuard)

    async def close(self, grace: float = 10.0) -> None:
        """Stop the workspace, and release the folder for other programs."""
        if self.runtime is None:
            await self.backend.close()
            return
        async with AsyncExitStack() as parts:  # closed in reverse order
            if self.lock is not None:
                parts.callback(self.lock.release)
            parts.callback(self.app_nap.end)
            parts.push_async_callback(self.runtime.close, grace)
            if self.paths is not None and self.runtime.listeners is not None:
                lock.withdraw_announcement(self.paths)

    async def listen(self, listen_options: ListenOptions, *, require_port: bool) -> HttpListeners:
        """Listen for HTTP, and announce the address to this user's other programs.

        `require_port`: fail if a port is in use, as the server does; windows use a free port instead, and
        create the HTTP server when the first client connects.
        """
        runtime = self.runtime
        assert runtime is not None, "only a workspace of this process can listen"
        self.app_nap.begin("Runs flows")
        listeners = await runtime.listen(
            listen_options, require_port=require_port, on_demand=not require_port
        )
        if self.paths is not None:
            role = EngineRole.SERVICE if require_port else EngineRole.WINDOW
            lock.announce_service(self.paths, listeners.local, runtime.api_keys.token, role=role)
        return listeners


async def open_local(
    paths: AppPaths,
    settings: Settings,
    *,
    passphrase_file: str | None = None,
    passphrase: str | None = None,
    database: Path | PostgresAddress | None = None,
    hidden_files: Sequence[Path] = (),
    actor: Actor = COMMAND,
    take_over: bool = False,
    work_filter: WorkFilter = ALL_FLOWS,
    desktop: Desktop | None = None,
) -> LocalWorkspace:
    """Open the data folder, or attach to the program that runs its engine.

    `database` is another one than that of the folder. Programs of flows can't see `hidden_files`. `actor` is
    the actor in the audit log. `desktop` is that of the window. `take_over`: ask a window that runs the
    engine for it. Raises `Conflict` if that program doesn't respond, and `NotSupported` if `work_filter`
    excludes flows and the database is a file.
    """
    location = database or paths.database
    is_elsewhere = database is None and recorded_server(paths) is not None
    # A server has a lock of its own. Locking a file creates it.
    file = location if isinstance(location, Path) and not is_elsewhere else None
    if isinstance(location, Path) and work_filter.is_restricted:
        raise NotSupported(
            "A server that runs nothing needs a PostgreSQL database.",
            meaning="A file can be used by only one program, so nothing would run.",
            todo="Use --database postgresql://USER@HOST/DATABASE, or leave out --no-runs.",
        )
    paths.prepare()
    engine_lock = EngineLock(paths.lock, file)
    if (running := await acquire_or_attach(paths, engine_lock, take_over=take_over)) is not None:
        return LocalWorkspace(running.backend, watch=running.watch)
    try:
        if database is None:
            await asyncio.to_thread(require_own_database, paths)
        if await asyncio.to_thread(finish_restore, paths, engine_lock):
            settings = SettingsFile(paths.settings).value
        if file is not None and not engine_lock.created_database:
            require_not_emptied(paths, file)
        remove_temporary_files(paths)
        key_store = choose_key_store(paths, settings, passphrase_file, passphrase)
        private = (*_secret_files(paths, settings, passphrase_file), *hidden_files)
        runtime = await _build(paths, settings, location, key_store, actor, private, work_filter, desktop)
        if file is None:
            runtime.place = await asyncio.to_thread(unique_place, paths.data)
        if database is None:
            runtime.backups = _scheduled_backups(paths, runtime)
    except BaseException:
        engine_lock.release()
        raise
    return LocalWorkspace(runtime.backend, runtime, engine_lock, paths, database=database)


def require_not_emptied(paths: AppPaths, database: Path) -> None:
    """Raise `StorageFault` if the database is empty although the folder has other files of a workspace.

    SQLite would treat it as new. Logs don't count, since an interrupted first start leaves some too.
    """
    from patchbay.storage.commit_counter import (
        commit_record_path,
    )  # imported here, since most imports are slow and attaching doesn't need them

    if database.stat().st_size or commit_record_path(database).exists():
        return  # with a record of the last commit, the loss is detected when the database is opened
    names = sorted(
        file.name
        for file in (paths.vault, paths.apps, *database.parent.glob(f"{database.name}.before-*"))
        if (any(file.iterdir()) if file.is_dir() else file.exists())
    )
    if names:
        raise StorageFault(
            f"The database {database.name} is empty (0 bytes), but the data folder was used before.",
            meaning=f"Its flows and executions are gone. The folder still has {', '.join(names)}.",
            todo=f"Restore a backup with “patchbay restore”. To start a new workspace, delete {database}.",
        )


def unique_place(folder: Path) -> str:
    """A name of this data folder that no folder of another computer has, even if it was copied."""
    file = folder / PLACE_FILE
    try:
        with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as new:
            new.write(uuid.uuid4().hex)
    except FileExistsError:
        pass
    return f"{socket.gethostname()} {folder.resolve()} {file.read_text('ascii')}"


async def open_worker(
    paths: AppPaths,
    settings: Settings,
    *,
    passphrase_file: str | None = None,
    database: Path | PostgresAddress | None = None,
    hidden_files: Sequence[Path] = (),
    work_filter: WorkFilter,
) -> LocalWorkspace:
    """Open a database that programs share, to run its flows. Any number of workers can use a data folder.

    Raises `NotSupported` for a file.
    """
    if database is None or isinstance(database, Path):
        raise NotSupported(
            "Workers need a PostgreSQL database.",
            meaning="A file can be used by only one program.",
            todo="Use --database postgresql://USER@HOST/DATABASE",
        )
    paths.prepare()
    key_store = choose_key_store(paths, settings, passphrase_file)
    private = (*_secret_files(paths, settings, passphrase_file), *hidden_files)
    runtime = await _build(paths, settings, database, key_store, COMMAND, private, work_filter)
    return LocalWorkspace(runtime.backend, runtime, database=database)


def _secret_files(paths: AppPaths, settings: Settings, passphrase_file: str | None) -> tuple[Path, ...]:
    """The files with passphrases and keys, except those of the database."""
    backups, service = settings.backups.passphrase_file, settings.service
    named = [name for name in (passphrase_file, backups, service.tls_cert, service.tls_key) if name]
    files = [Path(name).expanduser() for name in named]
    return tuple(files if paths.data_key is None else [*files, paths.data_key])


async def _build(
    paths: AppPaths,
    settings: Settings,
    database: Path | PostgresAddress,
    key_store: KeyStore,
    actor: Actor,
    private: Sequence[Path],
    work_filter: WorkFilter = ALL_FLOWS,
    desktop: Desktop | None = None,
) -> WorkspaceRuntime:
    """Open the database. Steps can't use the `private` files, nor programs that they run."""
    # Imported here: these are two thirds of all imports, and attaching to another program needs none of them.
    from patchbay.bootstrap.workspace_runtime import open_runtime
    from patchbay.integration.registry import load_apps
    from patchbay.service.built_in_templates import built_in_templates

    folder_of_file = (database.parent,) if isinstance(database, Path) else ()
    apps = await asyncio.to_thread(load_apps, paths.apps)
    runtime = await open_runtime(
        database,
        apps,
        key_store,
        now_ms,
        actor=actor,
        hidden_from_programs=(*paths.private_folders, *private),
        own_files=(*paths.own_folders, *folder_of_file, *private),
        built_in_templates=built_in_templates,
        work_filter=work_filter,
        desktop=desktop,
    )
    runtime.test_every_hours = lambda: settings.connections.test_every_hours
    return runtime


async def open_and_run(
    paths: AppPaths,
    settings: Settings,
    *,
    passphrase_file: str | None = None,
    passphrase: str | None = None,
    safe: bool = False,
    desktop: Desktop | None = None,
) -> LocalWorkspace:
    """Open the folder, run its engine, and listen for HTTP; or attach to the program that does. For windows.

    `safe`: pause all runs first, unless another program runs the engine.
    """
    opened = await open_local(
        paths,
        settings,
        passphrase_file=passphrase_file,
        passphrase=passphrase,
        actor=WINDOW,
        desktop=desktop,
    )
    if opened.runtime is not None:
        try:
            await opened.runtime.start(safe=safe)
            await opened.listen(listen_options_from(settings.service), require_port=False)
        except BaseException:
            await opened.close()
            raise
        opened.hand_over = HandOverRequest(paths, EngineLock(paths.lock, paths.database))
    return opened


def _scheduled_backups(paths: AppPaths, runtime: WorkspaceRuntime) -> ScheduledBackups:
    # Imported here, since attaching to another program doesn't need it.
    from patchbay.bootstrap.scheduled_backups import ScheduledBackups

    return ScheduledBackups(
        paths,
        lambda: runtime.secret_store.encryption.key_store,
        lambda: runtime.changes.notify(ResourceType.WORKSPACE),
    )


@dataclass(frozen=True)
class AttachedWorkspace:
    """A client of the program that runs the engine, and a watch on that program."""

    backend: Backend
    watch: AttachmentWatch


async def acquire_or_attach(
    paths: AppPaths, engine_lock: EngineLock, *, take_over: bool = False
) -> AttachedWorkspace | None:
    """Acquire the lock (returns None), or attach to the program that has it.

    Waits `ATTACH_SECONDS` for one that is starting or stopping. `take_over`: first ask a window for the
    engine. Raises `Conflict` if the program doesn't respond.
    """
    ends = asyncio.get_running_loop().time() + ATTACH_SECONDS
    while not engine_lock.acquire():
        if take_over and await _request_engine(paths, engine_lock):
            return None
        if (running := await _attach(paths, engine_lock)) is not None:
            return running
        if asyncio.get_running_loop().time() > ends:
            raise Conflict(
                "Another Patchbay program is using this data folder and doesn't respond.",
                meaning="Only one program at a time can run the flows of a folder.",
                todo="Wait until it has stopped, or close it, then try again.",
            )
        await asyncio.sleep(0.1)
    return None


async def _request_engine(paths: AppPaths, engine_lock: EngineLock) -> bool:
    """Whether a window has handed its engine over, so that the lock is acquired."""
    running = lock.find_attachment(paths)
    if running is None or running.role is not EngineRole.WINDOW:
        return False
    request = HandOverRequest(paths)
    ends = asyncio.get_running_loop().time() + HAND_OVER_SECONDS
    try:
        while not engine_lock.acquire():
            if asyncio.get_running_loop().time() > ends:
                return False
            await asyncio.to_thread(request.write)
            await asyncio.sleep(0.1)
    finally:
        request.withdraw()
    return True


def load_engine_modules() -> None:
    """Import what running the engine needs, so that taking it over is faster."""
    from patchbay.bootstrap import http_listeners, workspace_runtime
    from patchbay.service import built_in_templates

    _ = http_listeners, workspace_runtime, built_in_templates


async def _attach(paths: AppPaths, engine_lock: EngineLock) -> AttachedWorkspace | None:
    found = lock.find_attachment(paths)
    if found is None:
        return None
    from patchbay.client.remote import RemoteBackend

    backend = RemoteBackend(found.address, found.token)
    try:
        await backend.open()
    except AppError:
        await backend.close()
        return None
    return AttachedWorkspace(backend, AttachmentWatch(paths, engine_lock, found, load_engine_modules))
