"""Publishing, unpublishing and deleting flows."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from typing import NamedTuple, TypeVar

from patchbay.domain.audit_log import Actor, AuditAction
from patchbay.domain.base import ConnectionId, EpochMs, FlowId, UserId
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.connections import Connection
from patchbay.domain.errors import AppError, Conflict, FlowNotReady, NotFound
from patchbay.domain.fields import SCREEN_NAME
from patchbay.domain.flows import PAUSED_BY_USER, Flow, FlowVersion, Step
from patchbay.domain.trigger_sources import FIRST_SOURCE, TriggerSource, source_number
from patchbay.domain.variables import as_text
from patchbay.integration.app_definition import Trigger
from patchbay.integration.registry import AppRegistry
from patchbay.service.addresses import without_addresses
from patchbay.service.flows import Flows
from patchbay.service.readiness import called_flows, connection_owner_blockers, find_blockers
from patchbay.service.service_context import ServiceContext
from patchbay.service.trigger_registrar import RegisteredTrigger, TriggerRegistrar
from patchbay.storage import run_queries
from patchbay.storage.flow_directory import callable_flows
from patchbay.storage.repositories import audit, connections, flow_versions, flows, steps
from patchbay.storage.repositories.owners import (
    connections_not_owned_by,
    foreign_connections,
    restricted_owner,
    restricted_user,
)
from patchbay.storage.repositories.rows import Tx

CANCELLED_BY_UNPUBLISHING = "Not run: the flow was unpublished while it was paused."
CANCELLED_BY_DELETION = "Not run: the flow was deleted while it was paused."

T = TypeVar("T")
Result = TypeVar("Result")


def source_of(apps: AppRegistry, step: Step, connections: Sequence[Connection]) -> TriggerSource:
    """Return the source of a trigger step, with the current account of its connection."""
    connection = next((item for item in connections if item.id == step.connection_id), None)
    shown = connection.formatted_data if connection else {}
    trigger = _trigger(apps, step)
    arguments = [one for one in trigger.arguments if one.key in trigger.source] if trigger else []
    return TriggerSource(
        app_key=step.app_key,
        key=step.key,
        connection_id=step.connection_id,
        account=connection.account if connection else None,
        address={key: value for key, value in shown.items() if key != SCREEN_NAME},
        names={
            argument.key: as_text(step.parameters.get(argument.key)).strip() or as_text(argument.value)
            for argument in arguments
        },
    )


def _trigger(apps: AppRegistry, step: Step) -> Trigger | None:
    """The definition of the trigger; None when the app or the event doesn't exist any more."""
    if step.app_key is None:
        return None
    try:
        app = apps.get(step.app_key)
    except NotFound:
        return None
    return next((trigger for trigger in app.triggers if trigger.key == step.key), None)


class DraftToPublish(NamedTuple):
    """A draft as it is to be published, and as it is stored; `stored` is None for a new flow.

    `problem` is why it must not be published, if that is known already.
    """

    flow: Flow
    stored: Flow | None = None
    problem: AppError | None = None


class NotPublished(Exception):
    """Some of several drafts can't be published: the errors by the index of the draft."""

    def __init__(self, errors: Mapping[int, AppError]) -> None:
        super().__init__(f"{len(errors)} drafts can't be published")
        self.errors = errors


class Publishing:
    """Publishes, unpublishes and deletes flows. Checks everything before it changes anything."""

    def __init__(self, context: ServiceContext, flows: Flows, registrar: TriggerRegistrar) -> None:
        self._context = context
        self._flows = flows
        self._registrar = registrar

    async def publish_flow(self, flow_id: FlowId, *, seen: EpochMs | None = None) -> Flow:
        """Freeze the draft as the next version and make it live.

        Raises `FlowNotReady` with the blockers, the trigger app's error when the trigger can't start, and
        `Forbidden` for steps that may not be published (see `engine/run_permits.py`). The flow is unchanged
        then.
        """
        async with self._registrar.flow_lock(flow_id):
            return await self._publish(flow_id, seen)

    async def publish_new_flow(self, flow: Flow) -> Flow:
        """Store a new flow and publish it, in one commit.

        Raises as `publish_flow` does; nothing is stored then.
        """
        try:
            (published,) = await self.publish_drafts([DraftToPublish(flow)])
        except NotPublished as failure:
            raise failure.errors[0] from failure
        return published

    async def publish_drafts(self, drafts: Sequence[DraftToPublish]) -> tuple[Flow, ...]:
        """Store drafts and publish them, all in one commit. Stored drafts must not have been published.

        Raises `NotPublished` with the errors of all drafts that can't be published; nothing is stored then,
        and webhooks that were registered are unregistered.
        """
        async with AsyncExitStack() as stack:
            for flow_id in sorted({draft.stored.id for draft in drafts if draft.stored is not None}):
                await stack.enter_async_context(self._registrar.flow_lock(flow_id))
            prepared = await _for_each(drafts, self._prepare)
            registered = await _for_each(
                prepared,
                lambda item: stack.enter_async_context(
                    self._registrar.register_first(item.version, item.draft.flow.settings, item.source_no)
                ),
            )
            actor = self._context.actor
            published = await self._context.db.write(
                lambda tx: [
                    self._store(tx, item, trigger, actor)
                    for item, trigger in zip(prepared, registered, strict=True)
                ]
            )
        for flow, stored, _ in drafts:
            self._context.changes.notify(
                ResourceType.FLOW, flow.id, action="updated" if stored else "created"
            )
        self._context.engine.triggers_changed()
        return tuple(map(self._context.with_addresses, published))

    async def _prepare(self, draft: DraftToPublish) -> "_PreparedVersion":
        """Check a draft and build its version. Raises its problem, or as `publish_flow` does."""
        if draft.problem is not None:
            raise draft.problem
        found = await self._context.db.read(lambda tx: _draft_publish_state(tx, draft))
        version = self._next_version(found)
        self._context.engine.require_publishable(version, full_rights=self._context.full_rights)
        return _PreparedVersion(draft, version, *self._sources(found, version))

    def _store(self, tx: Tx, item: "_PreparedVersion", registered: RegisteredTrigger, actor: Actor) -> Flow:
        """Store the draft and its version, with entries in the audit log."""
        (flow, stored, _), now = item.draft, item.version.created_at
        if stored is None:
            self._flows.add(tx, flow)
            audit.add(tx, actor, AuditAction.CREATED, ResourceType.FLOW, flow.id, flow.name, now)
        else:
            _require_unchanged(flows.get(tx, flow.id), stored)
            for step in flow.steps:
                steps.put(tx, step, now)
        registered.store(tx, item.source_no)
        flows.save_trigger_sources(tx, flow.id, item.sources)
        published = self._freeze(tx, flows.get(tx, flow.id), item.version)
        audit.add(tx, actor, AuditAction.PUBLISHED, ResourceType.FLOW, flow.id, flow.name, now)
        return published

    async def unpublish_flow(self, flow_id: FlowId) -> Flow:
        """Turn a published flow into a draft; a draft stays as it is.

        The queued runs of a paused flow are cancelled.
        """
        async with self._registrar.flow_lock(flow_id):
            running = await self._registrar.running_trigger(flow_id)
            flow = await self._unpublish(flow_id)
            await self._registrar.unregister(running)
            await self._registrar.delete_unused_items()
            return flow

    async def delete_flow(self, flow_id: FlowId) -> Change:
        """Unpublish and hide the flow; `restore_flow` restores it as a draft.

        The queued runs of a paused flow are cancelled.
        """
        async with self._registrar.flow_lock(flow_id):
            running = await self._registrar.running_trigger(flow_id)
            change = await self._delete(flow_id)
            await self._registrar.unregister(running)
            await self._registrar.delete_unused_items()
            return change

    async def _publish(self, flow_id: FlowId, seen: EpochMs | None) -> Flow:
        found = await self._context.db.read(lambda tx: _read_publish_state(tx, flow_id))
        flow, running = found.flow, found.running
        # Publishing unchanged steps again permits them to run programs.
        grants_approval = self._context.full_rights and running is not None and not running.approved
        if flow.active and not flow.has_unpublished_edits and not grants_approval:
            return self._context.with_addresses(flow)
        if seen is not None and seen != flow.updated_at:
            raise _changed_conflict("The flow has changed since you opened it.")
        version = self._next_version(found)
        self._context.engine.require_publishable(version, full_rights=self._context.full_rights)
        sources, source_no = self._sources(found, version)
        keeps_trigger_state = (
            flow.active
            and running is not None
            and source_no == found.source_no
            and _trigger_identity(running.steps) == _trigger_identity(version.steps)
        )

        def freeze(tx: Tx, registered: RegisteredTrigger | None) -> Flow:
            if registered is not None:
                registered.store(tx, source_no)
            flows.save_trigger_sources(tx, flow_id, sources)
            return self._freeze(tx, flow, version)

        if keeps_trigger_state:
            published = await self._flows.commit(lambda tx: freeze(tx, None), AuditAction.PUBLISHED)
        else:
            async with self._registrar.register(version, flow.settings, source_no) as registered:
                published = await self._flows.commit(lambda tx: freeze(tx, registered), AuditAction.PUBLISHED)
        self._context.engine.triggers_changed()
        return published

    def _next_version(self, found: "_PublishState") -> FlowVersion:
        """Return the version to publish. Raises `FlowNotReady`."""
        flow = found.flow
        blockers = find_blockers(
            flow, self._context.app_details(flow.app_keys), found.connections, found.callable
        )
        if not self._context.full_rights:
            blockers += connection_owner_blockers(flow, found.foreign)
        if blockers:
            raise FlowNotReady(blockers)
        return FlowVersion(
            flow_id=flow.id,
            number=found.newest + 1,
            name=flow.name,
            created_at=self._context.clock(),
            steps=tuple(map(without_addresses, flow.steps)),
            approved=self._context.full_rights,
        )

    async def _delete(self, flow_id: FlowId) -> Change:
        now = self._context.clock()

        def work(tx: Tx) -> Flow:
            flow = flows.get(tx, flow_id)
            if flow.paused_at is not None:
                run_queries.cancel_queued(tx, flow_id, now, CANCELLED_BY_DELETION)
            flow_versions.delete_trigger_state(tx, flow_id)
            flows.remove(tx, flow_id, now)
            return flow

        flow = await self._context.commit(work, AuditAction.DELETED, ResourceType.FLOW, flow_id)
        if flow.active:
            self._context.engine.triggers_changed()
        if flow.paused_at is not None:
            self._context.changes.notify(ResourceType.EXECUTION)
        return self._context.changes.notify(ResourceType.FLOW, flow_id, action="deleted")

    async def _unpublish(self, flow_id: FlowId) -> Flow:
        now = self._context.clock()

        def work(tx: Tx) -> tuple[bool, Flow]:
            flow = flows.get(tx, flow_id)
            was_paused = flow.paused_at is not None
            if was_paused:
                run_queries.cancel_queued(tx, flow_id, now, CANCELLED_BY_UNPUBLISHING)
            if flow.active:
                flow_versions.delete_trigger_state(tx, flow_id)
                flows.change(tx, flow_id, now, active=False, has_unpublished_edits=False, **flows.RESUMED)
            return was_paused, flows.get(tx, flow_id)

        was_paused, flow = await self._context.commit(
            work, AuditAction.UNPUBLISHED, ResourceType.FLOW, flow_id
        )
        self._context.changes.notify(ResourceType.FLOW, flow_id)
        if was_paused:
            self._context.changes.notify(ResourceType.EXECUTION)
        self._context.engine.triggers_changed()
        return self._context.with_addresses(flow)

    def _sources(self, found: "_PublishState", version: FlowVersion) -> tuple[tuple[TriggerSource, ...], int]:
        """Return all sources of the flow, including that of the version, and the number of the latter.

        A flow published before sources were stored has the source of its last version.
        """
        sources = found.sources
        if not sources and found.running is not None:
            sources = (source_of(self._context.apps, found.running.steps[0], found.all_connections),)
        source = source_of(self._context.apps, version.steps[0], found.all_connections)
        source_no = source_number(source, sources)
        return (sources if source_no <= len(sources) else (*sources, source)), source_no

    def _freeze(self, tx: Tx, checked: Flow, version: FlowVersion) -> Flow:
        flow = flows.get(tx, checked.id)
        if flow.steps != checked.steps or flow_versions.latest_version_number(tx, flow.id) >= version.number:
            raise _changed_conflict("The flow was changed while it was being published.")
        flow_versions.add(tx, version)
        columns: dict[str, object] = {
            "active": True,
            "published_version": version.number,
            "has_unpublished_edits": False,
        }
        if flow.paused_reason != PAUSED_BY_USER:
            # Its failures belonged to the old version, so resume it.
            columns |= {**flows.RESUMED, "streak_from": version.created_at}
        flows.change(tx, flow.id, self._context.clock(), **columns)
        return flows.get(tx, flow.id)


async def _for_each(items: Sequence[T], work: Callable[[T], Awaitable[Result]]) -> list[Result]:
    """Call `work` for each item. Raises `NotPublished` with all errors, after the last item."""
    results: list[Result] = []
    errors: dict[int, AppError] = {}
    for index, item in enumerate(items):
        try:
            results.append(await work(item))
        except AppError as error:
            errors[index] = error
    if errors:
        raise NotPublished(errors)
    return results


def _require_unchanged(flow: Flow, seen: Flow) -> None:
    if (flow.updated_at, flow.steps) != (seen.updated_at, seen.steps):
        raise _changed_conflict("The flow was changed while it was being published.")


def _changed_conflict(happened: str) -> Conflict:
    return Conflict(happened, meaning="Nothing was published.", todo="Review the change, then publish again.")


class _PublishState(NamedTuple):
    """What publishing a flow depends on. `newest` is the number of its newest version, 0 without one.

    `running` is the version that was published last, `source_no` the number of its trigger's source in
    `sources`.
    """

    flow: Flow
    running: FlowVersion | None
    newest: int
    connections: dict[ConnectionId, Connection]
    callable: frozenset[FlowId]
    """Those of the flows its steps call that may be called."""
    sources: tuple[TriggerSource, ...]
    source_no: int
    all_connections: tuple[Connection, ...]
    foreign: frozenset[ConnectionId]
    """Connections of its steps that belong to another user; empty when the flow's owner is an admin."""


class _PreparedVersion(NamedTuple):
    """A checked draft and its version, with all sources of the flow and the number of its own."""

    draft: DraftToPublish
    version: FlowVersion
    sources: tuple[TriggerSource, ...]
    source_no: int


def _read_publish_state(tx: Tx, flow_id: FlowId) -> _PublishState:
    flow = flows.get(tx, flow_id)
    return _PublishState(
        flow=flow,
        running=flow_versions.frozen(tx, flow_id, flow.published_version) if flow.published_version else None,
        newest=flow_versions.latest_version_number(tx, flow_id),
        connections={connection.id: connection for connection in connections.find(tx)},
        callable=_callable_flows(tx, flow, restricted_owner(tx, flow_id)),
        sources=flows.sources(tx, flow_id),
        source_no=flow_versions.source_of(tx, flow_id),
        all_connections=connections.find_including_deleted(tx),
        foreign=foreign_connections(tx, flow_id, flow.connection_ids),
    )


def _draft_publish_state(tx: Tx, draft: DraftToPublish) -> _PublishState:
    """Like `_read_publish_state`, for a draft as it is to be published."""
    flow = draft.flow
    if draft.stored is None:
        return _new_flow_publish_state(tx, flow)
    found = _read_publish_state(tx, flow.id)
    _require_unchanged(found.flow, draft.stored)
    return found._replace(
        flow=flow,
        callable=_callable_flows(tx, flow, restricted_owner(tx, flow.id)),
        foreign=foreign_connections(tx, flow.id, flow.connection_ids),
    )


def _callable_flows(tx: Tx, flow: Flow, owner_id: UserId | None) -> frozenset[FlowId]:
    """Those of the flows that it calls that exist and may be called."""
    called = called_flows(flow)
    return frozenset(one.id for one in callable_flows(tx, owner_id, among=called)) if called else frozenset()


def _new_flow_publish_state(tx: Tx, flow: Flow) -> _PublishState:
    """Like `_read_publish_state`, for a flow that isn't stored yet."""
    assert flow.user_id is not None
    return _PublishState(
        flow=flow,
        running=None,
        newest=0,
        connections={connection.id: connection for connection in connections.find(tx)},
        callable=_callable_flows(tx, flow, restricted_user(tx, flow.user_id)),
        sources=(),
        source_no=FIRST_SOURCE,
        all_connections=connections.find_including_deleted(tx),
        foreign=connections_not_owned_by(tx, flow.user_id, flow.connection_ids),
    )


def _trigger_identity(steps: tuple[Step, ...]) -> tuple[object, ...]:
    """Values that identify a trigger: while they are unchanged, the trigger keeps its state."""
    trigger = steps[0]
    return trigger.id, trigger.app_key, trigger.key, trigger.connection_id, trigger.parameters
