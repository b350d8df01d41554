"""A workspace in this process: database, apps, engine, service and, where wanted, its HTTP interface."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from hmac import compare_digest
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from patchbay.domain.access import AccessGrant, ApiKey, Scope
from patchbay.domain.audit import Actor
from patchbay.domain.base import EpochMs, UserId
from patchbay.domain.changes import ResourceType
from patchbay.domain.errors import AppError, SecretsUnavailable
from patchbay.domain.ports import ATTACHED_KEY_ID, KeyStore, OwnedResource
from patchbay.engine.engine import Engine
from patchbay.integration.http_factory import HttpFactory
from patchbay.integration.registry import AppRegistry
from patchbay.integration.sandbox import Sandbox
from patchbay.integration.workers import Workers
from patchbay.platform.clock import now_ms
from patchbay.platform.keyring_home import SystemKeyring
from patchbay.service.api_keys import StoredApiKeys
from patchbay.service.changes import Changes
from patchbay.service.credentials import StoredCredentials
from patchbay.service.engine_settings import remembered
from patchbay.service.health_watch import HealthWatch
from patchbay.service.local import LocalBackend
from patchbay.service.mailing import stored_settings
from patchbay.service.outgoing_rights import StoredRights
from patchbay.service.owner import ensure_owner
from patchbay.service.parts import PROGRAM
from patchbay.service.place import Workspace
from patchbay.service.secret_store import SecretStore
from patchbay.service.vault import Vault
from patchbay.storage.database import Database
from patchbay.storage.engine_store import SqlEngineStore
from patchbay.storage.flow_directory import SqlFlowDirectory
from patchbay.storage.storage_probe import StorageProbe

if TYPE_CHECKING:
    from patchbay.bootstrap.front import Front
    from patchbay.bootstrap.reach import Reach

log = logging.getLogger("bootstrap")

SWEEP_SECONDS = 3600.0
SECRETS_SECONDS = 3.0

Clock = Callable[[], EpochMs]


@dataclass
class House:
    """Everything one workspace is made of. `front` is set while it listens."""

    db: Database
    engine: Engine
    vault: SecretStore
    http: HttpFactory
    workers: Workers
    backend: LocalBackend
    api_keys: KeysAndToken
    place: Place
    changes: Changes
    front: Front | None = None
    asking: asyncio.Task[None] | None = None
    test_every_hours: Callable[[], float] | None = None
    """Connections are tested by themselves when their last test is that old; 0 never, None no watch."""
    watching: asyncio.Task[None] | None = None
    sweeping: asyncio.Task[None] | None = None
    guarding: asyncio.Task[None] | None = None

    async def start(self, *, safe: bool = False) -> None:
        """Start the engine as it was set, and learn in the background whether secrets can be used.

        `safe`: pause all runs first, so that one that brings the program down can be cancelled.
        """
        if safe:
            await self.backend.pause_runs()
        settings, paused = await remembered(self.db)
        if self.db.lost_commits is not None:
            log.warning(self.db.lost_commits.text())
        self.engine.settings_changed(settings)
        await self.engine.start(paused=paused)
        self.asking = asyncio.create_task(self._ask_for_key(), name="open-vault")
        self.sweeping = asyncio.create_task(self._forget_drafts(), name="forget-drafts")
        self.guarding = asyncio.create_task(self._watch_secrets(), name="watch-secrets")
        if self.test_every_hours is not None:
            watch = HealthWatch(self.backend, now_ms, self.test_every_hours)
            self.watching = asyncio.create_task(watch.run(), name="health-watch")

    async def _watch_secrets(self) -> None:
        """Tell when secrets can't be used any more, and when they can again: the keyring was unlocked."""
        usable = True
        while True:
            await asyncio.sleep(SECRETS_SECONDS)
            await self.vault.look_again()
            if (self.vault.problem is None) is not usable:
                usable = not usable
                self.changes.tell(ResourceType.WORKSPACE)

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
            self.changes.tell(ResourceType.WORKSPACE)

    def will_listen(self, reach: Reach) -> None:
        """Say where it is about to listen: which addresses runs may call can depend on who reaches it."""
        self.place.interface_host = reach.interface_host
        self.http.network.set_open_to_others(reach.open_to_others or reach.behind_proxy)

    async def listen(self, reach: Reach, *, exactly: bool = True) -> Front:
        """Answer HTTP; returns where, once it answers. Not `exactly`: on free ports when those are taken."""
        # Imported here: commands open the folder without answering HTTP, and then start a third sooner.
        from patchbay.bootstrap.front import FrontDoor

        self.will_listen(reach)
        probe = StorageProbe(self.db)
        door = FrontDoor(reach, self.place.public_hosts, exactly=exactly, check_storage=probe)
        self.front = self.place.front = await door.open(self.backend, self.engine, self.api_keys)
        return self.front

    async def close(self, grace: float = 10.0) -> None:
        """Take nothing new, let running steps finish within `grace` seconds, then let everything go.

        Webhook callers are answered first, then the listeners stop, then the engine.

        A part that fails to stop keeps none of the others from it; its error is raised at the end.
        """
        self.engine.refuse_webhooks()
        async with AsyncExitStack() as parts:  # last in, first closed
            for close in (self.db.close, self.http.aclose, self.workers.close, self.backend.close):
                parts.push_async_callback(close)
            parts.push_async_callback(self.engine.stop, grace=grace)
            parts.push_async_callback(self._stop_listening, min(grace, 2.0))
            background = (self.asking, self.watching, self.sweeping, self.guarding)
            tasks = [task for task in background if task is not None]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)  # they use the database to their end

    async def _stop_listening(self, grace: float) -> None:
        if self.front is not None:
            await self.front.stop(grace=grace)
            self.place.front = None


class Place(Workspace):
    """The workspace with the addresses it answers at; without any while nothing listens."""

    def __init__(self, kind: Literal["demo", "local"], name: str) -> None:
        super().__init__(kind, name, self._address, self._notice, self._webhooks, self._invitations)
        self.front: Front | None = None
        self.interface_host: str | None = None
        """Host name at which others reach the interface, where that isn't the public address."""

    def own_hosts(self) -> tuple[str, ...]:
        """The names that are set for the workspace: never called by runs that are kept from it."""
        hosts = (urlsplit(self.public_address or "").hostname, self.interface_host)
        return tuple(host for host in hosts if host)

    def public_hosts(self) -> tuple[str, ...]:
        """The names by which others reach it, those that are being tested included."""
        return (*self.tried, *self.own_hosts())

    def _address(self) -> str | None:
        return self.front.address if self.front else None

    def _webhooks(self) -> str | None:
        return self.front.webhooks if self.front else None

    def _invitations(self) -> str | None:
        return self.front.invitations if self.front else None

    def _notice(self) -> str | None:
        return self.front.notice if self.front else None


async def open_house(
    database: Path,
    apps: AppRegistry,
    home: KeyStore,
    clock: Clock,
    *,
    kind: Literal["demo", "local"] = "local",
    name: str = "This computer",
    http: HttpFactory | None = None,
    furnish: Callable[[Database, Vault], Awaitable[object]] | None = None,
    keys: Database | None = None,
    actor: Actor = PROGRAM,
    hidden: Sequence[Path] = (),
) -> House:
    """Open the database and build the workspace on it. The engine is not started yet.

    `furnish` fills a new database before anybody looks at it. `keys` is where API keys are, if not in the
    same database. `actor` is who acts when nobody says. Programs of steps never see what is in `hidden`.
    """
    async with AsyncExitStack() as opened:
        db = await Database.open(database)
        opened.push_async_callback(db.close)
        changes, place, http, workers = Changes(), Place(kind, name), http or HttpFactory(), Workers()
        opened.push_async_callback(http.aclose)
        opened.push_async_callback(workers.close)
        vault = Vault(db, home, clock)
        store = SecretStore(db, vault, home if isinstance(home, SystemKeyring) else None, clock)
        if furnish is not None:
            await furnish(db, vault)
        credentials = StoredCredentials(db, store, clock, changes)
        sandbox = Sandbox(hidden, may_use_network=lambda: engine.settings.program_network)
        engine = Engine(
            SqlEngineStore(db, clock),
            apps,
            credentials,
            clock,
            changes.publish,
            http,
            SqlFlowDirectory(db),
            workers,
            sandbox,
        )
        db.on_fault = lambda: changes.tell(ResourceType.WORKSPACE)
        owner = await ensure_owner(db, clock)
        settings = await db.read(stored_settings)
        place.public_address = settings.public_address
        rights = StoredRights(db)
        http.network.has_full_rights, http.network.is_approved = rights.has_full_rights, rights.is_approved
        http.network.own_hosts = place.own_hosts
        http.network.configure(settings.outgoing_addresses, settings.allowed_addresses)
        backend = LocalBackend(
            db=db, apps=apps, engine=engine, vault=store, credentials=credentials, http=http, workers=workers,
            changes=changes, clock=clock, workspace=place, owner=owner.id,
            keys=StoredApiKeys(keys or db, clock, db), actor=actor,
        )  # fmt: skip
        api_keys = KeysAndToken(backend.api_keys, clock)
        opened.pop_all()
        return House(db, engine, store, http, workers, backend, api_keys, place, changes)


class KeysAndToken:
    """The stored API keys and one more for this run: the token by which this user's programs attach."""

    def __init__(self, stored: StoredApiKeys, clock: Clock) -> None:
        self._stored, self._clock = stored, clock
        self.token = secrets.token_hex(32)

    async def check(self, value: str) -> AccessGrant | None:
        """What opens to whoever shows this value; the token opens everything."""
        if compare_digest(value.encode(), self.token.encode()):
            key = ApiKey(id=ATTACHED_KEY_ID, name="This computer", hint="", created_at=self._clock())
            return AccessGrant(key=key, scope=Scope.ADMIN)
        return await self._stored.check(value)

    async def used(self, access: AccessGrant) -> None:
        """Note that the key let somebody in; of the token there is nothing to note."""
        if access.key.id != ATTACHED_KEY_ID:
            await self._stored.used(access)

    async def find_owners(self, thing: OwnedResource, ids: Collection[str]) -> Mapping[str, UserId]:
        """Whose these things are."""
        return await self._stored.find_owners(thing, ids)
