"""Published versions of flows, drafts in the same form, and the state of their triggers."""

from collections.abc import Sequence

from sqlalchemy import Connection, RowMapping, Select, delete, func, insert, select

from patchbay.domain.base import EpochMs, FlowId
from patchbay.domain.engine_store import ActiveTrigger, TriggerState
from patchbay.domain.flows import FlowSettings, FlowVersion, Step
from patchbay.domain.trigger_sources import FIRST_SOURCE
from patchbay.storage import seen_events
from patchbay.storage.codec import decode_payload, decode_steps
from patchbay.storage.repositories import secrets
from patchbay.storage.repositories.owners import can_reach, is_restricted
from patchbay.storage.repositories.rows import Tx, dump_json
from patchbay.storage.repositories.steps import steps_by_flow
from patchbay.storage.tables import flow, flow_version, trigger_state, user

DRAFT = 0
"""Version number of a draft; published versions start at 1."""


def frozen(tx: Connection, flow_id: FlowId, number: int) -> FlowVersion | None:
    """The version with this number, also of a deleted flow, whose queued runs still use it."""
    query = select(flow_version).where(flow_version.c.flow_id == flow_id, flow_version.c.number == number)
    row = tx.execute(query).mappings().first()
    return None if row is None else _version_from_row(row)


def published(tx: Connection, flow_id: FlowId, caller: FlowId | None = None) -> FlowVersion | None:
    """The published version of a flow; None if it isn't published, or `caller` may not call it."""
    if caller is not None and not can_reach(tx, caller, flow_id):
        return None
    row = tx.execute(_published_query().where(flow.c.id == flow_id)).mappings().first()
    return None if row is None else _version_from_row(row)


def draft(tx: Connection, flow_id: FlowId) -> FlowVersion | None:
    """The current draft of a flow in the form of a version; None if the flow doesn't exist."""
    query = select(flow.c.name, flow.c.updated_at).where(flow.c.id == flow_id, flow.c.deleted_at.is_(None))
    row = tx.execute(query).first()
    if row is None:
        return None
    steps = steps_by_flow(tx, [flow_id])[flow_id]
    return FlowVersion(flow_id=flow_id, number=DRAFT, name=row.name, steps=steps, created_at=row.updated_at)


def settings(tx: Connection, flow_id: FlowId) -> FlowSettings:
    """The settings of a flow; the defaults if it doesn't exist."""
    found = tx.execute(select(flow.c.settings).where(flow.c.id == flow_id)).scalar()
    return FlowSettings.model_validate_json(found or "{}")


def active_triggers(tx: Connection) -> tuple[ActiveTrigger, ...]:
    """All published flows with the state of their triggers, sorted by flow ID."""
    query = _published_query().add_columns(
        flow.c.execution_interval,
        flow.c.settings,
        flow.c.paused_at,
        trigger_state.c.cursor,
        trigger_state.c.next_due_at,
        trigger_state.c.source,
        flow.c.user_id,
        is_restricted().label("own_only"),
    )
    query = query.outerjoin(trigger_state, trigger_state.c.flow_id == flow.c.id)
    query = query.outerjoin(user, user.c.id == flow.c.user_id).order_by(flow.c.id)
    return tuple(_active_trigger(row) for row in tx.execute(query).mappings())


def _published_query() -> Select[tuple[object, ...]]:
    return (
        select(flow_version)
        .join_from(flow, flow_version, flow_version.c.flow_id == flow.c.id)
        .where(flow_version.c.number == flow.c.published_version)
        .where(flow.c.active, flow.c.deleted_at.is_(None))
    )


def _version_from_row(row: RowMapping) -> FlowVersion:
    return FlowVersion(
        flow_id=row["flow_id"],
        number=row["number"],
        name=row["name"],
        steps=decode_steps(row["steps"]),
        created_at=row["created_at"],
        approved=row["approved"],
    )


def _active_trigger(row: RowMapping) -> ActiveTrigger:
    cursor = decode_payload(row["cursor"])
    state = TriggerState(
        flow_id=row["flow_id"],
        next_due_at=row["next_due_at"],
        cursor=cursor if isinstance(cursor, dict) else {},
    )
    return ActiveTrigger(
        version=_version_from_row(row),
        interval_minutes=row["execution_interval"],
        state=state,
        settings=FlowSettings.model_validate_json(row["settings"]),
        paused=row["paused_at"] is not None,
        source=row["source"] or FIRST_SOURCE,
        user_id=row["user_id"],
        own_only=bool(row["own_only"]),
    )


def latest_version_number(tx: Tx, flow_id: FlowId) -> int:
    """The highest version number of a flow; 0 if it was never published."""
    query = select(func.max(flow_version.c.number)).where(flow_version.c.flow_id == flow_id)
    return tx.execute(query).scalar() or 0


def published_steps(tx: Tx, flow_ids: Sequence[FlowId]) -> dict[FlowId, tuple[Step, ...]]:
    """The published steps, for those of these flows that are published."""
    query = select(flow.c.id, flow_version.c.steps).where(flow.c.id.in_(flow_ids), flow.c.active)
    published = (flow_version.c.flow_id == flow.c.id) & (flow_version.c.number == flow.c.published_version)
    return {
        flow_id: decode_steps(steps) for flow_id, steps in tx.execute(query.join(flow_version, published))
    }


def published_versions(tx: Tx, flow_ids: Sequence[FlowId]) -> dict[FlowId, FlowVersion]:
    """The published versions, of those of these flows that are published."""
    rows = tx.execute(_published_query().where(flow.c.id.in_(flow_ids))).mappings()
    return {version.flow_id: version for version in map(_version_from_row, rows)}


def add(tx: Tx, version: FlowVersion) -> None:
    """Store a new version."""
    steps = dump_json([step.wire() for step in version.steps])
    tx.execute(insert(flow_version).values(**version.model_dump(exclude={"steps"}), steps=steps))


def reset_trigger_state(tx: Tx, state: TriggerState, source: int | None = None) -> None:
    """Replace the state of a trigger. Events recorded before stay recorded.

    `source` is the number of the trigger's source among those of the flow; None keeps the current one.
    """
    source = source or source_of(tx, state.flow_id)
    delete_trigger_state(tx, state.flow_id)
    row = state.model_dump(exclude={"seen"}) | {"cursor": dump_json(state.cursor), "source": source}
    tx.execute(insert(trigger_state).values(**row))
    seen_events.record_all_seen(tx, state.flow_id, state.seen)


def get_trigger_state(tx: Tx, flow_id: FlowId) -> TriggerState | None:
    """The state of a published flow's trigger; None if it has none."""
    row = tx.execute(select(trigger_state).where(trigger_state.c.flow_id == flow_id)).first()
    if row is None:
        return None
    cursor = decode_payload(row.cursor)
    return TriggerState(
        flow_id=flow_id, next_due_at=row.next_due_at, cursor=cursor if isinstance(cursor, dict) else {}
    )


def source_of(tx: Tx, flow_id: FlowId) -> int:
    """The number of the trigger's source among those of the flow."""
    query = select(trigger_state.c.source).where(trigger_state.c.flow_id == flow_id)
    return tx.execute(query).scalar() or FIRST_SOURCE


def delete_trigger_state(tx: Tx, flow_id: FlowId) -> None:
    """Delete the state of a flow's trigger, with the secrets of its webhook."""
    secrets.remove_webhook(tx, flow_id)
    tx.execute(delete(trigger_state).where(trigger_state.c.flow_id == flow_id))


def next_start_times(tx: Tx, flow_ids: Sequence[FlowId]) -> dict[FlowId, EpochMs]:
    """When these flows start next, for those with a scheduled start."""
    query = select(trigger_state.c.flow_id, trigger_state.c.next_due_at)
    query = query.where(trigger_state.c.flow_id.in_(flow_ids), trigger_state.c.next_due_at.is_not(None))
    return {flow_id: due for flow_id, due in tx.execute(query)}
