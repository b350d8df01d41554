"""Executions counted by state along the time, from the tally where it tells and by an index where not."""

import itertools
import sqlite3
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from patchbay.domain.base import EpochMs
from patchbay.storage.execution_filter import ExecutionSelection
from patchbay.storage.tally import as_counted, condition, unfinished_part
from patchbay.storage.tally_triggers import DAY, DAY_MS, FINISHED, HOUR, HOUR_MS

_STATES = ", ".join(f"'{state.value}'" for state in FINISHED)


class StateCount(NamedTuple):
    """How many of one state began at or shortly after `at`."""

    status: str
    at: EpochMs
    runs: int


def count_by_state(
    driver: sqlite3.Connection, selection: ExecutionSelection, edges: Sequence[EpochMs]
) -> Iterator[StateCount]:
    """Counts from the first edge to the last, none of which reaches over an edge.

    Hours of all flows and days of some come from the tally; those that an edge cuts are read. `selection` has no
    conditions that the tally does not know.
    """
    if selection.states == frozenset() or selection.flows == ():
        return
    grain, length = (HOUR, HOUR_MS) if selection.flows is None else (DAY, DAY_MS)
    cut = {edge // length for edge in edges if edge % length}
    yield from _from_counters(driver, selection, (edges[0], edges[-1]), grain, length, cut)
    yield from _by_index(driver, selection, _uncounted_ranges(edges, length, cut), f"status IN ({_STATES})")
    if unfinished := unfinished_part(selection):
        yield from _by_index(driver, unfinished, list(itertools.pairwise(edges)), "1")


def _from_counters(
    driver: sqlite3.Connection,
    selection: ExecutionSelection,
    time_range: tuple[EpochMs, EpochMs],
    grain: int,
    length: int,
    cut: set[int],
) -> Iterator[StateCount]:
    clause, values = condition(as_counted(selection))
    query = (
        f"SELECT start, status, sum(runs) FROM execution_counts WHERE span = {grain} AND start >= ?"
        f" AND start < ? AND {clause} GROUP BY start, status"
    )
    start, end = -(-time_range[0] // length), time_range[1] // length
    for number, status, runs in driver.execute(query, (start, end, *values)):
        if number not in cut:
            yield StateCount(status, number * length, runs)


def _uncounted_ranges(edges: Sequence[EpochMs], length: int, cut: set[int]) -> list[tuple[EpochMs, EpochMs]]:
    """The parts of the hours or days that are cut."""
    found = []
    for start, end in itertools.pairwise(edges):
        inner, outer = -(-start // length) * length, end // length * length
        if inner > outer:
            found.append((start, end))
            continue
        found += [(start, inner)] if start < inner else []
        found += [(outer, end)] if outer < end else []
    return found


def _by_index(
    driver: sqlite3.Connection,
    selection: ExecutionSelection,
    ranges: list[tuple[EpochMs, EpochMs]],
    more: str,
) -> Iterator[StateCount]:
    if not ranges:
        return
    clause, values = condition(selection)
    index = "execution_status" if selection.flows is None else "execution_flow"
    query = (
        f"WITH piece (low, high) AS (VALUES {', '.join(['(?, ?)'] * len(ranges))})"
        f" SELECT status, low, count(*) FROM piece CROSS JOIN execution INDEXED BY {index}"
        f" ON created_at >= low AND created_at < high WHERE {more} AND {clause} GROUP BY low, status"
    )
    places = [time for piece in ranges for time in piece]
    for row in driver.execute(query, (*places, *values)):
        yield StateCount(*row)
