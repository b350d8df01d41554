"""View-model of the execution pane: waiting texts, steps, the selected step, and commands."""

import asyncio
from dataclasses import dataclass, replace
from enum import StrEnum

from PySide6.QtCore import QObject, QTimer, Signal

from patchbay.desktop.core.execution_labels import (
    ErrorView,
    TimelineRow,
    as_json,
    comparison,
    error_view,
    shown_state,
    status_sentence,
    waits_for_person,
)
from patchbay.desktop.core.language import tr
from patchbay.desktop.core.navigation import Place, Tab
from patchbay.desktop.core.services import Services
from patchbay.desktop.core.times import clock, duration, moment
from patchbay.desktop.executions.view_models.queries import (
    EventNames,
    RelatedExecutions,
    read_event_names,
    related_executions,
    same_cause,
    used_connections,
)
from patchbay.desktop.executions.view_models.run_actions import ExecutionCommandsViewModel
from patchbay.desktop.executions.view_models.timeline import Timeline
from patchbay.desktop.tasks import LatestRequest, Task
from patchbay.domain.backend import Feature
from patchbay.domain.base import AppKey, ConnectionId, EpochMs, ExecutionId, Json, JsonObject, StepId
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.clock import SECOND_MS, midnight
from patchbay.domain.errors import AppError
from patchbay.domain.executions import (
    Execution,
    ExecutionState,
    ExecutionStep,
    Origin,
    StepState,
    WaitsFor,
)
from patchbay.domain.flow_calls import CALL_FLOW_ACTION, PATCHBAY_APP


def waiting_text(execution: Execution, now: EpochMs) -> str:
    """Return "Continues at 15:37 (in 36 min 2 s), when the delay ends."; empty if not waiting."""
    if execution.state is ExecutionState.QUEUED:
        return tr("Queued: other executions are running, or runs are paused.")
    if execution.state is not ExecutionState.WAITING:
        return ""
    if execution.waits_for is WaitsFor.FLOW:
        return tr("Waiting for the flow it called.")
    if execution.wake_at is None:
        return execution.note or tr("Waiting.")
    is_today = midnight(execution.wake_at) == midnight(now)
    values = {
        "time": clock(execution.wake_at) if is_today else moment(execution.wake_at, now),
        "left": countdown(execution.wake_at - now),
    }
    match execution.waits_for:
        case WaitsFor.RETRY:
            return tr("Retries the step at {time} ({left}).", **values)
        case WaitsFor.LIMIT:
            return tr("Continues at {time} ({left}), when the rate limit allows it.", **values)
        case _:
            return tr("Continues at {time} ({left}), when the delay ends.", **values)


def countdown(ms: int) -> str:
    """Return "in 8 s", "in 3 min 5 s", "in 2 h 5 min", "in 3 d 4 h"; "any moment now" once due."""
    if ms < SECOND_MS:
        return tr("any moment now")
    return tr("in {duration}", duration=duration(ms, parts=2))


# View-model

LARGE_RESULT_COUNT, LARGE_RESULT_DELAY_MS = 200, 1_000
"""For executions with more results than this, changes are batched."""


class DataTab(StrEnum):
    """The tabs below the timeline."""

    IN = "input"
    OUT = "output"
    ERROR = "error"


@dataclass(frozen=True)
class _DetailData:
    """Everything loaded about one execution."""

    execution: Execution
    results: tuple[ExecutionStep, ...]
    timeline: Timeline
    related_executions: RelatedExecutions
    connections: dict[StepId, ConnectionId]
    same_cause: int


class ExecutionDetailViewModel(QObject):
    """One execution, refreshed while it runs. `execution` is None if nothing is selected."""

    changed = Signal()
    step_changed = Signal()
    rows_changed = Signal()
    failed = Signal(object)

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services, self._backend = services, services.backend
        self.execution: Execution | None = None
        self.results: tuple[ExecutionStep, ...] = ()
        self.rows: tuple[TimelineRow, ...] = ()
        self.step = 0
        self.related_executions = RelatedExecutions()
        self.tab = DataTab.OUT
        self.same_cause = 0
        self.loading = False
        self.error: AppError | None = None
        self._connections: dict[StepId, ConnectionId] = {}
        self._event_names: dict[AppKey, EventNames] = {}
        self._execution_id: ExecutionId | None = None
        """ID of the execution that is loaded or being loaded."""
        self._timeline: Timeline | None = None
        self._toggled: set[str] = set()
        self._load_request = LatestRequest(services.tasks, self)
        self._read_task: Task | None = None
        self._stale = False
        self._reload_timer = QTimer(self, singleShot=True)
        self._reload_timer.timeout.connect(self.reload)
        self.control = ExecutionCommandsViewModel(services, self)
        self.control.started.connect(lambda _: self.reload())  # show the new retry immediately
        services.feed.changed.connect(self._on_change)

    @property
    def status_sentence(self) -> str:
        """The state in a sentence, such as “Failed at step 3”."""
        if self.execution is None:
            return ""
        return status_sentence(self.execution, self._current_row)

    @property
    def shown_state(self) -> ExecutionState | None:
        """The state whose mark is shown; None without an execution."""
        return shown_state(self.execution, self._current_row) if self.execution else None

    def waiting_text(self, now: EpochMs) -> str:
        """What the execution waits for, as a sentence; empty if it doesn't wait."""
        if self.execution is None:
            return ""
        if waits_for_person(self.execution, self._current_row):
            return tr("Waiting for your input, in the form or notification that the step shows.")
        return waiting_text(self.execution, now)

    @property
    def row(self) -> TimelineRow | None:
        """The selected step."""
        return self.rows[self.step] if 0 <= self.step < len(self.rows) else None

    @property
    def problem(self) -> ErrorView | None:
        """The error of the selected step; if the run failed outside a step, its note."""
        row = self.row
        found = error_view(row, self._app_name(row)) if row else None
        run = self.execution
        if (
            found
            or run is None
            or run.state is not ExecutionState.FAILURE
            or any(result.error_details for result in self.results)
        ):
            return found
        title, why = run.note or tr("This execution failed."), self.results_unavailable_reason or ""
        return ErrorView(title=title, text=why, source="", raw=None)

    @property
    def filters_unavailable_reason(self) -> str | None:
        """Why the list can't filter by one flow; None if it can."""
        return self._backend.capabilities.reason(Feature.FILTERS)

    @property
    def results_unavailable_reason(self) -> str | None:
        """Why step data isn't available; None if it is."""
        return self._backend.capabilities.reason(Feature.STEP_RESULTS)

    @property
    def called(self) -> ExecutionId | None:
        """The execution started by the selected step, if it called a flow."""
        row = self.row
        if row is None or row.result is None:
            return None
        step, output = row.result.step, row.result.data_out
        if (step.app_key, step.key) != (PATCHBAY_APP, CALL_FLOW_ACTION):
            return None
        started_id = output.get("executionId") if isinstance(output, dict) else None
        if isinstance(started_id, str):
            return ExecutionId(started_id)
        is_finished = row.state is not StepState.RUNNING
        calls = (
            item for item in self.related_executions.derived_executions if item.origin_kind is Origin.CALL
        )
        return next((item.id for item in calls if item.state.finished is is_finished), None)

    def show(self, execution: Execution | None) -> None:
        """Show an execution: list data immediately, steps once loaded."""
        if execution is not None and self.execution is not None and execution.id == self.execution.id:
            return
        self.execution = execution
        self.results = ()
        self.same_cause = 0
        self.error = None
        self.related_executions = RelatedExecutions()
        self._toggled.clear()
        self._set_timeline(Timeline(execution, (), self._names()) if execution else None)
        self.step, self.tab = 0, DataTab.OUT
        self.loading, self._execution_id = execution is not None, None
        self.changed.emit()
        if execution is not None:
            self._read(execution.id)

    def open(self, execution_id: ExecutionId) -> None:
        """Show an execution by ID, even if the list doesn't contain it."""
        self._read(execution_id)

    def reload(self) -> None:
        """Load the execution again."""
        if self._execution_id is not None:
            self._read(self._execution_id)

    def select_step(self, step: int) -> None:
        """Show the data of a step, its error first if there is one."""
        if 0 <= step < len(self.rows) and step != self.step:
            self.step = step
            if self.problem is not None:
                self.tab = DataTab.ERROR
            elif self.tab is DataTab.ERROR:
                self.tab = DataTab.OUT
            self.step_changed.emit()

    def toggle(self, row: int) -> None:
        """Fold or unfold a row."""
        if not (0 <= row < len(self.rows) and self.rows[row].folds):
            return
        selected_row = self.row
        self._toggled ^= {self.rows[row].key}
        self._rebuild_rows()
        keys = [each.key for each in self.rows]
        seen = selected_row is not None and selected_row.key in keys
        self.step = keys.index(selected_row.key) if seen and selected_row else row
        self.rows_changed.emit()

    def select_tab(self, tab: DataTab) -> None:
        """Show another tab of the step's data."""
        if tab is not self.tab:
            self.tab = tab
            self.step_changed.emit()

    def data(self) -> Json:
        """The JSON shown in the current tab."""
        row = self.row
        result = row.result if row else None
        if self.tab is DataTab.ERROR:
            return self.problem.raw if self.problem else None
        if row is not None and row.item is not None:
            return row.value if self.tab is DataTab.IN else None
        if result is None:
            return None
        return result.data_in if self.tab is DataTab.IN else result.data_out

    @property
    def comparison(self) -> str:
        """Return the comparisons of the selected filter step; empty for others."""
        row = self.row
        return comparison(row.result) if row is not None and self.tab is DataTab.OUT else ""

    def json(self) -> JsonObject:
        """The execution and its steps, in wire format."""
        return as_json(self.execution, self.results) if self.execution else {}

    def open_flow(self) -> None:
        """Open the flow of the execution in the editor."""
        if self.execution is not None:
            place = Place(Tab.FLOWS, id=self.execution.flow.id, section="editor")
            self._services.navigator.go(place)

    def reconnect(self) -> None:
        """Open the rejected connection for reconnecting, or else its app."""
        row = self.row
        if row is None:
            return
        if connection := self._connections.get(row.step.id):
            self._services.navigator.go(Place(Tab.MY_APPS, id=connection, section="reconnect"))
        else:
            self._services.navigator.go(Place(Tab.MY_APPS, id=row.step.app_key, section="add"))

    def _app_name(self, row: TimelineRow) -> str:
        app = self._services.apps.get(row.step.app_key)
        return app.name if app else row.step.app_key or tr("the step", "after: Response from")

    def _read(self, execution_id: ExecutionId) -> None:
        self._execution_id = execution_id
        self._stale = False
        work = self._load_detail(execution_id)
        task = self._read_task = self._load_request.run(
            work, done=self._on_loaded, failed=self._on_load_failed
        )
        task.ended.connect(self._on_read_ended)

    def _on_read_ended(self) -> None:
        if self.sender() is self._read_task:
            self._read_task = None
            if self._stale:
                self._read_soon()

    def _read_soon(self) -> None:
        """Reload: now, or after a pause if much was recorded; never while a read is running."""
        self._stale = self._read_task is not None
        if not self._stale and not self._reload_timer.isActive():
            self._reload_timer.start(LARGE_RESULT_DELAY_MS if len(self.results) > LARGE_RESULT_COUNT else 0)

    async def _load_detail(self, execution_id: ExecutionId) -> _DetailData:
        execution, results = await asyncio.gather(
            self._backend.get_execution(execution_id), self._results(execution_id)
        )
        self._event_names |= await read_event_names(self._backend, execution, self._event_names)
        timeline = Timeline(execution, results, self._names())
        related = (
            RelatedExecutions()
            if self.control.unavailable_reason
            else await related_executions(self._backend, execution)
        )
        if execution.state is not ExecutionState.FAILURE:
            return _DetailData(execution, results, timeline, related, {}, 0)
        connections, same = await asyncio.gather(
            used_connections(self._backend, execution), same_cause(self._backend, execution)
        )
        return _DetailData(execution, results, timeline, related, connections, same)

    def _names(self) -> EventNames:
        return {key: name for names in self._event_names.values() for key, name in names.items()}

    async def _results(self, execution_id: ExecutionId) -> tuple[ExecutionStep, ...]:
        return () if self.results_unavailable_reason else await self._backend.execution_steps(execution_id)

    def _on_loaded(self, result: _DetailData) -> None:
        same = self.execution is not None and self.execution.id == result.execution.id
        stay = same and bool(self.results)
        self.execution, self.results = result.execution, result.results
        if not same:
            self._toggled.clear()
        key = self.row.key if stay and self.row else result.timeline.initial_row_key
        self._set_timeline(result.timeline)
        self.step = next((at for at, row in enumerate(self.rows) if row.key == key), 0)
        self.related_executions = result.related_executions
        self._connections, self.same_cause = result.connections, result.same_cause
        self.loading, self.error = False, None
        if not stay:
            self.tab = DataTab.ERROR if self.problem else DataTab.OUT
        self.changed.emit()

    def _set_timeline(self, timeline: Timeline | None) -> None:
        self._timeline = timeline
        self._rebuild_rows()
        self._current_row = next(
            (row for row in self.rows if timeline and row.key == timeline.initial_row_key), None
        )

    def _rebuild_rows(self) -> None:
        rows = self._timeline.rows(self._toggled) if self._timeline else ()
        # Without step results, it isn't known which steps ran.
        self.rows = tuple(replace(row, note="–") for row in rows) if self.results_unavailable_reason else rows

    def _on_load_failed(self, error: AppError) -> None:
        self.loading, self.error = False, error
        self.changed.emit()
        self.failed.emit(error)

    def _on_change(self, change: Change) -> None:
        if change.noun is ResourceType.APP:
            self._event_names = {}
        here = {self._execution_id, *(item.id for item in self.related_executions.derived_executions)}
        mine = self._execution_id is not None and not here.isdisjoint(change.ids)
        if change.noun is ResourceType.EXECUTION and mine and change.action != "deleted":
            self._read_soon()
