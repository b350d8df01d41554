"""Executions counted by state along the time, from the tally where it tells and by an index where not."""

import itertools
import sqlite3
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from patchbay.domain.base import EpochMs
from patchbay.storage.execution_filter import Selected
from patchbay.storage.tally import condition, only_unfinished, with_flows
from patchbay.storage.tally_triggers import DAY, DAY_MS, FINISHED, HOUR, HOUR_MS

_STATES = ", ".join(f"'{state.value}'" for state in FINISHED)


class Count(NamedTuple):
    """How many of one state began at or shortly after `at`."""

    status: str
    at: EpochMs
    runs: int


def by_state(driver: sqlite3.Connection, chosen: Selected, edges: Sequence[EpochMs]) -> Iterator[Count]:
    """Counts from the first edge to the last, none of which reaches over an edge.

    Hours of all flows and days of some come from the tally; those that an edge cuts are read. `chosen` has no
    conditions that the tally does not know.
    """
    if chosen.states == frozenset() or chosen.flows == ():
        return
    grain, length = (HOUR, HOUR_MS) if chosen.flows is None else (DAY, DAY_MS)
    cut = {edge // length for edge in edges if edge % length}
    yield from _whole(driver, chosen, (edges[0], edges[-1]), grain, length, cut)
    yield from _read(driver, chosen, _pieces(edges, length, cut), f"status IN ({_STATES})")
    if unfinished := only_unfinished(chosen):
        yield from _read(driver, unfinished, list(itertools.pairwise(edges)), "1")


def _whole(
    driver: sqlite3.Connection,
    chosen: Selected,
    place: tuple[EpochMs, EpochMs],
    grain: int,
    length: int,
    cut: set[int],
) -> Iterator[Count]:
    words, values = condition(with_flows(chosen))
    query = (
        f"SELECT start, status, sum(runs) FROM execution_counts WHERE span = {grain} AND start >= ?"
        f" AND start < ? AND {words} GROUP BY start, status"
    )
    start, end = -(-place[0] // length), place[1] // length
    for number, status, runs in driver.execute(query, (start, end, *values)):
        if number not in cut:
            yield Count(status, number * length, runs)


def _pieces(edges: Sequence[EpochMs], length: int, cut: set[int]) -> list[tuple[EpochMs, EpochMs]]:
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


def _read(
    driver: sqlite3.Connection, chosen: Selected, pieces: list[tuple[EpochMs, EpochMs]], more: str
) -> Iterator[Count]:
    if not pieces:
        return
    words, values = condition(chosen)
    index = "execution_status" if chosen.flows is None else "execution_flow"
    query = (
        f"WITH piece (low, high) AS (VALUES {', '.join(['(?, ?)'] * len(pieces))})"
        f" SELECT status, low, count(*) FROM piece CROSS JOIN execution INDEXED BY {index}"
        f" ON created_at >= low AND created_at < high WHERE {more} AND {words} GROUP BY low, status"
    )
    places = [time for piece in pieces for time in piece]
    for row in driver.execute(query, (*places, *values)):
        yield Count(*row)
