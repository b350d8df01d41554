"""Step tests: run the selected step, keep samples fresh, and preview its resolved input."""

from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Signal

from patchbay.desktop.core import execution_labels
from patchbay.desktop.core.execution_labels import FILTER_APP, replace_references
from patchbay.desktop.editor.view_models.branches import preview, preview_text
from patchbay.desktop.editor.view_models.editor import EditorViewModel
from patchbay.desktop.editor.view_models.form import StepFormModel
from patchbay.desktop.tasks import LatestRequest, Task
from patchbay.domain.backend import Feature, StepTest
from patchbay.domain.base import EpochMs, Json, StepId, get_optional
from patchbay.domain.blockers import EVENT_FIELD
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.date_parsing import Moment
from patchbay.domain.errors import AppError, PayloadTooLarge
from patchbay.domain.executions import ExecutionStep, StepState
from patchbay.domain.fields import is_visible, parameters_with_references
from patchbay.domain.flows import Step, StepStatus, StepTestStatus, StructuralType
from patchbay.domain.variables import Reference, missing, resolve

MIN_INTERVAL_MS = 1000
"""Minimum interval between reads of samples, as changes of all flows are announced."""


class SampleWatcher(QObject):
    """Refreshes `EditorViewModel.samples` after executions. `samples_updated` names the updated steps."""

    samples_updated = Signal(object)

    def __init__(self, editor: "EditorViewModel", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._editor = editor
        self._request = LatestRequest(editor.services.tasks, self)
        self._delay_timer = QTimer(self, interval=MIN_INTERVAL_MS, singleShot=True)
        self._delay_timer.timeout.connect(self._read)
        editor.services.feed.changed.connect(self._on_change)

    def _on_change(self, change: Change) -> None:
        if (
            change.noun is ResourceType.EXECUTION
            and self._editor.draft is not None
            and not self._delay_timer.isActive()
        ):
            self._delay_timer.start()

    def _read(self) -> None:
        draft, backend = self._editor.draft, self._editor.services.backend
        if draft is not None and backend.capabilities.reason(Feature.STEP_RESULTS) is None:
            work = backend.step_samples(draft.id)
            self._request.run(work, done=self._on_samples_loaded, failed=lambda _: None)

    def _on_samples_loaded(self, samples: tuple[ExecutionStep, ...]) -> None:
        known = self._editor.samples
        newer = [item for item in samples if item.step.id not in known or known[item.step.id].id != item.id]
        if newer:
            known.update({item.step.id: item for item in newer})
            self.samples_updated.emit(tuple(item.step.id for item in newer))
            self._editor.context_changed.emit()


# Test of the selected step


@dataclass(frozen=True)
class StepTestResult:
    """The latest test result of a step. `error`: why the test couldn't run.

    `step` is the step as it was tested; None for results from before the flow was opened, and of runs.
    """

    __test__ = False

    result: ExecutionStep | None = None
    error: AppError | None = None
    step: Step | None = None

    @property
    def failed(self) -> bool:
        """Whether the test failed."""
        return self.error is not None or (self.result is not None and self.result.status is StepState.FAILURE)


class StepTestModel(QObject):
    """The test pane. `invalid(key)`: a field must be fixed first."""

    __test__ = False

    changed = Signal()
    finished = Signal()
    invalid = Signal(str)

    def __init__(self, editor: EditorViewModel, form: StepFormModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._editor, self._form = editor, form
        self._results: dict[StepId, StepTestResult] = {}
        self._task: Task | None = None
        self.running: StepId | None = None
        self._tested_step: Step | None = None
        """The step as it is being tested."""
        self._sample_watcher = SampleWatcher(editor, self)
        self._sample_watcher.samples_updated.connect(self._on_samples_updated)
        editor.opened.connect(self._on_opened)
        for signal in (
            editor.selected,
            editor.flow_changed,
            editor.context_changed,
            form.choices_changed,
        ):
            signal.connect(self.changed)

    # What is shown

    @property
    def is_running(self) -> bool:
        """Whether the selected step is being tested."""
        return self.running is not None and self.running == self._editor.step_id

    @property
    def unavailable_reason(self) -> str | None:
        """Why steps can't be tested; None if they can."""
        return self._editor.services.backend.capabilities.reason(Feature.EDIT_FLOWS)

    @property
    def current(self) -> StepTestResult | None:
        """The test of the selected step; None if there was none."""
        return get_optional(self._results, self._editor.step_id)

    @property
    def stale(self) -> bool:
        """Whether the shown result is older than the last change or failed test."""
        step, current = self._editor.step, self.current
        if step is None or current is None:
            return False
        if current.failed:
            return current.step is not None and not current.step.behaves_like(step)
        return current.result is not None and step.status is StepStatus.INCOMPLETE

    @property
    def has_failed_since(self) -> bool:
        """Whether the shown result is older than a test that failed, after which the step is unchanged."""
        step = self._editor.step
        return self.stale and step is not None and step.tested is StepTestStatus.FAILED

    @property
    def skipped(self) -> bool:
        """Whether the test of the selected step was skipped."""
        return bool(self._editor.step and self._editor.step.tested == StepTestStatus.SKIPPED)

    @property
    def can_test(self) -> bool:
        """Whether the selected step can be tested: it has an app, branches, or a list."""
        step = self._editor.step
        tested_alone = (StructuralType.PATHS, StructuralType.EACH)
        return step is not None and (step.key is not None or step.structural_type in tested_alone)

    @property
    def sampled_at(self) -> EpochMs | None:
        """Time of the samples that a test would use."""
        return self._form.catalog.sampled_at

    def preview_summary(self) -> str:
        """What a branching step, branch, or loop would do with the latest data; empty for other steps."""
        step = self._editor.step
        if step is None:
            return ""
        if step.structural_type is StructuralType.SINGLE:
            is_filter = step.app_key == FILTER_APP
            return execution_labels.describe_filter(self._resolved(), self._moment) if is_filter else ""
        samples = self._form.catalog.samples
        return preview_text(self._editor.tree, step, samples, self._editor.titles(), self._moment)

    @property
    def _moment(self) -> Moment:
        return Moment(self._editor.services.clock())

    def preview_input(self) -> Json:
        """The step's fields with the latest values inserted; None if `preview_summary` describes it."""
        step, outputs = self._editor.step, self._form.catalog.samples
        if step is not None and step.structural_type is not StructuralType.SINGLE:
            return preview(step, outputs)
        sent = self._resolved()
        is_filter_preview = (
            step is not None
            and step.app_key == FILTER_APP
            and execution_labels.describe_filter(sent, self._moment)
        )
        return None if is_filter_preview else sent

    def _resolved(self) -> Json:
        outputs, values = self._form.catalog.samples, self._form.parameters
        keys = {item.key for item in self._form.all_arguments if is_visible(item, values)}
        sent = {key: value for key, value in values.items() if key in keys}
        replaced = parameters_with_references(self._form.all_arguments, sent)
        try:
            return {**sent, **{key: resolve(value, outputs) for key, value in replaced.items()}}
        except PayloadTooLarge as error:
            return error.text()

    def missing_references(self) -> list[Reference]:
        """References without a sample value."""
        step = self._editor.step
        conditions: list[Json] = list(step.branch_conditions or ()) if step else []
        replaced = parameters_with_references(self._form.all_arguments, self._form.parameters)
        return missing([*replaced.values(), *conditions], self._form.catalog.samples)

    def warnings(self) -> tuple[str, ...]:
        """Warnings of the latest result."""
        current, flow = self.current, self._editor.flow
        if current is None or current.result is None or flow is None:
            return ()
        positions = {step.id: step.position for step in flow.steps}
        return tuple(replace_references(warning, positions) for warning in current.result.warnings)

    # Commands

    def test(self) -> None:
        """Save and test this step; show invalid fields instead if there are any."""
        step, draft = self._editor.step, self._editor.draft
        if step is None or draft is None or self.running is not None:
            return
        if not self.can_test:
            self.invalid.emit(EVENT_FIELD)
            return
        if wrong := self._form.check_all():
            self.invalid.emit(wrong)
            return
        self.running, self._tested_step = step.id, step
        self.changed.emit()
        draft.flush()
        draft.write_queue.run_when_idle(
            lambda: self._run(step.id), lambda error: self._on_save_failed(step.id, error)
        )

    def _on_save_failed(self, step_id: StepId, error: AppError) -> None:
        self._on_failed(step_id, error)
        self._on_ended()

    def _run(self, step_id: StepId) -> None:
        if self.running != step_id:
            return
        services = self._editor.services
        self._task = services.tasks.run(
            self,
            services.backend.test_step(step_id),
            done=lambda response: self._on_done(step_id, response),
            failed=lambda error: self._on_failed(step_id, error),
        )
        self._task.ended.connect(self._on_ended)

    def cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()
        else:
            self._on_ended()

    def skip(self) -> None:
        """Mark the step as ready without running it."""
        step, draft = self._editor.step, self._editor.draft
        if step is None or draft is None:
            return
        if wrong := self._form.check_all():
            self.invalid.emit(wrong)
            return
        if self.current is not None and self.current.failed:
            del self._results[step.id]
        backend, step_id = self._editor.services.backend, step.id
        draft.write(lambda: backend.skip_step_test(step_id))

    # Results

    def _on_done(self, step_id: StepId, response: StepTest) -> None:
        self._results[step_id] = StepTestResult(response.result, step=self._tested_step)
        if response.result.status is StepState.SUCCESS:
            self._editor.samples[step_id] = response.result
        if self._editor.draft:
            self._editor.draft.apply_server_flow(response.flow)
        self._editor.context_changed.emit()

    def _on_failed(self, step_id: StepId, error: AppError) -> None:
        self._results[step_id] = StepTestResult(error=error, step=self._tested_step)

    def _on_ended(self) -> None:
        self._task, self.running = None, None
        self.changed.emit()
        self.finished.emit()

    def _on_samples_updated(self, step_ids: tuple[StepId, ...]) -> None:
        """Show the sample of a run, unless a test is running."""
        for step_id in step_ids:
            if step_id != self.running:
                self._results[step_id] = StepTestResult(self._editor.samples[step_id])

    def _on_opened(self) -> None:
        self._results = {key: StepTestResult(item) for key, item in self._editor.samples.items()}
        self.changed.emit()
