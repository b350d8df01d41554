"""Going live and back. Everything is checked before anything is changed."""

from typing import NamedTuple

from patchbay.domain.audit import AuditAction
from patchbay.domain.base import ConnectionId, EpochMs, FlowId
from patchbay.domain.changes import ResourceType
from patchbay.domain.connections import Connection
from patchbay.domain.errors import Conflict, FlowNotReady
from patchbay.domain.flows import PAUSED_BY_USER, Flow, FlowVersion, Step
from patchbay.domain.runs import TriggerState
from patchbay.domain.sources import TriggerSource, source_number
from patchbay.service.readiness import connection_owner_blockers, find_blockers
from patchbay.service.registering import RemoteWebhookOperations
from patchbay.service.showing import without_addresses
from patchbay.service.trigger_sources import source_of
from patchbay.storage import control, flow_versions
from patchbay.storage.flow_directory import callable_flows
from patchbay.storage.repositories import connections, flows, versions
from patchbay.storage.repositories.owners import foreign_connections
from patchbay.storage.repositories.rows import Tx

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
                versions.reset_trigger_state(tx, state, place)
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
                control.cancel_queued(tx, flow_id, now, CANCELLED_BY_UNPUBLISHING)
            if flow.active:
                versions.delete_trigger_state(tx, flow_id)
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
        if flow.steps != checked.steps or versions.latest_version_number(tx, flow.id) >= version.number:
            raise _changed_conflict("The flow was changed while it was being published.")
        versions.add(tx, version)
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
        newest=versions.latest_version_number(tx, flow_id),
        connections={connection.id: connection for connection in connections.find(tx)},
        callable=frozenset(choice.id for choice in callable_flows(tx, flow_id)),
        sources=flows.sources(tx, flow_id),
        place=versions.source_of(tx, flow_id),
        all_connections=connections.find_including_deleted(tx),
        foreign=foreign_connections(tx, flow_id, flow.connection_ids),
    )


def _trigger_identity(steps: tuple[Step, ...]) -> tuple[object, ...]:
    """What decides where a trigger stands: as long as it is the same, the trigger goes on from there."""
    trigger = steps[0]
    return trigger.id, trigger.app_key, trigger.key, trigger.connection_id, trigger.parameters
