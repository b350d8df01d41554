"""Flows with their draft steps. Deletion only marks the row."""

import base64
import json
from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import RowMapping, Select, exists, func, insert, literal, select, tuple_, union, update

from patchbay.domain.base import AppKey, EpochMs, FlowId, UserId
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.flows import Flow, FlowFilter, FlowStatus, Step
from patchbay.domain.folders import NO_FOLDER
from patchbay.domain.paging import Page, PageRequest
from patchbay.domain.trigger_sources import TriggerSource
from patchbay.domain.truncation import shorten_steps
from patchbay.storage.driver import contains_in_any_case
from patchbay.storage.repositories import steps as step_rows
from patchbay.storage.repositories.rows import Tx, dump_json, load, not_found
from patchbay.storage.tables import connection, flow, step

_ORDER = (flow.c.active, flow.c.updated_at, flow.c.id)
_MAX_INTEGER = 2**63 - 1
"""The largest number that an integer column can store."""
RESUMED: dict[str, None] = {"paused_at": None, "paused_reason": None}
"""Column values of a flow that isn't paused."""


def get(tx: Tx, flow_id: FlowId) -> Flow:
    """Return a flow that isn't deleted, with its steps. Raises `NotFound`."""
    row = tx.execute(_not_deleted().where(flow.c.id == flow_id)).mappings().first()
    if row is None:
        raise not_found("flow")
    return _flow(row, step_rows.steps_by_flow(tx, [flow_id])[flow_id])


def find(tx: Tx, where: FlowFilter, page: PageRequest) -> Page[Flow]:
    """Find a page of flows: published ones first, then the last updated. Shortens large parameters."""
    query = _matching(where)
    total = tx.execute(select(func.count()).select_from(query.subquery())).scalar_one()
    ordered = query.order_by(*(column.desc() for column in _ORDER)).limit(page.limit + 1)
    if page.cursor:
        ordered = ordered.where(tuple_(*_ORDER) < tuple_(*map(literal, _read_cursor(page.cursor))))
    else:
        ordered = ordered.offset((page.page - 1) * page.limit)
    rows = tx.execute(ordered).mappings().all()
    shown = rows[: page.limit]
    steps = step_rows.steps_by_flow(tx, [row["id"] for row in shown], shorten_steps)
    items = tuple(_flow(row, steps[row["id"]]) for row in shown)
    following = _cursor(items[-1]) if len(rows) > page.limit else None
    return Page(items=items, total=total, page=page.page, limit=page.limit, next_cursor=following)


def find_imported(tx: Tx, origins: Collection[str], owner: UserId) -> dict[str, Flow]:
    """Flows of this owner imported from files with these fingerprints, by fingerprint.

    Of several flows from one file, a published one comes first, then the last updated.
    """
    query = _not_deleted().where(flow.c.imported_from.in_(origins), flow.c.user_id == owner)
    rows = {row["imported_from"]: row for row in tx.execute(query.order_by(*_ORDER)).mappings()}
    steps = step_rows.steps_by_flow(tx, [row["id"] for row in rows.values()])
    return {origin: _flow(row, steps[row["id"]]) for origin, row in rows.items()}


def add(tx: Tx, item: Flow) -> None:
    """Store a new flow with its steps."""
    columns = item.model_dump(exclude={"steps", "status"}) | {"settings": item.settings.model_dump_json()}
    tx.execute(insert(flow).values(**columns))
    step_rows.add(tx, item.id, item.steps, item.created_at)


def change(tx: Tx, flow_id: FlowId, now: EpochMs, **columns: Any) -> None:
    """Set columns of a flow."""
    tx.execute(update(flow).where(flow.c.id == flow_id).values(updated_at=now, **columns))


def sources(tx: Tx, flow_id: FlowId) -> tuple[TriggerSource, ...]:
    """The sources that the flow's trigger was published with, oldest first."""
    found = tx.execute(select(flow.c.sources).where(flow.c.id == flow_id)).scalar_one()
    return tuple(map(TriggerSource.model_validate, json.loads(found)))


def save_trigger_sources(tx: Tx, flow_id: FlowId, found: Sequence[TriggerSource]) -> None:
    """Store the sources that a flow was published with."""
    text = dump_json([source.model_dump() for source in found])
    tx.execute(update(flow).where(flow.c.id == flow_id).values(sources=text))


def remove(tx: Tx, flow_id: FlowId, now: EpochMs) -> None:
    """Mark a flow as deleted, unpublished, and not paused."""
    change(tx, flow_id, now, active=False, has_unpublished_edits=False, deleted_at=now, **RESUMED)


def restore(tx: Tx, flow_id: FlowId, now: EpochMs) -> Flow:
    """Restore a deleted flow; does nothing if it isn't deleted."""
    undelete = update(flow).where(flow.c.id == flow_id, flow.c.deleted_at.is_not(None))
    tx.execute(undelete.values(deleted_at=None, updated_at=now))
    return get(tx, flow_id)


def count_by_app(tx: Tx) -> dict[AppKey, int]:
    """Number of flows that use each app, in a step or by one of its connections, such as a signing secret."""
    living = step.join(flow, flow.c.id == step.c.flow_id)
    in_use = [step.c.deleted_at.is_(None), flow.c.deleted_at.is_(None)]
    by_step = select(step.c.flow_id, step.c.app_key).select_from(living).where(step.c.app_key.is_not(None))
    connected = living.join(connection, connection.c.id == step.c.connection_id)
    by_connection = select(step.c.flow_id, connection.c.app_key).select_from(connected)
    used = union(by_step.where(*in_use), by_connection.where(*in_use)).subquery()
    query = select(used.c.app_key, func.count()).group_by(used.c.app_key)
    return {key: number for key, number in tx.execute(query)}


def pause_reasons(tx: Tx, flow_ids: Sequence[FlowId]) -> dict[FlowId, str]:
    """Why flows are paused, for those of these flows that are."""
    paused = select(flow.c.id, flow.c.paused_reason).where(flow.c.id.in_(flow_ids), flow.c.active)
    rows = tx.execute(paused.where(flow.c.paused_at.is_not(None)))
    return {row.id: row.paused_reason or "" for row in rows}


def _flow(row: RowMapping, steps: tuple[Step, ...]) -> Flow:
    return Flow.model_validate(load(row, "settings") | {"steps": steps})


def _not_deleted() -> Select[Any]:
    return select(flow).where(flow.c.deleted_at.is_(None))


def _matching(where: FlowFilter) -> Select[Any]:
    query = _not_deleted()
    if where.name:
        query = query.where(contains_in_any_case(flow.c.name, where.name))
    if where.status:
        query = query.where(*_STATUS[where.status])
    if where.folder_id:
        query = query.where(flow.c.folder_id == (None if where.folder_id == NO_FOLDER else where.folder_id))
    if where.user_id:
        query = query.where(flow.c.user_id == where.user_id)
    if where.app_key:
        query = query.where(_has_step(step.c.app_key == where.app_key))
    if where.connection_id:
        query = query.where(_has_step(step.c.connection_id == where.connection_id))
    if where.ids is not None:
        query = query.where(flow.c.id.in_(where.ids))
    return query


_STATUS = {
    FlowStatus.DRAFT: (flow.c.active.is_(False),),
    FlowStatus.PUBLISHED: (flow.c.active,),
    FlowStatus.PAUSED: (flow.c.active, flow.c.paused_at.is_not(None)),
}


def _has_step(condition: Any) -> Any:
    return exists().where(step.c.flow_id == flow.c.id, step.c.deleted_at.is_(None), condition)


def _cursor(item: Flow) -> str:
    return base64.urlsafe_b64encode(json.dumps([item.active, item.updated_at, item.id]).encode()).decode()


def _read_cursor(cursor: str) -> tuple[bool, int, str]:
    try:
        active, updated_at, flow_id = json.loads(base64.urlsafe_b64decode(cursor))
        place = bool(active), max(-_MAX_INTEGER, min(int(updated_at), _MAX_INTEGER)), str(flow_id)
        place[2].encode()
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise ValidationFailed({"cursor": ["This cursor isn't valid for the list of flows."]}) from error
    return place
