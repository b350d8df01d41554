"""View-models of the executions list: data search, export, filter, rows, and counts."""

from collections.abc import AsyncIterator, Coroutine, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.core.file_export import FileExport, Progress, is_json_lines, write_pages
from patchbay.desktop.core.language import number_text, tr, tr_count
from patchbay.desktop.core.page_window import ListStatus
from patchbay.desktop.core.screen_view_model import PagedScreenViewModel
from patchbay.desktop.core.services import Services
from patchbay.desktop.core.times import ExecutionQuery, Span, StartedRange, moment, span_for
from patchbay.desktop.executions.view_models.queries import (
    empty_page,
    filter_options,
    load_newest,
    snapshot_pages,
)
from patchbay.desktop.tasks import LatestRequest, Task
from patchbay.domain.backend import Backend, Feature
from patchbay.domain.base import EpochMs, ExecutionId, get_optional
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.errors import AppError, NotSupported
from patchbay.domain.executions import Execution, ExecutionCounts, ExecutionFilter, Histogram, SearchPage
from patchbay.domain.exports import read_execution_pages, row_formatter
from patchbay.domain.flows import Flow
from patchbay.domain.folders import Folder
from patchbay.domain.paging import Page

PAUSE_AFTER_FINDS = 200
"""Number of results after which the search pauses until it is continued."""


class DataSearch(QObject):
    """A search in execution data, one batch at a time, newest first.

    `found` carries the results of a batch, then `changed` the progress. `complete`: nothing older is left;
    `running`: a batch is being searched.
    """

    found = Signal(object)
    changed = Signal()

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._task: Task | None = None
        self.error: AppError | None = None
        self._reset("", ExecutionFilter())

    @property
    def unavailable_reason(self) -> str | None:
        """Why data can't be searched; None if it can."""
        return self._services.backend.capabilities.reason(Feature.SEARCH)

    @property
    def running(self) -> bool:
        """Whether a search is running."""
        return self._task is not None

    def start(self, text: str, where: ExecutionFilter) -> None:
        """Start from the newest execution."""
        self._stop()
        self._reset(text, where)
        self.resume()

    def resume(self) -> None:
        """Search further back."""
        if self.text and not self.running and not self.complete:
            self.error = None
            self._pause_at = self.found_count + PAUSE_AFTER_FINDS
            self._search_next()
            self.changed.emit()

    def pause(self) -> None:
        """Pause the search; `resume` continues it."""
        if self.running:
            self._stop()
            self.changed.emit()

    def clear_search(self) -> None:
        """End the search."""
        self._stop()
        self._reset("", ExecutionFilter())
        self.changed.emit()

    def status_text(self, matching: int) -> str:
        """Return the progress text; `matching` executions pass the other filters."""
        values = {
            "done": number_text(self.searched),
            "total": number_text(max(matching, self.searched)),
            "text": self.text,
            "found": self._found_text(),
        }
        if self.error is not None:
            return f"{self.error.text()} {tr('Searched {done} of {total} executions, {found}.', **values)}"
        if self.complete:
            return tr_count(
                self.searched,
                "Searched the only execution for “{text}”: {found}",
                "Searched all {n} executions for “{text}”: {found}",
                **values,
            )
        if not self.reached:
            return (
                tr("Searching {done} of {total} executions for “{text}”: {found} so far", **values)
                if self.running
                else tr("Searched {done} of {total} executions for “{text}”: {found} so far", **values)
            )
        values["time"] = moment(self.reached, self._services.clock())
        return (
            tr(
                "Searching {done} of {total} executions for “{text}”, back to {time}: {found} so far",
                **values,
            )
            if self.running
            else tr(
                "Searched {done} of {total} executions for “{text}”, back to {time}: {found} so far", **values
            )
        )

    def _found_text(self) -> str:
        return tr_count(self.found_count, "{n} found", "{n} found") if self.found_count else tr("no results")

    def progress(self, matching: int) -> float | None:
        """Return the progress from 0 to 1; None while not running."""
        return min(1.0, self.searched / matching) if self.running and matching else None

    def _reset(self, text: str, where: ExecutionFilter) -> None:
        self.text, self._where = text, where
        self.found_count = self.searched = 0
        self.reached: EpochMs | None = None
        self.complete = False
        self.error = None
        self._cursor: str | None = None
        self._pause_at = PAUSE_AFTER_FINDS

    def _stop(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()

    def _search_next(self) -> None:
        backend = self._services.backend
        work = backend.search_executions(self.text, self._where, self._cursor)
        self._task = self._services.tasks.run(self, work, done=self._on_page, failed=self._on_failed)

    def _on_page(self, page: SearchPage) -> None:
        if self._task is None:
            return
        self._task = None
        self.searched += page.searched
        self.reached = page.reached or self.reached
        self.found_count += len(page.items)
        self._cursor, self.complete = page.next_cursor, page.next_cursor is None
        if not self.complete and self.found_count < self._pause_at:
            self._search_next()
        if page.items:
            self.found.emit(page.items)
        self.changed.emit()

    def _on_failed(self, error: AppError) -> None:
        self._task = None
        self.error = error
        self.changed.emit()


# Export

ExportSource = ExecutionFilter | tuple[Execution, ...]
"""What to export: everything that matches a filter, or single executions."""


class ExecutionsExport(FileExport):
    """Writes executions to a file; its extension sets the format."""

    def start(self, source: ExportSource, path: Path, raw: bool = False) -> None:
        """Write every execution of a filter, or these. `raw`: CSV with values that may be formulas."""
        if not self.running:
            self._run(export(self._services.backend, source, path, self.progressed.emit, raw=raw), path)


async def export(
    backend: Backend, source: ExportSource, path: Path, progress: Progress, *, raw: bool = False
) -> int:
    """Write the executions meant by `source` to `path`; returns how many. Raises `StorageFault`."""
    write = row_formatter("jsonl" if is_json_lines(path) else "csv", raw=raw)
    return await write_pages(_source(backend, source), path, write, progress)


async def _source(backend: Backend, source: ExportSource) -> AsyncIterator[Page[Execution]]:
    if isinstance(source, ExecutionFilter):
        async for page in read_execution_pages(backend, source):
            yield page
    else:
        yield Page(items=source, total=len(source))


# Executions list

MAX_UPDATED_ROWS = 20


class ExecutionsViewModel(PagedScreenViewModel[Execution, ExecutionQuery]):
    """The Executions tab: query, rows, counts, and histogram.

    New rows are shown at once only while `following` (nothing selected, list at its top); otherwise they
    wait in `pending_rows`. Loaded rows are always updated in place.
    """

    counts_changed = Signal()
    histogram_changed = Signal()
    pending_changed = Signal()
    flows_changed = Signal()

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(services, ExecutionQuery(), parent)
        self.search = DataSearch(services, self)
        self.counts = ExecutionCounts()
        self.span: Span | None = None
        self.histogram: Histogram | None = None
        self.flows: tuple[Flow, ...] = ()
        self.folders: tuple[Folder, ...] = ()
        self.pending_rows: tuple[Execution, ...] = ()
        self.has_more_pending = False
        self.live = True
        self._changed_ids: set[ExecutionId] = set()
        """IDs of executions that changed since the latest rows were read."""
        self._count_request = LatestRequest(services.tasks, self)
        self._histogram_request = LatestRequest(services.tasks, self)
        self._newest_request = LatestRequest(services.tasks, self)
        self._names_request = LatestRequest(services.tasks, self)
        self.search.found.connect(self.window.append)
        self.search.changed.connect(self._on_search_changed)

    @property
    def statistics_unavailable_reason(self) -> str | None:
        """Why there is no histogram; None if there is one."""
        return self._backend.capabilities.reason(Feature.STATISTICS)

    @property
    def run_control_unavailable_reason(self) -> str | None:
        """Why executions can't be retried or cancelled; None if they can."""
        return self._backend.capabilities.reason(Feature.RUN_CONTROL)

    @property
    def filters_unavailable_reason(self) -> str | None:
        """Why only name, outcome, and time filters are supported; None if all are."""
        return self._backend.capabilities.reason(Feature.FILTERS)

    @property
    def live_unavailable_reason(self) -> str | None:
        """Why new executions aren't shown as they start; None if they are."""
        return self._backend.capabilities.reason(Feature.LIVE_UPDATES)

    @property
    def brushed_range(self) -> tuple[EpochMs, EpochMs] | None:
        """The range of the Started filter in the histogram, end exclusive."""
        if self.query.started is None or self.span is None:
            return None
        start, end = self.query.started.bounds(self._services.clock())
        return start or self.span.start, self.span.end if end is None else end + 1

    @property
    def is_up_to_date(self) -> bool:
        """Whether rows, counts, and histogram all match the current query."""
        return (
            self._load_started
            and not self.loading
            and not self._count_request.is_running
            and not self._histogram_request.is_running
        )

    @property
    def folder_name(self) -> str:
        """Name of the folder in the query, for its chip."""
        known = {folder.id: folder.name for folder in self.folders}
        return get_optional(known, self.query.folder_id) or tr("Uncategorised")

    def load(self) -> None:
        if not self._load_started:
            self._load_names()
        super().load()

    def _read(self) -> None:
        self._set_pending(())
        self._newest_request.cancel()
        self._changed_ids.clear()
        self.search.clear_search()
        where = self.query.to_filter(self._services.clock())
        self.window.open(empty_page if self.query.data else snapshot_pages(self._backend, where))
        self._count_request.run(self._read_counts(), done=self._on_counted)
        if self._has_histogram:
            self._histogram_request.run(self._read_histogram(), done=self._on_histogram_loaded)

    def search_data(self, text: str) -> None:
        """Search the data of matching executions for a text; empty ends the search."""
        self.set_query(replace(self.query, text="" if text else self.query.text, data=text))

    def only_match(self) -> Execution | None:
        """The only row that matches a text; None if there are others, or no text."""
        is_searched = self.search.complete if self.query.data else bool(self.query.text)
        return self.window.peek(0) if is_searched and self.window.total == 1 else None

    def brush(self, start: int | None, end: int | None) -> None:
        """Filter by a time range marked in the histogram (None: clear). `end` is exclusive."""
        started = None
        if start is not None and end is not None:
            now = self._services.clock()
            started = StartedRange(start=start, end=None if end >= now else end - 1)
        self.set_query(replace(self.query, started=started))

    def set_following(self, following: bool) -> None:
        """Set whether new rows are shown at once."""
        self.following = following

    def set_live(self, live: bool) -> None:
        """Set whether new executions are shown as they start."""
        self.live = live
        if live:
            self._load_newest(())

    def show_pending(self) -> None:
        """Add the waiting new rows to the list."""
        if self.has_more_pending:
            self.refresh()
            return
        self.window.prepend(self.pending_rows)
        self._set_pending(())
        self._refresh_statistics()

    def _on_opened(self) -> None:
        if self.query.data:
            self.search.start(self.query.data, self.query.to_filter(self._services.clock()))
        super()._on_opened()

    def _current_status(self) -> ListStatus:
        is_searching = self.search.running and not self.window.total
        return ListStatus.SEARCHING if is_searching else super()._current_status()

    def _on_search_changed(self) -> None:
        if self.search.text and self._current_status() is not self.status:
            self._set_status(self._current_status())

    def _on_load_failed(self, error: AppError) -> None:
        if isinstance(error, NotSupported):
            self.loaded = False  # the filter isn't supported: show that in place of the rows
        super()._on_load_failed(error)

    def _load_names(self) -> None:
        self._names_request.run(
            filter_options(self._backend), done=self._on_names_loaded, failed=self._services.notices.failed
        )

    def _on_names_loaded(self, result: tuple[tuple[Flow, ...], tuple[Folder, ...]]) -> None:
        self.flows, self.folders = result
        self.flows_changed.emit()

    def _read_counts(self) -> Coroutine[Any, Any, ExecutionCounts]:
        return self._backend.count_executions(self.query.to_filter(self._services.clock()))

    def _on_counted(self, counts: ExecutionCounts) -> None:
        self.counts = counts
        self.counts_changed.emit()

    @property
    def _has_histogram(self) -> bool:
        return not self.statistics_unavailable_reason and not self.query.data

    def _read_histogram(self) -> Coroutine[Any, Any, Histogram]:
        now = self._services.clock()
        self.span = span = span_for(self.query.started, now, self.span)
        where = self.query.without_time().to_filter(now)
        return self._backend.histogram(where, span.start, span.end, span.bars)

    def _on_histogram_loaded(self, histogram: Histogram) -> None:
        self.histogram = histogram
        self.histogram_changed.emit()

    def _refresh_statistics(self) -> None:
        """Refresh counts and histogram of the same query, without cancelling a running read."""
        self._count_request.refresh(self._read_counts, done=self._on_counted)
        if self._has_histogram:
            self._histogram_request.refresh(self._read_histogram, done=self._on_histogram_loaded)

    def _on_change(self, change: Change) -> None:
        if not self._load_started:
            return
        if change.noun in (ResourceType.FLOW, ResourceType.FOLDER, ResourceType.WORKSPACE):
            self._load_names()
        if self.query.data:
            return
        if change.noun is ResourceType.WORKSPACE or (
            change.noun is ResourceType.EXECUTION and change.action == "deleted"
        ):
            self.refresh()
        elif change.noun is ResourceType.EXECUTION and self.live:
            self._load_newest(map(ExecutionId, change.ids))

    def _load_newest(self, changed: Iterable[ExecutionId]) -> None:
        """Load the latest rows, and loaded ones that changed or are unfinished."""
        self._changed_ids.update(changed)
        self._newest_request.refresh(self._read_newest, done=self._on_newest, failed=lambda _: None)

    def _read_newest(self) -> Coroutine[Any, Any, tuple[Page[Execution], tuple[Execution, ...]]]:
        changed, self._changed_ids = self._changed_ids, set()
        where = self.query.to_filter(self._services.clock())
        loaded = self.window.loaded()
        to_update = [item.id for item in loaded if item.id in changed or not item.state.finished]
        return load_newest(self._backend, where, to_update[:MAX_UPDATED_ROWS])

    def _on_newest(self, result: tuple[Page[Execution], tuple[Execution, ...]]) -> None:
        page, updated = result
        if self.status is not ListStatus.READY:
            if page.total:
                self.refresh()
            return
        for item in (*page.items, *updated):
            self.window.update(item)
        first = self.window.first
        at = next((at for at, item in enumerate(page.items) if first and item.id == first.id), None)
        self.has_more_pending = at is None
        self._set_pending(page.items[:at])
        if self.pending_rows and self.following:
            self.show_pending()
        else:
            self._refresh_statistics()

    def _set_pending(self, items: tuple[Execution, ...]) -> None:
        self.pending_rows = items
        self.has_more_pending = self.has_more_pending and bool(items)
        self.pending_changed.emit()
