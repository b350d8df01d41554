"""Translates `ExecutionFilter` to conditions on `execution` that SQLite can look up in an index.

Conditions on flows (name, folder, owner) are resolved to flow IDs first. With `status IN (…)` and
`flow_id IN (…)` SQLite finds rows by index, and the counters can count them without reading any; a join
with `flow` allows neither. The copy of a remote history has other tables: see `remote_history`.
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, bindparam, false, func, select, tuple_
from sqlalchemy.types import NullType

from patchbay.domain.base import AppKey, EpochMs, FlowId
from patchbay.domain.executions import ExecutionFilter, ExecutionState, Origin
from patchbay.domain.folders import NO_FOLDER
from patchbay.storage.codec import decode_steps
from patchbay.storage.driver import contains_in_any_case, contains_in_english
from patchbay.storage.tables import execution, flow, flow_version, step

Condition = ColumnElement[bool]

MAX_ID_PARAMETERS = 10_000
"""More IDs than this are passed as one JSON object: databases limit the parameters of a statement."""

_PART_OF_ID = re.compile(r"[0-9a-f]{8}[0-9a-f-]{0,28}")
"""At least what the window shows of an ID: its first eight digits."""

_CANNOT_BE_STORED = re.compile("[\0\ud800-\udfff]")

_NO_VERSION = 0
"""The version number of runs of a draft; published versions start at 1."""


@dataclass(frozen=True, slots=True)
class ExecutionSelection:
    """A filter without its times, resolved to states and flow IDs.

    None means any. `flows` includes deleted flows. `other_conditions` aren't covered by the counters.
    """

    states: frozenset[ExecutionState] | None = None
    flows: tuple[FlowId, ...] | None = None
    test_run: bool | None = None
    other_conditions: tuple[Condition, ...] = ()

    def conditions(self) -> Iterable[Condition]:
        """All conditions, to be combined with AND."""
        if self.states is not None:
            yield execution.c.status.in_(sorted(self.states)) if self.states else false()
        if self.flows is not None:
            yield _flow_condition(self.flows)
        if self.test_run is not None:
            yield execution.c.test_run.is_(self.test_run)
        yield from self.other_conditions


def select_executions(tx: Connection, where: ExecutionFilter) -> ExecutionSelection:
    """Resolve a filter, except for its times.

    A name that is the beginning of an execution's ID finds this execution instead of flows.
    """
    with_id = _beginning_of_id(where.name) if where.name else None
    if with_id is not None and tx.execute(select(execution.c.id).where(with_id).limit(1)).first():
        where = where.model_copy(update={"name": None})
    else:
        with_id = None
    flows = _matching_flow_ids(tx, where)
    other_conditions: list[Condition] = [] if with_id is None else [with_id]
    if where.app_key:
        with_app, without_app = _app_conditions(tx, where.app_key)
        other_conditions += without_app
        flows = with_app if flows is None else sorted(set(flows).intersection(with_app))
    if where.origin_id:
        other_conditions.append(execution.c.origin_id == where.origin_id)
    if where.retried is not None:
        other_conditions.append(_retried_condition() if where.retried else ~_retried_condition())
    if where.note:
        other_conditions.append(contains_in_english(execution.c.note, where.note))
    return ExecutionSelection(
        states=where.matching_states(),
        flows=None if flows is None else tuple(flows),
        test_run=where.test_run,
        other_conditions=tuple(other_conditions),
    )


def conditions(tx: Connection, where: ExecutionFilter) -> list[Condition]:
    """All conditions of a filter with its times, to be combined with AND."""
    times = time_conditions(where.started_after, where.ended_before)
    return [*times, *select_executions(tx, where).conditions()]


def time_conditions(after: EpochMs | None, before: EpochMs | None) -> Iterable[Condition]:
    """Conditions on the time an execution was created; both times are inclusive."""
    if after is not None:
        yield execution.c.created_at >= after
    if before is not None:
        yield execution.c.created_at <= before


def encode_ids(ids: Iterable[str]) -> str:
    """IDs as the keys of a JSON object: `json_each` returns those on SQLite and on PostgreSQL.

    Without IDs that can't be stored, because PostgreSQL rejects such JSON.
    """
    return json.dumps({one: 0 for one in ids if not _CANNOT_BE_STORED.search(one)})


def _flow_condition(flows: Sequence[FlowId]) -> Condition:
    if not flows:
        return false()
    if len(flows) > MAX_ID_PARAMETERS:
        object_with_ids = bindparam(None, encode_ids(flows), NullType())
        flow_ids = func.json_each(object_with_ids).table_valued("key")
        return execution.c.flow_id.in_(select(flow_ids.c.key))
    return execution.c.flow_id == flows[0] if len(flows) == 1 else execution.c.flow_id.in_(flows)


def _beginning_of_id(name: str) -> Condition | None:
    beginning = name.strip().lower()
    if not _PART_OF_ID.fullmatch(beginning):
        return None
    return execution.c.id.between(beginning, beginning + "~")  # after every character of an ID


def _matching_flow_ids(tx: Connection, where: ExecutionFilter) -> list[FlowId] | None:
    """IDs of flows that match the conditions on flows, also deleted ones; None without such conditions."""
    query = select(flow.c.id)
    if where.name:
        query = query.where(contains_in_any_case(flow.c.name, where.name))
    if where.folder_id:
        query = query.where(
            flow.c.folder_id.is_(None)
            if where.folder_id == NO_FOLDER
            else flow.c.folder_id == where.folder_id
        )
    if where.user_id:
        query = query.where(flow.c.user_id == where.user_id)
    if not (where.name or where.folder_id or where.user_id):
        return [where.flow_id] if where.flow_id else None
    if where.flow_id:
        query = query.where(flow.c.id == where.flow_id)
    return list(tx.execute(query).scalars())


def _retried_condition() -> Condition:
    retry = execution.alias()
    started_by_it = (
        retry.c.origin_id == execution.c.id,
        retry.c.origin_kind.in_((Origin.RETRY, Origin.REPLAY)),
    )
    return select(retry.c.id).where(*started_by_it).correlate(execution).exists()


def _app_conditions(tx: Connection, app_key: AppKey) -> tuple[list[FlowId], list[Condition]]:
    """Conditions for runs of versions with a step of the app, and test runs of drafts that have one now.

    Returns the flows with the app, and conditions that exclude their versions without it. Usually there are
    none, and the index on flows finds all rows without reading any others.
    """
    using_app = select(step.c.flow_id).where(step.c.app_key == app_key, step.c.deleted_at.is_(None))
    drafts: set[FlowId] = set(tx.execute(using_app.distinct()).scalars())
    versions = tx.execute(select(flow_version.c.flow_id, flow_version.c.number, flow_version.c.steps)).all()
    used = {
        (item.flow_id, item.number)
        for item in versions
        if any(one.app_key == app_key for one in decode_steps(item.steps))
    }
    with_app = drafts | {flow_id for flow_id, _ in used}
    pairs = [(item.flow_id, item.number) for item in versions if item.flow_id in with_app]
    without = [pair for pair in pairs if pair not in used]
    excluded = [*without, *((flow_id, _NO_VERSION) for flow_id in sorted(with_app - drafts))]
    if not excluded:
        return sorted(with_app), []
    number = func.coalesce(execution.c.flow_version, _NO_VERSION)
    return sorted(with_app), [tuple_(execution.c.flow_id, number).not_in(excluded)]
