"""Counting executions without reading them: what the tally holds, and the rest by an index."""

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

from patchbay.domain.base import EpochMs
from patchbay.domain.executions import ExecutionState
from patchbay.storage.execution_filter import Selected
from patchbay.storage.tally_triggers import (
    ALL_FLOWS,
    DAY,
    DAY_MS,
    EVER,
    FINISHED,
    FOLD,
    HOUR,
    HOUR_MS,
    RECOUNT,
)

MUCH = 500
"""Rows of counts, by hour and flow, that may gather before they are folded into the tally."""

FAR = 10**9 * DAY_MS
"""Later than every execution, and the start of a day."""

Clause = tuple[str, list[Any]]
"""Conditions of a statement joined with AND, and their values."""

_LENGTH = {DAY: DAY_MS, HOUR: HOUR_MS}
_OPEN = frozenset(ExecutionState) - frozenset(FINISHED)


class Span(NamedTuple):
    """How many of the chosen executions began in [start, end)."""

    start: EpochMs
    end: EpochMs
    runs: int


def wrong(driver: sqlite3.Connection) -> bool:
    """Whether the tally differs from the executions, which no known way leads to. Reads all of them."""
    query = (
        f"SELECT flow_id, status, test_run, created_at / {DAY_MS}, count(*) FROM execution"
        f" WHERE status IN ({', '.join('?' * len(FINISHED))}) GROUP BY 1, 2, 3, 4"
    )
    counted = {tuple(row[:4]): row[4] for row in driver.execute(query, FINISHED)}
    kept = (
        "SELECT flow_id, status, test_run, start, sum(runs) FROM execution_counts"
        f" WHERE span = {DAY} AND flow_id <> '{ALL_FLOWS}' GROUP BY 1, 2, 3, 4 HAVING sum(runs) <> 0"
    )
    return counted != {tuple(row[:4]): row[4] for row in driver.execute(kept)}


def recount(driver: sqlite3.Connection) -> None:
    """Count everything anew; a few seconds for a million executions."""
    for statement in RECOUNT:
        driver.execute(statement)


def fold(driver: sqlite3.Connection) -> None:
    """Bring what the triggers counted to where it is kept; once it is much, and every hour."""
    for statement in FOLD:
        driver.execute(statement)


def fold_if_much(driver: sqlite3.Connection) -> None:
    """After many executions of many hours were removed, so that readers have little to add up."""
    [[rows]] = driver.execute("SELECT count(*) FROM execution_tally_fresh")
    if rows > MUCH:
        fold(driver)


def ever(driver: sqlite3.Connection, chosen: Selected) -> int:
    """How many there are."""
    return _of_ever(driver, chosen) + _unfinished(driver, chosen)


def between(driver: sqlite3.Connection, chosen: Selected, start: EpochMs, end: EpochMs) -> int:
    """How many began in [start, end)."""
    if start <= 0 and end >= FAR:
        return ever(driver, chosen)
    return sum(span.runs for span in spans(driver, chosen, start, end))


def spans(
    driver: sqlite3.Connection, chosen: Selected, start: EpochMs, end: EpochMs, *, fine: bool = False
) -> list[Span]:
    """Where those that began in [start, end) lie, newest first: days, at both ends also hours or parts.

    `fine` asks for hours wherever they are counted. Spans without any are left out.
    """
    grains = (DAY,) if chosen.flows is not None else (HOUR,) if fine else (DAY, HOUR)
    return [span for span in _split(driver, chosen, (start, end), grains) if span.runs]


def condition(chosen: Selected) -> Clause:
    """The states, flows and test runs chosen, for a statement on `execution` or on the tally."""
    words: list[str] = []
    values: list[Any] = []
    for column, among in (("status", chosen.states), ("flow_id", chosen.flows)):
        if among is not None:
            words.append(_among(column, among))
            values += among
    if chosen.test_run is not None:
        words.append("test_run = ?")
        values.append(chosen.test_run)
    return " AND ".join(words) or "1", values


def rows_between(driver: sqlite3.Connection, chosen: Selected, start: EpochMs, end: EpochMs) -> int:
    """As `between`, by reading an index of the executions."""
    if end <= start:
        return 0
    words, values = condition(chosen)
    query = f"SELECT count(*) FROM execution WHERE created_at >= ? AND created_at < ? AND {words}"
    return int(driver.execute(query, (start, end, *values)).fetchone()[0])


def _split(
    driver: sqlite3.Connection, chosen: Selected, place: tuple[EpochMs, EpochMs], grains: Sequence[int]
) -> Iterator[Span]:
    """Whole spans of the first grain in the middle, and what sticks out at both ends in finer ones."""
    start, end = place
    if start >= end:
        return
    if not grains:
        yield Span(start, end, rows_between(driver, chosen, start, end))
        return
    grain, *finer = grains
    length = _LENGTH[grain]
    first, last = -(-start // length) * length, end // length * length
    if first >= last:
        yield from _split(driver, chosen, place, finer)
        return
    yield from _split(driver, chosen, (last, end), finer)
    yield from _whole(driver, chosen, (first, last), grain)
    yield from _split(driver, chosen, (start, first), finer)


def _whole(
    driver: sqlite3.Connection, chosen: Selected, place: tuple[EpochMs, EpochMs], grain: int
) -> Iterator[Span]:
    length, (start, end) = _LENGTH[grain], place
    words, values = condition(with_flows(chosen))
    query = (
        f"SELECT start, sum(runs) FROM execution_counts WHERE span = {grain} AND start >= ? AND start < ?"
        f" AND {words} GROUP BY start"
    )
    found = dict(driver.execute(query, (start // length, end // length, *values)).fetchall())
    if unfinished := only_unfinished(chosen):
        words, values = condition(unfinished)
        query = (
            f"SELECT created_at / {length}, count(*) FROM execution INDEXED BY execution_status"
            f" WHERE created_at >= ? AND created_at < ? AND {words} GROUP BY 1"
        )
        for number, runs in driver.execute(query, (start, end, *values)):
            found[number] = found.get(number, 0) + runs
    for number in sorted(found, reverse=True):
        yield Span(number * length, (number + 1) * length, found[number])


def _of_ever(driver: sqlite3.Connection, chosen: Selected) -> int:
    words, values = condition(with_flows(chosen))
    query = (
        f"SELECT coalesce(sum(runs), 0) FROM execution_counts WHERE span = {EVER} AND start = 0 AND {words}"
    )
    return int(driver.execute(query, values).fetchone()[0])


def _unfinished(driver: sqlite3.Connection, chosen: Selected) -> int:
    unfinished = only_unfinished(chosen)
    if unfinished is None:
        return 0
    words, values = condition(unfinished)
    query = f"SELECT count(*) FROM execution INDEXED BY execution_status WHERE {words}"
    return int(driver.execute(query, values).fetchone()[0])


def only_unfinished(chosen: Selected) -> Selected | None:
    """The part of the choice that is not tallied; None when there is none."""
    states = _OPEN if chosen.states is None else chosen.states & _OPEN
    return Selected(states, chosen.flows, chosen.test_run) if states else None


def with_flows(chosen: Selected) -> Selected:
    """The choice as the tally knows it, where all flows together have rows of their own."""
    return chosen if chosen.flows is not None else Selected(chosen.states, (ALL_FLOWS,), chosen.test_run)


def _among(column: str, values: Collection[str]) -> str:
    if len(values) == 1:
        return f"{column} = ?"
    return f"{column} IN ({', '.join('?' * len(values))})"
