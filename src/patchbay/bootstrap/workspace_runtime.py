"""A workspace in this process: database, apps, engine, backend, and optionally its HTTP API."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from hmac import compare_digest
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from patchbay.bootstrap.peer_sync import PeerSync
from patchbay.domain.access import AccessGrant, ApiKey, Scope
from patchbay.domain.audit_log import Actor
from patchbay.domain.base import EpochMs, IdType, UserId
from patchbay.domain.changes import ResourceType
from patchbay.domain.clock import now_ms
from patchbay.domain.desktop import Desktop
from patchbay.domain.errors import AppError, SecretsUnavailable, Unreachable
from patchbay.domain.folders import Template
from patchbay.domain.peers import ALL_FLOWS, WorkFilter
from patchbay.domain.ports import ATTACHED_KEY_ID, KeyStore, OwnedResource
from patchbay.engine.engine import Engine
from patchbay.integration.http_factory import HttpFactory
from patchbay.integration.local_files import FileAccess, LocalFiles
from patchbay.integration.registry import AppRegistry
from patchbay.integration.sandbox import Sandbox
from patchbay.integration.workers import Workers
from patchbay.platform.awake_clock import awake_seconds
from patchbay.service.addresses import Workspace
from patchbay.service.api_keys import StoredApiKeys
from patchbay.service.changes import ChangeBroadcaster
from patchbay.service.connections import ConnectionHealthMonitor
from patchbay.service.engine_settings import load_engine_state
from patchbay.service.key_stores import PassphraseKeyStore
from patchbay.service.local_backend import LocalBackend
from patchbay.service.outgoing_permissions import OutgoingPermissions
from patchbay.service.people import ensure_owner
from patchbay.service.secret_encryption import SecretEncryption
from patchbay.service.secret_store import SecretStore, StoredCredentials
from patchbay.service.service_context import PROGRAM
from patchbay.service.service_settings import read_service_settings
from patchbay.storage.database import Database
from patchbay.storage.engine_store import SqlEngineStore
from patchbay.storage.flow_directory import SqlFlowDirectory
from patchbay.storage.storage_probe import StorageProbe

if TYPE_CHECKING:
    from patchbay.bootstrap.http_listeners import HttpListeners
    from patchbay.bootstrap.listen_options import ListenOptions
    from patchbay.bootstrap.scheduled_backups import ScheduledBackups
    from patchbay.storage.postgresql.address import PostgresAddress

log = logging.getLogger("bootstrap")

CLEAN_UP_INTERVAL_SECONDS = 3600.0
SECRETS_CHECK_SECONDS = 3.0

Clock = Callable[[], EpochMs]


@dataclass
class WorkspaceRuntime:
    """All parts of an open workspace. `listeners` is set while it listens for HTTP."""

    db: Database
    engine: Engine
    secret_store: SecretStore
    http: HttpFactory
    workers: Workers
    backend: LocalBackend
    api_keys: ApiKeysWithToken
    workspace: ListeningWorkspace
    changes: ChangeBroadcaster
    listeners: HttpListeners | None = None
    secrets_task: asyncio.Task[None] | None = None
    test_every_hours: Callable[[], float] | None = None
    """Hours after which connections are tested again; 0: never. None: not in this workspace."""
    connection_test_task: asyncio.Task[None] | None = None
    backups: ScheduledBackups | None = None
    """Makes backups on a schedule; None where the data can be created again."""
    backups_task: asyncio.Task[None] | None = None
    clean_up_task: asyncio.Task[None] | None = None
    secrets_watch_task: asyncio.Task[None] | None = None
    peer_sync: PeerSync | None = None
    """Keeps up with the other programs of the database, if it can have any."""
    is_draining: bool = False
    """Whether the health check fails although requests are accepted, because the program is about to stop."""
    place: str = ""
    """Unique to the data folder; see `storage.postgresql.programs`."""

    has_usable_secrets: bool = True
    """Whether credentials could be used when that was last announced."""

    def __post_init__(self) -> None:
        self.http.token_renewer.exclusively = self.db.exclusively
        if self.db.peers is not None:
            reload_settings = partial(_reload_settings, self.db, self.http, self.workspace, self.engine)
            self.peer_sync = PeerSync(
                self.db.peers, self.engine, self.changes, self.backend.api_keys, reload_settings
            )

    async def start(
        self, *, safe: bool = False, restricted: bool = False, recovery_seconds: float | None = None
    ) -> None:
        """Start the engine with the saved settings, and open the credential store in the background.

        `safe`: pause all runs first, so that a run that crashes the program can be cancelled. If other
        programs share the database, joins them: `restricted` says that it leaves some flows to them, and
        after `recovery_seconds` its runs continue in others if it is gone.
        """
        if safe:
            await self.backend.pause_runs()
        settings, paused = await load_engine_state(self.db)
        if self.db.lost_commits is not None:
            log.warning(self.db.lost_commits.text())
        self.engine.settings_changed(settings)
        if (peers := self.db.peers) is not None:
            seconds = {} if recovery_seconds is None else {"recovery_seconds": recovery_seconds}
            await peers.join(place=self.place, restricted=restricted, **seconds)
        await self.engine.start(paused=paused)
        self.secret_store.is_opening = True
        self.secrets_task = asyncio.create_task(self._open_secrets(), name="open-secrets")
        self.clean_up_task = asyncio.create_task(self._delete_old_records(), name="delete-old-records")
        self.secrets_watch_task = asyncio.create_task(self._watch_secrets(), name="watch-secrets")
        if self.test_every_hours is not None:
            hours = self.test_every_hours
            watch = ConnectionHealthMonitor(
                self.backend, now_ms, lambda: hours() if self._is_leader() else 0.0
            )
            self.connection_test_task = asyncio.create_task(watch.run(), name="health-watch")

        if self.backups is not None:
            self.backups_task = asyncio.create_task(self._make_backups(self.backups), name="backups")

    async def _make_backups(self, backups: ScheduledBackups) -> None:
        await self.secrets_opened()
        await backups.run()

    async def _watch_secrets(self) -> None:
        """Notify when credentials become unavailable, and when they are available again."""
        while True:
            await asyncio.sleep(SECRETS_CHECK_SECONDS)
            await self.secret_store.retry_if_unlocked()
            if (self.secret_store.problem is None) is not self.has_usable_secrets:
                self.has_usable_secrets = not self.has_usable_secrets
                self.changes.notify(ResourceType.WORKSPACE)

    def _is_leader(self) -> bool:
        return self.db.peers is None or self.db.peers.is_leader

    async def _delete_old_records(self) -> None:
        while True:
            try:
                if self._is_leader():
                    await self._delete_old_records_now()
            except AppError as problem:
                log.warning("old records couldn't be deleted: %s", problem.text())
            await asyncio.sleep(CLEAN_UP_INTERVAL_SECONDS)

    async def _delete_old_records_now(self) -> None:
        await self.backend.delete_old_drafts()
        await self.backend.trim_audit_log()
        await self.backend.sign_out_deleted()

    async def use_key_store(self, key_store: KeyStore) -> None:
        """Read credentials with another key store, and announce that they may be available now."""
        await self.secrets_opened()
        self.secret_store.use_key_store(key_store)
        await self._open_secrets()
        self.changes.notify(ResourceType.WORKSPACE)

    async def secrets_opened(self) -> None:
        """Wait until the start has tried to open the credential store."""
        if self.secrets_task is not None:
            await asyncio.wait({self.secrets_task})

    async def _open_secrets(self) -> None:
        try:
            if await self.secret_store.prompts_for_nothing():
                return
            is_usable = await self.secret_store.recover()
            key_store = self.secret_store.encryption.key_store
            if is_usable and isinstance(key_store, PassphraseKeyStore):
                await key_store.create()  # from the first start on, a wrong passphrase is rejected
        except SecretsUnavailable as problem:
            log.warning("the key store couldn't be read: %s", problem.text())
            is_usable = False
        finally:
            self.secret_store.is_opening = False
        self.has_usable_secrets = self.secret_store.problem is None
        if not is_usable:
            self.changes.notify(ResourceType.WORKSPACE)

    def prepare_to_listen(self, listen_options: ListenOptions) -> None:
        """Set the listen addresses first: the rule for outgoing addresses depends on them."""
        self.workspace.interface_host = listen_options.interface_host
        self.http.network.set_open_to_others(listen_options.open_to_others or listen_options.behind_proxy)

    async def listen(
        self, listen_options: ListenOptions, *, require_port: bool = True, on_demand: bool = False
    ) -> HttpListeners:
        """Listen for HTTP. If a port is in use, fails with `require_port`, or else uses a free port.

        `on_demand`: create the HTTP server when the first client connects.
        """
        # Imported here: commands don't listen for HTTP.
        from patchbay.bootstrap.http_listeners import HttpListenerStarter

        self.prepare_to_listen(listen_options)
        probe = StorageProbe(self.db)

        async def check_health() -> None:
            if self.is_draining:
                raise Unreachable("The server is about to stop.", meaning="It still accepts requests.")
            await probe()

        starter = HttpListenerStarter(
            listen_options,
            self.workspace.public_hosts,
            require_port=require_port,
            check_storage=check_health,
            on_demand=on_demand,
        )
        self.listeners = self.workspace.listeners = await starter.open(
            self.backend, self.engine, self.api_keys
        )
        return self.listeners

    async def close(self, grace: float = 10.0) -> None:
        """Accept no more webhooks, let running steps finish within `grace` seconds, and close everything.

        Webhook requests are completed first, then the listeners stop, then the engine. If closing a part
        fails, the others are still closed, and the error is raised at the end.
        """
        self.engine.reject_webhooks()
        async with AsyncExitStack() as parts:  # closed in reverse order
            for close in (self.db.close, self.http.aclose, self.workers.close, self.backend.close):
                parts.push_async_callback(close)
            parts.push_async_callback(self.engine.files.aclose)
            if self.db.peers is not None:
                parts.push_async_callback(self.db.peers.leave)
            if self.peer_sync is not None:
                parts.push_async_callback(self.peer_sync.close)
            parts.push_async_callback(self.engine.stop, grace=grace)
            parts.push_async_callback(self._stop_listening, min(grace, 2.0))
            background = (
                self.secrets_task,
                self.connection_test_task,
                self.clean_up_task,
                self.secrets_watch_task,
                self.backups_task,
            )
            tasks = [task for task in background if task is not None]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)  # wait for them: they use the database

    async def _stop_listening(self, grace: float) -> None:
        if self.listeners is not None:
            await self.listeners.stop(grace=grace)
            self.workspace.listeners = None


class ListeningWorkspace(Workspace):
    """The workspace with the addresses at which it listens; they are None while it doesn't listen."""

    def __init__(self, kind: Literal["demo", "local"], name: str) -> None:
        super().__init__(kind, name, self._address, self._notice, self._webhooks, self._invitations)
        self.listeners: HttpListeners | None = None
        self.interface_host: str | None = None
        """Host name at which others reach the API, if it isn't that of the public address."""

    def own_hosts(self) -> tuple[str, ...]:
        """The workspace's own host names, which restricted runs can't call."""
        hosts = (urlsplit(self.public_address or "").hostname, self.interface_host)
        return tuple(host for host in hosts if host)

    def public_hosts(self) -> tuple[str, ...]:
        """The host names accepted in requests, including those being tested."""
        return (*self.tested_hosts, *self.own_hosts())

    def _address(self) -> str | None:
        return self.listeners.address if self.listeners else None

    def _webhooks(self) -> str | None:
        return self.listeners.webhooks if self.listeners else None

    def _invitations(self) -> str | None:
        return self.listeners.invitations if self.listeners else None

    def _notice(self) -> str | None:
        return self.listeners.notice if self.listeners else None


async def open_runtime(
    database: Path | PostgresAddress,
    apps: AppRegistry,
    key_store: KeyStore,
    clock: Clock,
    *,
    kind: Literal["demo", "local"] = "local",
    name: str = "This computer",
    http: HttpFactory | None = None,
    fill_new_database: Callable[[Database, SecretEncryption], Awaitable[object]] | None = None,
    keys: Database | None = None,
    actor: Actor = PROGRAM,
    hidden_from_programs: Sequence[Path] = (),
    own_files: Sequence[Path] = (),
    built_in_templates: Callable[[], tuple[Template, ...]] = tuple,
    work_filter: WorkFilter = ALL_FLOWS,
    desktop: Desktop | None = None,
) -> WorkspaceRuntime:
    """Open the database and create the workspace. Doesn't start the engine.

    `keys` is the database of the API keys, if it is another one. `actor` is that of the audit log. Programs
    of steps can't see `hidden_from_programs`, and other steps can't use `own_files`.
    """
    async with AsyncExitStack() as opened:
        db = await Database.open(database)
        opened.push_async_callback(db.close)
        changes, workers, workspace = ChangeBroadcaster(), Workers(), ListeningWorkspace(kind, name)
        http = http or HttpFactory()
        opened.push_async_callback(http.aclose)
        opened.push_async_callback(workers.close)
        encryption = SecretEncryption(db, key_store, clock)
        secret_store = SecretStore(db, encryption, key_store if key_store.holds_items else None, clock)
        if fill_new_database is not None:
            await fill_new_database(db, encryption)
        credentials = StoredCredentials(db, secret_store, clock, changes)
        limits = hidden_from_programs, own_files, work_filter, desktop
        engine = _build_engine(db, apps, credentials, clock, changes, http, workers, *limits)
        db.on_fault = lambda: changes.notify(ResourceType.WORKSPACE)
        await _apply_stored_settings(db, http, workspace, engine)
        backend = LocalBackend(
            db=db,
            apps=apps,
            engine=engine,
            secrets=secret_store,
            credentials=credentials,
            http=http,
            workers=workers,
            changes=changes,
            clock=clock,
            workspace=workspace,
            owner=(await ensure_owner(db, clock)).id,
            keys=StoredApiKeys(keys or db, clock, db),
            actor=actor,
            built_in_templates=built_in_templates,
        )
        api_keys = ApiKeysWithToken(backend.api_keys, clock)
        opened.pop_all()
        return WorkspaceRuntime(
            db, engine, secret_store, http, workers, backend, api_keys, workspace, changes
        )


def _build_engine(
    db: Database,
    apps: AppRegistry,
    credentials: StoredCredentials,
    clock: Clock,
    changes: ChangeBroadcaster,
    http: HttpFactory,
    workers: Workers,
    hidden_from_programs: Sequence[Path],
    own_files: Sequence[Path],
    work_filter: WorkFilter,
    desktop: Desktop | None,
) -> Engine:
    sandbox = Sandbox(hidden_from_programs, may_use_network=lambda: engine.settings.program_network)
    offline = http.network.offline
    files = FileAccess(
        LocalFiles(lambda: engine.settings.allowed_folders, own_files) if offline is None else offline.files
    )
    store, flows = _build_store(db, clock), SqlFlowDirectory(db)
    outside = (changes.publish, http, flows, workers, sandbox, files)
    engine = Engine(
        store,
        apps,
        credentials,
        clock,
        *outside,
        monotonic=awake_seconds,
        peers=db.peers,
        work_filter=work_filter,
        desktop=desktop,
    )
    return engine


def _build_store(db: Database, clock: Clock) -> SqlEngineStore:
    if db.peers is None:
        return SqlEngineStore(db, clock)
    from patchbay.storage.postgresql.shared_store import SharedEngineStore

    return SharedEngineStore(db, db.peers.program_id, clock)


async def _reload_settings(
    db: Database, http: HttpFactory, workspace: ListeningWorkspace, engine: Engine
) -> None:
    """Apply settings and a pause that another program may have changed."""
    await _apply_stored_settings(db, http, workspace, engine)
    if (await load_engine_state(db))[1]:
        engine.pause()
    else:
        engine.resume()


async def _apply_stored_settings(
    db: Database, http: HttpFactory, workspace: ListeningWorkspace, engine: Engine
) -> None:
    """Apply the settings of the engine, the public address, and which addresses runs may call."""
    engine.settings_changed((await load_engine_state(db))[0])
    settings = await db.read(read_service_settings)
    permissions = OutgoingPermissions(db)
    workspace.public_address = settings.public_address
    http.network.has_full_rights = permissions.has_full_rights
    http.network.is_approved = permissions.is_approved
    http.network.own_hosts = workspace.own_hosts
    http.network.configure(settings.outgoing_addresses, settings.allowed_addresses)


class ApiKeysWithToken:
    """The stored API keys, and a token of this run with which this user's other programs attach."""

    def __init__(self, stored: StoredApiKeys, clock: Clock) -> None:
        self._stored, self._clock = stored, clock
        self.token = secrets.token_hex(32)

    async def check(self, value: str) -> AccessGrant | None:
        """The permissions of this key or token; None if it is unknown. The token has full rights."""
        if compare_digest(value.encode(), self.token.encode()):
            key = ApiKey(id=ATTACHED_KEY_ID, name="This computer", hint="", created_at=self._clock())
            return AccessGrant(key=key, scope=Scope.ADMIN)
        return await self._stored.check(value)

    async def used(self, access: AccessGrant) -> None:
        """Record that the key was used. The token isn't recorded."""
        if access.key.id != ATTACHED_KEY_ID:
            await self._stored.used(access)

    async def find_owners(self, kind: OwnedResource, ids: Collection[IdType]) -> Mapping[IdType, UserId]:
        """Owners of these resources, by ID."""
        return await self._stored.find_owners(kind, ids)
