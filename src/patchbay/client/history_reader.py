"""Reads the history of another service in the background: one question at a time, gently, newest first."""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta

from patchbay.client.answers import ApiResponse
from patchbay.client.descent import DescendingPager
from patchbay.client.foreign import normalize_execution
from patchbay.client.peer import ServiceAdapter
from patchbay.client.reading import parse_models
from patchbay.client.service import build_path
from patchbay.domain.changes import ResourceType
from patchbay.domain.errors import AppError, NotFound, RateLimited, TimedOut, Unreachable
from patchbay.domain.executions import Execution
from patchbay.domain.history import HistoryCopy, HistoryCopyState
from patchbay.domain.keeping import HistoryProgress, HistoryStore
from patchbay.domain.remote_options import UntrustedCertificate

MIN_DELAY_SECONDS = 0.15
MAX_DELAY_SECONDS = 10.0
DELAY_FACTOR = 2.0
"""How much longer than its answers took the service is left alone."""
DEFAULT_RATE_LIMIT_SECONDS = 60.0
MAX_RATE_LIMIT_SECONDS = 3600.0
MAX_RATE_LIMIT_REPEATS = 5
"""How often in a row the service may ask to wait before reading stops."""
UNREACHABLE_DELAY_SECONDS = 30.0
CATCH_UP_SECONDS = 60.0
NOTIFY_INTERVAL_SECONDS = 1.0
UNFINISHED_HOURS = 24
MAX_UNFINISHED_CHECKED = 10
_ALL = "/v1/executions"

Sleep = Callable[[float], Awaitable[None]]


class HistoryReader:
    """Fills a store with what the service lists, goes on where it was, and then keeps up with what is new.

    `notify` hears of HISTORY at most every second while it goes on, of WORKSPACE when it begins or ends, and of
    EXECUTION when something was added to a whole copy.
    """

    def __init__(
        self,
        adapter: ServiceAdapter,
        store: HistoryStore,
        notify: Callable[[ResourceType], None],
        *,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._adapter, self._store, self._notify, self._sleep = adapter, store, notify, sleep
        self._task: asyncio.Task[None] | None = None
        self._wake_event = asyncio.Event()
        self._problem: str | None = None
        self._delay = 0.0
        self._notified_at = 0.0
        self.usable = False
        """Whether there is anything to answer from."""
        self.complete = False
        """Whether all of the history is there."""

    async def resume(self) -> None:
        """See what is there; and go on, if that was wanted when the workspace was closed."""
        if (await self._load_mark()).wanted:
            self._start_task()

    async def status(self) -> HistoryCopy:
        """How far it is."""
        mark = await self._load_mark()
        count, oldest = await self._store.extent()
        if not mark.number:
            return HistoryCopy(state=HistoryCopyState.ABSENT, problem=self._problem)
        if mark.left == 0:
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
            done=0 if mark.left is None else max(0, mark.total - mark.left),
            total=mark.total,
            oldest_at=oldest,
            problem=self._problem,
        )

    async def read(self) -> None:
        """Begin, go on, or, when all is there, read all of it once more."""
        mark = await self._store.mark()
        changes: dict[str, object] = {"wanted": True}
        if not mark.number or mark.left == 0:
            changes |= {"number": mark.number + 1, "left": None}
        await self._store.save_progress(mark.model_copy(update=changes))
        await self._cancel_task()
        self._start_task()
        self._notify(ResourceType.WORKSPACE)

    async def stop(self) -> None:
        """Keep what is there and read no more, also after a restart."""
        await self._cancel_task()
        mark = await self._store.mark()
        if mark.wanted:
            await self._store.save_progress(mark.model_copy(update={"wanted": False}))
            self._problem = None
            self._notify(ResourceType.WORKSPACE)

    def wake(self) -> None:
        """The service's list has changed."""
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
            before = await self._store.mark()
            try:
                await self._follow_history()
            except RateLimited as refused:
                has_progressed = await self._store.mark() != before
                rate_limits = 1 if has_progressed else rate_limits + 1
                if rate_limits > MAX_RATE_LIMIT_REPEATS:
                    return self._fail(refused)
                await self._wait_for_rate_limit(refused)
            except UntrustedCertificate as error:
                return self._fail(error)
            except (Unreachable, TimedOut) as error:
                await self._wait_for_service(error)
            except AppError as error:
                return self._fail(error)

    async def _follow_history(self) -> None:
        """What is new, then what is left of the history; then what is new, for ever."""
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
        """From the place reached to the oldest; what was not met on the way is not there any more."""
        mark = await self._store.mark()
        descent = DescendingPager(mark.left, mark.total)
        if descent.done:
            return
        while not descent.done:
            rows = await self._read_page(descent)
            progress = {"left": descent.left, "total": descent.total}
            if mark.left is None:
                progress["covered_from"] = rows[0].created_at if rows else None
            mark = mark.model_copy(update=progress)
            await self._store_rows(rows, mark)
        await self._store.delete_unseen(mark.model_copy(update={"complete": True}))
        await self._load_mark()
        self._notify(ResourceType.WORKSPACE)

    async def _read_new(self) -> int:
        """What came in at the top since, down to where all is known. How many were new or had changed."""
        mark = await self._store.mark()
        if mark.left is None:
            return 0
        descent, newest, added = DescendingPager(), None, 0
        while not descent.done:
            rows = await self._read_page(descent)
            if newest is None and rows:
                newest = rows[0].created_at
            mark = mark.model_copy(update={"total": descent.total})
            added += await self._store_rows(rows, mark)
            known = mark.covered_from
            if known is not None and any(row.created_at < known for row in rows):
                break
        if newest is not None and newest != mark.covered_from:
            await self._store.save_progress(mark.model_copy(update={"covered_from": newest}))
        return added

    async def _refresh_unfinished(self) -> int:
        """At some of those that had not ended when they were read. How many have changed."""
        mark = await self._store.mark()
        since = int((time.time() - UNFINISHED_HOURS * 3600) * 1000)
        changed = 0
        for execution_id in await self._store.unfinished(since, MAX_UNFINISHED_CHECKED):
            try:
                response = await self._request(build_path(_ALL + "/{id}", id=execution_id))
            except NotFound:
                await self._store.forget(execution_id)
                changed += 1
            else:
                changed += await self._store_rows(
                    parse_models(Execution, [normalize_execution(response.data)]), mark
                )
        return changed

    async def _read_page(self, descent: DescendingPager) -> tuple[Execution, ...]:
        """The page that comes next, and the place after it."""
        page = descent.page
        response = await self._request(_ALL, page)
        rows = response.rows()
        descent.record_page(page, len(rows), response.count)
        return parse_models(Execution, [normalize_execution(row) for row in rows])

    async def _request(self, path: str, page: int | None = None) -> ApiResponse:
        """One answer, after leaving the service alone for a while; the longer, the slower it is."""
        await self._adapter.dialect()
        await self._sleep(self._delay)
        started_at = time.monotonic()
        response = await self._adapter.service.get(path, {"page": page}, cached=False)
        took = time.monotonic() - started_at
        self._delay = min(MAX_DELAY_SECONDS, max(MIN_DELAY_SECONDS, took * DELAY_FACTOR))
        return response

    async def _store_rows(self, rows: Sequence[Execution], mark: HistoryProgress) -> int:
        added = await self._store.add(rows, mark)
        self.usable = self.usable or bool(rows)
        if self._problem is not None:
            self._problem = None
        if time.monotonic() - self._notified_at >= NOTIFY_INTERVAL_SECONDS:
            self._notified_at = time.monotonic()
            self._notify(ResourceType.HISTORY)
        return added

    async def _load_mark(self) -> HistoryProgress:
        """The mark; what can be answered follows from it."""
        mark = await self._store.mark()
        count, _ = await self._store.extent()
        self.usable, self.complete = count > 0 or mark.complete, mark.complete
        return mark

    async def _wait_for_rate_limit(self, refused: RateLimited) -> None:
        seconds = min(refused.retry_after or DEFAULT_RATE_LIMIT_SECONDS, MAX_RATE_LIMIT_SECONDS)
        retry_at = (datetime.now() + timedelta(seconds=seconds)).strftime("%H:%M")
        self._problem = f"The service asked to be left alone; reading goes on at {retry_at}."
        self._notify(ResourceType.HISTORY)
        await self._sleep(seconds)

    async def _wait_for_service(self, error: AppError) -> None:
        self._problem = f"{error.happened} Reading goes on once it answers."
        self._notify(ResourceType.HISTORY)
        await self._sleep(
            UNREACHABLE_DELAY_SECONDS if self._adapter.service.line.offline_since is None else 0
        )
        await self._adapter.service.line.wait_until_online()

    def _fail(self, error: AppError) -> None:
        self._problem = error.text()
        self._task = None
        self._notify(ResourceType.WORKSPACE)
