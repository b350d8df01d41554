"""The workspaces of the contract suite: in this process, and behind the real server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.support.app_calls import built_in_app
from tests.support.desk import DeskService, forge
from tests.support.workspace import WorkspaceRuntime, open_runtime

from patchbay.client.remote import RemoteBackend
from patchbay.domain.backend import Backend
from patchbay.server.app import create_app
from patchbay.server.connection_limits import DEFAULT_LIMITS, ConnectionLimits
from patchbay.server.listener import HttpListener
from patchbay.server.proxies import NO_PROXIES, TrustedProxies

if TYPE_CHECKING:
    from patchbay.storage.postgresql.address import PostgresAddress


@dataclass
class ContractWorkspace:
    """A workspace seen through `backend`; `runtime` is the local runtime behind it."""

    kind: str
    backend: Backend
    runtime: WorkspaceRuntime
    desk: DeskService


@dataclass
class Served:
    """A local workspace behind the real server on 127.0.0.1, with a valid key."""

    runtime: WorkspaceRuntime
    base_url: str
    key: str
    listener: HttpListener


@asynccontextmanager
async def local_workspace(
    folder: Path, database: "PostgresAddress | None" = None
) -> AsyncIterator[ContractWorkspace]:
    desk = DeskService()
    apps = [forge, built_in_app("mcp")]
    runtime = await open_runtime(folder, desk, more_apps=apps, database=database)
    await runtime.engine.start()
    try:
        yield ContractWorkspace("local", runtime.backend, runtime, desk)
    finally:
        await runtime.close()
        desk.close()


@asynccontextmanager
async def served(
    runtime: WorkspaceRuntime,
    limits: ConnectionLimits = DEFAULT_LIMITS,
    base_path: str = "",
    proxies: TrustedProxies = NO_PROXIES,
) -> AsyncIterator[Served]:
    keys = runtime.backend.api_keys
    key = (await keys.create("contract")).value
    here = runtime.backend
    app = create_app(
        here,
        runtime.engine,
        keys,
        version="1",
        base_path=base_path,
        callbacks=here,
        accept_invitations=here,
        self_test=here,
        max_concurrent_webhooks=limits.max_webhooks,
    )
    listener = HttpListener(app, "127.0.0.1", 0, limits=limits, proxies=proxies)
    base_url = await listener.start()
    try:
        yield Served(runtime, base_url, key, listener)
    finally:
        await listener.stop(grace=1)


@asynccontextmanager
async def remote_workspace(
    folder: Path, database: "PostgresAddress | None" = None
) -> AsyncIterator[ContractWorkspace]:
    async with local_workspace(folder, database) as local, served(local.runtime) as service:
        remote = RemoteBackend(service.base_url, service.key)
        try:
            yield ContractWorkspace("remote", remote, local.runtime, local.desk)
        finally:
            await remote.close()
