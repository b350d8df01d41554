"""What all parts of the local backend share: the database, the engine, who acts, and the audited commit."""

import asyncio
import contextlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias, TypeVar

from patchbay.domain.apps import AppInfo, TriggerKind, connection_providers
from patchbay.domain.audit_log import Actor, ActorKind, AuditAction, current_actor
from patchbay.domain.base import (
    AppKey,
    EpochMs,
    ExecutionId,
    FlowId,
    Json,
    JsonObject,
    StepId,
    UserId,
    get_optional,
)
from patchbay.domain.changes import ResourceType
from patchbay.domain.engine import EngineHealth, EngineSettings
from patchbay.domain.engine_store import StepOutcome, TriggerState
from patchbay.domain.errors import AppError, NotFound
from patchbay.domain.executions import ReplayOn
from patchbay.domain.flows import Flow, FlowSettings, FlowVersion
from patchbay.domain.peers import PeerMessage
from patchbay.domain.ports import Credentials
from patchbay.domain.schedules import SchedulePreview
from patchbay.domain.tools import ToolResult
from patchbay.domain.trigger_sources import FIRST_SOURCE
from patchbay.integration.allowed_programs import ProgramAccess
from patchbay.integration.app_definition import Trigger
from patchbay.integration.http_factory import HttpFactory
from patchbay.integration.local_files import FileAccess
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
"""The ID of the resource that is written, or a function that finds it in the result of the write."""

PROGRAM = Actor(kind=ActorKind.PROGRAM, name="Patchbay")


class Engine(Protocol):
    """The part of the engine that the service uses."""

    @property
    def files(self) -> FileAccess:
        """The files that steps can use."""
        ...

    @property
    def programs(self) -> ProgramAccess:
        """The installed programs that steps can run."""
        ...

    @property
    def has_desktop(self) -> bool:
        """Whether steps can use the desktop of a window."""
        ...

    def listening_problem(self, flow_id: FlowId) -> AppError | None:
        """Return why a published flow can't notice the events of the desktop that start it."""
        ...

    time_zone: str
    """The IANA name of the workspace's time zone."""

    async def run_now(self, flow_id: FlowId, item: Json = None, *, full_rights: bool = False) -> ExecutionId:
        """Start a published flow with an item, and return the execution."""
        ...

    async def call_tool(self, flow_id: FlowId, arguments: JsonObject) -> ToolResult:
        """Run a published flow that is a tool, and return its output."""
        ...

    async def test_step(
        self,
        flow: FlowVersion,
        step_id: StepId,
        samples: Mapping[StepId, Json],
        *,
        full_rights: bool = False,
    ) -> tuple[ExecutionId, StepOutcome]: ...
    def require_publishable(self, version: FlowVersion, *, full_rights: bool = False) -> None:
        """Raise `Forbidden` if this version may not be published: its programs, files, or desktop steps."""
        ...

    def find_rejection(self, version: FlowVersion) -> AppError | None:
        """Why every run of this published version fails; None if runs can start, or while stopped."""
        ...

    async def initial_trigger_state(
        self, version: FlowVersion, settings: FlowSettings | None = None, source: int = FIRST_SOURCE
    ) -> TriggerState:
        """Return the trigger state to store when this version is published."""
        ...

    async def preview_schedule(
        self, trigger: Trigger, parameters: JsonObject, settings: FlowSettings
    ) -> SchedulePreview:
        """When a schedule would start a flow with these settings. Raises `ValidationFailed`."""
        ...

    async def register_webhook(self, version: FlowVersion) -> TriggerState | None:
        """Register the webhook of a version at its app; None if its trigger needs none."""
        ...

    async def unregister_webhook(self, version: FlowVersion, state: TriggerState) -> None:
        """Remove a registered webhook from its app."""
        ...

    def triggers_changed(self) -> None:
        """Read the published flows again."""
        ...

    def apps_changed(self) -> None:
        """Read the code of apps again."""
        ...

    async def health(self) -> EngineHealth: ...
    async def cancel(self, execution_id: ExecutionId) -> None:
        """Cancel an unfinished run. Raises `NotFound`, `Conflict` when it is finished."""
        ...

    async def resume_run(self, execution_id: ExecutionId) -> None:
        """End a wait for a retry or rate limit. Raises `NotFound`, `Conflict` if the run isn't in one."""
        ...

    async def retry(self, execution_id: ExecutionId, *, full_rights: bool = False) -> ExecutionId:
        """Start a run at the failed step. Raises `NotFound`, `Forbidden`, or `Conflict` if it can't be."""
        ...

    async def continue_after(self, execution_id: ExecutionId, *, full_rights: bool = False) -> ExecutionId:
        """Start a run after the interrupted step. Raises `NotFound`, `Forbidden`, `Conflict` if none."""
        ...

    async def replay(
        self, execution_id: ExecutionId, item: Json, on: ReplayOn, *, full_rights: bool = False
    ) -> ExecutionId:
        """Run again from the start, on `item` or, when None, on the original trigger output.

        Raises `NotFound`, `Forbidden`, `Conflict`.
        """
        ...

    def pause(self) -> None:
        """Stop starting runs; events are still accepted."""
        ...

    def resume(self) -> None:
        """Start runs again."""
        ...

    def settings_changed(self, settings: EngineSettings) -> None:
        """Use other settings from now on."""
        ...


@dataclass(frozen=True, kw_only=True)
class ServiceContext:
    """Everything the parts of `LocalBackend` are built on, and what each of their operations needs."""

    db: Database
    apps: AppRegistry
    engine: Engine
    secrets: SecretStore
    credentials: Credentials
    http: HttpFactory
    workers: Workers
    changes: ChangeBroadcaster
    clock: Callable[[], EpochMs]
    workspace: Workspace
    workspace_owner: UserId
    keys: StoredApiKeys
    default_actor: Actor = PROGRAM
    """Who acts outside requests: the program that opened the workspace."""

    @property
    def actor(self) -> Actor:
        """Who performs the current operation."""
        return current_actor.get() or self.default_actor

    @property
    def full_rights(self) -> bool:
        """Whether the current actor has full rights, those of an admin."""
        return self.actor.has_full_rights

    @property
    def owner_id(self) -> UserId:
        """The owner of new resources: the user who acts, otherwise the owner of the workspace."""
        actor = current_actor.get()
        return (actor and actor.user_id) or self.workspace_owner

    async def commit(
        self,
        work: Callable[[Tx], T],
        audit_action: AuditAction,
        resource_type: ResourceType,
        subject: Subject[T] = None,
    ) -> T:
        """Write in one commit with an audit log entry; without an entry when the work changed nothing.

        The commit also has other programs drop what they keep in memory of such resources. Publishing the
        change is left to the caller.
        """
        actor, now = self.actor, self.clock()

        def recorded(tx: Tx) -> T:
            known = None if callable(subject) else subject
            before, unchanged = audit.find_subject_name(tx, resource_type, known), audit.changes(tx)
            result = work(tx)
            subject_id = subject(result) if callable(subject) else known
            if audit.changes(tx) != unchanged:
                name = audit.find_subject_name(tx, resource_type, subject_id) or before
                audit.add(tx, actor, audit_action, resource_type, subject_id, name, now)
                if self.db.peers is not None:
                    self.db.peers.announce(tx, PeerMessage.RELOAD, noun=resource_type.value)
            return result

        result = await self.db.write(recorded)
        if resource_type in (ResourceType.API_KEY, ResourceType.USER):
            self.keys.invalidate()
        return result

    async def record_audit_entry(
        self,
        audit_action: AuditAction,
        resource_type: ResourceType,
        subject_id: str | None = None,
        name: str = "",
    ) -> None:
        """Add an audit log entry for work done elsewhere: by the engine, or in a key store.

        `name` is the resource's name, for resources that aren't in this database.
        """
        actor, now = self.actor, self.clock()

        def record(tx: Tx) -> None:
            known = name or audit.find_subject_name(tx, resource_type, subject_id)
            audit.add(tx, actor, audit_action, resource_type, subject_id, known, now)

        await self.db.write(record)

    async def reload_apps(self) -> None:
        """Reload the apps in the user's folder if their files have changed."""
        if await asyncio.to_thread(self.apps.reload_changed):
            self.engine.apps_changed()
            self.changes.notify(ResourceType.APP, action="updated")

    def with_addresses(self, flow: Flow) -> Flow:
        """Return the flow with its webhook addresses, which only a running workspace knows."""
        return with_addresses(flow, self._apps_for_addresses(flow), self.workspace.external_address())

    def _apps_for_addresses(self, flow: Flow) -> dict[AppKey, AppInfo]:
        """Return the apps of a flow, in full only what its webhook needs.

        The definitions of other apps aren't imported for a list of flows.
        """
        found: dict[AppKey, AppInfo] = {}
        for key in flow.app_keys:
            with contextlib.suppress(NotFound):
                found[key] = self.apps.info(key, detail=False)
        if (trigger := flow.trigger) is not None and (
            app := get_optional(found, trigger.app_key)
        ) is not None:
            event = app.listed_event(trigger.key)
            if event is not None and event.kind is TriggerKind.WEBHOOK:
                found |= self.app_details((app.key,))
        return found

    def app_details(self, keys: Iterable[AppKey]) -> dict[AppKey, AppInfo]:
        """Return these apps in full, and those whose connections their events use.

        Unknown keys are skipped.
        """
        found: dict[AppKey, AppInfo] = {}
        wanted = set(keys)
        while wanted:
            key = wanted.pop()
            try:
                found[key] = self.apps.info(key, detail=True)
            except NotFound:
                continue
            wanted |= connection_providers(found[key]) - found.keys()
        return found
