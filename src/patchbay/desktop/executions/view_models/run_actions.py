"""View-models of run commands: retry, run again with edited data, cancel, and bulk retry."""

import asyncio
import json
from collections import Counter
from collections.abc import Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.core.language import tr, tr_count
from patchbay.desktop.core.navigation import Place, Tab
from patchbay.desktop.core.services import Services
from patchbay.desktop.tasks import LatestRequest, Task
from patchbay.domain.backend import Backend, Feature
from patchbay.domain.base import ExecutionId, Json
from patchbay.domain.errors import AppError, NotFound
from patchbay.domain.executions import (
    BulkRetry,
    Execution,
    ExecutionFilter,
    ExecutionState,
    ReplayOn,
    WaitsFor,
)
from patchbay.domain.paging import MAX_PAGE_SIZE, read_all_pages


def can_resume(execution: Execution) -> bool:
    """Whether the execution waits for a retry or a rate limit, both of which can be cut short."""
    waiting = execution.state is ExecutionState.WAITING
    return waiting and execution.waits_for in (WaitsFor.RETRY, WaitsFor.LIMIT)


class ExecutionCommandsViewModel(QObject):
    """Commands on one execution, one at a time; each shows a notice when done."""

    busy_changed = Signal(bool)
    started = Signal(str)
    """Emitted with the ID of an execution started by a command."""

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services, self._backend = services, services.backend
        self._request = LatestRequest(services.tasks, self)
        self.busy = False

    @property
    def unavailable_reason(self) -> str | None:
        """Why no command is available; None if they are."""
        return self._backend.capabilities.reason(Feature.RUN_CONTROL)

    def retry_unavailable_reason(self, execution: Execution) -> str | None:
        """Why the execution can't be retried; None if it can."""
        failed = execution.state is ExecutionState.FAILURE
        return self.unavailable_reason or (
            None if failed else tr("Only executions that failed can be retried.")
        )

    def cancel_unavailable_reason(self, execution: Execution) -> str | None:
        """Why the execution can't be cancelled; None if it can."""
        return self.unavailable_reason or (
            tr("This execution has already finished.") if execution.state.finished else None
        )

    def resume_unavailable_reason(self, execution: Execution) -> str | None:
        """Why the execution can't be resumed early; None if it can."""
        waits = can_resume(execution)
        return self.unavailable_reason or (
            None if waits else tr("This execution isn't waiting for a retry or a rate limit.")
        )

    def retry(self, execution: Execution) -> None:
        """Retry from the failed step, as a new execution."""
        if self.retry_unavailable_reason(execution) is None:
            message = tr("Retrying “{name}” from the failed step.", name=execution.flow.name)
            self._start(self._backend.retry_execution(execution.id), message)

    def continue_after(self, execution: Execution) -> None:
        """Continue after the interrupted step, as a new execution."""
        if self.retry_unavailable_reason(execution) is None:
            message = tr("Continuing “{name}” after the interrupted step.", name=execution.flow.name)
            self._start(self._backend.continue_execution(execution.id), message)

    def replay(self, execution: Execution, item: Json = None, on: ReplayOn = ReplayOn.ORIGINAL) -> None:
        """Run from the start with `item`, or with the original input if it is None."""
        if self.unavailable_reason is None:
            message = tr("Running “{name}” again.", name=execution.flow.name)
            self._start(self._backend.replay_execution(execution.id, item=item, on=on), message)

    def cancel(self, execution: Execution) -> None:
        """Cancel an unfinished execution."""
        if self.cancel_unavailable_reason(execution) is None:
            message = tr("Cancelled “{name}”.", name=execution.flow.name)
            self._run(
                self._backend.cancel_execution(execution.id), lambda _: self._services.notices.post(message)
            )

    def resume(self, execution: Execution) -> None:
        """Resume an execution that waits for a retry or a rate limit."""
        if self.resume_unavailable_reason(execution) is None:
            message = tr("“{name}” continues now.", name=execution.flow.name)
            self._run(
                self._backend.resume_execution(execution.id), lambda _: self._services.notices.post(message)
            )

    def show(self, execution_id: ExecutionId) -> None:
        """Show an execution in the Executions tab."""
        self._services.navigator.go(Place(Tab.EXECUTIONS, id=execution_id))

    def _start(self, work: Coroutine[Any, Any, ExecutionId], message: str) -> None:
        def on_started(execution_id: ExecutionId) -> None:
            self._services.notices.post(message, show=partial(self.show, execution_id))
            self.started.emit(execution_id)

        self._run(work, on_started)

    def _run(self, work: Coroutine[Any, Any, Any], done: Any) -> None:
        self._set_busy(True)
        task = self._request.run(work, done=done, failed=self._on_failed)
        task.ended.connect(lambda: self._set_busy(False))

    def _on_failed(self, error: AppError) -> None:
        self._services.notices.failed(error)

    def _set_busy(self, busy: bool) -> None:
        self.busy = busy
        self.busy_changed.emit(busy)


# Run again

MAX_EDITABLE_LENGTH = 100_000
"""Maximum characters to edit; longer data would block the window and is used unchanged."""

_JSON_ERRORS = {
    "Expecting ',' delimiter": tr("a comma is missing"),
    "Expecting ':' delimiter": tr("a colon is missing after the name"),
    "Expecting property name enclosed in double quotes": tr("a name in double quotes is expected"),
    "Illegal trailing comma before end of object": tr("there is an extra comma"),
    "Illegal trailing comma before end of array": tr("there is an extra comma"),
    "Expecting value": tr("a value is expected"),
    "Extra data": tr("there is text after the end"),
    "Unterminated string starting at": tr("this text has no closing quotation mark"),
    "Invalid control character at": tr("a text continues past the end of the line"),
    "Invalid \\escape": tr("a backslash must be written twice"),
}


@dataclass(frozen=True)
class _ReplayData:
    """Data loaded for the form.

    `newest_version`: the published version, None if there is none. `is_truncated`: the server truncated
    the data.
    """

    item: Json
    text: str
    newest_version: int | None
    is_truncated: bool


class ReplayForm(QObject):
    """The form of the run-again dialog: loads the original input, validates edits, and runs."""

    changed = Signal()

    def __init__(
        self,
        services: Services,
        control: ExecutionCommandsViewModel,
        execution: Execution,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._backend = services.backend
        self._control = control
        self.execution = execution
        self.loading = True
        self.original = ""
        self.too_long = False
        self.newest_version: int | None = None
        self.problem: AppError | None = None
        self._item: Json = None
        self._request = LatestRequest(services.tasks, self)
        self._request.run(self._read(), done=self._on_loaded, failed=self._on_failed)

    @property
    def editable(self) -> bool:
        """Whether the data can be edited."""
        return not self.loading and bool(self.original) and not self.too_long

    @property
    def choices(self) -> tuple[tuple[ReplayOn, str], ...]:
        """Return the flow versions to choose from; one if they are the same."""
        original, newest = self.execution.flow_version, self.newest_version
        if newest is None or newest == original:
            return ((ReplayOn.ORIGINAL, _only_version_text(original, is_latest=bool(newest))),)
        first = (
            tr("The draft that was tested")
            if original is None
            else tr("Version {n}, used by this execution", n=original)
        )
        return ((ReplayOn.ORIGINAL, first), (ReplayOn.NEWEST, tr("Version {n}, the latest", n=newest)))

    def run(self, text: str, on: ReplayOn) -> str | None:
        """Run with this data; return the error if it isn't valid."""
        if not self.editable or text.strip() == self.original:
            self._control.replay(self.execution, None, on)
            return None
        try:
            item = parse_json(text)
        except ValueError as slip:
            return str(slip)
        self._control.replay(self.execution, None if item == self._item else item, on)
        return None

    async def _read(self) -> _ReplayData:
        """Load the trigger's output and the published version."""
        shown = self._backend.capabilities.reason(Feature.STEP_RESULTS) is None
        results = await self._backend.execution_steps(self.execution.id) if shown else ()
        item = results[0].data_out if results else None
        text = "" if item is None else await asyncio.to_thread(_pretty, item)
        is_truncated = bool(results) and results[0].shortened
        try:
            flow = await self._backend.get_flow(self.execution.flow.id)
        except NotFound:
            return _ReplayData(item, text, None, is_truncated)
        return _ReplayData(item, text, flow.published_version if flow.active else None, is_truncated)

    def _on_loaded(self, read: _ReplayData) -> None:
        self.loading = False
        self._item = read.item
        self.original = read.text
        self.newest_version = read.newest_version
        self.too_long = read.is_truncated or len(read.text) > MAX_EDITABLE_LENGTH
        self.changed.emit()

    def _on_failed(self, error: AppError) -> None:
        self.loading, self.problem = False, error
        self.changed.emit()


def _only_version_text(version: int | None, *, is_latest: bool) -> str:
    if version is None:
        return tr("The flow as it was (latest)") if is_latest else tr("The flow as it was")
    return tr("Flow version {n} (latest)", n=version) if is_latest else tr("Flow version {n}", n=version)


def parse_json(text: str) -> Json:
    """Parse JSON. Raises `ValueError` with the position and a readable error."""
    try:
        value: Json = json.loads(text, parse_constant=_reject_constant)
    except json.JSONDecodeError as slip:
        message = _JSON_ERRORS.get(slip.msg, slip.msg[:1].lower() + slip.msg[1:])
        place = tr(
            "Line {line}, column {column}: {problem}.", line=slip.lineno, column=slip.colno, problem=message
        )
        raise ValueError(place) from slip
    except RecursionError as slip:
        raise ValueError(tr("The data is nested too deeply.")) from slip
    if value is None:
        raise ValueError(tr("A flow can't start with null. Enter {} for an empty object."))
    return value


def _reject_constant(word: str) -> Json:
    raise ValueError(tr("{word} isn't valid JSON.", word=word))


def _pretty(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


# Bulk retry

POLL_SECONDS = 0.5
MAX_PLAN_PAGES = 5
"""Maximum pages read to list affected flows; beyond that, only the latest failures count."""


@dataclass(frozen=True)
class BulkRetryPlan:
    """What a bulk retry would do: the total, and counts by flow, most failures first.

    `whole`: all failures were examined. `unknown`: how many of them ended at an interrupted step that may
    already have acted.
    """

    where: ExecutionFilter
    total: int
    flows: tuple[tuple[str, int], ...]
    whole: bool = True
    unknown: int = 0


class BulkRetryViewModel(QObject):
    """A bulk retry, at most one at a time. It continues if the window closes."""

    planned = Signal(object)
    changed = Signal()
    ended = Signal(object)
    """The finished `BulkRetry`."""
    _job_updated = Signal(object)

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services, self._backend = services, services.backend
        self._plan_request = LatestRequest(services.tasks, self)
        self._task: Task | None = None
        self.job: BulkRetry | None = None
        self.error: AppError | None = None
        self._job_updated.connect(self._on_progress)

    @property
    def unavailable_reason(self) -> str | None:
        """Why executions can't be retried; None if they can."""
        return self._backend.capabilities.reason(Feature.RUN_CONTROL)

    @property
    def running(self) -> bool:
        """Whether a bulk retry is running."""
        return self._task is not None

    def plan(self, where: ExecutionFilter) -> None:
        """Count what would be retried; `planned` carries the `BulkRetryPlan`."""
        self._plan_request.run(
            plan_bulk_retry(self._backend, where),
            done=self.planned.emit,
            failed=self._services.notices.failed,
        )

    def start(self, where: ExecutionFilter) -> None:
        """Retry the failed executions that match a filter."""
        if self._task is None:
            self.job, self.error = None, None
            work = self._run_job(where)
            self._task = self._services.tasks.run(self, work, done=self._on_done, failed=self._on_failed)
            self._task.ended.connect(self._on_ended)
            self.changed.emit()

    def cancel(self) -> None:
        """Cancel the bulk retry."""
        if self.job is not None and not self.job.finished:
            work = self._backend.cancel_bulk_retry(self.job.id)
            self._services.tasks.run(self, work, failed=self._services.notices.failed)

    def dismiss(self) -> None:
        """Dismiss the summary."""
        if self._task is None:
            self.job = self.error = None
            self.changed.emit()

    async def _run_job(self, where: ExecutionFilter) -> BulkRetry:
        job = await self._backend.retry_executions(where)
        while not job.finished:
            self._job_updated.emit(job)
            await asyncio.sleep(POLL_SECONDS)
            job = await self._backend.bulk_retry(job.id)
        return job

    def _on_progress(self, job: BulkRetry) -> None:
        self.job = job
        self.changed.emit()

    def _on_done(self, job: BulkRetry) -> None:
        self.job = job

    def _on_failed(self, error: AppError) -> None:
        self.error = error

    def _on_ended(self) -> None:
        self._task = None
        self.changed.emit()
        if self.job is not None and self.job.finished:
            self.ended.emit(self.job)


async def plan_bulk_retry(backend: Backend, where: ExecutionFilter) -> BulkRetryPlan:
    """Count the failures of a filter by flow."""
    failed = where.model_copy(update={"states": (ExecutionState.FAILURE,), "status": None})
    found: Counter[str] = Counter()
    unknown = 0
    total = 0
    fetch_page = partial(backend.list_executions, failed)
    async for page in read_all_pages(fetch_page, max_items=MAX_PLAN_PAGES * MAX_PAGE_SIZE):
        found.update(item.flow.name for item in page.items)
        unknown += sum(item.outcome_unknown for item in page.items)
        total = page.total
    return BulkRetryPlan(where, total, tuple(found.most_common()), found.total() >= total, unknown)


def summary(job: BulkRetry) -> str:
    """Return the summary of a finished bulk retry."""
    sentences = [tr_count(job.done, "Retried {n} execution.", "Retried {n} executions.")]
    remaining = job.total - job.done - job.refused
    if job.cancelled and remaining:
        sentences.append(tr_count(remaining, "{n} skipped.", "{n} skipped."))
    if job.refused:
        sentences.append(tr_count(job.refused, "{n} couldn't be retried.", "{n} couldn't be retried."))
    return " ".join(sentences)
