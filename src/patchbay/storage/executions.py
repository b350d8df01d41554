"""Executions as the window and the interface read them: lists, one with its steps, samples."""

import base64
import json
import sqlite3
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

from sqlalchemy import Connection, RowMapping, Select, func, literal, select, tuple_

from patchbay.domain.base import EpochMs, ExecutionId, FlowId, StepId
from patchbay.domain.clock import DAY_MS
from patchbay.domain.errors import NotFound, ValidationFailed
from patchbay.domain.executions import (
    Execution,
    ExecutionFilter,
    ExecutionStep,
    FlowRef,
    SearchPage,
    StepRef,
    StepState,
)
from patchbay.domain.flows import StepType
from patchbay.domain.paging import Page, PageRequest
from patchbay.domain.truncation import shorten_steps
from patchbay.storage import counters
from patchbay.storage.codec import decode_payload, decode_step_refs, decode_warnings, make_step_ref
from patchbay.storage.counters import FAR_FUTURE, Span
from patchbay.storage.execution_filter import (
    Condition,
    ExecutionSelection,
    select_executions,
    time_conditions,
)
from patchbay.storage.repositories.steps import steps_by_flow
from patchbay.storage.sqlite import driver_of
from patchbay.storage.tables import execution, flow, flow_version
from patchbay.storage.tables import execution_step as attempt
from patchbay.storage.tables import step as draft_step

# MERGED: Which executions are on a page of the list, found without reading those before it.

ALL_TIMES = (0, FAR_FUTURE)

Row = tuple[ExecutionId, EpochMs]

_BY_TIME, _BY_STATE, _BY_FLOW = "execution_newest", "execution_status", "execution_flow"

_TYPICAL_PAGE_ROWS = 10
"""Rows on a page."""


class ListPosition(NamedTuple):
    """A place in the list: what comes after it is older, or as old with a smaller id."""

    created_at: EpochMs
    id: ExecutionId


class PageSlice(NamedTuple):
    """Which part of the list: at most `limit`, without the first `skip`, or after a place."""

    limit: int
    skip: int = 0
    before: ListPosition | None = None


class PageRows(NamedTuple):
    """The rows of a page, newest first, and how many match on all pages."""

    rows: list[Row]
    total: int


def find_page(
    driver: sqlite3.Connection,
    selection: ExecutionSelection,
    place: tuple[EpochMs, EpochMs],
    page_slice: PageSlice,
) -> PageRows:
    """A part of the list of those that began in `place` (start, end).

    What is skipped is counted by the tally, down to an hour of all flows or a day of some. `selection` has no
    conditions that the tally does not know.
    """
    if _matches_nothing(selection):
        return PageRows([], 0)
    selection = _drop_redundant_flows(driver, selection)
    if page_slice.before is not None:
        return PageRows(
            after(driver, selection, place, page_slice), counters.count_between(driver, selection, *place)
        )
    spans = None if place == ALL_TIMES else counters.spans(driver, selection, *place)
    total = counters.count_all(driver, selection) if spans is None else sum(span.runs for span in spans)
    if page_slice.skip >= total:
        return PageRows([], total)
    if _has_single_index(selection) and not page_slice.skip:
        rows = _rows_by_index(driver, selection, _single_index(selection), Span(*place, total), page_slice)
        return PageRows(rows, total)
    if spans is None:
        spans = counters.spans(driver, selection, *place)
    return PageRows(_walk_spans(driver, selection, spans, page_slice), total)


def after(
    driver: sqlite3.Connection,
    selection: ExecutionSelection,
    place: tuple[EpochMs, EpochMs],
    page_slice: PageSlice,
) -> list[Row]:
    """The rows that come after `part.before`, or the first."""
    start, end = place
    if _matches_nothing(selection):
        return []
    if _has_single_index(selection):
        return _rows_by_index(
            driver, selection, _single_index(selection), Span(start, end, page_slice.limit), page_slice
        )
    if page_slice.before is not None:
        # To the end of its day, which is counted: what comes before the place is not among the rows.
        end = min(end, (page_slice.before.created_at // DAY_MS + 1) * DAY_MS)
    return _walk_spans(driver, selection, counters.spans(driver, selection, start, end), page_slice)


def _drop_redundant_flows(driver: sqlite3.Connection, selection: ExecutionSelection) -> ExecutionSelection:
    """Flows that are all there are with executions (of the only person, say) are no condition."""
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
    driver: sqlite3.Connection, selection: ExecutionSelection, spans: list[Span], page_slice: PageSlice
) -> list[Row]:
    index = _choose_index(driver, selection, max((span.runs for span in spans), default=0))
    found: list[Row] = []
    skip = page_slice.skip
    for span in _split_into_hours(driver, selection, spans, skip):
        if skip >= span.runs:
            skip -= span.runs
            continue
        wanted = min(page_slice.limit - len(found), span.runs - skip)
        found += _rows_by_index(driver, selection, index, span, PageSlice(wanted, skip, page_slice.before))
        skip = 0
        if len(found) >= page_slice.limit:
            break
    return found


def _split_into_hours(
    driver: sqlite3.Connection, selection: ExecutionSelection, spans: list[Span], skip: int
) -> Iterable[Span]:
    """The spans, the one in which `skip` ends in hours where they are counted."""
    for span in spans:
        if 0 < skip < span.runs and selection.flows is None:
            yield from counters.spans(driver, selection, span.start, span.end, hourly=True)
        else:
            yield span
        skip = max(0, skip - span.runs)


def _rows_by_index(
    driver: sqlite3.Connection, selection: ExecutionSelection, index: str, span: Span, page_slice: PageSlice
) -> list[Row]:
    """A part of one span, reached from whichever of its ends is nearer."""
    clause, values = counters.condition(selection)
    end = span.end if page_slice.before is None else min(span.end, page_slice.before.created_at + 1)
    parameters: list[object] = [span.start, end, *values]
    skip, order, rows_after_slice = (
        page_slice.skip,
        "DESC",
        max(0, span.runs - page_slice.skip - page_slice.limit),
    )
    if page_slice.before is not None:
        clause += " AND (created_at, id) < (?, ?)"
        parameters += page_slice.before
    elif skip > rows_after_slice:
        skip, order = rows_after_slice, "ASC"
    rows = driver.execute(
        f"SELECT id, created_at FROM execution INDEXED BY {index}"
        f" WHERE created_at >= ? AND created_at < ? AND {clause}"
        f" ORDER BY created_at {order}, id {order} LIMIT ? OFFSET ?",
        (*parameters, page_slice.limit, skip),
    ).fetchall()
    return rows if order == "DESC" else rows[::-1]


def _has_single_index(selection: ExecutionSelection) -> bool:
    """Whether one walk down an index meets nothing but what is chosen."""
    if selection.test_run is not None:
        return False
    counts = [len(among) for among in (selection.states, selection.flows) if among is not None]
    return counts in ([], [1])


def _single_index(selection: ExecutionSelection) -> str:
    if selection.flows is not None:
        return _BY_FLOW
    return _BY_TIME if selection.states is None else _BY_STATE


def _choose_index(driver: sqlite3.Connection, selection: ExecutionSelection, limit: int) -> str:
    """The index on whose way through a span of up to `limit` the fewest rows are read.

    An index of one state or flow is in the order of time, so that reading ends with the last row wanted; from
    several all rows are read, and sorted.
    """
    if _has_single_index(selection):
        return _single_index(selection)
    matching = max(1, counters.count_all(driver, selection))

    def read(values: Collection[str], like: ExecutionSelection) -> float:
        """Rows read for each row found, as the counts of all times tell."""
        share = counters.count_all(driver, like) / matching
        return share if len(values) == 1 else share * max(1, limit / _TYPICAL_PAGE_ROWS)

    costs = {_BY_TIME: counters.count_all(driver, ExecutionSelection()) / matching}
    if selection.states is not None:
        costs[_BY_STATE] = read(selection.states, ExecutionSelection(states=selection.states))
    if selection.flows is not None:
        costs[_BY_FLOW] = read(selection.flows, ExecutionSelection(flows=selection.flows))
    return min(costs, key=costs.__getitem__)


def time_range_of(where: ExecutionFilter) -> tuple[EpochMs, EpochMs]:
    """The inclusive times of a filter as [start, end)."""
    after, before = where.started_after, where.ended_before
    start = 0 if after is None else min(max(after, 0), FAR_FUTURE)
    end = FAR_FUTURE if before is None else min(max(before + 1, 0), FAR_FUTURE)
    return start, end


def encode_cursor(row: Row) -> str:
    """The place after a row, as callers keep it."""
    execution_id, created_at = row
    return base64.urlsafe_b64encode(json.dumps([created_at, execution_id]).encode()).decode()


def decode_cursor(cursor: str | None) -> ListPosition | None:
    """What `encode_cursor` wrote. Raises `ValidationFailed` for anything else."""
    if not cursor:
        return None
    try:
        created_at, execution_id = json.loads(base64.urlsafe_b64decode(cursor))
        place = ListPosition(min(max(int(created_at), -FAR_FUTURE), FAR_FUTURE), str(execution_id))
        place.id.encode()
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise ValidationFailed({"cursor": ["This is not a place in the list of executions."]}) from error
    return place


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


# MERGED: Looking for a text in what steps took in and put out, a short stretch of the history at a
# time.

SEARCH_SECONDS = 0.15
"""Seconds after which a stretch ends."""

MAX_SEARCHED = 20_000
MAX_FOUND = 50
MAX_TEXT_LENGTH = 500
"""Characters of the text."""

_BATCH_SIZE = 200
_SPECIAL = {"*": "[*]", "?": "[?]", "[": "[[]"}


def search(
    tx: Connection, text: str, where: ExecutionFilter, cursor: str | None, *, budget: float = SEARCH_SECONDS
) -> SearchPage:
    """One stretch, newest first, from `cursor` on. Upper and lower case are the same, in every script.

    Ends after `budget` seconds, 20,000 executions or 50 finds, whatever comes first, and goes through one
    execution at least. Raises `ValidationFailed` for a text that is empty or longer than 500 characters.
    """
    deadline, find = time.monotonic() + budget, _TextMatcher(driver_of(tx), text)
    found: list[ExecutionId] = []
    searched, row, complete = 0, None, True
    for row in _rows_to_search(tx, where, cursor):
        searched += 1
        if find.matches(row[0]):
            found.append(row[0])
        if time.monotonic() > deadline or searched == MAX_SEARCHED or len(found) == MAX_FOUND:
            complete = False
            break
    return SearchPage(
        items=read_executions(tx, found), searched=searched, reached=row[1] if row else None,
        next_cursor=encode_cursor(row) if row and not complete else None,
    )  # fmt: skip


def _rows_to_search(tx: Connection, where: ExecutionFilter, cursor: str | None) -> Iterator[Row]:
    """All rows of the filter from the cursor on."""
    selection, before = select_executions(tx, where), decode_cursor(cursor)
    rows: list[Row] = [("", 0)] * _BATCH_SIZE
    while len(rows) == _BATCH_SIZE:
        page_slice = PageSlice(_BATCH_SIZE, 0, before)
        if selection.other_conditions:
            rows = scan_rows(tx, selection, where, page_slice)
        else:
            rows = after(driver_of(tx), selection, time_range_of(where), page_slice)
        yield from rows
        if rows:
            before = ListPosition(rows[-1][1], rows[-1][0])


class _TextMatcher:
    """Whether a text is in an execution: in its note, or as JSON in the data and errors of its steps.

    SQLite looks for it without Python, so that nothing else in this process has to wait.
    """

    def __init__(self, driver: sqlite3.Connection, text: str) -> None:
        if not text.strip():
            raise ValidationFailed({"text": ["Say what to look for."]})
        if len(text) > MAX_TEXT_LENGTH:
            raise ValidationFailed({"text": [f"Look for {MAX_TEXT_LENGTH} characters at most."]})
        self._driver = driver
        match, self._patterns = _match_operator(_spellings(text))
        tests = " OR ".join(
            f"{column} {match.format(place)}"
            for column in ("input", "output", "error")
            for place in range(2, 2 + len(self._patterns))
        )
        self._query = (
            f"SELECT EXISTS (SELECT 1 FROM execution WHERE id = ?1 AND note {match.format(2)}) OR EXISTS"
            f" (SELECT 1 FROM execution_step WHERE execution_id = ?1 AND ({tests}))"
        )

    def matches(self, execution_id: ExecutionId) -> bool:
        return bool(self._driver.execute(self._query, (execution_id, *self._patterns)).fetchone()[0])


def _spellings(text: str) -> list[str]:
    """The text as it may be stored: as it is, within a JSON string, or as a piece of compact JSON."""
    text = text.encode("utf-8", "replace").decode()
    quoted = json.dumps(text, ensure_ascii=False)[1:-1]
    compact = text.replace('": ', '":').replace(', "', ',"')
    # A NUL would end a pattern, and JSON never holds one.
    return [each for each in dict.fromkeys((text, quoted, compact)) if "\0" not in each]


def _match_operator(texts: Iterable[str]) -> tuple[str, list[str]]:
    """The operator that finds these texts in any case, and its patterns.

    LIKE is quick and knows the case of ASCII letters only; GLOB is told both cases of every letter.
    """
    if all(text.isascii() for text in texts):
        return "LIKE ?{} ESCAPE '\\'", [f"%{_escaped(text)}%" for text in texts]
    return "GLOB ?{}", [f"*{''.join(map(_case_insensitive_glob, text))}*" for text in texts]


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _case_insensitive_glob(letter: str) -> str:
    cases = {case for case in (letter, letter.lower(), letter.upper(), letter.title()) if len(case) == 1}
    return f"[{''.join(sorted(cases))}]" if len(cases) > 1 else _SPECIAL.get(letter, letter)
