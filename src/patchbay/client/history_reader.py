"""Reads the history of another service in the background: one question at a time, gently, newest first."""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta

from patchbay.client.answers import Answer
from patchbay.client.descent import Descent
from patchbay.client.foreign import execution
from patchbay.client.peer import Peer
from patchbay.client.reading import read_all
from patchbay.client.service import at
from patchbay.domain.changes import Noun
from patchbay.domain.errors import AppError, NotFound, RateLimited, TimedOut, Unreachable
from patchbay.domain.executions import Execution
from patchbay.domain.history import CopyState, HistoryCopy
from patchbay.domain.keeping import HistoryMark, HistoryStore
from patchbay.domain.remote_options import UntrustedCertificate

SHORTEST_REST_SECONDS = 0.15
LONGEST_REST_SECONDS = 10.0
REST_SHARE = 2.0
"""How much longer than its answers took the service is left alone."""
REFUSED_REST_SECONDS = 60.0
LONGEST_REFUSED_SECONDS = 3600.0
REFUSALS = 5
"""How often in a row the service may ask to wait before reading stops."""
SILENT_REST_SECONDS = 30.0
KEEP_UP_SECONDS = 60.0
TOLD_EVERY_SECONDS = 1.0
UNFINISHED_HOURS = 24
UNFINISHED_AT_ONCE = 10
_ALL = "/v1/executions"

Rest = Callable[[float], Awaitable[None]]


class HistoryReader:
    """Fills a store with what the service lists, goes on where it was, and then keeps up with what is new.

    `tell` hears of HISTORY at most every second while it goes on, of WORKSPACE when it begins or ends, and of
    EXECUTION when something was added to a whole copy.
    """

    def __init__(
        self, peer: Peer, store: HistoryStore, tell: Callable[[Noun], None], *, rest: Rest = asyncio.sleep
    ) -> None:
        self._peer, self._store, self._tell, self._rest = peer, store, tell, rest
        self._task: asyncio.Task[None] | None = None
        self._nudged = asyncio.Event()
        self._problem: str | None = None
        self._pause = 0.0
        self._told_at = 0.0
        self.usable = False
        """Whether there is anything to answer from."""
        self.complete = False
        """Whether all of the history is there."""

    async def resume(self) -> None:
        """See what is there; and go on, if that was wanted when the workspace was closed."""
        if (await self._look()).wanted:
            self._start()

    async def standing(self) -> HistoryCopy:
        """How far it is."""
        mark = await self._look()
        count, oldest = await self._store.extent()
        if not mark.number:
            return HistoryCopy(state=CopyState.ABSENT, problem=self._problem)
        if mark.left == 0:
            return HistoryCopy(
                state=CopyState.COMPLETE, done=count, total=count, oldest_at=oldest, problem=self._problem
            )
        running = self._task is not None and not self._task.done()
        return HistoryCopy(
            state=CopyState.READING if running else CopyState.STOPPED,
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
        await self._store.set_mark(mark.model_copy(update=changes))
        await self._end()
        self._start()
        self._tell(Noun.WORKSPACE)

    async def stop(self) -> None:
        """Keep what is there and read no more, also after a restart."""
        await self._end()
        mark = await self._store.mark()
        if mark.wanted:
            await self._store.set_mark(mark.model_copy(update={"wanted": False}))
            self._problem = None
            self._tell(Noun.WORKSPACE)

    def nudge(self) -> None:
        """The service's list has changed."""
        self._nudged.set()

    async def close(self) -> None:
        await self._end()

    def _start(self) -> None:
        self._problem = None
        self._task = asyncio.create_task(self._run(), name="patchbay-history")

    async def _end(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait([task])

    async def _run(self) -> None:
        refusals = 0
        while True:
            before = await self._store.mark()
            try:
                await self._read_on()
            except RateLimited as refused:
                moved = await self._store.mark() != before
                refusals = 1 if moved else refusals + 1
                if refusals > REFUSALS:
                    return self._give_up(refused)
                await self._wait_as_asked(refused)
            except UntrustedCertificate as error:
                return self._give_up(error)
            except (Unreachable, TimedOut) as error:
                await self._wait_for_service(error)
            except AppError as error:
                return self._give_up(error)

    async def _read_on(self) -> None:
        """What is new, then what is left of the history; then what is new, for ever."""
        await self._catch_up()
        await self._descend()
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(KEEP_UP_SECONDS):
                    await self._nudged.wait()
            self._nudged.clear()
            if await self._catch_up() + await self._look_again():
                self._tell(Noun.EXECUTION)

    async def _descend(self) -> None:
        """From the place reached to the oldest; what was not met on the way is not there any more."""
        mark = await self._store.mark()
        descent = Descent(mark.left, mark.total)
        if descent.done:
            return
        while not descent.done:
            rows = await self._take(descent)
            reached = {"left": descent.left, "total": descent.total}
            if mark.left is None:
                reached["covered_from"] = rows[0].created_at if rows else None
            mark = mark.model_copy(update=reached)
            await self._keep(rows, mark)
        await self._store.forget_unmet(mark.model_copy(update={"complete": True}))
        await self._look()
        self._tell(Noun.WORKSPACE)

    async def _catch_up(self) -> int:
        """What came in at the top since, down to where all is known. How many were new or had changed."""
        mark = await self._store.mark()
        if mark.left is None:
            return 0
        descent, newest, added = Descent(), None, 0
        while not descent.done:
            rows = await self._take(descent)
            if newest is None and rows:
                newest = rows[0].created_at
            mark = mark.model_copy(update={"total": descent.total})
            added += await self._keep(rows, mark)
            known = mark.covered_from
            if known is not None and any(row.created_at < known for row in rows):
                break
        if newest is not None and newest != mark.covered_from:
            await self._store.set_mark(mark.model_copy(update={"covered_from": newest}))
        return added

    async def _look_again(self) -> int:
        """At some of those that had not ended when they were read. How many have changed."""
        mark = await self._store.mark()
        since = int((time.time() - UNFINISHED_HOURS * 3600) * 1000)
        changed = 0
        for execution_id in await self._store.unfinished(since, UNFINISHED_AT_ONCE):
            try:
                answer = await self._asked(at(_ALL + "/{id}", id=execution_id))
            except NotFound:
                await self._store.forget(execution_id)
                changed += 1
            else:
                changed += await self._keep(read_all(Execution, [execution(answer.data)]), mark)
        return changed

    async def _take(self, descent: Descent) -> tuple[Execution, ...]:
        """The page that comes next, and the place after it."""
        page = descent.page
        answer = await self._asked(_ALL, page)
        rows = answer.rows()
        descent.took(page, len(rows), answer.count)
        return read_all(Execution, [execution(row) for row in rows])

    async def _asked(self, path: str, page: int | None = None) -> Answer:
        """One answer, after leaving the service alone for a while; the longer, the slower it is."""
        await self._peer.dialect()
        await self._rest(self._pause)
        begun = time.monotonic()
        answer = await self._peer.service.get(path, {"page": page}, kept=False)
        took = time.monotonic() - begun
        self._pause = min(LONGEST_REST_SECONDS, max(SHORTEST_REST_SECONDS, took * REST_SHARE))
        return answer

    async def _keep(self, rows: Sequence[Execution], mark: HistoryMark) -> int:
        added = await self._store.add(rows, mark)
        self.usable = self.usable or bool(rows)
        if self._problem is not None:
            self._problem = None
        if time.monotonic() - self._told_at >= TOLD_EVERY_SECONDS:
            self._told_at = time.monotonic()
            self._tell(Noun.HISTORY)
        return added

    async def _look(self) -> HistoryMark:
        """The mark; what can be answered follows from it."""
        mark = await self._store.mark()
        count, _ = await self._store.extent()
        self.usable, self.complete = count > 0 or mark.complete, mark.complete
        return mark

    async def _wait_as_asked(self, refused: RateLimited) -> None:
        seconds = min(refused.retry_after or REFUSED_REST_SECONDS, LONGEST_REFUSED_SECONDS)
        again = (datetime.now() + timedelta(seconds=seconds)).strftime("%H:%M")
        self._problem = f"The service asked to be left alone; reading goes on at {again}."
        self._tell(Noun.HISTORY)
        await self._rest(seconds)

    async def _wait_for_service(self, error: AppError) -> None:
        self._problem = f"{error.happened} Reading goes on once it answers."
        self._tell(Noun.HISTORY)
        await self._rest(SILENT_REST_SECONDS if self._peer.service.line.offline_since is None else 0)
        await self._peer.service.line.answering()

    def _give_up(self, error: AppError) -> None:
        self._problem = error.text()
        self._task = None
        self._tell(Noun.WORKSPACE)
