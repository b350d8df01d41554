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
from patchbay.storage.execution_filter import Selected
from patchbay.storage.tally import FAR, Span
from patchbay.storage.tally_triggers import DAY_MS

ALWAYS = (0, FAR)

Row = tuple[ExecutionId, EpochMs]

_BY_TIME, _BY_STATE, _BY_FLOW = "execution_newest", "execution_status", "execution_flow"

_USUAL = 10
"""Rows on a page."""


class Before(NamedTuple):
    """A place in the list: what comes after it is older, or as old with a smaller id."""

    created_at: EpochMs
    id: ExecutionId


class Part(NamedTuple):
    """Which part of the list: at most `most`, without the first `skip`, or after a place."""

    most: int
    skip: int = 0
    before: Before | None = None


class Found(NamedTuple):
    """The rows of a page, newest first, and how many match on all pages."""

    rows: list[Row]
    total: int


def page_of(
    driver: sqlite3.Connection, chosen: Selected, place: tuple[EpochMs, EpochMs], part: Part
) -> Found:
    """A part of the list of those that began in `place` (start, end).

    What is skipped is counted by the tally, down to an hour of all flows or a day of some. `chosen` has no
    conditions that the tally does not know.
    """
    if _nothing(chosen):
        return Found([], 0)
    chosen = _without_needless(driver, chosen)
    if part.before is not None:
        return Found(after(driver, chosen, place, part), tally.between(driver, chosen, *place))
    spans = None if place == ALWAYS else tally.spans(driver, chosen, *place)
    total = tally.ever(driver, chosen) if spans is None else sum(span.runs for span in spans)
    if part.skip >= total:
        return Found([], total)
    if _one_index(chosen) and not part.skip:
        rows = _rows(driver, chosen, _index_of_one(chosen), Span(*place, total), part)
        return Found(rows, total)
    if spans is None:
        spans = tally.spans(driver, chosen, *place)
    return Found(_walk(driver, chosen, spans, part), total)


def after(
    driver: sqlite3.Connection, chosen: Selected, place: tuple[EpochMs, EpochMs], part: Part
) -> list[Row]:
    """The rows that come after `part.before`, or the first."""
    start, end = place
    if _nothing(chosen):
        return []
    if _one_index(chosen):
        return _rows(driver, chosen, _index_of_one(chosen), Span(start, end, part.most), part)
    if part.before is not None:
        # To the end of its day, which is counted: what comes before the place is not among the rows.
        end = min(end, (part.before.created_at // DAY_MS + 1) * DAY_MS)
    return _walk(driver, chosen, tally.spans(driver, chosen, start, end), part)


def _without_needless(driver: sqlite3.Connection, chosen: Selected) -> Selected:
    """Flows that are all there are with executions (of the only person, say) are no condition."""
    if chosen.flows is None or len(chosen.flows) == 1:
        return chosen
    these = tally.ever(driver, Selected(flows=chosen.flows))
    return replace(chosen, flows=None) if these == tally.ever(driver, Selected()) else chosen


def _nothing(chosen: Selected) -> bool:
    return chosen.states == frozenset() or chosen.flows == ()


def _walk(driver: sqlite3.Connection, chosen: Selected, spans: list[Span], part: Part) -> list[Row]:
    index = _index(driver, chosen, max((span.runs for span in spans), default=0))
    found: list[Row] = []
    skip = part.skip
    for span in _fine(driver, chosen, spans, skip):
        if skip >= span.runs:
            skip -= span.runs
            continue
        wanted = min(part.most - len(found), span.runs - skip)
        found += _rows(driver, chosen, index, span, Part(wanted, skip, part.before))
        skip = 0
        if len(found) >= part.most:
            break
    return found


def _fine(driver: sqlite3.Connection, chosen: Selected, spans: list[Span], skip: int) -> Iterable[Span]:
    """The spans, the one in which `skip` ends in hours where they are counted."""
    for span in spans:
        if 0 < skip < span.runs and chosen.flows is None:
            yield from tally.spans(driver, chosen, span.start, span.end, fine=True)
        else:
            yield span
        skip = max(0, skip - span.runs)


def _rows(driver: sqlite3.Connection, chosen: Selected, index: str, span: Span, part: Part) -> list[Row]:
    """A part of one span, reached from whichever of its ends is nearer."""
    words, values = tally.condition(chosen)
    end = span.end if part.before is None else min(span.end, part.before.created_at + 1)
    given: list[object] = [span.start, end, *values]
    skip, order, behind = part.skip, "DESC", max(0, span.runs - part.skip - part.most)
    if part.before is not None:
        words += " AND (created_at, id) < (?, ?)"
        given += part.before
    elif skip > behind:
        skip, order = behind, "ASC"
    rows = driver.execute(
        f"SELECT id, created_at FROM execution INDEXED BY {index}"
        f" WHERE created_at >= ? AND created_at < ? AND {words}"
        f" ORDER BY created_at {order}, id {order} LIMIT ? OFFSET ?",
        (*given, part.most, skip),
    ).fetchall()
    return rows if order == "DESC" else rows[::-1]


def _one_index(chosen: Selected) -> bool:
    """Whether one walk down an index meets nothing but what is chosen."""
    if chosen.test_run is not None:
        return False
    counts = [len(among) for among in (chosen.states, chosen.flows) if among is not None]
    return counts in ([], [1])


def _index_of_one(chosen: Selected) -> str:
    if chosen.flows is not None:
        return _BY_FLOW
    return _BY_TIME if chosen.states is None else _BY_STATE


def _index(driver: sqlite3.Connection, chosen: Selected, most: int) -> str:
    """The index on whose way through a span of up to `most` the fewest rows are read.

    An index of one state or flow is in the order of time, so that reading ends with the last row wanted; from
    several all rows are read, and sorted.
    """
    if _one_index(chosen):
        return _index_of_one(chosen)
    there = max(1, tally.ever(driver, chosen))

    def read(several: Collection[str], like: Selected) -> float:
        """Rows read for each row found, as the counts of all times tell."""
        share = tally.ever(driver, like) / there
        return share if len(several) == 1 else share * max(1, most / _USUAL)

    costs = {_BY_TIME: tally.ever(driver, Selected()) / there}
    if chosen.states is not None:
        costs[_BY_STATE] = read(chosen.states, Selected(states=chosen.states))
    if chosen.flows is not None:
        costs[_BY_FLOW] = read(chosen.flows, Selected(flows=chosen.flows))
    return min(costs, key=costs.__getitem__)


def all_times(where: ExecutionFilter) -> tuple[EpochMs, EpochMs]:
    """The inclusive times of a filter as [start, end)."""
    after, before = where.started_after, where.ended_before
    start = 0 if after is None else min(max(after, 0), FAR)
    end = FAR if before is None else min(max(before + 1, 0), FAR)
    return start, end


def cursor_of(row: Row) -> str:
    """The place after a row, as callers keep it."""
    execution_id, created_at = row
    return base64.urlsafe_b64encode(json.dumps([created_at, execution_id]).encode()).decode()


def place_of(cursor: str | None) -> Before | None:
    """What `cursor_of` wrote. Raises `ValidationFailed` for anything else."""
    if not cursor:
        return None
    try:
        created_at, execution_id = json.loads(base64.urlsafe_b64decode(cursor))
        place = Before(min(max(int(created_at), -FAR), FAR), str(execution_id))
        place.id.encode()
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise ValidationFailed({"cursor": ["This is not a place in the list of executions."]}) from error
    return place
