"""Retrying all failed executions of a filter: what would be retried, and how far it is."""

import asyncio
from collections import Counter
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.state.services import Services
from patchbay.desktop.tasks import Latest, Task
from patchbay.domain.backend import Backend, Feature
from patchbay.domain.errors import AppError
from patchbay.domain.executions import BulkRetry, ExecutionFilter, ExecutionState
from patchbay.domain.paging import MAX_PAGE_SIZE, PageRequest

LOOK_SECONDS = 0.5
SURVEYED_PAGES = 5
"""The flows are named after so many pages; of more failures, the newest are looked at."""


@dataclass(frozen=True)
class BulkPlan:
    """What would be retried: how many, and of which flows by name, most failures first.

    `whole` is false when there are more failures than were looked at. `unknown` of those that were looked at
    ended at an interrupted step that may have acted.
    """

    where: ExecutionFilter
    total: int
    flows: tuple[tuple[str, int], ...]
    whole: bool = True
    unknown: int = 0


class BulkRetryViewModel(QObject):
    """At most one at a time. The workspace goes on with it when nobody looks any more."""

    planned = Signal(object)
    changed = Signal()
    ended = Signal(object)
    """The finished `BulkRetry`."""
    _told = Signal(object)

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services, self._backend = services, services.backend
        self._planning = Latest(services.tasks, self)
        self._task: Task | None = None
        self.job: BulkRetry | None = None
        self.error: AppError | None = None
        self._told.connect(self._progressed)

    @property
    def missing(self) -> str | None:
        return self._backend.capabilities.reason(Feature.RUN_CONTROL)

    @property
    def running(self) -> bool:
        return self._task is not None

    def plan(self, where: ExecutionFilter) -> None:
        """Look at what would be retried; `planned` carries the `BulkPlan`."""
        self._planning.ask(
            survey(self._backend, where), done=self.planned.emit, failed=self._services.notices.failed
        )

    def start(self, where: ExecutionFilter) -> None:
        if self._task is None:
            self.job, self.error = None, None
            work = self._follow(where)
            self._task = self._services.tasks.run(self, work, done=self._done, failed=self._failed)
            self._task.ended.connect(self._forget)
            self.changed.emit()

    def cancel(self) -> None:
        """Retry no more of them."""
        if self.job is not None and not self.job.finished:
            work = self._backend.cancel_bulk_retry(self.job.id)
            self._services.tasks.run(self, work, failed=self._services.notices.failed)

    def dismiss(self) -> None:
        """The summary was read."""
        if self._task is None:
            self.job = self.error = None
            self.changed.emit()

    async def _follow(self, where: ExecutionFilter) -> BulkRetry:
        job = await self._backend.retry_executions(where)
        while not job.finished:
            self._told.emit(job)
            await asyncio.sleep(LOOK_SECONDS)
            job = await self._backend.bulk_retry(job.id)
        return job

    def _progressed(self, job: BulkRetry) -> None:
        self.job = job
        self.changed.emit()

    def _done(self, job: BulkRetry) -> None:
        self.job = job

    def _failed(self, error: AppError) -> None:
        self.error = error

    def _forget(self) -> None:
        self._task = None
        self.changed.emit()
        if self.job is not None and self.job.finished:
            self.ended.emit(self.job)


async def survey(backend: Backend, where: ExecutionFilter) -> BulkPlan:
    """The failures of a filter, counted by flow."""
    failed = where.model_copy(update={"states": (ExecutionState.FAILURE,), "status": None})
    found: Counter[str] = Counter()
    unknown = 0
    cursor, number = None, 1
    while True:
        request = PageRequest(page=number, limit=MAX_PAGE_SIZE, cursor=cursor)
        page = await backend.list_executions(failed, request)
        found.update(item.flow.name for item in page.items)
        unknown += sum(item.outcome_unknown for item in page.items)
        cursor, number = page.next_cursor, number + 1
        seen = sum(found.values())
        if not page.items or seen >= page.total or number > SURVEYED_PAGES:
            return BulkPlan(where, page.total, tuple(found.most_common()), seen >= page.total, unknown)


def summary(job: BulkRetry) -> str:
    """How it ended, in a sentence."""
    done = "1 execution is" if job.done == 1 else f"{job.done:,} executions are"
    words = f"{done} tried again."
    left = job.total - job.done - job.refused
    if job.cancelled and left:
        words += f" {left:,} were left out."
    if job.refused:
        words += f" {job.refused:,} could not be."
    return words
