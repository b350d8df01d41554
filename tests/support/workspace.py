"""A whole local workspace for tests: real database, real engine, the apps of `tests.support.desk`."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.support.desk import DESK, TOOLS, DeskService, desk, tools

from patchbay.domain.connections import Connection
from patchbay.domain.desktop import Desktop
from patchbay.domain.flows import Flow, StepChange
from patchbay.domain.ports import KeyStore
from patchbay.engine.engine import Engine
from patchbay.integration.app_definition import App
from patchbay.integration.http_factory import HttpFactory
from patchbay.integration.registry import AppRegistry
from patchbay.integration.sandbox import Sandbox
from patchbay.service.addresses import Workspace
from patchbay.service.changes import ChangeBroadcaster
from patchbay.service.key_stores import MemoryKeyStore
from patchbay.service.local_backend import LocalBackend
from patchbay.service.people import ensure_owner
from patchbay.service.secret_encryption import SecretEncryption
from patchbay.service.secret_store import SecretStore, StoredCredentials
from patchbay.storage.database import Database
from patchbay.storage.engine_store import SqlEngineStore
from patchbay.storage.flow_directory import SqlFlowDirectory

if TYPE_CHECKING:
    from patchbay.storage.postgresql.address import PostgresAddress

START = 1_750_000_000_000


@dataclass
class Clock:
    """Milliseconds that pass only when told; every reading is one later than the one before."""

    now: int = START

    def __call__(self) -> int:
        self.now += 1
        return self.now


@dataclass
class WorkspaceRuntime:
    """The workspace and everything it was built from."""

    backend: LocalBackend
    db: Database
    engine: Engine
    secret_store: SecretStore
    credentials: StoredCredentials
    changes: ChangeBroadcaster
    http: HttpFactory
    clock: Clock
    address: list[str | None]
    apps: AppRegistry

    async def close(self) -> None:
        await self.engine.stop(grace=0)
        await self.backend.close()
        await self.http.aclose()
        await self.db.close()

    async def connect(self, key: str, name: str = "Ada at Desk") -> Connection:
        return await self.backend.add_connection(DESK, {"screenName": name, "apiKey": key})

    async def flow(self, *changes: StepChange, name: str = "A flow") -> Flow:
        """A flow whose steps got these changes, in order; further actions are added as needed."""
        flow = await self.backend.create_flow(name)
        while len(flow.steps) < len(changes):
            flow = await self.backend.add_step(flow.id)
        for step, change in zip(flow.steps, changes, strict=False):
            flow = await self.backend.update_step(step.id, change)
        return flow

    async def skipped(self, flow: Flow) -> Flow:
        """The flow with every step's test skipped."""
        for step in flow.steps:
            flow = await self.backend.skip_step_test(step.id)
        return flow


CATCH = StepChange(app_key=TOOLS, key="catch")
PASS = StepChange(app_key=TOOLS, key="pass", parameters={"text": "hello"})


async def open_runtime(
    folder: Path,
    service: DeskService | None = None,
    home: KeyStore | None = None,
    more_apps: Sequence[App] = (),
    items: KeyStore | None = None,
    sandbox: Sandbox | None = None,
    database: "Path | PostgresAddress | None" = None,
    desktop: Desktop | None = None,
) -> WorkspaceRuntime:
    clock, changes = Clock(), ChangeBroadcaster()
    db = await Database.open(database or folder / "patchbay.db")
    key_home = home or MemoryKeyStore()
    secret_store = SecretStore(db, SecretEncryption(db, key_home, clock), items or MemoryKeyStore(), clock)
    credentials = StoredCredentials(db, secret_store, clock, changes)
    third_party = {app.key: service.address for app in (desk, *more_apps)} if service else None
    http = HttpFactory(address_overrides=third_party)
    apps = AppRegistry([desk, tools, *more_apps], base_url="http://here", docs_url="http://docs")
    engine = Engine(
        SqlEngineStore(db, clock),
        apps,
        credentials,
        clock,
        changes.publish,
        http,
        SqlFlowDirectory(db),
        sandbox=sandbox,
        desktop=desktop,
    )
    address: list[str | None] = ["http://127.0.0.1:8787"]
    backend = LocalBackend(
        db=db,
        apps=apps,
        engine=engine,
        secrets=secret_store,
        credentials=credentials,
        http=http,
        changes=changes,
        clock=clock,
        workspace=Workspace("local", "This computer", lambda: address[0]),
        owner=(await ensure_owner(db, clock)).id,
    )
    return WorkspaceRuntime(
        backend, db, engine, secret_store, credentials, changes, http, clock, address, apps
    )
