"""`ExecutionFilter` as SQL conditions, in the form that finds an index."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, false, func, select, tuple_

from patchbay.domain.base import AppKey, EpochMs, FlowId, FolderId
from patchbay.domain.executions import ExecutionFilter, ExecutionState, ExecutionStatus, Origin
from patchbay.storage.codec import decode_steps
from patchbay.storage.tables import execution, flow, flow_version, step

Condition = ColumnElement[bool]

NO_FOLDER = "null"
"""As in `FlowFilter`: flows in no folder."""

_NO_VERSION = 0
"""Stands for the missing version of a draft's run; real ones count from 1."""

_OF_STATUS = {
    ExecutionStatus.SUCCESS: frozenset({ExecutionState.SUCCESS, ExecutionState.FILTERED}),
    ExecutionStatus.FAILURE: frozenset({ExecutionState.FAILURE}),
}


@dataclass(frozen=True, slots=True)
class ExecutionSelection:
    """What the conditions of a filter come to, without its times.

    None means any. `flows` holds deleted ones too. `other_conditions` are the conditions that no tally knows of.
    """

    states: frozenset[ExecutionState] | None = None
    flows: tuple[FlowId, ...] | None = None
    test_run: bool | None = None
    other_conditions: tuple[Condition, ...] = ()

    def conditions(self) -> Iterable[Condition]:
        """All of them, to be joined with AND."""
        if self.states is not None:
            yield execution.c.status.in_(sorted(self.states)) if self.states else false()
        if self.flows is not None:
            yield _flow_condition(self.flows)
        if self.test_run is not None:
            yield execution.c.test_run.is_(self.test_run)
        yield from self.other_conditions


def select_executions(tx: Connection, where: ExecutionFilter) -> ExecutionSelection:
    """What the filter asks for, but for its times."""
    flows = _matching_flow_ids(tx, where)
    other_conditions: list[Condition] = []
    if where.app_key:
        with_app, other_conditions = _app_conditions(tx, where.app_key)
        flows = with_app if flows is None else [one for one in flows if one in set(with_app)]
    if where.origin_id:
        other_conditions.append(execution.c.origin_id == where.origin_id)
    if where.retried is not None:
        other_conditions.append(_retried_condition() if where.retried else ~_retried_condition())
    if where.note:
        other_conditions.append(execution.c.note.contains(where.note, autoescape=True))
    return ExecutionSelection(
        states=_matching_states(where),
        flows=None if flows is None else tuple(flows),
        test_run=where.test_run,
        other_conditions=tuple(other_conditions),
    )


def conditions(tx: Connection, where: ExecutionFilter) -> list[Condition]:
    """All conditions of the filter, to be joined with AND."""
    times = time_conditions(where.started_after, where.ended_before)
    return [*times, *select_executions(tx, where).conditions()]


def time_conditions(after: EpochMs | None, before: EpochMs | None) -> Iterable[Condition]:
    if after is not None:
        yield execution.c.created_at >= after
    if before is not None:
        yield execution.c.created_at <= before


def _matching_states(where: ExecutionFilter) -> frozenset[ExecutionState] | None:
    """The states that pass both conditions on it; None when there is none."""
    states = frozenset(where.states) if where.states else None
    if where.status is None:
        return states
    of_status = _OF_STATUS[where.status]
    return of_status if states is None else states & of_status


def _flow_condition(flows: Sequence[FlowId]) -> Condition:
    if not flows:
        return false()
    return execution.c.flow_id == flows[0] if len(flows) == 1 else execution.c.flow_id.in_(flows)


def _matching_flow_ids(tx: Connection, where: ExecutionFilter) -> list[FlowId] | None:
    """The flows that pass the conditions on flows, deleted ones too; None when there is no such condition."""
    query = select(flow.c.id)
    if where.name:
        query = query.where(flow.c.name.icontains(where.name, autoescape=True))
    if where.folder_id:
        query = query.where(_folder_condition(where.folder_id))
    if where.user_id:
        query = query.where(flow.c.user_id == where.user_id)
    if not (where.name or where.folder_id or where.user_id):
        return [where.flow_id] if where.flow_id else None
    if where.flow_id:
        query = query.where(flow.c.id == where.flow_id)
    return list(tx.execute(query).scalars())


def _folder_condition(folder_id: FolderId) -> Condition:
    return flow.c.folder_id.is_(None) if folder_id == NO_FOLDER else flow.c.folder_id == folder_id


def _retried_condition() -> Condition:
    again = execution.alias()
    of_it = (again.c.origin_id == execution.c.id, again.c.origin_kind.in_((Origin.RETRY, Origin.REPLAY)))
    return select(again.c.id).where(*of_it).correlate(execution).exists()


def _app_conditions(tx: Connection, app_key: AppKey) -> tuple[list[FlowId], list[Condition]]:
    """Runs of versions with a step of the app, and test runs of drafts that have one now.

    Told as flows with exceptions, since most often there are none and the index on flows alone answers.
    """
    drafts: set[FlowId] = set(tx.execute(_drafts_with(app_key)).scalars())
    versions = tx.execute(select(flow_version.c.flow_id, flow_version.c.number, flow_version.c.steps)).all()
    used = {(item.flow_id, item.number) for item in versions if _has_app(item.steps, app_key)}
    with_app = drafts | {flow_id for flow_id, _ in used}
    pairs = [(item.flow_id, item.number) for item in versions if item.flow_id in with_app]
    without = [pair for pair in pairs if pair not in used]
    return sorted(with_app), list(_without_app_conditions(without, sorted(with_app - drafts)))


def _has_app(steps: str, app_key: AppKey) -> bool:
    return any(item.app_key == app_key for item in decode_steps(steps))


def _drafts_with(app_key: AppKey) -> Select[Any]:
    return select(step.c.flow_id).where(step.c.app_key == app_key, step.c.deleted_at.is_(None)).distinct()


def _without_app_conditions(versions: list[tuple[FlowId, int]], drafts: list[FlowId]) -> Iterable[Condition]:
    """Versions, and drafts (whose runs have no version), without the app in flows that have it elsewhere."""
    number = func.coalesce(execution.c.flow_version, _NO_VERSION)
    excepted = [*versions, *((flow_id, _NO_VERSION) for flow_id in drafts)]
    if excepted:
        yield tuple_(execution.c.flow_id, number).not_in(excepted)
