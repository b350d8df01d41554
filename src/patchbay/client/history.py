"""The local copy of an Automatisch server's history, which filters and statistics use."""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import TypeVar

from patchbay.client.compat import normalize_execution
from patchbay.client.responses import ApiResponse, parse_models
from patchbay.client.service_adapter import ServiceAdapter
from patchbay.client.service_client import build_path
from patchbay.domain.backend import Capabilities, Feature
from patchbay.domain.base import EpochMs, FlowId
from patchbay.domain.changes import ResourceType
from patchbay.domain.clock import HOUR_MS, WEEK_MS, now_ms
from patchbay.domain.errors import AppError, NotFound, NotSupported, RateLimited, TimedOut, Unreachable
from patchbay.domain.executions import (
    Execution,
    ExecutionFilter,
    FlowActivity,
    Histogram,
    HistoryCopy,
    HistoryCopyState,
    RunMark,
)
from patchbay.domain.flows import Flow
from patchbay.domain.folders import NO_FOLDER, FolderStats
from patchbay.domain.paging import DEFAULT_PAGE_SIZE, Page, PageRequest, read_all
from patchbay.domain.remote_cache import HistoryProgress, HistoryStore
from patchbay.domain.remote_options import UntrustedCertificate


class DescendingPager:
    """The position in a list that is read by page numbers from top to bottom, counted from its end.

    New rows are added at the top, so the unread part keeps its distance from the end. That distance only
    shrinks when unread rows are deleted, and then a few rows are read twice. `left` is the number of unread
    rows, None before the first page; `total` is the length of the list when last read.

    Example with pages of 100: of 250 rows, page 1 was read, so `left` is 150. Meanwhile 30 rows were added,
    so the list has 280 rows and the unread part begins at row 130 (280 - 150), which is on page 2. Reading
    page 2 (rows 100 to 199) leaves 80 unread rows.
    """

    def __init__(self, left: int | None = None, total: int = 0, *, size: int = DEFAULT_PAGE_SIZE) -> None:
        self.left = left
        self.total = total
        self._size = size

    @property
    def done(self) -> bool:
        """Whether every row has been read."""
        return self.left == 0

    @property
    def page(self) -> int:
        """The number of the page to read next, from 1: the one in which the unread part begins."""
        return self._unread_start() // self._size + 1

    def record_page(self, page: int, rows: int, total: int) -> None:
        """Record a received page: its number, its rows, and the current length of the list.

        If rows above it were deleted meanwhile, it begins below the start of the unread part. Then it isn't
        counted, and `page` is the one that was skipped.
        """
        start = (page - 1) * self._size
        self.total = total
        if start > self._unread_start():
            return
        below = max(0, total - start - rows) if rows else 0
        self.left = below if self.left is None else min(self.left, below)

    def _unread_start(self) -> int:
        return 0 if self.left is None else max(0, self.total - self.left)


# Reading: one request at a time, with pauses, newest first

MIN_DELAY_SECONDS = 0.15
MAX_DELAY_SECONDS = 10.0
DELAY_FACTOR = 2.0
"""Delay between requests, relative to the server's response time."""
DEFAULT_RATE_LIMIT_SECONDS = 60.0
MAX_RATE_LIMIT_SECONDS = 3600.0
MAX_RATE_LIMIT_REPEATS = 5
"""Reading stops after this many rate limits in a row."""
UNREACHABLE_DELAY_SECONDS = 30.0
CATCH_UP_SECONDS = 60.0
NOTIFY_INTERVAL_SECONDS = 1.0
UNFINISHED_HOURS = 24
MAX_UNFINISHED_CHECKED = 10
_ALL = "/v1/executions"

Sleep = Callable[[float], Awaitable[None]]


class HistoryReader:
    """Downloads a server's executions into a store, resumes after a restart, and then follows new ones.

    Calls `notify` with HISTORY at most once a second while it downloads, with WORKSPACE when it starts or
    ends, and with EXECUTION when rows of a complete copy were added or changed.
    """

    def __init__(
        self,
        adapter: ServiceAdapter,
        store: HistoryStore,
        notify: Callable[[ResourceType], None],
        *,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._adapter = adapter
        self._store = store
        self._notify = notify
        self._sleep = sleep
        self._task: asyncio.Task[None] | None = None
        self._wake_event = asyncio.Event()
        self._problem: str | None = None
        self._delay = 0.0
        self._notified_at = 0.0
        self.usable = False
        """Whether the copy has any executions, or is complete."""
        self.complete = False
        """Whether the whole history was downloaded at least once."""

    async def resume(self) -> None:
        """Read the progress, and resume the download if it was running when the workspace closed."""
        if (await self._load_progress()).wanted:
            self._start_task()

    async def status(self) -> HistoryCopy:
        """The progress of the download."""
        progress = await self._load_progress()
        count, oldest = await self._store.extent()
        if not progress.number:
            return HistoryCopy(state=HistoryCopyState.ABSENT, problem=self._problem)
        if progress.left == 0:
            return HistoryCopy(
                state=HistoryCopyState.COMPLETE,
                done=count,
                total=count,
                oldest_at=oldest,
                problem=self._problem,
            )
        running = self._task is not None and not self._task.done()
        return HistoryCopy(
            state=HistoryCopyState.READING if running else HistoryCopyState.STOPPED,
            done=0 if progress.left is None else max(0, progress.total - progress.left),
            total=progress.total,
            oldest_at=oldest,
            problem=self._problem,
        )

    async def read(self) -> None:
        """Start or resume the download. If it is complete, download everything again."""
        progress = await self._store.progress()
        changes: dict[str, object] = {"wanted": True}
        if not progress.number or progress.left == 0:
            changes |= {"number": progress.number + 1, "left": None}
        await self._store.save_progress(progress.model_copy(update=changes))
        await self._cancel_task()
        self._start_task()
        self._notify(ResourceType.WORKSPACE)

    async def stop(self) -> None:
        """Stop the download, also after a restart. What was downloaded stays."""
        await self._cancel_task()
        progress = await self._store.progress()
        if progress.wanted:
            await self._store.save_progress(progress.model_copy(update={"wanted": False}))
            self._problem = None
            self._notify(ResourceType.WORKSPACE)

    def wake(self) -> None:
        """Check for new executions now, because the server's list has changed."""
        self._wake_event.set()

    async def close(self) -> None:
        await self._cancel_task()

    def _start_task(self) -> None:
        self._problem = None
        self._task = asyncio.create_task(self._run(), name="patchbay-history")

    async def _cancel_task(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait([task])

    async def _run(self) -> None:
        rate_limits = 0
        while True:
            before = await self._store.progress()
            try:
                await self._follow_history()
            except RateLimited as rate_limit_error:
                has_progressed = await self._store.progress() != before
                rate_limits = 1 if has_progressed else rate_limits + 1
                if rate_limits > MAX_RATE_LIMIT_REPEATS:
                    return self._fail(rate_limit_error)
                await self._wait_for_rate_limit(rate_limit_error)
            except UntrustedCertificate as error:
                return self._fail(error)
            except (Unreachable, TimedOut) as error:
                await self._wait_for_service(error)
            except AppError as error:
                return self._fail(error)

    async def _follow_history(self) -> None:
        """Read new executions, then the rest of the history, and then follow new ones until cancelled."""
        await self._read_new()
        await self._read_backlog()
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(CATCH_UP_SECONDS):
                    await self._wake_event.wait()
            self._wake_event.clear()
            if await self._read_new() + await self._refresh_unfinished():
                self._notify(ResourceType.EXECUTION)

    async def _read_backlog(self) -> None:
        """Read from the place reached to the oldest execution, then delete those the pass didn't find."""
        progress = await self._store.progress()
        descent = DescendingPager(progress.left, progress.total)
        if descent.done:
            return
        while not descent.done:
            rows = await self._read_page(descent)
            changes = {"left": descent.left, "total": descent.total}
            if progress.left is None:
                changes["covered_from"] = rows[0].created_at if rows else None
            progress = progress.model_copy(update=changes)
            await self._store_rows(rows, progress)
        await self._store.delete_unseen(progress.model_copy(update={"complete": True}))
        await self._load_progress()
        self._notify(ResourceType.WORKSPACE)

    async def _read_new(self) -> int:
        """Read new executions, from the newest to the first known one. Returns how many rows changed."""
        progress = await self._store.progress()
        if progress.left is None:
            return 0
        descent = DescendingPager()
        newest = None
        added = 0
        while not descent.done:
            rows = await self._read_page(descent)
            if newest is None and rows:
                newest = rows[0].created_at
            progress = progress.model_copy(update={"total": descent.total})
            added += await self._store_rows(rows, progress)
            known = progress.covered_from
            if known is not None and any(row.created_at < known for row in rows):
                break
        if newest is not None and newest != progress.covered_from:
            await self._store.save_progress(progress.model_copy(update={"covered_from": newest}))
        return added

    async def _refresh_unfinished(self) -> int:
        """Read some executions again that were unfinished when last read. Returns how many changed."""
        progress = await self._store.progress()
        since = now_ms() - UNFINISHED_HOURS * HOUR_MS
        changed = 0
        for execution_id in await self._store.unfinished(since, MAX_UNFINISHED_CHECKED):
            try:
                response = await self._request(build_path(_ALL + "/{id}", id=execution_id))
            except NotFound:
                await self._store.forget(execution_id)
                changed += 1
            else:
                changed += await self._store_rows(
                    parse_models(Execution, [normalize_execution(response.data)]), progress
                )
        return changed

    async def _read_page(self, descent: DescendingPager) -> tuple[Execution, ...]:
        """Read the next page, and record it in `descent`."""
        page = descent.page
        response = await self._request(_ALL, page)
        rows = response.rows()
        descent.record_page(page, len(rows), response.count)
        return parse_models(Execution, [normalize_execution(row) for row in rows])

    async def _request(self, path: str, page: int | None = None) -> ApiResponse:
        """Send a request after a delay, which is longer the slower the server responds."""
        await self._adapter.dialect()
        await self._sleep(self._delay)
        started_at = time.monotonic()
        response = await self._adapter.service.get(path, {"page": page}, cached=False)
        took = time.monotonic() - started_at
        self._delay = min(MAX_DELAY_SECONDS, max(MIN_DELAY_SECONDS, took * DELAY_FACTOR))
        return response

    async def _store_rows(self, rows: Sequence[Execution], progress: HistoryProgress) -> int:
        added = await self._store.add(rows, progress)
        self.usable = self.usable or bool(rows)
        if self._problem is not None:
            self._problem = None
        if time.monotonic() - self._notified_at >= NOTIFY_INTERVAL_SECONDS:
            self._notified_at = time.monotonic()
            self._notify(ResourceType.HISTORY)
        return added

    async def _load_progress(self) -> HistoryProgress:
        """Read the progress, and update `usable` and `complete`."""
        progress = await self._store.progress()
        count, _ = await self._store.extent()
        self.usable, self.complete = count > 0 or progress.complete, progress.complete
        return progress

    async def _wait_for_rate_limit(self, rate_limit_error: RateLimited) -> None:
        seconds = min(rate_limit_error.retry_after or DEFAULT_RATE_LIMIT_SECONDS, MAX_RATE_LIMIT_SECONDS)
        retry_at = (datetime.now() + timedelta(seconds=seconds)).strftime("%H:%M")
        self._problem = f"Rate limit reached. The download continues at {retry_at}."
        self._notify(ResourceType.HISTORY)
        await self._sleep(seconds)

    async def _wait_for_service(self, error: AppError) -> None:
        self._problem = f"{error.happened} The download continues once the server responds."
        self._notify(ResourceType.HISTORY)
        await self._sleep(
            UNREACHABLE_DELAY_SECONDS if self._adapter.service.connectivity.offline_since is None else 0
        )
        await self._adapter.service.connectivity.wait_until_online()

    def _fail(self, error: AppError) -> None:
        self._problem = error.text()
        self._task = None
        self._notify(ResourceType.WORKSPACE)


# Using the copy

T = TypeVar("T")

RECENT_RUNS = 20
MAX_FLOWS = 5_000
"""Max. flows of a folder or user that are read."""
_NO_STORE = "There's no storage for a copy of the history."
_READ_HISTORY_HINT = "Choose “Download history” in Executions to use every filter."


class LocalHistory:
    """Serves requests from the copy that the server can't. Without a store, there is never a copy."""

    def __init__(
        self, adapter: ServiceAdapter, store: HistoryStore | None, reader: HistoryReader | None
    ) -> None:
        self._adapter = adapter
        self._store = store
        self._reader = reader

    def with_local_features(self, capabilities: Capabilities) -> Capabilities:
        """Add what the copy makes possible: filters once it has data, statistics once it's complete."""
        available = set()
        if self._reader is not None and self._reader.usable:
            available.add(Feature.FILTERS)
        if self._reader is not None and self._reader.complete:
            available.add(Feature.STATISTICS)
        if available.isdisjoint(capabilities.unavailable):
            return capabilities
        left = {key: reason for key, reason in capabilities.unavailable.items() if key not in available}
        return capabilities.model_copy(update={"unavailable": left})

    async def status(self) -> HistoryCopy:
        """The progress of the copy."""
        if await self._adapter.is_patchbay():
            return HistoryCopy()
        if self._reader is None:
            return HistoryCopy(state=HistoryCopyState.ABSENT, problem=_NO_STORE)
        return await self._reader.status()

    async def read(self) -> HistoryCopy:
        """Start or resume the download, or download everything again."""
        if self._reader is not None and not await self._adapter.is_patchbay():
            await self._reader.read()
        return await self.status()

    async def stop(self) -> HistoryCopy:
        """Stop the download."""
        if self._reader is not None and not await self._adapter.is_patchbay():
            await self._reader.stop()
        return await self.status()

    async def executions(
        self, fetch: Callable[[], Awaitable[Page[Execution]]], where: ExecutionFilter, page: PageRequest
    ) -> Page[Execution]:
        """The server's executions, or those of the copy if the server can't filter so or is offline."""
        if page.cursor is not None and page.cursor.startswith("copy:") and self._store is not None:
            return await self._store.find(where, await self._matching_flow_ids(where), page)
        try:
            return await fetch()
        except (Unreachable, TimedOut):
            is_offline = self._adapter.service.connectivity.offline_since is not None
            if not is_offline or self._store is None or self._reader is None or not self._reader.complete:
                raise
        except NotSupported as error:
            if self._store is None or self._reader is None:
                raise
            if not self._reader.usable:
                raise NotSupported(error.happened, feature=error.feature, todo=_READ_HISTORY_HINT) from error
        return await self._store.find(where, await self._matching_flow_ids(where), page)

    async def histogram(
        self, where: ExecutionFilter, start: EpochMs, end: EpochMs, bars: int
    ) -> Histogram | None:
        """Counts over the whole history; None while the copy is incomplete."""
        if self._store is None or self._reader is None or not self._reader.complete:
            return None
        return await self._store.histogram(where, await self._matching_flow_ids(where), start, end, bars)

    async def activity(self, flow_ids: Sequence[FlowId]) -> tuple[FlowActivity, ...]:
        """The recent runs of flows, without their next start; nothing while the copy is incomplete."""
        if self._store is None or self._reader is None or not self._reader.complete:
            return ()
        found = []
        for flow_id in flow_ids:
            newest = await self._store.find(
                ExecutionFilter(flow_id=flow_id), None, PageRequest(limit=RECENT_RUNS)
            )
            marks = [RunMark(state=run.state, duration_ms=run.duration_ms) for run in newest.items]
            last = newest.items[0] if newest.items else None
            found.append(FlowActivity(flow_id=flow_id, last=last, recent=tuple(reversed(marks))))
        return tuple(found)

    async def with_run_counts(self, stats: Sequence[FolderStats]) -> tuple[FolderStats, ...]:
        """Folder statistics with the runs of the last 7 days, once the copy is complete."""
        if self._store is None or self._reader is None or not self._reader.complete:
            return tuple(stats)
        return tuple([await self._with_run_counts(self._store, item) for item in stats])

    async def _with_run_counts(self, store: HistoryStore, stats: FolderStats) -> FolderStats:
        where = ExecutionFilter(folder_id=stats.folder_id or NO_FOLDER)
        flows = await self._matching_flow_ids(where)
        end = now_ms()
        runs = await store.histogram(where, flows, end - WEEK_MS, end + 1, 1)
        newest = (await store.find(where, flows, PageRequest(limit=1))).items
        return stats.model_copy(
            update={
                "runs": runs.total,
                "failures": sum(bar.failure for bar in runs.bars),
                "last_run_at": newest[0].created_at if newest else None,
            }
        )

    async def _matching_flow_ids(self, where: ExecutionFilter) -> frozenset[FlowId] | None:
        """The flows now in the folder and of the user of a filter, which executions don't include."""
        if where.folder_id is None and where.user_id is None:
            return None
        query = {"folderId": where.folder_id, "userId": where.user_id}
        flows = await read_all(partial(self._adapter.page, Flow, "/v1/flows", query), max_items=MAX_FLOWS)
        return frozenset(flow.id for flow in flows)


class HistoryCalls:
    """Controlling the copy of the history."""

    _history: LocalHistory

    async def history_copy(self) -> HistoryCopy:
        return await self._history.status()

    async def start_history_download(self) -> HistoryCopy:
        return await self._history.read()

    async def stop_history_download(self) -> HistoryCopy:
        return await self._history.stop()
