"""Flow versions as the engine reads them: frozen ones, and drafts in the form of one."""

from sqlalchemy import Connection, RowMapping, Select, select

from patchbay.domain.base import FlowId
from patchbay.domain.flows import FlowSettings, FlowVersion
from patchbay.domain.runs import ActiveTrigger, TriggerState
from patchbay.domain.sources import FIRST_SOURCE
from patchbay.storage.codec import decode_payload, decode_steps
from patchbay.storage.reach import can_reach, is_restricted
from patchbay.storage.repositories.steps import steps_by_flow
from patchbay.storage.tables import flow, flow_version, trigger_state, user

DRAFT = 0
"""The number of a draft in the form of a version."""


def frozen(tx: Connection, flow_id: FlowId, number: int) -> FlowVersion | None:
    """The frozen copy with this number; also of deleted flows, whose accepted runs go on."""
    query = select(flow_version).where(flow_version.c.flow_id == flow_id, flow_version.c.number == number)
    row = tx.execute(query).mappings().first()
    return None if row is None else _version_from_row(row)


def published(tx: Connection, flow_id: FlowId, caller: FlowId | None = None) -> FlowVersion | None:
    """The published version of an active flow; with a caller, of one that this flow may call."""
    if caller is not None and not can_reach(tx, caller, flow_id):
        return None
    row = tx.execute(_published_query().where(flow.c.id == flow_id)).mappings().first()
    return None if row is None else _version_from_row(row)


def draft(tx: Connection, flow_id: FlowId) -> FlowVersion | None:
    query = select(flow.c.name, flow.c.updated_at).where(flow.c.id == flow_id, flow.c.deleted_at.is_(None))
    row = tx.execute(query).first()
    if row is None:
        return None
    steps = steps_by_flow(tx, [flow_id])[flow_id]
    return FlowVersion(flow_id=flow_id, number=DRAFT, name=row.name, steps=steps, created_at=row.updated_at)


def settings(tx: Connection, flow_id: FlowId) -> FlowSettings:
    """How a flow is run; the defaults for one that is not there."""
    found = tx.execute(select(flow.c.settings).where(flow.c.id == flow_id)).scalar()
    return FlowSettings.model_validate_json(found or "{}")


def active_triggers(tx: Connection) -> tuple[ActiveTrigger, ...]:
    """Every published flow with where its trigger stands, by flow id."""
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
        flow_id=row["flow_id"], number=row["number"], name=row["name"], steps=decode_steps(row["steps"]),
        created_at=row["created_at"], approved=row["approved"],
    )  # fmt: skip


def _active_trigger(row: RowMapping) -> ActiveTrigger:
    cursor = decode_payload(row["cursor"])
    state = TriggerState(
        flow_id=row["flow_id"], next_due_at=row["next_due_at"],
        cursor=cursor if isinstance(cursor, dict) else {},
    )  # fmt: skip
    return ActiveTrigger(
        version=_version_from_row(row), interval_minutes=row["execution_interval"], state=state,
        settings=FlowSettings.model_validate_json(row["settings"]), paused=row["paused_at"] is not None,
        source=row["source"] or FIRST_SOURCE, user_id=row["user_id"], own_only=bool(row["own_only"]),
    )  # fmt: skip
