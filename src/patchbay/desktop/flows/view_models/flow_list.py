"""View-model of the Flows list: rows, filter, sorting, selection, and loading."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import Literal

from PySide6.QtCore import QObject, QTimer, Signal

from patchbay.desktop.core.language import tr, tr_count
from patchbay.desktop.core.names import by_name
from patchbay.desktop.core.page_window import ListStatus
from patchbay.desktop.core.screen_view_model import ScreenViewModel
from patchbay.desktop.core.services import Services
from patchbay.desktop.editor.view_models.step_labels import webhook_text
from patchbay.desktop.tasks import LatestRequest
from patchbay.domain.backend import Backend, Feature
from patchbay.domain.base import AppKey, ConnectionId, FlowId, FolderId, get_optional
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.connections import Connection
from patchbay.domain.errors import AppError, NotSupported
from patchbay.domain.executions import ExecutionState, FlowActivity
from patchbay.domain.flows import (
    Flow,
    FlowFilter,
    FlowStatus,
    Step,
    StepStatus,
    StepTestStatus,
    StructuralType,
)
from patchbay.domain.folders import NO_FOLDER, Folder
from patchbay.domain.paging import read_all

UNCATEGORISED = tr("Uncategorised")

Tone = Literal["plain", "warning", "accent"]


class SidebarPlace(StrEnum):
    """The fixed entries of the sidebar; every other place is a folder ID."""

    ALL = "all"
    ATTENTION = "attention"
    UNCATEGORISED = NO_FOLDER


class FlowSort(StrEnum):
    """Sortable columns."""

    NAME = "name"
    STATUS = "status"
    LAST_RUN = "last_run"
    NEXT_RUN = "next_run"


@dataclass(frozen=True)
class FlowsFilter:
    """The filter of the list; all given conditions must match. `place` is a `SidebarPlace` or a folder ID."""

    place: str = SidebarPlace.ALL
    text: str = ""
    status: FlowStatus | None = None
    app_key: AppKey | None = None
    result: ExecutionState | None = None
    connection_id: ConnectionId | None = None

    @property
    def folder_id(self) -> FolderId | None:
        """The shown folder; None for the other places."""
        return None if self.place in tuple(SidebarPlace) else FolderId(self.place)

    @property
    def is_filtered(self) -> bool:
        """Whether any condition besides `place` is set."""
        return any((self.text, self.status, self.app_key, self.result, self.connection_id))


@dataclass(frozen=True)
class StyledText:
    """A part of a row's second line, with its colour."""

    text: str
    tone: Tone = "plain"


@dataclass(frozen=True)
class FlowRow:
    """One flow with its activity. `busy` while it is being published or unpublished."""

    flow: Flow
    activity: FlowActivity | None = None
    folder: str = UNCATEGORISED
    busy: bool = False
    pieces: tuple[StyledText, ...] = field(default=())

    @property
    def id(self) -> FlowId:
        """The ID of the flow."""
        return self.flow.id

    @property
    def starts_by_webhook(self) -> bool:
        """Whether a webhook starts it, even if its address isn't known (as in the demo)."""
        trigger = self.flow.trigger
        return bool(trigger and (trigger.webhook_url or trigger.webhook_signed is not None))

    @property
    def attention(self) -> str | None:
        """Why the flow needs attention; None if it doesn't."""
        return self.activity.attention if self.activity else None


def make_row(flow: Flow, activity: FlowActivity | None, folder: str | None, busy: bool) -> FlowRow:
    """Combine a flow and its activity to a row of the list."""
    name = folder or UNCATEGORISED
    return FlowRow(flow, activity, name, busy, row_details(flow, activity, name))


def row_details(flow: Flow, activity: FlowActivity | None, folder: str) -> tuple[StyledText, ...]:
    """Return the second line of a row: folder or problem, number of steps, and unfinished work."""
    attention = activity.attention if activity else None
    paused = flow.status is FlowStatus.PAUSED
    reason = attention or (flow.paused_reason if paused else None)
    pieces = [StyledText(reason, "warning") if reason else StyledText(folder)]
    pieces.append(StyledText(tr_count(len(flow.steps), "{n} step", "{n} steps")))
    if flow.trigger and (text := webhook_text(flow.trigger)):
        pieces.append(StyledText(text))
    if flow.active and flow.has_unpublished_edits:
        pieces.append(StyledText(tr("unpublished edits"), "accent"))
    if not flow.active:
        pieces += map(StyledText, _unfinished_texts(flow))
    return tuple(pieces)


def _unfinished_texts(flow: Flow) -> list[str]:
    """What the flow lacks: an action, an event or conditions of steps, or tests that passed."""
    unfinished = [step for step in flow.steps if step.status is StepStatus.INCOMPLETE]
    failed = sum(step.tested is StepTestStatus.FAILED for step in unfinished)
    incomplete = sum(not _can_be_tested(step) for step in unfinished)
    untested = len(unfinished) - failed - incomplete
    texts = []
    if len(flow.steps) < 2:
        texts.append(tr("incomplete: needs an action", "a flow"))
    if incomplete:
        texts.append(tr_count(incomplete, "{n} incomplete step", "{n} incomplete steps"))
    if untested:
        texts.append(tr_count(untested, "{n} step not tested", "{n} steps not tested"))
    if failed:
        texts.append(tr_count(failed, "{n} failed test", "{n} failed tests"))
    return texts


def _can_be_tested(step: Step) -> bool:
    """Whether it has an event or, if it contains steps, isn't a branch, which has no test of its own."""
    if step.structural_type.is_container:
        return step.structural_type is not StructuralType.BRANCH
    return bool(step.app_key and step.key)


def matches(row: FlowRow, where: FlowsFilter) -> bool:
    """Whether a row matches the filter."""
    last_state = row.activity.last.state if row.activity and row.activity.last else None
    return matches_place(row, where.place) and all(
        (
            where.text.casefold() in row.flow.name.casefold(),
            where.status is None or where.status.covers(row.flow.status),
            where.app_key is None or where.app_key in row.flow.app_keys,
            where.result is None or where.result is last_state,
            where.connection_id is None
            or where.connection_id in {step.connection_id for step in row.flow.steps if step.connection_id},
        )
    )


def matches_place(row: FlowRow, place: str) -> bool:
    """Whether a row belongs to a place of the sidebar: a folder, or a fixed one."""
    if place == SidebarPlace.ALL:
        return True
    if place == SidebarPlace.ATTENTION:
        return row.attention is not None
    if place == SidebarPlace.UNCATEGORISED:
        return row.flow.folder_id is None
    return row.flow.folder_id == place


def sort_rows(rows: Iterable[FlowRow], by: FlowSort, descending: bool) -> list[FlowRow]:
    """Sort by a column. Flows without a value come last; equal values are sorted by name."""
    items = sorted(rows, key=lambda row: by_name(row.flow.name))
    if by is FlowSort.STATUS:
        return sorted(items, key=lambda row: row.flow.active is not descending)
    if by is FlowSort.NAME:
        return items[::-1] if descending else items
    known = [row for row in items if _sort_time(row, by) is not None]
    rest = [row for row in items if _sort_time(row, by) is None]
    return sorted(known, key=lambda row: _sort_time(row, by) or 0, reverse=descending) + rest


def _sort_time(row: FlowRow, by: FlowSort) -> int | None:
    if row.activity is None:
        return None
    if by is FlowSort.NEXT_RUN:
        return row.activity.next_run_at
    return row.activity.last.created_at if row.activity.last else None


# View-model

ACTIVITY_DELAY_MS = 1000


@dataclass(frozen=True)
class _Snapshot:
    flows: tuple[Flow, ...]
    folders: tuple[Folder, ...]


async def _read_folders(backend: Backend) -> tuple[Folder, ...]:
    try:
        return await backend.list_folders()
    except NotSupported:
        return ()


async def _read(backend: Backend) -> _Snapshot:
    flows, folders = await asyncio.gather(
        read_all(partial(backend.list_flows, FlowFilter())), _read_folders(backend)
    )
    return _Snapshot(tuple(flows), tuple(sorted(folders, key=lambda folder: by_name(folder.name))))


class FlowsViewModel(ScreenViewModel):
    """The Flows list. `changed` after any change of rows or status; `selection_changed` is separate."""

    changed = Signal()
    selection_changed = Signal()
    refreshing_changed = Signal(bool)

    reloads_on = (ResourceType.FLOW, ResourceType.FOLDER, ResourceType.WORKSPACE)

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(services, parent)
        self._activity_request = LatestRequest(services.tasks, self)
        self._connection_request = LatestRequest(services.tasks, self)
        self._flows: dict[FlowId, Flow] = {}
        self._activity: dict[FlowId, FlowActivity] = {}
        self._busy: set[FlowId] = set()
        self._selected: dict[FlowId, None] = {}
        self.folders: tuple[Folder, ...] = ()
        self.where = FlowsFilter()
        self.connection_name = ""
        """Name of the connection in the filter, once known."""
        self.sort = FlowSort.STATUS
        self.descending = True
        self.status = ListStatus.LOADING
        self.rows: tuple[FlowRow, ...] = ()
        self._all: tuple[FlowRow, ...] = ()
        self._activity_timer = QTimer(self, singleShot=True, interval=ACTIVITY_DELAY_MS)
        self._activity_timer.timeout.connect(self._load_activity)
        self.failed.connect(self.changed)

    # What is known

    @property
    def total(self) -> int:
        """The number of flows."""
        return len(self._flows)

    @property
    def published(self) -> int:
        """The number of published flows."""
        return sum(flow.status is FlowStatus.PUBLISHED for flow in self._flows.values())

    @property
    def paused(self) -> int:
        """The number of paused flows."""
        return sum(flow.status is FlowStatus.PAUSED for flow in self._flows.values())

    @property
    def attention_unavailable_reason(self) -> str | None:
        """Why flows that need attention can't be found; None if they can."""
        return self.reason(Feature.CONNECTIONS) or self.reason(Feature.STATISTICS)

    def count(self, place: str) -> int | None:
        """Count the flows of a place, ignoring the filter; None if unknown."""
        if place == SidebarPlace.ATTENTION and self.attention_unavailable_reason:
            return None
        return sum(matches_place(row, place) for row in self._all)

    def flow(self, flow_id: FlowId) -> Flow | None:
        """The flow with this ID; None if it isn't loaded."""
        return self._flows.get(flow_id)

    def flows_in(self, folder_id: FolderId) -> tuple[Flow, ...]:
        """The flows of a folder."""
        return tuple(flow for flow in self._flows.values() if flow.folder_id == folder_id)

    def folder(self, folder_id: FolderId | None) -> Folder | None:
        """The folder with this ID; None if there is none."""
        return next((folder for folder in self.folders if folder.id == folder_id), None)

    def used_apps(self) -> tuple[AppKey, ...]:
        """Return the keys of all apps in use, for the App filter."""
        return tuple(dict.fromkeys(key for flow in self._flows.values() for key in flow.app_keys))

    def reason(self, feature: Feature) -> str | None:
        """Return why the workspace lacks a feature; None if it has it."""
        return self._backend.capabilities.reason(feature)

    # Loading

    def _read(self) -> None:
        """Load everything; current rows stay until the result arrives."""
        if not self.loaded:
            self.status, self.error = ListStatus.LOADING, None
            self.changed.emit()
        self.refreshing_changed.emit(True)
        self._load_request.run(_read(self._backend), done=self._on_loaded, failed=self._on_load_failed)

    def _on_change(self, change: Change) -> None:
        super()._on_change(change)
        concerns_activity = change.noun in (ResourceType.EXECUTION, ResourceType.CONNECTION)
        if concerns_activity and self.loaded and not self._activity_timer.isActive():
            self._activity_timer.start()

    def _on_loaded(self, snapshot: _Snapshot) -> None:
        self.loaded, self.error = True, None
        self._flows = {flow.id: flow for flow in snapshot.flows}
        self.folders = snapshot.folders
        if self.where.folder_id is not None and not self.folder(self.where.folder_id):
            self.where = replace(self.where, place=SidebarPlace.ALL)
        self._rebuild()
        self.refreshing_changed.emit(False)
        self._load_activity()

    def _on_load_failed(self, error: AppError) -> None:
        self.refreshing_changed.emit(False)
        if not self.loaded:
            self.status = ListStatus.FAILED
        super()._on_load_failed(error)

    def _load_activity(self) -> None:
        if self._flows and self.reason(Feature.STATISTICS) is None:
            work = self._backend.flow_activity(tuple(self._flows))
            self._activity_request.run(work, done=self._on_activity_loaded, failed=lambda _: None)

    def _on_activity_loaded(self, found: tuple[FlowActivity, ...]) -> None:
        self._activity = {item.flow_id: item for item in found}
        self._rebuild()

    # Filter, sort

    def show(self, where: FlowsFilter) -> None:
        """Show the flows that match a filter."""
        if where != self.where:
            if where.connection_id not in (None, self.where.connection_id):
                self.connection_name = ""
                work = self._backend.get_connection(where.connection_id)
                self._connection_request.run(work, done=self._on_connection_loaded, failed=lambda _: None)
            self.where = where
            self._rebuild()

    def _on_connection_loaded(self, connection: Connection) -> None:
        self.connection_name = connection.screen_name
        self.changed.emit()

    def update_filter(self, **conditions: object) -> None:
        """Change some conditions of the filter: `narrow(text="invoice")`."""
        self.show(replace(self.where, **conditions))  # type: ignore[arg-type]

    def clear_filter(self) -> None:
        """Remove all filters except the place."""
        self.show(FlowsFilter(place=self.where.place))

    def sort_by(self, column: FlowSort) -> None:
        """Sort by a column, or reverse the order if it is the current one."""
        self.descending = not self.descending if column is self.sort else column is not FlowSort.NAME
        self.sort = column
        self._rebuild()

    # Selection

    @property
    def selected(self) -> tuple[FlowId, ...]:
        """Selected flows in list order."""
        return tuple(row.id for row in self.rows if row.id in self._selected)

    def is_selected(self, flow_id: FlowId) -> bool:
        """Whether the flow is selected."""
        return flow_id in self._selected

    def toggle(self, flow_id: FlowId) -> None:
        """Select a flow, or deselect it."""
        chosen = dict(self._selected)
        if flow_id in chosen:
            del chosen[flow_id]
        else:
            chosen[flow_id] = None
        self.select(list(chosen))

    def select(self, flow_ids: list[FlowId]) -> None:
        """Select these flows and no others."""
        chosen = dict.fromkeys(flow_ids)
        if chosen != self._selected:
            self._selected = chosen
            self.selection_changed.emit()

    def clear_selection(self) -> None:
        """Deselect all flows."""
        self.select([])

    # Changes made here

    def set_busy(self, flow_ids: tuple[FlowId, ...], busy: bool) -> None:
        """Mark flows while a command for them runs."""
        self._busy = self._busy | set(flow_ids) if busy else self._busy - set(flow_ids)
        self._rebuild()

    def put(self, flow: Flow) -> None:
        """Show a flow returned by a write, before the refresh arrives."""
        self._flows = {**self._flows, flow.id: flow}
        self._rebuild()

    def drop(self, flow_ids: tuple[FlowId, ...]) -> None:
        """Remove flows from the list, without reading it again."""
        self._flows = {key: flow for key, flow in self._flows.items() if key not in flow_ids}
        self._rebuild()

    def _rebuild(self) -> None:
        names = {folder.id: folder.name for folder in self.folders}
        self._all = tuple(
            make_row(
                flow, self._activity.get(flow.id), get_optional(names, flow.folder_id), flow.id in self._busy
            )
            for flow in self._flows.values()
        )
        found = [row for row in self._all if matches(row, self.where)]
        self.rows = tuple(sort_rows(found, self.sort, self.descending))
        self.status = self._status()
        shown = {row.id for row in self.rows}
        self.select([key for key in self._selected if key in shown])
        self.changed.emit()

    def _status(self) -> ListStatus:
        if self.rows:
            return ListStatus.READY
        if not self.loaded:
            return self.status
        return ListStatus.NO_MATCH if self._flows else ListStatus.EMPTY
