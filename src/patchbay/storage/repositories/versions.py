"""Published versions: frozen copies of a flow's steps, and where their trigger stands."""

from collections.abc import Sequence

from sqlalchemy import delete, func, insert, select

from patchbay.domain.base import EpochMs, FlowId
from patchbay.domain.flows import FlowVersion, Step
from patchbay.domain.runs import TriggerState
from patchbay.domain.sources import FIRST_SOURCE
from patchbay.storage import seen_events
from patchbay.storage.codec import decode_payload, decode_steps
from patchbay.storage.repositories.rows import Tx, dump_json
from patchbay.storage.tables import flow, flow_version, trigger_state


def latest_version_number(tx: Tx, flow_id: FlowId) -> int:
    """0 while never published."""
    query = select(func.max(flow_version.c.number)).where(flow_version.c.flow_id == flow_id)
    return tx.execute(query).scalar() or 0


def published_steps(tx: Tx, flow_ids: Sequence[FlowId]) -> dict[FlowId, tuple[Step, ...]]:
    """The steps that run now, for the published flows among these."""
    query = select(flow.c.id, flow_version.c.steps).where(flow.c.id.in_(flow_ids), flow.c.active)
    published = (flow_version.c.flow_id == flow.c.id) & (flow_version.c.number == flow.c.published_version)
    return {
        flow_id: decode_steps(steps) for flow_id, steps in tx.execute(query.join(flow_version, published))
    }


def add(tx: Tx, version: FlowVersion) -> None:
    steps = dump_json([step.wire() for step in version.steps])
    tx.execute(insert(flow_version).values(**version.model_dump(exclude={"steps"}), steps=steps))


def reset_trigger_state(tx: Tx, state: TriggerState, source: int | None = None) -> None:
    """Begin anew where the state says; what was known before stays known.

    `source` is the place of the trigger's source among those of the flow, None for that it has.
    """
    source = source or source_of(tx, state.flow_id)
    delete_trigger_state(tx, state.flow_id)
    row = state.model_dump(exclude={"seen"}) | {"cursor": dump_json(state.cursor), "source": source}
    tx.execute(insert(trigger_state).values(**row))
    seen_events.record_all_seen(tx, state.flow_id, state.seen)


def get_trigger_state(tx: Tx, flow_id: FlowId) -> TriggerState | None:
    """Where the trigger of a published flow stands."""
    row = tx.execute(select(trigger_state).where(trigger_state.c.flow_id == flow_id)).first()
    if row is None:
        return None
    cursor = decode_payload(row.cursor)
    return TriggerState(
        flow_id=flow_id, next_due_at=row.next_due_at, cursor=cursor if isinstance(cursor, dict) else {}
    )


def source_of(tx: Tx, flow_id: FlowId) -> int:
    """The place of the running trigger's source among those of the flow."""
    query = select(trigger_state.c.source).where(trigger_state.c.flow_id == flow_id)
    return tx.execute(query).scalar() or FIRST_SOURCE


def delete_trigger_state(tx: Tx, flow_id: FlowId) -> None:
    tx.execute(delete(trigger_state).where(trigger_state.c.flow_id == flow_id))


def next_start_times(tx: Tx, flow_ids: Sequence[FlowId]) -> dict[FlowId, EpochMs]:
    """When each of these flows starts next, where its timer knows."""
    query = select(trigger_state.c.flow_id, trigger_state.c.next_due_at)
    query = query.where(trigger_state.c.flow_id.in_(flow_ids), trigger_state.c.next_due_at.is_not(None))
    return {flow_id: due for flow_id, due in tx.execute(query)}
