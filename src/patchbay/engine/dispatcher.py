"""Which execution runs next: many at once under a limit, flows taking turns."""

import asyncio
import logging
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Collection
from typing import Any

from patchbay.domain.base import ExecutionId, FlowId
from patchbay.domain.errors import AppError
from patchbay.engine.rules import Rules

_log = logging.getLogger(__name__)

FULL = 250
"""Ids waiting in memory above which no more are read of the flows that most of them belong to."""


class Dispatcher:
    """Waiting ids in memory and the tasks that work them off.

    Flows take turns, and one flow never takes all slots, so that a flow with a long queue or slow steps
    cannot keep the others from running. A worker task takes one id after another and ends with the queue.
    """

    def __init__(
        self,
        run: Callable[[ExecutionId], Awaitable[None]],
        drained: Callable[[], None],
        rules: Rules,
        limit: int = 20,
    ) -> None:
        self._run = run
        self._drained = drained
        self._rules = rules
        self._limit = limit
        self._queues: dict[FlowId, deque[ExecutionId]] = {}
        self._turns: deque[FlowId] = deque()
        self._held: set[ExecutionId] = set()
        self._running: Counter[FlowId] = Counter()
        self._workers: set[asyncio.Task[Any]] = set()
        self._left_out: set[FlowId] = set()
        self._open = False

    @property
    def waiting(self) -> int:
        """How many ids wait in memory for a slot."""
        return len(self._held) - self._running.total()

    def leave_out(self) -> set[FlowId]:
        """Flows with so many ids here that others are read from the store first.

        The others together have fewer than `FULL` here. `drained` tells when one of these has none left.
        """
        self._left_out.clear()
        if self.waiting >= FULL:
            share = max(1, FULL // max(1, len(self._queues)))
            self._left_out = {flow_id for flow_id, queue in self._queues.items() if len(queue) >= share}
        return set(self._left_out)

    def set_limit(self, limit: int) -> None:
        """How many executions run at once from now on; what runs goes on."""
        self._limit = limit
        if self._open:
            self.open()

    def forget(self, flow_ids: Collection[FlowId]) -> None:
        """Leave what waits of these flows to the store."""
        for flow_id in flow_ids:
            if queue := self._queues.pop(flow_id, None):
                self._turns.remove(flow_id)
                self._held.difference_update(queue)

    def open(self) -> None:
        """Begin to start executions, if it has not begun; fill slots that became free by other rules."""
        self._open = True
        for _ in range(min(self._limit, self.waiting)):
            self._hire()

    def close(self) -> None:
        """Start nothing more; what runs goes on."""
        self._open = False

    def submit(self, execution_id: ExecutionId, flow_id: FlowId) -> None:
        """Run this execution as soon as there is a slot.

        One that is held already is left as it is, and so are those of paused flows.
        """
        if execution_id in self._held or flow_id in self._rules.paused:
            return
        self._held.add(execution_id)
        queue = self._queues.get(flow_id)
        if queue is None:
            queue = self._queues[flow_id] = deque()
            self._turns.append(flow_id)
        queue.append(execution_id)
        self._hire()

    async def stop(self, grace: float) -> None:
        """Let running steps finish for `grace` seconds, then cancel them."""
        self.close()
        workers = set(self._workers)
        if workers:
            _, late = await asyncio.wait(workers, timeout=grace)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        self._workers.clear()
        self._queues.clear()
        self._turns.clear()
        self._held.clear()
        self._left_out.clear()

    def _hire(self) -> None:
        if self._open and len(self._workers) < self._limit:
            self._workers.add(asyncio.create_task(self._work()))

    async def _work(self) -> None:
        try:
            await self._work_off()
        finally:
            # At once, not when the loop gets to the callbacks: until then a new id would find no free slot.
            if me := asyncio.current_task():
                self._workers.discard(me)
        if self._open and not self._held:
            self._drained()

    async def _work_off(self) -> None:
        while self._open and len(self._workers) <= self._limit and (job := self._take()) is not None:
            flow_id, execution_id = job
            self._running[flow_id] += 1
            try:
                await self._run(execution_id)
            except AppError as error:
                _log.error("Execution %s could not go on: %s", execution_id, error.text())
            except Exception:  # noqa: BLE001  a fault of the engine must not take a slot with it
                _log.exception("Execution %s stopped on a fault of the engine", execution_id)
            finally:
                self._running[flow_id] -= 1
                self._held.discard(execution_id)

    def _take(self) -> tuple[FlowId, ExecutionId] | None:
        for _ in range(len(self._turns)):
            flow_id = self._turns.popleft()
            if self._running[flow_id] >= self._most(flow_id):
                self._turns.append(flow_id)
                continue
            queue = self._queues[flow_id]
            execution_id = queue.popleft()
            if queue:
                self._turns.append(flow_id)
            else:
                del self._queues[flow_id]
                if flow_id in self._left_out:
                    self._left_out.discard(flow_id)
                    self._drained()
            return flow_id, execution_id
        return None

    def _most(self, flow_id: FlowId) -> int:
        """How many executions of this flow may run at once."""
        shared = max(1, self._limit - self._limit // 5)
        return min(shared, self._rules.of(flow_id).max_concurrent or shared)
