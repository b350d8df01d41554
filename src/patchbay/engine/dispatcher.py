"""The dispatcher: runs queued executions concurrently, with flows and trees of runs taking turns."""

import asyncio
import logging
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any

from patchbay.domain.base import ExecutionId, FlowId, UserId
from patchbay.domain.engine_store import ActiveTrigger
from patchbay.domain.errors import AppError
from patchbay.domain.flows import FlowSettings
from patchbay.domain.peers import ALL_FLOWS, WorkFilter

_log = logging.getLogger(__name__)

MAX_QUEUED = 250
"""With this many IDs queued in memory, no more are read for flows with a large share of them."""
_DEFAULTS = FlowSettings()


class PublishedFlowSettings:
    """Settings and owners of published flows, in memory. Other flows have the default settings."""

    def __init__(self, work_filter: WorkFilter = ALL_FLOWS) -> None:
        self._work_filter = work_filter
        self._settings: dict[FlowId, FlowSettings] = {}
        self._owners: dict[FlowId, UserId | None] = {}
        self.paused: Collection[FlowId] = frozenset()
        """Paused flows, of which no run is started."""
        self.runs_flows = not work_filter.accepts_only
        self.only: Collection[FlowId] | None = work_filter.select(())
        """The flows that this program runs; None for all, also those that aren't published."""

    def update(self, active: Iterable[ActiveTrigger]) -> None:
        """Replace the settings by those of these flows."""
        flows = tuple(active)
        self.only = self._work_filter.select(one.version for one in flows)
        self._settings = {one.version.flow_id: one.settings for one in flows}
        self._owners = {one.version.flow_id: one.user_id for one in flows}
        self.paused = frozenset(one.version.flow_id for one in flows if one.paused)

    def of(self, flow_id: FlowId) -> FlowSettings:
        """The settings of a published flow."""
        return self._settings.get(flow_id, _DEFAULTS)

    def runs_here(self, flow_id: FlowId) -> bool:
        """Whether this program runs a flow, or leaves it to others."""
        return self.only is None or flow_id in self.only

    def owner_of(self, flow_id: FlowId) -> str:
        """The owner of a flow; the flow's own ID if it isn't published."""
        return self._owners.get(flow_id, flow_id) or ""


class _FlowQueue:
    """The queued executions of one flow. Trees take turns, so that one tree can't block the others."""

    def __init__(self) -> None:
        self._by_root: dict[ExecutionId, deque[ExecutionId]] = {}
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[ExecutionId]:
        return chain.from_iterable(self._by_root.values())

    def put(self, execution_id: ExecutionId, root_id: ExecutionId) -> None:
        self._by_root.setdefault(root_id, deque()).append(execution_id)
        self._length += 1

    def remove(self, execution_id: ExecutionId, root_id: ExecutionId) -> bool:
        """Remove this execution; False if it isn't queued."""
        waiting = self._by_root.get(root_id, deque())
        if execution_id not in waiting:
            return False
        waiting.remove(execution_id)
        if not waiting:
            del self._by_root[root_id]
        self._length -= 1
        return True

    def pop(self, can_run: Callable[[ExecutionId], bool]) -> tuple[ExecutionId, ExecutionId] | None:
        """Remove and return the next (execution, root) of the first tree that may run one more, if any.

        The search is short: a blocked tree occupies many slots, so there can't be many.
        """
        root_id = next(filter(can_run, self._by_root), None)
        if root_id is None:
            return None
        # Removing and adding the tree moves it to the end, so that trees take turns.
        waiting = self._by_root.pop(root_id)
        execution_id = waiting.popleft()
        if waiting:
            self._by_root[root_id] = waiting
        self._length -= 1
        return execution_id, root_id


class Dispatcher:
    """Queued executions in memory, and the worker tasks that run them.

    Flows take turns, and one flow gets at most four fifths of the slots (rounded up, so all of them if there
    are fewer than 5). So a flow with a long queue or slow steps can't block the others. The same applies to
    trees of runs (`RunTree`), even across flows: while others wait, one tree has at most half of the slots,
    and never all of them if there are several. A run that waits for a run it called has no slot, and one
    whose step waits for a tool lends its slot, so a tree can't block itself. A worker task runs one execution
    after another and ends when the queue is empty.
    """

    def __init__(
        self,
        run: Callable[[ExecutionId], Awaitable[None]],
        on_drained: Callable[[], None],
        flow_settings: PublishedFlowSettings,
        limit: int = 20,
    ) -> None:
        self._run = run
        self._on_drained = on_drained
        self._flow_settings = flow_settings
        self._limit = limit
        self._queues: dict[FlowId, _FlowQueue] = {}
        self._flow_order: deque[FlowId] = deque()
        self._submitted: set[ExecutionId] = set()
        self._running: Counter[FlowId] = Counter()
        self._running_trees: Counter[ExecutionId] = Counter()
        self._workers: set[asyncio.Task[Any]] = set()
        self._excluded_flows: set[FlowId] = set()
        self._awaited: dict[ExecutionId, tuple[FlowId, ExecutionId]] = {}
        """Executions that running ones wait for, with their flows and roots."""
        self._lent_workers: set[asyncio.Task[Any]] = set()
        self._open = False

    @property
    def waiting(self) -> int:
        """The number of executions that are queued for a slot."""
        return len(self._submitted) - self._running.total()

    @property
    def has_backlog(self) -> bool:
        """Whether executions are queued that can't start at once."""
        return len(self._submitted) > len(self._workers)

    def exclude_full_flows(self) -> set[FlowId]:
        """Choose and return the flows with so many queued IDs that no more are read from the store.

        It replaces the choice before. The other flows together have fewer than `MAX_QUEUED` queued IDs.
        `on_drained` is called when the queue of an excluded flow is empty.
        """
        self._excluded_flows.clear()
        if self.waiting >= MAX_QUEUED:
            share = max(1, MAX_QUEUED // max(1, len(self._queues)))
            self._excluded_flows = {flow_id for flow_id, queue in self._queues.items() if len(queue) >= share}
        return set(self._excluded_flows)

    def runs_here(self, flow_id: FlowId) -> bool:
        """Whether this program runs a flow, or leaves it to others."""
        return self._flow_settings.runs_here(flow_id)

    @property
    def leaves_flows(self) -> bool:
        """Whether this program leaves some flows to others."""
        return self._flow_settings.only is not None

    def set_limit(self, limit: int) -> None:
        """Change the number of concurrent executions. Running executions continue."""
        self._limit = limit
        if self._open:
            self.open()

    def drop_flows(self, flow_ids: Collection[FlowId]) -> None:
        """Drop the queued executions of these flows, which stay queued in the store."""
        for flow_id in flow_ids:
            if queue := self._queues.pop(flow_id, None):
                self._flow_order.remove(flow_id)
                self._submitted.difference_update(queue)

    def open(self) -> None:
        """Start executions, and fill slots that became available through changed settings."""
        self._open = True
        for _ in range(min(self._limit, self.waiting)):
            self._start_worker()

    def close(self) -> None:
        """Stop starting executions. Running ones continue."""
        self._open = False

    def submit(self, execution_id: ExecutionId, flow_id: FlowId, root_id: ExecutionId | None = None) -> None:
        """Run this execution as soon as there is a slot; without a root it is one itself.

        Has no effect if it is submitted already, its flow is paused, or other programs run the flow.
        """
        if execution_id in self._submitted or flow_id in self._flow_settings.paused:
            return
        if not self._flow_settings.runs_here(flow_id):
            return
        self._submitted.add(execution_id)
        queue = self._queues.get(flow_id)
        if queue is None:
            queue = self._queues[flow_id] = _FlowQueue()
            self._flow_order.append(flow_id)
        queue.put(execution_id, root_id or execution_id)
        # At its limit, the flow's next execution starts when one of its running ones ends.
        if self._running[flow_id] < self._flow_limit(flow_id):
            self._start_worker()

    @contextmanager
    def lend_slot(self, execution_id: ExecutionId, flow_id: FlowId, root_id: ExecutionId) -> Iterator[None]:
        """Run a queued execution beyond the limit, because a running one waits for it during the block.

        The limit of its flow still applies: then it starts as soon as that allows it.
        """
        self._awaited[execution_id] = flow_id, root_id
        if self._open:
            self._lent_workers.add(asyncio.create_task(self._work_in_lent_slot()))
        try:
            yield
        finally:
            del self._awaited[execution_id]

    async def stop(self, grace: float) -> None:
        """Wait for running steps for `grace` seconds, then cancel them."""
        self.close()
        workers = self._workers | self._lent_workers
        if workers:
            _, late = await asyncio.wait(workers, timeout=grace)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        self._workers.clear()
        self._lent_workers.clear()
        self._queues.clear()
        self._flow_order.clear()
        self._submitted.clear()
        self._excluded_flows.clear()

    def _start_worker(self) -> None:
        if self._open and len(self._workers) < self._limit:
            self._workers.add(asyncio.create_task(self._work()))

    async def _work(self) -> None:
        try:
            await self._run_queue()
        finally:
            # Not in a done callback, which runs later: until then, a new execution would find no free slot.
            if current_task := asyncio.current_task():
                self._workers.discard(current_task)
        if self._open and not self._submitted:
            self._on_drained()

    async def _run_queue(self) -> None:
        while self._open and len(self._workers) <= self._limit and (job := self._next_job()) is not None:
            await self._run_job(*job)

    async def _work_in_lent_slot(self) -> None:
        try:
            while self._open and (job := self._next_awaited_job()) is not None:
                await self._run_job(*job)
        finally:
            if current_task := asyncio.current_task():
                self._lent_workers.discard(current_task)

    async def _run_job(self, flow_id: FlowId, execution_id: ExecutionId, root_id: ExecutionId) -> None:
        self._running[flow_id] += 1
        self._running_trees[root_id] += 1
        try:
            await self._run(execution_id)
        except AppError as error:
            _log.error("Execution %s couldn't continue: %s", execution_id, error.text())
        except Exception:  # noqa: BLE001  an engine bug must not cost a slot
            _log.exception("Execution %s was stopped by a bug in the engine", execution_id)
        finally:
            self._running[flow_id] -= 1
            self._running_trees[root_id] -= 1
            if not self._running_trees[root_id]:
                del self._running_trees[root_id]
            self._submitted.discard(execution_id)

    def _next_awaited_job(self) -> tuple[FlowId, ExecutionId, ExecutionId] | None:
        """Remove and return the next execution that a running one waits for; None if none may start."""
        for execution_id, (flow_id, root_id) in self._awaited.items():
            queue = self._queues.get(flow_id)
            if queue is None or self._running[flow_id] >= self._flow_limit(flow_id):
                continue
            if queue.remove(execution_id, root_id):
                if not queue:
                    self._flow_order.remove(flow_id)
                    self._on_empty(flow_id)
                return flow_id, execution_id, root_id
        return None

    def _next_job(self) -> tuple[FlowId, ExecutionId, ExecutionId] | None:
        """Remove and return the next (flow, execution, root); None if nothing may start."""
        # Trees with less than half of the slots come first. Unless there is only one slot, one stays free for
        # other trees, so that a new event doesn't wait for a large tree to end.
        share = max(1, self._limit // 2)
        return self._next_job_below(share) or self._next_job_below(max(share, self._limit - 1))

    def _next_job_below(self, max_running: int) -> tuple[FlowId, ExecutionId, ExecutionId] | None:
        for _ in range(len(self._flow_order)):
            flow_id = self._flow_order.popleft()
            queue = self._queues[flow_id]
            popped = None
            if self._running[flow_id] < self._flow_limit(flow_id):
                popped = queue.pop(lambda root_id: self._running_trees[root_id] < max_running)
            if popped is None:
                self._flow_order.append(flow_id)
                continue
            if queue:
                self._flow_order.append(flow_id)
            else:
                self._on_empty(flow_id)
            return flow_id, *popped
        return None

    def _on_empty(self, flow_id: FlowId) -> None:
        """Drop the empty queue of a flow."""
        del self._queues[flow_id]
        if flow_id in self._excluded_flows:
            self._excluded_flows.discard(flow_id)
            self._on_drained()

    def _flow_limit(self, flow_id: FlowId) -> int:
        """The maximum number of concurrent executions of this flow."""
        shared = max(1, self._limit - self._limit // 5)
        return min(shared, self._flow_settings.of(flow_id).max_concurrent or shared)
