"""Executions as the window and the interface read them: lists, one with its steps, samples."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from sqlalchemy import Connection, RowMapping, Select, func, literal, select, tuple_

from patchbay.domain.base import EpochMs, ExecutionId, FlowId, StepId
from patchbay.domain.errors import NotFound
from patchbay.domain.executions import (
    Execution,
    ExecutionFilter,
    ExecutionStep,
    FlowRef,
    StepRef,
    StepState,
)
from patchbay.domain.flows import StepType
from patchbay.domain.paging import Page, PageRequest
from patchbay.domain.shortening import shorten_steps
from patchbay.storage.codec import decode_payload, decode_step_refs, decode_warnings, make_step_ref
from patchbay.storage.execution_filter import (
    Condition,
    ExecutionSelection,
    select_executions,
    time_conditions,
)
from patchbay.storage.execution_pages import (
    PageRows,
    PageSlice,
    Row,
    decode_cursor,
    encode_cursor,
    find_page,
    time_range_of,
)
from patchbay.storage.repositories.steps import steps_by_flow
from patchbay.storage.sqlite import driver_of
from patchbay.storage.tables import execution, flow, flow_version
from patchbay.storage.tables import execution_step as attempt
from patchbay.storage.tables import step as draft_step

_Draft: TypeAlias = tuple[tuple[EpochMs, StepRef], ...]
_DELETED_FLOW = "Deleted flow"
_NEWEST_FIRST = (execution.c.created_at.desc(), execution.c.id.desc())


def list_executions(tx: Connection, where: ExecutionFilter, page: PageRequest) -> Page[Execution]:
    """Newest first. A `cursor` goes on after the last row of its page, whatever arrived since."""
    selection, before = select_executions(tx, where), decode_cursor(page.cursor)
    page_slice = PageSlice(page.limit + 1, 0 if before else (page.page - 1) * page.limit, before)
    if selection.other_conditions:
        found = PageRows(scan_rows(tx, selection, where, page_slice), _count_by_scan(tx, selection, where))
    else:
        found = find_page(driver_of(tx), selection, time_range_of(where), page_slice)
    shown = found.rows[: page.limit]
    following = encode_cursor(shown[-1]) if len(found.rows) > page.limit else None
    items = read_executions(tx, [key for key, _ in shown])
    return Page(items=items, total=found.total, page=page.page, limit=page.limit, next_cursor=following)


def scan_rows(
    tx: Connection, selection: ExecutionSelection, where: ExecutionFilter, page_slice: PageSlice
) -> list[Row]:
    """For conditions that no tally knows: what lies before the part is gone through."""
    query = select(execution.c.id, execution.c.created_at).where(*_conditions_with_times(selection, where))
    if page_slice.before is not None:
        place = tuple_(*map(literal, page_slice.before))
        query = query.where(tuple_(execution.c.created_at, execution.c.id) < place)
    rows = tx.execute(query.order_by(*_NEWEST_FIRST).offset(page_slice.skip).limit(page_slice.limit)).all()
    return [(row.id, row.created_at) for row in rows]


def _count_by_scan(tx: Connection, selection: ExecutionSelection, where: ExecutionFilter) -> int:
    query = select(func.count()).select_from(execution).where(*_conditions_with_times(selection, where))
    return tx.execute(query).scalar_one()


def _conditions_with_times(selection: ExecutionSelection, where: ExecutionFilter) -> list[Condition]:
    return [*time_conditions(where.started_after, where.ended_before), *selection.conditions()]


def get_execution(tx: Connection, execution_id: ExecutionId) -> Execution:
    found = read_executions(tx, [execution_id])
    if not found:
        raise NotFound(
            "This execution is not there.",
            meaning="It may have been removed from the history.",
            todo="Refresh the list.",
        )
    return found[0]


def read_executions(tx: Connection, ids: Sequence[ExecutionId]) -> tuple[Execution, ...]:
    """These executions in the given order, without those that are not there."""
    rows = {
        row["id"]: row for row in tx.execute(_execution_query().where(execution.c.id.in_(ids))).mappings()
    }
    drafts = _drafts(tx, {row["flow_id"] for row in rows.values() if row["steps"] is None})
    return tuple(_execution(rows[item], drafts) for item in ids if item in rows)


def execution_steps(tx: Connection, execution_id: ExecutionId) -> tuple[ExecutionStep, ...]:
    """Every attempt of every step, in the order they ran."""
    run = get_execution(tx, execution_id)
    query = select(attempt).where(attempt.c.execution_id == execution_id)
    rows = tx.execute(query.order_by(attempt.c.seq, attempt.c.attempt)).mappings().all()
    refs = {ref.id: ref for ref in run.flow.steps}
    refs |= _deleted_steps(tx, {row["step_id"] for row in rows} - refs.keys())
    return tuple(_step(row, refs) for row in rows)


def latest_samples(tx: Connection, flow_id: FlowId) -> tuple[ExecutionStep, ...]:
    """The newest successful attempt of each step of the draft; at most one a step, in step order."""
    steps = steps_by_flow(tx, [flow_id], shorten_steps)[flow_id]
    found = []
    for item in steps:
        newest = select(attempt).where(
            attempt.c.step_id == item.id, attempt.c.status == literal("success", literal_execute=True)
        )
        row = tx.execute(newest.order_by(attempt.c.finished_at.desc()).limit(1)).mappings().first()
        if row is not None:
            found.append(_step(row, {item.id: make_step_ref(item)}))
    return tuple(found)


def _execution_query() -> Select[Any]:
    """Executions with what their flow is called now and the steps they were accepted with."""
    version = (flow_version.c.flow_id == execution.c.flow_id) & (
        flow_version.c.number == execution.c.flow_version
    )
    names = func.coalesce(flow.c.name, flow_version.c.name, _DELETED_FLOW).label("flow_name")
    live = (flow.c.active & flow.c.deleted_at.is_(None)).label("live")
    return (
        select(execution, names, live, flow.c.folder_id, flow_version.c.steps)
        .outerjoin(flow, flow.c.id == execution.c.flow_id)
        .outerjoin(flow_version, version)
    )


def _drafts(tx: Connection, flow_ids: Iterable[FlowId]) -> dict[FlowId, _Draft]:
    """The steps of drafts as they are now, each with the time at which it was added."""
    wanted = sorted(flow_ids)
    if not wanted:
        return {}
    times = select(draft_step.c.id, draft_step.c.created_at).where(draft_step.c.flow_id.in_(wanted))
    added = {row.id: row.created_at for row in tx.execute(times)}
    drafts = steps_by_flow(tx, wanted, shorten_steps)
    return {
        flow_id: tuple((added[step.id], make_step_ref(step)) for step in steps)
        for flow_id, steps in drafts.items()
    }


def _steps_at(draft: _Draft, moment: EpochMs) -> tuple[StepRef, ...]:
    """The steps that a draft had at this time, as far as they are still there, and what holds them now."""
    existing_ids = {ref.id for added, ref in draft if added <= moment}
    for _, ref in reversed(draft):  # what holds a step stands before it
        if ref.id in existing_ids and ref.parent_step_id:
            existing_ids.add(ref.parent_step_id)
    return tuple(ref for _, ref in draft if ref.id in existing_ids)


def _deleted_steps(tx: Connection, step_ids: Iterable[StepId]) -> dict[StepId, StepRef]:
    """Steps that a test run used and that were deleted or moved since."""
    wanted = sorted(step_ids)
    if not wanted:
        return {}
    rows = tx.execute(select(draft_step).where(draft_step.c.id.in_(wanted))).mappings()
    return {row["id"]: StepRef.model_validate(dict(row)) for row in rows}


def _execution(row: RowMapping, drafts: dict[FlowId, _Draft]) -> Execution:
    flow_id = row["flow_id"]
    steps = (
        decode_step_refs(row["steps"])
        if row["steps"] is not None
        else _steps_at(drafts.get(flow_id, ()), row["created_at"])
    )
    flow_ref = FlowRef(
        id=flow_id, name=row["flow_name"], active=bool(row["live"]), folder_id=row["folder_id"], steps=steps
    )
    return Execution(
        id=row["id"], flow=flow_ref, state=row["status"], flow_version=row["flow_version"],
        test_run=row["test_run"], internal_id=row["internal_id"], note=row["note"],
        steps_done=row["steps_done"], steps_total=row["steps_total"], wake_at=row["wake_at"],
        waits_for=row["waits_for"], origin_id=row["origin_id"], origin_kind=row["origin_kind"],
        started_at=row["started_at"], finished_at=row["finished_at"], created_at=row["created_at"],
        updated_at=row["updated_at"],
    )  # fmt: skip


def _step(row: RowMapping, refs: dict[StepId, StepRef]) -> ExecutionStep:
    began = row["started_at"] or 0
    error = decode_payload(row["error"])
    return ExecutionStep(
        id=f"{row['execution_id']}.{row['seq']}.{row['attempt']}", execution_id=row["execution_id"],
        step=refs.get(row["step_id"]) or _unknown_step(row), seq=row["seq"], attempt=row["attempt"],
        status=StepState(row["status"]), data_in=decode_payload(row["input"]), data_out=decode_payload(row["output"]),
        error_details=error if isinstance(error, dict) else None,
        warnings=decode_warnings(row["warnings"]), path=row["path"], started_at=row["started_at"],
        finished_at=row["finished_at"], created_at=began, updated_at=row["finished_at"] or began,
    )  # fmt: skip


def _unknown_step(row: RowMapping) -> StepRef:
    kind = StepType.ACTION if row["seq"] else StepType.TRIGGER
    return StepRef(id=row["step_id"], type=kind, position=row["seq"] + 1)
