"""A copy of a service's history: executions to be filtered and counted here."""

import hashlib
import json
import sqlite3
import time
from collections.abc import Collection, Sequence

from patchbay.domain.base import EpochMs, ExecutionId, FlowId
from patchbay.domain.executions import Execution, ExecutionFilter, ExecutionState, FlowRef, Histogram
from patchbay.domain.keeping import HistoryProgress
from patchbay.domain.paging import Page, PageRequest
from patchbay.storage.remote import history_queries as queries
from patchbay.storage.remote.cache_file import CacheFile
from patchbay.storage.remote.notes import read_note, write_note

_UNFINISHED_STATES = [state.value for state in ExecutionState if not state.finished]
_MARK = "history"
_DERIVED = {"flow", "flow_id", "status"}


class StoredHistory:
    """A `HistoryStore` in a cache file. All filters are conditions of SQL; only one page is in memory."""

    def __init__(self, file: CacheFile) -> None:
        self._file = file

    async def mark(self) -> HistoryProgress:
        return await self._file.run(_read_mark, HistoryProgress())

    async def save_progress(self, mark: HistoryProgress) -> None:
        await self._file.run(lambda connection: _write_mark(connection, mark), None)

    async def add(self, rows: Sequence[Execution], mark: HistoryProgress) -> int:
        def work(connection: sqlite3.Connection) -> int:
            flows: dict[bytes, int] = {}
            added = [
                _store_execution(connection, row, _store_flow(connection, row.flow, flows), mark.number)
                for row in rows
            ]
            _write_mark(connection, mark)
            return sum(added)

        return await self._file.run(work, 0)

    async def delete_unseen(self, mark: HistoryProgress) -> int:
        def work(connection: sqlite3.Connection) -> int:
            gone = connection.execute("DELETE FROM run WHERE met < ?", (mark.number,)).rowcount
            connection.execute("DELETE FROM flow WHERE number NOT IN (SELECT flow FROM run)")
            _write_mark(connection, mark)
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
        place = queries.place(page)
        empty: Page[Execution] = Page(items=(), total=0, page=page.page, limit=page.limit)
        return await self._file.run(lambda c: queries.find(c, where, flows, page, place), empty)

    async def histogram(
        self,
        where: ExecutionFilter,
        flows: Collection[FlowId] | None,
        start: EpochMs,
        end: EpochMs,
        bars: int,
    ) -> Histogram:
        span = max(1, -(-(end - start) // bars))
        empty = queries.build_histogram(start, span, bars, ())
        return await self._file.run(lambda c: queries.histogram(c, where, flows, start, span, bars), empty)


def _store_execution(connection: sqlite3.Connection, row: Execution, flow: int, pass_number: int) -> bool:
    """Whether it was not there, or was otherwise."""
    body = row.model_dump_json(by_alias=True, exclude=_DERIVED, exclude_defaults=True)
    before = connection.execute("SELECT body, flow FROM run WHERE id = ?", (row.id,)).fetchone()
    connection.execute(
        "REPLACE INTO run (id, created_at, state, flow, test_run, note, origin_id, met, looked_at, body)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            row.id, row.created_at, row.state.value, flow, row.test_run, row.note, row.origin_id, pass_number,
            time.time_ns(), body,
        ),
    )  # fmt: skip
    return bool(before != (body, flow))


def _store_flow(connection: sqlite3.Connection, flow: FlowRef, known: dict[bytes, int]) -> int:
    """The number under which this form of the flow is stored."""
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


def _read_mark(connection: sqlite3.Connection) -> HistoryProgress:
    text = read_note(connection, _MARK)
    return HistoryProgress.model_validate_json(text) if text else HistoryProgress()


def _write_mark(connection: sqlite3.Connection, mark: HistoryProgress) -> None:
    write_note(connection, _MARK, mark.model_dump_json(by_alias=True))


def _read_extent(connection: sqlite3.Connection) -> tuple[int, EpochMs | None]:
    count, oldest = connection.execute("SELECT count(*), min(created_at) FROM run").fetchone()
    return int(count), oldest
