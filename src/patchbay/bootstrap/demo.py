"""The demo workspace: sample data in a separate folder, with simulated responses instead of a network."""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from patchbay.bootstrap.local import COMMAND, LocalWorkspace, acquire_or_attach
from patchbay.bootstrap.workspace_runtime import WorkspaceRuntime, open_runtime
from patchbay.demo.history import SEED, store_history
from patchbay.demo.offline import DemoServices
from patchbay.demo.workspace import furnish
from patchbay.domain.audit_log import Actor
from patchbay.domain.base import EpochMs
from patchbay.domain.changes import ResourceType
from patchbay.domain.clock import now_ms
from patchbay.domain.file_moves import delete_file
from patchbay.integration.http_factory import HttpFactory
from patchbay.integration.outgoing_addresses import OutgoingGuard
from patchbay.integration.registry import AppRegistry, listed_built_in_apps
from patchbay.platform import engine_lock
from patchbay.platform.engine_lock import EngineLock
from patchbay.platform.paths import AppPaths
from patchbay.service.key_stores import MemoryKeyStore
from patchbay.service.secret_encryption import SecretEncryption
from patchbay.storage.database import Database

if TYPE_CHECKING:
    from patchbay.demo.transport import DemoTransport

log = logging.getLogger("demo")

FILLING = "Adding sample executions"
HISTORY_DELAY_SECONDS = 0.4
"""Delay before the history is created, so that the first lists load faster."""


def demo_paths(paths: AppPaths) -> AppPaths:
    """The paths of the demo, in a subfolder of the data folder."""
    return replace(paths, data=paths.data / "demo")


@dataclass
class DemoWorkspace(LocalWorkspace):
    """The open demo. Flows and connections are available at once; `filled` waits for the history."""

    history: "asyncio.Task[int] | None" = None
    keys: Database | None = None

    async def filled(self) -> None:
        if self.history is not None:
            await asyncio.shield(self.history)

    async def close(self, grace: float = 0.0) -> None:
        async with contextlib.AsyncExitStack() as parts:  # closed in reverse order
            if self.lock is not None:
                parts.callback(self.lock.release)
            if self.paths is not None and self.runtime is not None:
                parts.push_async_callback(asyncio.to_thread, _delete_database, self.paths.database)
            if self.keys is not None:
                parts.push_async_callback(self.keys.close)
            parts.callback(self.app_nap.end)
            if self.runtime is not None:
                parts.push_async_callback(self.runtime.close, grace)
            else:
                parts.push_async_callback(self.backend.close)
            if self.paths is not None and self.runtime is not None and self.runtime.listeners is not None:
                parts.callback(engine_lock.withdraw_announcement, self.paths)
            if self.history is not None and not self.history.done():
                self.history.cancel()
                await asyncio.gather(self.history, return_exceptions=True)


async def open_demo(
    paths: AppPaths, *, now: EpochMs | None = None, run: bool = True, actor: Actor = COMMAND
) -> DemoWorkspace:
    """Create the demo, or attach to the one that is open. `now` sets a fixed current time.

    `run`: also start the engine. `actor` is the default actor in the audit log. API keys are kept when the
    demo is created again.
    """
    paths = demo_paths(paths)
    paths.prepare()
    demo_lock = EngineLock(paths.lock, _keys_file(paths))  # the database is created each time
    if (running := await acquire_or_attach(paths, demo_lock)) is not None:
        return DemoWorkspace(running.backend, watch=running.watch)
    try:
        return await _build(paths, demo_lock, now, actor, run=run)
    except BaseException:
        demo_lock.release()
        raise


def _keys_file(paths: AppPaths) -> Path:
    return paths.data / "keys.db"


async def _build(
    paths: AppPaths, demo_lock: EngineLock, now: EpochMs | None, actor: Actor, *, run: bool
) -> DemoWorkspace:
    await asyncio.to_thread(_delete_database, paths.database)
    moment = now_ms() if now is None else now
    clock: Callable[[], EpochMs] = now_ms if now is None else lambda: moment

    async def fill(db: Database, encryption: SecretEncryption) -> None:
        await furnish(db, moment, encryption.seal, SEED)

    async with contextlib.AsyncExitStack() as opened:
        keys = await Database.open(_keys_file(paths))
        opened.push_async_callback(keys.close)
        runtime = await open_runtime(
            paths.database,
            await asyncio.to_thread(_demo_registry),
            MemoryKeyStore(),
            clock,
            kind="demo",
            name="Demo",
            http=HttpFactory(
                partial(_demo_transport, clock), network=OutgoingGuard(offline=DemoServices(clock))
            ),
            fill_new_database=fill,
            keys=keys,
            actor=actor,
            hidden_from_programs=paths.private_folders,
            own_files=paths.own_folders,
        )
        opened.push_async_callback(runtime.close, 0.0)
        runtime.workspace.activity = FILLING
        if run:
            await runtime.start()
        opened.pop_all()
        history = asyncio.create_task(_fill_history(runtime, moment), name="demo-history")
        return DemoWorkspace(runtime.backend, runtime, demo_lock, paths, history=history, keys=keys)


async def _fill_history(runtime: WorkspaceRuntime, now: EpochMs) -> int:
    """Store the history in batches, and notify the window after the first and the last."""
    notified = False

    def progress(_: int) -> None:
        nonlocal notified
        if not notified:
            notified = True
            runtime.changes.notify(ResourceType.WORKSPACE)

    await asyncio.sleep(HISTORY_DELAY_SECONDS)
    try:
        stored = await store_history(runtime.db, now, progress=progress)
    finally:
        runtime.workspace.activity = ""
    runtime.changes.notify(ResourceType.WORKSPACE)
    return stored


def _demo_transport(clock: Callable[[], EpochMs]) -> "DemoTransport":
    """The simulated network, imported at the first request."""
    from patchbay.demo.transport import DemoTransport

    return DemoTransport(clock)


def _demo_registry() -> AppRegistry:
    """The built-in apps, whose definitions are those of every workspace."""
    return AppRegistry(listed_built_in_apps())


def _delete_database(database: Path) -> None:
    for suffix in ("", "-wal", "-shm", "-generation"):
        delete_file(database.with_name(database.name + suffix))
