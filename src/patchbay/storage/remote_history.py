"""Local copy of a remote server's history, with the filters and counts that the server can't do itself."""

import hashlib
import json
import sqlite3
import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from patchbay.domain.base import EpochMs, ExecutionId, FlowId
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.executions import (
    Execution,
    ExecutionFilter,
    ExecutionState,
    FlowRef,
    Histogram,
)
from patchbay.domain.paging import Page, PageRequest
from patchbay.domain.remote_cache import HistoryProgress
from patchbay.storage.remote_cache_file import CacheFile, read_note, write_note

_UNFINISHED_STATES = [state.value for state in ExecutionState if not state.finished]
_MARK = "history"
_DERIVED = {"flow", "flow_id", "status"}
_CURSOR = "copy"
_RETRIED = (
    "SELECT origin_id FROM run WHERE origin_id IS NOT NULL"
    " AND json_extract(body, '$.originKind') IN ('retry', 'replay')"
)


@dataclass(frozen=True)
class Condition:
    """An SQL condition with placeholders, and their values."""

    sql: str
    values: tuple[Any, ...] = ()


@dataclass(frozen=True)
class PageStart:
    """Where a page starts: after an execution, or after a number of rows."""

    after: tuple[EpochMs, str] | None = None
    skip: int = 0


def parse_page_start(page: PageRequest) -> PageStart:
    """Parse where a page starts. Raises `ValidationFailed` for a cursor of another list."""
    if page.cursor is None:
        return PageStart(skip=(page.page - 1) * page.limit)
    kind, _, rest = page.cursor.partition(":")
    created_at, _, execution_id = rest.partition(":")
    if kind != _CURSOR or not created_at.removeprefix("-").isdecimal():
        raise ValidationFailed({"cursor": ["This cursor isn't valid for this list."]})
    return PageStart(after=(int(created_at), execution_id))


def find_page(
    connection: sqlite3.Connection,
    where: ExecutionFilter,
    flows: Collection[FlowId] | None,
    page: PageRequest,
    start: PageStart,
) -> Page[Execution]:
    """Find one page of matching executions, newest first, with the total number."""
    conditions = [
        *_filter_conditions(where, flows),
        *_time_conditions(where.started_after, where.ended_before),
    ]
    (total,) = connection.execute(*_with_where("SELECT count(*) FROM run", conditions)).fetchone()
    if start.after is not None:
        conditions.append(Condition("(run.created_at, run.id) < (?, ?)", start.after))
    sql, values = _with_where(
        "SELECT run.body, flow.body, run.created_at, run.id FROM run JOIN flow ON flow.number = run.flow",
        conditions,
    )
    sql += " ORDER BY run.created_at DESC, run.id DESC LIMIT ? OFFSET ?"
    rows = connection.execute(sql, (*values, page.limit + 1, start.skip)).fetchall()
    more, shown = len(rows) > page.limit, rows[: page.limit]
    return Page(
        items=tuple(
            Execution.model_validate({**json.loads(body), "flow": json.loads(flow)})
            for body, flow, *_ in shown
        ),
        total=total,
        page=page.page,
        limit=page.limit,
        next_cursor=f"{_CURSOR}:{shown[-1][2]}:{shown[-1][3]}" if more else None,
    )


def histogram(
    connection: sqlite3.Connection,
    where: ExecutionFilter,
    flows: Collection[FlowId] | None,
    start: EpochMs,
    span: int,
    bars: int,
) -> Histogram:
    """Count matching executions in `bars` spans of `span` milliseconds, from `start` on."""
    end = start + span * bars
    conditions = [
        *_filter_conditions(where, flows),
        Condition("run.created_at >= ? AND run.created_at < ?", (start, end)),
    ]
    sql, values = _with_where("SELECT (run.created_at - ?) / ?, run.state, count(*) FROM run", conditions)
    counts = connection.execute(f"{sql} GROUP BY 1, 2", (start, span, *values)).fetchall()
    return Histogram.from_counts(start, span, bars, counts)


def _filter_conditions(where: ExecutionFilter, flows: Collection[FlowId] | None) -> Iterable[Condition]:
    """All conditions of a filter except its times. `flows` limits it to these flows, None to no others."""
    states = where.matching_states()
    if states is not None:
        placeholders = ", ".join("?" * len(states))
        yield Condition(f"run.state IN ({placeholders})", tuple(sorted(state.value for state in states)))
    yield from _flow_conditions(where, flows)
    if where.test_run is not None:
        yield Condition("run.test_run = ?", (where.test_run,))
    if where.note:
        yield Condition("instr(run.note, ?) > 0", (where.note,))
    if where.retried is not None:
        yield Condition(f"run.id {'IN' if where.retried else 'NOT IN'} ({_RETRIED})", ())
    if where.origin_id:
        yield Condition("run.origin_id = ?", (where.origin_id,))


def _flow_conditions(where: ExecutionFilter, flows: Collection[FlowId] | None) -> Iterable[Condition]:
    wanted: list[Condition] = []
    if where.flow_id:
        wanted.append(Condition("flow.id = ?", (where.flow_id,)))
    if where.name:
        wanted.append(Condition("instr(flow.name, ?) > 0", (where.name.casefold(),)))
    if where.app_key:
        has_app = "EXISTS (SELECT 1 FROM json_each(flow.apps) WHERE value = ?)"
        wanted.append(Condition(has_app, (where.app_key,)))
    if flows is not None:
        one_of = "flow.id IN (SELECT value FROM json_each(?))"
        wanted.append(Condition(one_of, (json.dumps(sorted(flows)),)))
    if wanted:
        inner, values = _with_where("SELECT number FROM flow", wanted)
        yield Condition(f"run.flow IN ({inner})", values)


def _time_conditions(after: EpochMs | None, before: EpochMs | None) -> Iterable[Condition]:
    if after is not None:
        yield Condition("run.created_at >= ?", (after,))
    if before is not None:
        yield Condition("run.created_at <= ?", (before,))


def _with_where(begin: str, conditions: Collection[Condition]) -> tuple[str, tuple[Any, ...]]:
    if not conditions:
        return begin, ()
    values = tuple(value for condition in conditions for value in condition.values)
    return f"{begin} WHERE {' AND '.join(condition.sql for condition in conditions)}", values


class StoredHistory:
    """A `HistoryStore` in a cache file. Filters run as SQL, so only one page is in memory."""

    def __init__(self, file: CacheFile) -> None:
        self._file = file

    async def progress(self) -> HistoryProgress:
        return await self._file.run(_read_progress, HistoryProgress())

    async def save_progress(self, progress: HistoryProgress) -> None:
        await self._file.run(lambda connection: _write_progress(connection, progress), None)

    async def add(self, rows: Sequence[Execution], progress: HistoryProgress) -> int:
        def work(connection: sqlite3.Connection) -> int:
            flows: dict[bytes, int] = {}
            added = [
                _store_execution(connection, row, _store_flow(connection, row.flow, flows), progress.number)
                for row in rows
            ]
            _write_progress(connection, progress)
            return sum(added)

        return await self._file.run(work, 0)

    async def delete_unseen(self, progress: HistoryProgress) -> int:
        def work(connection: sqlite3.Connection) -> int:
            gone = connection.execute("DELETE FROM run WHERE met < ?", (progress.number,)).rowcount
            connection.execute("DELETE FROM flow WHERE number NOT IN (SELECT flow FROM run)")
            _write_progress(connection, progress)
            return gone

        return await self._file.run(work, 0)

    async def forget(self, execution_id: ExecutionId) -> None:
        await self._file.run(lambda c: c.execute("DELETE FROM run WHERE id = ?", (execution_id,)), None)

    async def extent(self) -> tuple[int, EpochMs | None]:
        return await self._file.run(_read_extent, (0, None))

    async def unfinished(self, since: EpochMs, limit: int) -> tuple[ExecutionId, ...]:
        def work(connection: sqlite3.Connection) -> tuple[ExecutionId, ...]:
            states = ", ".join("?" * len(_UNFINISHED_STATES))
            found = connection.execute(
                f"SELECT id FROM run WHERE state IN ({states}) AND created_at >= ?"
                " ORDER BY looked_at LIMIT ?",
                (*_UNFINISHED_STATES, since, limit),
            )
            return tuple(row[0] for row in found)

        return await self._file.run(work, ())

    async def find(
        self, where: ExecutionFilter, flows: Collection[FlowId] | None, page: PageRequest
    ) -> Page[Execution]:
        start = parse_page_start(page)
        empty: Page[Execution] = Page(items=(), total=0, page=page.page, limit=page.limit)
        return await self._file.run(lambda c: find_page(c, where, flows, page, start), empty)

    async def histogram(
        self,
        where: ExecutionFilter,
        flows: Collection[FlowId] | None,
        start: EpochMs,
        end: EpochMs,
        bars: int,
    ) -> Histogram:
        span = max(1, -(-(end - start) // bars))
        empty = Histogram.from_counts(start, span, bars, ())
        return await self._file.run(lambda c: histogram(c, where, flows, start, span, bars), empty)


def _store_execution(connection: sqlite3.Connection, row: Execution, flow: int, pass_number: int) -> bool:
    """Store an execution. Returns whether it was new or had changed."""
    body = row.model_dump_json(by_alias=True, exclude=_DERIVED, exclude_defaults=True)
    before = connection.execute("SELECT body, flow FROM run WHERE id = ?", (row.id,)).fetchone()
    connection.execute(
        "REPLACE INTO run (id, created_at, state, flow, test_run, note, origin_id, met, looked_at, body)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            row.id,
            row.created_at,
            row.state.value,
            flow,
            row.test_run,
            row.note,
            row.origin_id,
            pass_number,
            time.time_ns(),
            body,
        ),
    )
    return bool(before != (body, flow))


def _store_flow(connection: sqlite3.Connection, flow: FlowRef, known: dict[bytes, int]) -> int:
    """Store a flow as it was shown with executions, if not stored yet. Returns its number."""
    body = flow.model_dump_json(by_alias=True, exclude_none=True)
    digest = hashlib.blake2b(body.encode(), digest_size=16).digest()
    if digest not in known:
        apps = json.dumps(sorted(set(flow.app_keys)))
        connection.execute(
            "INSERT OR IGNORE INTO flow (digest, id, name, apps, body) VALUES (?, ?, ?, ?, ?)",
            (digest, flow.id, flow.name.casefold(), apps, body),
        )
        (number,) = connection.execute("SELECT number FROM flow WHERE digest = ?", (digest,)).fetchone()
        known[digest] = int(number)
    return known[digest]


def _read_progress(connection: sqlite3.Connection) -> HistoryProgress:
    text = read_note(connection, _MARK)
    return HistoryProgress.model_validate_json(text) if text else HistoryProgress()


def _write_progress(connection: sqlite3.Connection, progress: HistoryProgress) -> None:
    write_note(connection, _MARK, progress.model_dump_json(by_alias=True))


def _read_extent(connection: sqlite3.Connection) -> tuple[int, EpochMs | None]:
    count, oldest = connection.execute("SELECT count(*), min(created_at) FROM run").fetchone()
    return int(count), oldest
