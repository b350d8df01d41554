"""Which executions are on a page of the list, found without reading those before it."""

import base64
import json
import sqlite3
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import NamedTuple

from patchbay.domain.base import EpochMs, ExecutionId
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.executions import ExecutionFilter
from patchbay.storage import tally
from patchbay.storage.execution_filter import ExecutionSelection
from patchbay.storage.tally import FAR_FUTURE, Span
from patchbay.storage.tally_triggers import DAY_MS

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
            after(driver, selection, place, page_slice), tally.count_between(driver, selection, *place)
        )
    spans = None if place == ALL_TIMES else tally.spans(driver, selection, *place)
    total = tally.count_all(driver, selection) if spans is None else sum(span.runs for span in spans)
    if page_slice.skip >= total:
        return PageRows([], total)
    if _has_single_index(selection) and not page_slice.skip:
        rows = _rows_by_index(driver, selection, _single_index(selection), Span(*place, total), page_slice)
        return PageRows(rows, total)
    if spans is None:
        spans = tally.spans(driver, selection, *place)
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
    return _walk_spans(driver, selection, tally.spans(driver, selection, start, end), page_slice)


def _drop_redundant_flows(driver: sqlite3.Connection, selection: ExecutionSelection) -> ExecutionSelection:
    """Flows that are all there are with executions (of the only person, say) are no condition."""
    if selection.flows is None or len(selection.flows) == 1:
        return selection
    these = tally.count_all(driver, ExecutionSelection(flows=selection.flows))
    return (
        replace(selection, flows=None)
        if these == tally.count_all(driver, ExecutionSelection())
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
            yield from tally.spans(driver, selection, span.start, span.end, hourly=True)
        else:
            yield span
        skip = max(0, skip - span.runs)


def _rows_by_index(
    driver: sqlite3.Connection, selection: ExecutionSelection, index: str, span: Span, page_slice: PageSlice
) -> list[Row]:
    """A part of one span, reached from whichever of its ends is nearer."""
    clause, values = tally.condition(selection)
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
    matching = max(1, tally.count_all(driver, selection))

    def read(values: Collection[str], like: ExecutionSelection) -> float:
        """Rows read for each row found, as the counts of all times tell."""
        share = tally.count_all(driver, like) / matching
        return share if len(values) == 1 else share * max(1, limit / _TYPICAL_PAGE_ROWS)

    costs = {_BY_TIME: tally.count_all(driver, ExecutionSelection()) / matching}
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
