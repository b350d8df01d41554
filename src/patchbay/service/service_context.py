"""What the operations share: their collaborators, handed in once by the composition root."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias, TypeVar

from patchbay.domain.apps import AppInfo, connection_providers
from patchbay.domain.audit_log import Actor, ActorKind, AuditAction, current_actor
from patchbay.domain.base import AppKey, ConnectionId, EpochMs, ExecutionId, FlowId, Json, StepId, UserId
from patchbay.domain.changes import ResourceType
from patchbay.domain.engine import EngineHealth, EngineSettings
from patchbay.domain.engine_store import StepOutcome, TriggerState
from patchbay.domain.errors import NotFound
from patchbay.domain.executions import ReplayOn
from patchbay.domain.flows import Flow, FlowSettings, FlowVersion
from patchbay.domain.ports import Credentials
from patchbay.domain.trigger_sources import FIRST_SOURCE
from patchbay.integration.http_factory import HttpFactory
from patchbay.integration.registry import AppRegistry
from patchbay.integration.workers import Workers
from patchbay.service.addresses import Workspace, with_addresses
from patchbay.service.api_keys import StoredApiKeys
from patchbay.service.changes import ChangeBroadcaster
from patchbay.service.secret_store import SecretStore
from patchbay.storage.database import Database
from patchbay.storage.repositories import audit
from patchbay.storage.repositories.rows import Tx

T = TypeVar("T")

Subject: TypeAlias = str | Callable[[T], str | None] | None

PROGRAM = Actor(kind=ActorKind.PROGRAM, name="Patchbay")


class Engine(Protocol):
    """What the service asks of the engine."""

    async def run_now(
        self, flow_id: FlowId, item: Json = None, *, full_rights: bool = False
    ) -> ExecutionId: ...
    async def test_step(
        self,
        flow: FlowVersion,
        step_id: StepId,
        samples: Mapping[StepId, Json],
        *,
        full_rights: bool = False,
    ) -> tuple[ExecutionId, StepOutcome]: ...
    def check_version(self, version: FlowVersion, *, full_rights: bool = False) -> None:
        """Raises `Forbidden` when whoever asks may not publish this version."""
        ...

    async def baseline(
        self, version: FlowVersion, settings: FlowSettings | None = None, source: int = FIRST_SOURCE
    ) -> TriggerState: ...
    async def register_hook(self, version: FlowVersion) -> TriggerState | None: ...
    async def unregister_hook(self, version: FlowVersion, state: TriggerState) -> None: ...
    def triggers_changed(self) -> None: ...
    async def health(self) -> EngineHealth: ...
    async def cancel(self, execution_id: ExecutionId) -> None:
        """Raises `NotFound`, `Conflict` when it is finished."""
        ...

    async def resume_run(self, execution_id: ExecutionId) -> None:
        """Raises `NotFound`, `Conflict` when it doesn't wait for a retry or a rate limit."""
        ...

    async def retry(self, execution_id: ExecutionId, *, full_rights: bool = False) -> ExecutionId:
        """Raises `NotFound`, `Forbidden`, `Conflict` when it did not fail or cannot go on."""
        ...

    async def continue_after(self, execution_id: ExecutionId, *, full_rights: bool = False) -> ExecutionId:
        """Raises `NotFound`, `Forbidden`, `Conflict` when no interrupted step ended it."""
        ...

    async def replay(
        self, execution_id: ExecutionId, item: Json, on: ReplayOn, *, full_rights: bool = False
    ) -> ExecutionId:
        """`item` None is what the trigger put out then. Raises `NotFound`, `Forbidden`, `Conflict`."""
        ...

    def pause(self) -> None: ...
    def resume(self) -> None: ...
    def settings_changed(self, settings: EngineSettings) -> None: ...


@dataclass(frozen=True, kw_only=True)
class ServiceContext:
    """Everything the operations are built on. `owner` is the person the workspace belongs to."""

    db: Database
    apps: AppRegistry
    engine: Engine
    vault: SecretStore
    credentials: Credentials
    http: HttpFactory
    workers: Workers
    changes: ChangeBroadcaster
    clock: Callable[[], EpochMs]
    workspace: Workspace
    owner: UserId
    keys: StoredApiKeys
    actor: Actor = PROGRAM
    """Who acts when nobody says: the program that opened the workspace."""
    unreachable_connections: dict[ConnectionId, tuple[EpochMs, str]] = field(default_factory=dict)
    """When and why the newest test of a connection got no answer."""


class Operations:
    """Base of the operations on each noun, so that one `LocalBackend` can be put together from them."""

    def __init__(self, context: ServiceContext) -> None:
        self._service_context = context
        self._db, self._apps, self._engine = context.db, context.apps, context.engine
        self._changes, self._clock = context.changes, context.clock

    @property
    def _actor(self) -> Actor:
        return current_actor.get() or self._service_context.actor

    @property
    def _full_rights(self) -> bool:
        """Whether whoever acts may have programs run."""
        return self._actor.has_full_rights

    @property
    def _owner(self) -> UserId:
        """Whom new things belong to: the person who acts, or the owner of the workspace."""
        actor = current_actor.get()
        return (actor and actor.user_id) or self._service_context.owner

    async def _commit(
        self,
        work: Callable[[Tx], T],
        audit_action: AuditAction,
        noun: ResourceType,
        subject: Subject[T] = None,
    ) -> T:
        """Write, with an entry in the audit log in the same commit, unless the work changed nothing.

        `subject` is the id of what is changed, or finds it in what the work returns. Whoever calls this also
        tells of the change.
        """
        actor, now = self._actor, self._clock()

        def recorded(tx: Tx) -> T:
            known = None if callable(subject) else subject
            before, unchanged = audit.find_subject_name(tx, noun, known), audit.changes(tx)
            result = work(tx)
            subject_id = subject(result) if callable(subject) else known
            if audit.changes(tx) != unchanged:
                name = audit.find_subject_name(tx, noun, subject_id) or before
                audit.add(tx, actor, audit_action, noun, subject_id, name, now)
            return result

        result = await self._db.write(recorded)
        if noun in (ResourceType.API_KEY, ResourceType.USER):
            self._service_context.keys.invalidate()
        return result

    async def _record_audit_entry(
        self, audit_action: AuditAction, noun: ResourceType, subject_id: str | None = None, name: str = ""
    ) -> None:
        """An entry in the audit log for what was done elsewhere: by the engine, or by the home of secrets.

        `name` is what the thing is called, where this database does not know it.
        """
        actor, now = self._actor, self._clock()

        def note(tx: Tx) -> None:
            known = name or audit.find_subject_name(tx, noun, subject_id)
            audit.add(tx, actor, audit_action, noun, subject_id, known, now)

        await self._db.write(note)

    async def _reload_apps(self) -> None:
        """Load the apps of the user's folder again if their files have changed."""
        if await asyncio.to_thread(self._apps.reload_changed):
            self._changes.notify(ResourceType.APP, action="updated")

    def _with_addresses(self, flow: Flow) -> Flow:
        """The flow with the addresses that only a running workspace knows."""
        return with_addresses(
            flow, self._app_details(flow.app_keys), self._service_context.workspace.external_address()
        )

    def _app_details(self, keys: Iterable[AppKey]) -> dict[AppKey, AppInfo]:
        """The apps among these that exist, in full, and those whose connections their events use."""
        found: dict[AppKey, AppInfo] = {}
        wanted = set(keys)
        while wanted:
            key = wanted.pop()
            try:
                found[key] = self._apps.info(key, detail=True)
            except NotFound:
                continue
            wanted |= connection_providers(found[key]) - found.keys()
        return found
