"""A workspace in this process: database, apps, engine, service and, where wanted, its HTTP interface."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from hmac import compare_digest
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from patchbay import __version__
from patchbay.domain.access import Access, ApiKey, Scope
from patchbay.domain.audit import Actor
from patchbay.domain.base import EpochMs, UserId
from patchbay.domain.changes import Noun
from patchbay.domain.errors import AppError, Conflict, SecretsUnavailable
from patchbay.domain.ports import ATTACHED, KeyHome, Thing
from patchbay.engine.engine import Engine
from patchbay.integration.http_factory import HttpFactory
from patchbay.integration.registry import AppRegistry
from patchbay.platform.clock import now_ms
from patchbay.platform.keyring_home import SystemKeyring
from patchbay.service.api_keys import StoredApiKeys
from patchbay.service.changes import Changes
from patchbay.service.credentials import StoredCredentials
from patchbay.service.engine_settings import remembered
from patchbay.service.health_watch import HealthWatch
from patchbay.service.local import LocalBackend
from patchbay.service.owner import ensure_owner
from patchbay.service.parts import PROGRAM
from patchbay.service.place import Workspace
from patchbay.service.secret_store import SecretStore
from patchbay.service.vault import Vault
from patchbay.storage.database import Database
from patchbay.storage.engine_store import SqlEngineStore
from patchbay.storage.flow_directory import StoredFlows

if TYPE_CHECKING:
    from patchbay.server.listener import HttpListener

log = logging.getLogger("bootstrap")

SWEEP_SECONDS = 3600.0

Clock = Callable[[], EpochMs]


@dataclass
class House:
    """Everything one workspace is made of. `address` is set while it listens."""

    db: Database
    engine: Engine
    vault: SecretStore
    http: HttpFactory
    backend: LocalBackend
    api_keys: KeysAndToken
    place: Place
    changes: Changes
    listener: HttpListener | None = None
    asking: asyncio.Task[None] | None = None
    test_every_hours: Callable[[], float] | None = None
    """Connections are tested by themselves when their last test is that old; 0 never, None no watch."""
    watching: asyncio.Task[None] | None = None
    sweeping: asyncio.Task[None] | None = None

    @property
    def local_address(self) -> str:
        """The address for programs on this computer; a service bound to every address answers here too."""
        address = self.place.address or ""
        return address.replace("://0.0.0.0:", "://127.0.0.1:").replace("://[::]:", "://[::1]:")

    async def start(self) -> None:
        """Start the engine as it was set, and learn in the background whether secrets can be used."""
        settings, paused = await remembered(self.db)
        self.engine.settings_changed(settings)
        await self.engine.start(paused=paused)
        self.asking = asyncio.create_task(self._ask_for_key(), name="open-vault")
        self.sweeping = asyncio.create_task(self._forget_drafts(), name="forget-drafts")
        if self.test_every_hours is not None:
            watch = HealthWatch(self.backend, now_ms, self.test_every_hours)
            self.watching = asyncio.create_task(watch.run(), name="health-watch")

    async def _forget_drafts(self) -> None:
        while True:
            try:
                await self.backend.forget_drafts()
                await self.backend.trim_audit_log()
            except AppError as problem:
                log.warning("what is too old could not be removed: %s", problem.text())
            await asyncio.sleep(SWEEP_SECONDS)

    async def _ask_for_key(self) -> None:
        try:
            all_well = await self.vault.recover()
        except SecretsUnavailable as problem:
            log.warning("the keyring could not be looked through: %s", problem.text())
            all_well = False
        if not all_well:
            self.changes.tell(Noun.WORKSPACE)

    async def listen(self, host: str, port: int) -> str:
        """Answer HTTP at this address; returns it once it answers. Port 0 takes any free one."""
        # Imported here: commands open the folder without answering HTTP, and then start a third sooner.
        from patchbay.server.app import create_app
        from patchbay.server.listener import HttpListener

        app = create_app(
            self.backend, self.engine, self.api_keys, version=__version__, callbacks=self.backend,
            invited=self.backend,
        )  # fmt: skip
        listener = HttpListener(app, host, port)
        self.place.address = await listener.start()
        self.listener = listener
        return self.place.address

    async def listen_somewhere(self, host: str, port: int) -> str:
        """Like `listen`, on another free port when the wanted one is taken."""
        try:
            return await self.listen(host, port)
        except Conflict as taken:
            log.warning("%s Another port is used until the next start.", taken.happened)
            address = await self.listen(host, 0)
            self.place.notice = (
                f"Port {port} was taken by another program, so this address differs from the usual one until "
                "the next start. Services that expect the usual one will refuse it."
            )
            return address

    async def close(self, grace: float = 10.0) -> None:
        """Take nothing new, let running steps finish within `grace` seconds, then let everything go."""
        for task in (self.asking, self.watching, self.sweeping):
            if task is not None:
                task.cancel()
        if self.listener is not None:
            await self.listener.stop(grace=min(grace, 2.0))
            self.place.address = None
        await self.engine.stop(grace=grace)
        await self.backend.close()
        await self.http.aclose()
        await self.db.close()


@dataclass
class Place:
    """Where the workspace answers, None while nothing listens."""

    address: str | None = None
    notice: str | None = None
    """What people should know about that address."""

    def __call__(self) -> str | None:
        return self.address


async def open_house(
    database: Path,
    apps: AppRegistry,
    home: KeyHome,
    clock: Clock,
    *,
    kind: Literal["demo", "local"] = "local",
    name: str = "This computer",
    http: HttpFactory | None = None,
    furnish: Callable[[Database, Vault], Awaitable[object]] | None = None,
    keys: Database | None = None,
    actor: Actor = PROGRAM,
) -> House:
    """Open the database and build the workspace on it. The engine is not started yet.

    `furnish` fills a new database before anybody looks at it. `keys` is where API keys are, if not in the
    same database. `actor` is who acts when nobody says.
    """
    db = await Database.open(database)
    changes, place, http = Changes(), Place(), http or HttpFactory()
    vault = Vault(db, home, clock)
    store = SecretStore(db, vault, home if isinstance(home, SystemKeyring) else None, clock)
    if furnish is not None:
        await furnish(db, vault)
    credentials = StoredCredentials(db, store, clock, changes)
    engine = Engine(
        SqlEngineStore(db, clock), apps, credentials, clock, changes.publish, http, StoredFlows(db)
    )
    owner = await ensure_owner(db, clock)
    backend = LocalBackend(
        db=db, apps=apps, engine=engine, vault=store, credentials=credentials, http=http, changes=changes,
        clock=clock, workspace=Workspace(kind, name, place, lambda: place.notice), owner=owner.id,
        keys=StoredApiKeys(keys or db, clock, db), actor=actor,
    )  # fmt: skip
    return House(db, engine, store, http, backend, KeysAndToken(backend.api_keys, clock), place, changes)


class KeysAndToken:
    """The stored API keys and one more for this run: the token by which this user's programs attach."""

    def __init__(self, stored: StoredApiKeys, clock: Clock) -> None:
        self._stored, self._clock = stored, clock
        self.token = secrets.token_hex(32)

    async def check(self, value: str) -> Access | None:
        """What opens to whoever shows this value; the token opens everything."""
        if compare_digest(value.encode(), self.token.encode()):
            key = ApiKey(id=ATTACHED, name="This computer", hint="", created_at=self._clock())
            return Access(key=key, scope=Scope.ADMIN)
        return await self._stored.check(value)

    async def used(self, access: Access) -> None:
        """Note that the key let somebody in; of the token there is nothing to note."""
        if access.key.id != ATTACHED:
            await self._stored.used(access)

    async def owners_of(self, thing: Thing, ids: Collection[str]) -> Mapping[str, UserId]:
        """Whose these things are."""
        return await self._stored.owners_of(thing, ids)
