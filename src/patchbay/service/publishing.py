"""Going live and back. Everything is checked before anything is changed."""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import NamedTuple
from weakref import WeakValueDictionary

from patchbay.domain.audit_log import AuditAction
from patchbay.domain.base import ConnectionId, EpochMs, FlowId
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.connections import Connection
from patchbay.domain.engine_store import TriggerState
from patchbay.domain.errors import AppError, Conflict, FlowNotReady, NotFound
from patchbay.domain.fields import SCREEN_NAME, Argument
from patchbay.domain.flows import PAUSED_BY_USER, Flow, FlowSettings, FlowVersion, Step
from patchbay.domain.trigger_sources import TriggerSource, source_number
from patchbay.domain.variables import as_text
from patchbay.integration.app_definition import Trigger
from patchbay.integration.registry import AppRegistry
from patchbay.service.addresses import steps_with_addresses, without_addresses
from patchbay.service.flows import FlowOperations
from patchbay.service.readiness import connection_owner_blockers, find_blockers
from patchbay.service.service_context import ServiceContext
from patchbay.storage import run_control
from patchbay.storage.flow_directory import callable_flows
from patchbay.storage.repositories import connections, flow_versions, flows
from patchbay.storage.repositories.owners import foreign_connections
from patchbay.storage.repositories.rows import Tx

# MERGED: What the trigger of a flow asks, as it is remembered by the flow; see `domain/trigger_sources.py`.


def source_of(apps: AppRegistry, step: Step, connections: Sequence[Connection]) -> TriggerSource:
    """The source of a trigger step, with the account that its connection has now."""
    connection = next((item for item in connections if item.id == step.connection_id), None)
    shown = connection.formatted_data if connection else {}
    return TriggerSource(
        app_key=step.app_key,
        key=step.key,
        connection_id=step.connection_id,
        account=connection.account if connection else None,
        address={key: value for key, value in shown.items() if key != SCREEN_NAME},
        names=_source_names(_trigger(apps, step), step),
    )


def _trigger(apps: AppRegistry, step: Step) -> Trigger | None:
    """None where the app or the event is gone."""
    try:
        app = apps.get(step.app_key or "")
    except NotFound:
        return None
    return next((trigger for trigger in app.triggers if trigger.key == step.key), None)


def _source_names(trigger: Trigger | None, step: Step) -> dict[str, str]:
    if trigger is None:
        return {}
    return {
        argument.key: _source_value(argument, step)
        for argument in trigger.arguments
        if argument.key in trigger.source
    }


def _source_value(argument: Argument, step: Step) -> str:
    """What was entered; the preset where nothing was."""
    return as_text(step.parameters.get(argument.key)).strip() or as_text(argument.value)


# MERGED: Webhooks that third parties keep for published flows: told before a flow goes live, taken
# back after.

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class RunningTrigger:
    """A version and where its trigger stands."""

    version: FlowVersion
    state: TriggerState


class RemoteWebhookOperations(FlowOperations):
    """What has to be told to third parties when a flow goes live or ends."""

    def __init__(self, context: ServiceContext) -> None:
        super().__init__(context)
        self._flow_locks: WeakValueDictionary[FlowId, asyncio.Lock] = WeakValueDictionary()

    async def delete_flow(self, flow_id: FlowId) -> Change:
        async with self._flow_lock(flow_id):
            running = await self._running_trigger(flow_id)
            change = await super().delete_flow(flow_id)
            await self._unregister_webhook(running)
            return change

    def _flow_lock(self, flow_id: FlowId) -> asyncio.Lock:
        """Held by who publishes, unpublishes or deletes a flow: one after the other tells third parties."""
        return self._flow_locks.setdefault(flow_id, asyncio.Lock())

    @asynccontextmanager
    async def _register_trigger(
        self, version: FlowVersion, settings: FlowSettings, source: int
    ) -> AsyncIterator[TriggerState]:
        """Where the trigger of a version stands, for a block that makes it live.

        `source` is the place of the trigger's source among those of the flow.
        What the running version has registered is taken back first, because many services keep one webhook
        for an address or an account. When the trigger cannot start, or the block fails, what was
        registered is taken back and the former registration is put there again.
        """
        before = await self._running_trigger(version.flow_id)
        await self._unregister_webhook(before)
        try:
            state = await self._engine.register_hook(self._with_webhook_address(version))
            fresh = RunningTrigger(version, state or await self._engine.baseline(version, settings, source))
            try:
                yield fresh.state
            except BaseException:
                await self._unregister_webhook(fresh)
                raise
        except BaseException as error:
            await self._restore_webhook(before, error)
            raise

    async def _running_trigger(self, flow_id: FlowId) -> RunningTrigger | None:
        return await self._db.read(lambda tx: _running_trigger(tx, flow_id))

    async def _unregister_webhook(self, started: RunningTrigger | None) -> None:
        if started is not None:
            await self._engine.unregister_hook(self._with_webhook_address(started.version), started.state)

    async def _restore_webhook(self, before: RunningTrigger | None, error: BaseException) -> None:
        """Register anew what runs on. When that fails, too, the error that led here says so."""
        if before is None:
            return
        try:
            state = await self._engine.register_hook(self._with_webhook_address(before.version))
            if state is not None:
                await self._db.write(lambda tx: flow_versions.reset_trigger_state(tx, state))
        except AppError as second:
            _log.error("A webhook could not be put back: %s", second.text())
            if isinstance(error, AppError):
                words = "The webhook of the published version could not be put back, so it is not called now."
                error.meaning = " ".join(filter(None, (error.meaning, words)))
                error.todo = " ".join(filter(None, (error.todo, "Then publish the flow again.")))

    def _with_webhook_address(self, version: FlowVersion) -> FlowVersion:
        """The version with the address that its webhook has now, which is no part of what is frozen."""
        keys = [step.app_key for step in version.steps if step.app_key]
        base = self._service_context.workspace.external_address()
        steps = steps_with_addresses(version.flow_id, version.steps, self._app_details(keys), base)
        return version.model_copy(update={"steps": steps})


def _running_trigger(tx: Tx, flow_id: FlowId) -> RunningTrigger | None:
    flow = flows.get(tx, flow_id)
    state = flow_versions.get_trigger_state(tx, flow_id)
    if not flow.active or flow.published_version is None or state is None:
        return None
    version = flow_versions.frozen(tx, flow_id, flow.published_version)
    return None if version is None else RunningTrigger(version, state)


CANCELLED_BY_UNPUBLISHING = "Not run: the flow was unpublished while it was paused."


class PublishingOperations(RemoteWebhookOperations):
    """Publish and unpublish."""

    async def publish_flow(self, flow_id: FlowId, *, seen: EpochMs | None = None) -> Flow:
        """Freeze the draft as the next version and make it live.

        Raises `FlowNotReady` with one blocker per missing thing, and what the trigger's app raises when it
        cannot tell where it stands; the flow stays as it was then. Raises `Forbidden` for steps that run
        programs, unless whoever publishes may have them run; see `engine/permissions.py`.
        """
        async with self._flow_lock(flow_id):
            return await self._publish(flow_id, seen)

    async def unpublish_flow(self, flow_id: FlowId) -> Flow:
        """Back to a draft. Nothing happens to a flow that is one.

        What a paused flow kept is cancelled: nobody asked for it to run now.
        """
        async with self._flow_lock(flow_id):
            running = await self._running_trigger(flow_id)
            flow = await self._unpublish(flow_id)
            await self._unregister_webhook(running)
            return flow

    async def _publish(self, flow_id: FlowId, seen: EpochMs | None) -> Flow:
        found = await self._db.read(lambda tx: _read_publish_state(tx, flow_id))
        flow, running = found.flow, found.running
        if flow.active and not flow.has_unpublished_edits and not self._grants_approval(running):
            return self._with_addresses(flow)
        if seen is not None and seen != flow.updated_at:
            raise _changed_conflict("The flow was changed since you looked at it.")
        blockers = find_blockers(flow, self._app_details(flow.app_keys), found.connections, found.callable)
        if not self._full_rights:
            blockers += connection_owner_blockers(flow, found.foreign)
        if blockers:
            raise FlowNotReady(blockers)
        version = FlowVersion(
            flow_id=flow_id, number=found.newest + 1, name=flow.name, created_at=self._clock(),
            steps=tuple(map(without_addresses, flow.steps)), approved=self._full_rights,
        )  # fmt: skip
        self._engine.check_version(version, full_rights=self._full_rights)
        sources, place = self._sources(found, version)
        keeps_trigger_state = (
            flow.active and running is not None and place == found.place
            and _trigger_identity(running.steps) == _trigger_identity(version.steps)
        )  # fmt: skip

        def freeze(tx: Tx, state: TriggerState | None) -> Flow:
            if state is not None:
                flow_versions.reset_trigger_state(tx, state, place)
            flows.save_trigger_sources(tx, flow_id, sources)
            return self._freeze(tx, flow, version)

        if keeps_trigger_state:
            published = await self._commit_flow(lambda tx: freeze(tx, None), AuditAction.PUBLISHED)
        else:
            async with self._register_trigger(version, flow.settings, place) as state:
                published = await self._commit_flow(lambda tx: freeze(tx, state), AuditAction.PUBLISHED)
        self._engine.triggers_changed()
        return published

    async def _unpublish(self, flow_id: FlowId) -> Flow:
        now = self._clock()

        def work(tx: Tx) -> tuple[bool, Flow]:
            flow = flows.get(tx, flow_id)
            was_paused = flow.paused_at is not None
            if was_paused:
                run_control.cancel_queued(tx, flow_id, now, CANCELLED_BY_UNPUBLISHING)
            if flow.active:
                flow_versions.delete_trigger_state(tx, flow_id)
                flows.change(tx, flow_id, now, active=False, has_unpublished_edits=False, **flows.RESUMED)
            return was_paused, flows.get(tx, flow_id)

        was_paused, flow = await self._commit(work, AuditAction.UNPUBLISHED, ResourceType.FLOW, flow_id)
        self._changes.notify(ResourceType.FLOW, flow_id)
        if was_paused:
            self._changes.notify(ResourceType.EXECUTION)
        self._engine.triggers_changed()
        return self._with_addresses(flow)

    def _grants_approval(self, running: FlowVersion | None) -> bool:
        """Whether publishing the same steps again lets them run programs that may not run so far."""
        return self._full_rights and running is not None and not running.approved

    def _sources(self, found: "_PublishState", version: FlowVersion) -> tuple[tuple[TriggerSource, ...], int]:
        """All sources of the flow, with that of the version, and the place of the latter among them.

        A flow that was published before sources were remembered had the one of its last version.
        """
        sources = found.sources
        if not sources and found.running is not None:
            sources = (source_of(self._apps, found.running.steps[0], found.all_connections),)
        source = source_of(self._apps, version.steps[0], found.all_connections)
        place = source_number(source, sources)
        return (sources if place <= len(sources) else (*sources, source)), place

    def _freeze(self, tx: Tx, checked: Flow, version: FlowVersion) -> Flow:
        flow = flows.get(tx, checked.id)
        if flow.steps != checked.steps or flow_versions.latest_version_number(tx, flow.id) >= version.number:
            raise _changed_conflict("The flow was changed while it was being published.")
        flow_versions.add(tx, version)
        columns: dict[str, object] = {
            "active": True, "published_version": version.number, "has_unpublished_edits": False,
        }  # fmt: skip
        if flow.paused_reason != PAUSED_BY_USER:
            # Held for its failures: those were of the version that is replaced now.
            columns |= {**flows.RESUMED, "streak_from": version.created_at}
        flows.change(tx, flow.id, self._clock(), **columns)
        return flows.get(tx, flow.id)


def _changed_conflict(happened: str) -> Conflict:
    return Conflict(
        happened, meaning="Nothing was published.", todo="Look at the change, then publish again."
    )  # fmt: skip


class _PublishState(NamedTuple):
    """What publishing a flow depends on. `newest` is the number of its newest version, 0 without one.

    `running` is the version that was published last, `place` that of its trigger's source among `sources`.
    """

    flow: Flow
    running: FlowVersion | None
    newest: int
    connections: dict[ConnectionId, Connection]
    callable: frozenset[FlowId]
    sources: tuple[TriggerSource, ...]
    place: int
    all_connections: tuple[Connection, ...]
    foreign: frozenset[ConnectionId]
    """Connections of its steps that belong to somebody else, where its owner is no admin."""


def _read_publish_state(tx: Tx, flow_id: FlowId) -> _PublishState:
    flow = flows.get(tx, flow_id)
    return _PublishState(
        flow=flow,
        running=flow_versions.frozen(tx, flow_id, flow.published_version) if flow.published_version else None,
        newest=flow_versions.latest_version_number(tx, flow_id),
        connections={connection.id: connection for connection in connections.find(tx)},
        callable=frozenset(choice.id for choice in callable_flows(tx, flow_id)),
        sources=flows.sources(tx, flow_id),
        place=flow_versions.source_of(tx, flow_id),
        all_connections=connections.find_including_deleted(tx),
        foreign=foreign_connections(tx, flow_id, flow.connection_ids),
    )


def _trigger_identity(steps: tuple[Step, ...]) -> tuple[object, ...]:
    """What decides where a trigger stands: as long as it is the same, the trigger goes on from there."""
    trigger = steps[0]
    return trigger.id, trigger.app_key, trigger.key, trigger.connection_id, trigger.parameters
