"""Reads executions: pages of the list, one execution with its steps, and samples.

The list has no plain `LIMIT … OFFSET …` query: with a million executions, page 5,000 would read 100,000 rows,
and a count all of them. Instead the counters say how many matching executions each day has. `find_page` skips
whole days by their counts, and reads only the rows of the page, using the index with the fewest non-matching
rows.
"""

import base64
import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple, TypeAlias

from sqlalchemy import (
    ARRAY,
    Connection,
    RowMapping,
    Select,
    Text,
    any_,
    bindparam,
    func,
    literal,
    select,
    tuple_,
)

from patchbay.domain.base import EpochMs, ExecutionId, FlowId, StepId
from patchbay.domain.clock import DAY_MS
from patchbay.domain.errors import NotFound, ValidationFailed
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
from patchbay.domain.truncation import shorten_steps
from patchbay.storage import counters
from patchbay.storage.codec import decode_payload, decode_step_refs, decode_warnings, make_step_ref
from patchbay.storage.counters import FAR_FUTURE, Span
from patchbay.storage.driver import Driver, Twin, driver_of
from patchbay.storage.execution_filter import (
    Condition,
    ExecutionSelection,
    select_executions,
    time_conditions,
)
from patchbay.storage.repositories.steps import steps_by_flow
from patchbay.storage.tables import execution, flow, flow_version
from patchbay.storage.tables import execution_step as attempt
from patchbay.storage.tables import step as draft_step

ALL_TIMES = (0, FAR_FUTURE)

Row = tuple[ExecutionId, EpochMs]

_BY_TIME = "execution_newest"
_BY_STATE = "execution_status"
_BY_FLOW = "execution_flow"

_TYPICAL_PAGE_ROWS = 10

_Draft: TypeAlias = tuple[tuple[EpochMs, StepRef], ...]
"""The steps of a draft, each with the time at which it was added."""
_DELETED_FLOW = "Deleted flow"
_NEWEST_FIRST = (execution.c.created_at.desc(), execution.c.id.desc())


class ListPosition(NamedTuple):
    """A position in the list, which is sorted by creation time and ID, newest first."""

    created_at: EpochMs
    id: ExecutionId


class PageSlice(NamedTuple):
    """A slice of the list: at most `limit` rows after the first `skip`, or after the position `before`."""

    limit: int
    skip: int = 0
    before: ListPosition | None = None


class PageRows(NamedTuple):
    """The rows of a page, newest first, and the number of matching rows on all pages."""

    rows: list[Row]
    total: int


def find_page(
    driver: Driver,
    selection: ExecutionSelection,
    time_range: tuple[EpochMs, EpochMs],
    page_slice: PageSlice,
) -> PageRows:
    """Find a slice of the selected executions created in `time_range`, [start, end).

    Skipped rows are counted by the counters, down to an hour for all flows or a day for some; only the rest
    is read. `selection` must not have `other_conditions`.
    """
    if _matches_nothing(selection):
        return PageRows([], 0)
    selection = _drop_redundant_flows(driver, selection)
    if page_slice.before is not None:
        return PageRows(
            rows_after(driver, selection, time_range, page_slice),
            counters.count_between(driver, selection, *time_range),
        )
    spans = None if time_range == ALL_TIMES else counters.spans(driver, selection, *time_range)
    total = counters.count_all(driver, selection) if spans is None else sum(span.runs for span in spans)
    if page_slice.skip >= total:
        return PageRows([], total)
    if _has_single_index(selection) and not page_slice.skip:
        rows = _rows_by_index(
            driver, selection, _single_index(selection), Span(*time_range, total), page_slice
        )
        return PageRows(rows, total)
    if spans is None:
        spans = counters.spans(driver, selection, *time_range)
    return PageRows(_walk_spans(driver, selection, spans, page_slice), total)


def rows_after(
    driver: Driver,
    selection: ExecutionSelection,
    time_range: tuple[EpochMs, EpochMs],
    page_slice: PageSlice,
) -> list[Row]:
    """Like `find_page` without the total: the rows after `page_slice.before`, or the first ones."""
    start, end = time_range
    if _matches_nothing(selection):
        return []
    if _has_single_index(selection):
        return _rows_by_index(
            driver, selection, _single_index(selection), Span(start, end, page_slice.limit), page_slice
        )
    if page_slice.before is not None:
        # To the end of that day, so that its counter can be used. `_rows_by_index` excludes newer rows.
        end = min(end, (page_slice.before.created_at // DAY_MS + 1) * DAY_MS)
    return _walk_spans(driver, selection, counters.spans(driver, selection, start, end), page_slice)


def _drop_redundant_flows(driver: Driver, selection: ExecutionSelection) -> ExecutionSelection:
    """Drop the condition on flows if no other flow has executions, such as when there is only one user."""
    if selection.flows is None or len(selection.flows) == 1:
        return selection
    these = counters.count_all(driver, ExecutionSelection(flows=selection.flows))
    return (
        replace(selection, flows=None)
        if these == counters.count_all(driver, ExecutionSelection())
        else selection
    )


def _matches_nothing(selection: ExecutionSelection) -> bool:
    return selection.states == frozenset() or selection.flows == ()


def _walk_spans(
    driver: Driver, selection: ExecutionSelection, spans: list[Span], page_slice: PageSlice
) -> list[Row]:
    """Walk down the spans, newest first: skip whole spans by their counts, then read rows until full."""
    index = _choose_index(driver, selection, max((span.runs for span in spans), default=0))
    found: list[Row] = []
    hours = _split_into_hours(driver, selection, spans, page_slice.skip)
    for span, skip in _join(_skip(hours, page_slice.skip), page_slice.limit):
        wanted = min(page_slice.limit - len(found), span.runs - skip)
        found += _rows_by_index(driver, selection, index, span, PageSlice(wanted, skip, page_slice.before))
        if len(found) >= page_slice.limit:
            break
    return found


def _skip(spans: Iterable[Span], skip: int) -> Iterator[tuple[Span, int]]:
    """Leave out whole spans, and return the others with the number of executions to skip in them."""
    for span in spans:
        if skip >= span.runs:
            skip -= span.runs
        else:
            yield span, skip
            skip = 0


def _join(spans: Iterable[tuple[Span, int]], limit: int) -> Iterator[tuple[Span, int]]:
    """Join adjacent spans until they have a page of executions, so that one statement reads it."""
    joined: tuple[Span, int] | None = None
    for span, skip in spans:
        if joined is not None:
            newer, skipped = joined
            if newer.start == span.end and newer.runs - skipped < limit:
                joined = Span(span.start, newer.end, newer.runs + span.runs), skipped
                continue
            yield joined
        joined = span, skip
    if joined is not None:
        yield joined


def _split_into_hours(
    driver: Driver, selection: ExecutionSelection, spans: list[Span], skip: int
) -> Iterable[Span]:
    """The spans, with the one in which `skip` ends split into hours, if those are counted."""
    for span in spans:
        if 0 < skip < span.runs and selection.flows is None:
            yield from counters.spans(driver, selection, span.start, span.end, hourly=True)
        else:
            yield span
        skip = max(0, skip - span.runs)


def _rows_by_index(
    driver: Driver, selection: ExecutionSelection, index: str, span: Span, page_slice: PageSlice
) -> list[Row]:
    """Read a slice of one span by an index, from the end of the span that is nearer."""
    clause, values = counters.condition(selection)
    end = span.end if page_slice.before is None else min(span.end, page_slice.before.created_at + 1)
    parameters: list[object] = [span.start, end, *values]
    skip, order = page_slice.skip, "DESC"
    rows_behind = max(0, span.runs - skip - page_slice.limit)
    if page_slice.before is not None:
        clause += " AND (created_at, id) < (?, ?)"
        parameters += page_slice.before
    elif skip > rows_behind:
        # OFFSET reads every row it skips, so read backwards if fewer rows lie behind the slice.
        skip, order = rows_behind, "ASC"
    rows = driver.execute(
        f"SELECT id, created_at FROM execution{counters.indexed_by(driver, index)}"
        f" WHERE created_at >= ? AND created_at < ? AND {clause}"
        f" ORDER BY created_at {order}, id {order} LIMIT ? OFFSET ?",
        (*parameters, page_slice.limit, skip),
    ).fetchall()
    return rows if order == "DESC" else rows[::-1]


def _has_single_index(selection: ExecutionSelection) -> bool:
    """Whether one index has exactly the selected rows, in the order of time."""
    if selection.test_run is not None:
        return False
    counts = [len(among) for among in (selection.states, selection.flows) if among is not None]
    return counts in ([], [1])


def _single_index(selection: ExecutionSelection) -> str:
    if selection.flows is not None:
        return _BY_FLOW
    return _BY_TIME if selection.states is None else _BY_STATE


def _choose_index(driver: Driver, selection: ExecutionSelection, limit: int) -> str:
    """Choose the index that reads the fewest rows in a span of up to `limit` executions.

    SQLite's own planner can't: it knows averages, but not that one state has ten rows and another a million.
    With one state or flow, the index is in the order of time, so reading stops at the last row of the page.
    With several, all their rows in the span are read and sorted.
    """
    if _has_single_index(selection):
        return _single_index(selection)
    if not counters.has_index_hints(driver):
        return _BY_TIME
    matching = max(1, counters.count_all(driver, selection))

    def cost(values: Collection[str], like: ExecutionSelection) -> float:
        """Rows read per row found, estimated from the counts of all time."""
        share = counters.count_all(driver, like) / matching
        return share if len(values) == 1 else share * max(1, limit / _TYPICAL_PAGE_ROWS)

    costs = {_BY_TIME: counters.count_all(driver, ExecutionSelection()) / matching}
    if selection.states is not None:
        costs[_BY_STATE] = cost(selection.states, ExecutionSelection(states=selection.states))
    if selection.flows is not None:
        costs[_BY_FLOW] = cost(selection.flows, ExecutionSelection(flows=selection.flows))
    return min(costs, key=costs.__getitem__)


def time_range_of(where: ExecutionFilter) -> tuple[EpochMs, EpochMs]:
    """The inclusive times of a filter as [start, end)."""
    first, last = where.started_after, where.ended_before
    start = 0 if first is None else min(max(first, 0), FAR_FUTURE)
    end = FAR_FUTURE if last is None else min(max(last + 1, 0), FAR_FUTURE)
    return start, end


def encode_cursor(row: Row) -> str:
    """The cursor for the position after a row, opaque to clients."""
    execution_id, created_at = row
    return base64.urlsafe_b64encode(json.dumps([created_at, execution_id]).encode()).decode()


def decode_cursor(cursor: str | None) -> ListPosition | None:
    """Decode a cursor of `encode_cursor`. Raises `ValidationFailed` for anything else."""
    if not cursor:
        return None
    try:
        created_at, execution_id = json.loads(base64.urlsafe_b64decode(cursor))
        place = ListPosition(
            min(max(int(created_at), -FAR_FUTURE), FAR_FUTURE), ExecutionId(str(execution_id))
        )
        place.id.encode()
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise ValidationFailed({"cursor": ["This cursor isn't valid for the list of executions."]}) from error
    return place


def list_executions(tx: Connection, where: ExecutionFilter, page: PageRequest) -> Page[Execution]:
    """List executions, newest first. A `cursor` continues after the last row, whatever was added since."""
    selection, before = select_executions(tx, where), decode_cursor(page.cursor)
    page_slice = PageSlice(page.limit + 1, 0 if before else (page.page - 1) * page.limit, before)
    if selection.other_conditions:
        query = select(func.count()).select_from(execution).where(*_conditions_with_times(selection, where))
        found = PageRows(scan_rows(tx, selection, where, page_slice), tx.execute(query).scalar_one())
    else:
        found = find_page(driver_of(tx), selection, time_range_of(where), page_slice)
    shown = found.rows[: page.limit]
    following = encode_cursor(shown[-1]) if len(found.rows) > page.limit else None
    items = read_executions(tx, [key for key, _ in shown])
    return Page(items=items, total=found.total, page=page.page, limit=page.limit, next_cursor=following)


def scan_rows(
    tx: Connection, selection: ExecutionSelection, where: ExecutionFilter, page_slice: PageSlice
) -> list[Row]:
    """Find a slice for conditions that the counters don't cover, by reading all rows before it."""
    query = select(execution.c.id, execution.c.created_at).where(*_conditions_with_times(selection, where))
    if page_slice.before is not None:
        place = tuple_(*map(literal, page_slice.before))
        query = query.where(tuple_(execution.c.created_at, execution.c.id) < place)
    rows = tx.execute(query.order_by(*_NEWEST_FIRST).offset(page_slice.skip).limit(page_slice.limit)).all()
    return [(row.id, row.created_at) for row in rows]


def _conditions_with_times(selection: ExecutionSelection, where: ExecutionFilter) -> list[Condition]:
    return [*time_conditions(where.started_after, where.ended_before), *selection.conditions()]


def get_execution(tx: Connection, execution_id: ExecutionId) -> Execution:
    """Get one execution. Raises `NotFound`."""
    found = read_executions(tx, [execution_id])
    if not found:
        raise NotFound(
            "This execution doesn't exist.",
            meaning="It may have been deleted from the history.",
        )
    return found[0]


def read_executions(tx: Connection, ids: Sequence[ExecutionId]) -> tuple[Execution, ...]:
    """Read executions in the given order, without missing ones."""
    if len(ids) == 1:
        found = tx.execute(_read_execution(), {"id": ids[0]})
    else:
        found = tx.execute(_READ_EXECUTIONS.on(tx)(), {"ids": list(ids)})
    rows = {row["id"]: row for row in found.mappings()}
    drafts = _drafts(tx, {row["flow_id"] for row in rows.values() if row["steps"] is None})
    return tuple(_execution(rows[item], drafts) for item in ids if item in rows)


def execution_steps(tx: Connection, execution_id: ExecutionId) -> tuple[ExecutionStep, ...]:
    """Read every attempt of every step, in the order they ran. Raises `NotFound`."""
    run = get_execution(tx, execution_id)
    query = select(attempt).where(attempt.c.execution_id == execution_id)
    rows = tx.execute(query.order_by(attempt.c.seq, attempt.c.attempt)).mappings().all()
    refs = {ref.id: ref for ref in run.flow.steps}
    refs |= _deleted_steps(tx, {row["step_id"] for row in rows} - refs.keys())
    return tuple(_step(row, refs) for row in rows)


def latest_samples(tx: Connection, flow_id: FlowId) -> tuple[ExecutionStep, ...]:
    """Read the newest successful attempt of each step of a draft, in step order."""
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


@cache
def _read_execution() -> Select[Any]:
    """A statement of its own, since PostgreSQL plans those with arrays again each time."""
    return _execution_query().where(execution.c.id == bindparam("id"))


@cache
def _read_executions_on_sqlite() -> Select[Any]:
    return _execution_query().where(execution.c.id.in_(bindparam("ids", expanding=True)))


@cache
def _read_executions_on_postgresql() -> Select[Any]:
    """With one array instead of a parameter for each ID, which psycopg would look for in the statement."""
    return _execution_query().where(execution.c.id == any_(bindparam("ids", type_=ARRAY(Text))))


_READ_EXECUTIONS = Twin(sqlite=_read_executions_on_sqlite, postgresql=_read_executions_on_postgresql)


def _execution_query() -> Select[Any]:
    """Executions with the current name of their flow and the steps of the version that they ran."""
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
    """The current steps of these drafts."""
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
    """The steps that a draft had at this time and still has, and the branches and loops that contain them."""
    existing_ids = {ref.id for added, ref in draft if added <= moment}
    for _, ref in reversed(draft):  # a parent comes before its steps
        if ref.id in existing_ids and ref.parent_step_id:
            existing_ids.add(ref.parent_step_id)
    return tuple(ref for _, ref in draft if ref.id in existing_ids)


def _deleted_steps(tx: Connection, step_ids: Iterable[StepId]) -> dict[StepId, StepRef]:
    """Steps of a test run that were deleted or moved since."""
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
        id=row["id"],
        flow=flow_ref,
        state=row["status"],
        flow_version=row["flow_version"],
        test_run=row["test_run"],
        internal_id=row["internal_id"],
        note=row["note"],
        steps_done=row["steps_done"],
        steps_total=row["steps_total"],
        wake_at=row["wake_at"],
        waits_for=row["waits_for"],
        origin_id=row["origin_id"],
        origin_kind=row["origin_kind"],
        started_at=row["started_at"],
        finished_at=row["finished_at"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )


def _step(row: RowMapping, refs: dict[StepId, StepRef]) -> ExecutionStep:
    began = row["started_at"] or 0
    error = decode_payload(row["error"])
    return ExecutionStep(
        id=f"{row['execution_id']}.{row['seq']}.{row['attempt']}",
        execution_id=row["execution_id"],
        step=refs.get(row["step_id"]) or _unknown_step(row),
        seq=row["seq"],
        attempt=row["attempt"],
        status=StepState(row["status"]),
        data_in=decode_payload(row["input"]),
        data_out=decode_payload(row["output"]),
        error_details=error if isinstance(error, dict) else None,
        warnings=decode_warnings(row["warnings"]),
        path=row["path"],
        started_at=row["started_at"],
        finished_at=row["finished_at"],
        created_at=began,
        updated_at=row["finished_at"] or began,
    )


def _unknown_step(row: RowMapping) -> StepRef:
    kind = StepType.ACTION if row["seq"] else StepType.TRIGGER
    return StepRef(id=row["step_id"], type=kind, position=row["seq"] + 1)
