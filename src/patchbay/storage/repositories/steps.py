"""Steps of drafts. Positions are contiguous from 1; a deleted step keeps the position it had."""

from collections.abc import Callable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, TypeAlias

from sqlalchemy import RowMapping, insert, select, update

from patchbay.domain.base import EpochMs, FlowId, StepId
from patchbay.domain.flows import Step, StepStatus, StepTestStatus, StructuralType
from patchbay.storage.repositories.rows import Tx, dump_json, load, not_found
from patchbay.storage.tables import flow, step

Steps: TypeAlias = tuple[Step, ...]
_NOT_STORED_FIELDS = {"webhook_url", "webhook_signed", "icon_url"}
_JSON = ("parameters", "policy", "branch_conditions")
_PASSED_MARK = (StepStatus.COMPLETED, StepTestStatus.PASSED)
_FAILED_MARK = (StepStatus.INCOMPLETE, StepTestStatus.FAILED)


def steps_by_flow(
    tx: Tx, flow_ids: Sequence[FlowId], shorten: Callable[[Steps], Steps] = tuple
) -> dict[FlowId, Steps]:
    """The steps of each flow, by position. `shorten` is applied flow by flow, to limit memory."""
    not_deleted = select(step).where(step.c.flow_id.in_(flow_ids), step.c.deleted_at.is_(None))
    rows = tx.execute(not_deleted.order_by(step.c.flow_id, step.c.position)).mappings()
    found: dict[FlowId, Steps] = dict.fromkeys(flow_ids, ())
    for flow_id, of_one in groupby(rows, key=itemgetter("flow_id")):
        found[flow_id] = shorten(tuple(map(_step, of_one)))
    return found


def flow_id_of_step(tx: Tx, step_id: StepId, *, deleted: bool = False) -> FlowId:
    """The flow of a step, if neither is deleted. `deleted`: of a deleted step instead."""
    query = select(flow.c.id).join(step, step.c.flow_id == flow.c.id)
    query = query.where(step.c.id == step_id, flow.c.deleted_at.is_(None))
    query = query.where(step.c.deleted_at.is_not(None) if deleted else step.c.deleted_at.is_(None))
    flow_id: FlowId | None = tx.execute(query).scalar()
    if flow_id is None:
        raise not_found("step")
    return flow_id


def find_deleted_together(tx: Tx, step_id: StepId) -> tuple[Step, ...]:
    """A deleted step and those deleted together with it, by position."""
    moment = select(step.c.flow_id, step.c.deleted_at).where(step.c.id == step_id)
    flow_id, deleted_at = tx.execute(moment).one()
    query = select(step).where(step.c.flow_id == flow_id, step.c.deleted_at == deleted_at)
    rows = tx.execute(query.order_by(step.c.position)).mappings()
    return tuple(map(_step, rows))


def add(tx: Tx, flow_id: FlowId, items: Sequence[Step], now: EpochMs) -> None:
    """Insert the steps of a flow."""
    if items:
        rows = [_columns(item) | {"flow_id": flow_id, "created_at": now, "updated_at": now} for item in items]
        tx.execute(insert(step), rows)


def put(tx: Tx, item: Step, now: EpochMs) -> None:
    """Store all columns of a step."""
    tx.execute(update(step).where(step.c.id == item.id).values(**_columns(item), updated_at=now))


def record_test(tx: Tx, flow_id: FlowId, tested: Sequence[tuple[Step, bool]], now: EpochMs) -> bool:
    """Mark steps by whether they passed a test, but those that were edited since; whether that changed any.

    The flow keeps its `updated_at`: a test changes nothing that runs. Branches are never tested.
    """
    drafts = {item.id: item for item in steps_by_flow(tx, [flow_id])[flow_id]}
    changed = False
    for as_tested, passed in tested:
        draft = drafts.get(as_tested.id)
        if draft is None or draft.structural_type is StructuralType.BRANCH:
            continue
        mark = _PASSED_MARK if passed else _FAILED_MARK
        if draft.behaves_like(as_tested) and (draft.status, draft.tested) != mark:
            status, how = mark
            put(tx, draft.model_copy(update={"status": status, "tested": how}), now)
            changed = True
    return changed


def save_order(tx: Tx, items: Sequence[Step]) -> None:
    """Store the positions and parents of these steps."""
    for item in items:
        place = {"position": item.position, "parent_step_id": item.parent_step_id}
        tx.execute(update(step).where(step.c.id == item.id).values(place))


def remove(tx: Tx, step_ids: Sequence[StepId], now: EpochMs) -> None:
    """Mark steps as deleted."""
    tx.execute(update(step).where(step.c.id.in_(step_ids)).values(deleted_at=now))


def restore(tx: Tx, step_ids: Sequence[StepId]) -> None:
    """Restore deleted steps."""
    tx.execute(update(step).where(step.c.id.in_(step_ids)).values(deleted_at=None))


def _step(row: RowMapping) -> Step:
    values = load(row, *_JSON)
    return Step.model_validate(values | {"connection_undecided": values["connection_required"]})


def _columns(item: Step) -> dict[str, Any]:
    conditions = item.branch_conditions
    return item.model_dump(exclude={*_NOT_STORED_FIELDS, "connection_undecided"}) | {
        "connection_required": item.connection_undecided,
        "parameters": dump_json(item.parameters),
        "policy": item.policy.model_dump_json(exclude_none=True),
        "branch_conditions": None if conditions is None else dump_json(list(conditions)),
    }
