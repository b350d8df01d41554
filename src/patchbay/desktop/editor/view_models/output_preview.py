"""The preview of the selected step's output, computed by the workspace while its fields are edited."""

import json
from enum import StrEnum

from PySide6.QtCore import QObject, QTimer, Signal

from patchbay.desktop.core.language import tr
from patchbay.desktop.editor.view_models.editor import EditorViewModel
from patchbay.desktop.editor.view_models.form import StepFormModel
from patchbay.desktop.tasks import LatestRequest
from patchbay.domain.apps import ActionInfo
from patchbay.domain.base import Json, JsonObject, StepId
from patchbay.domain.errors import AppError
from patchbay.domain.fields import Option, missing_required

TYPING_PAUSE_MS = 300
"""The pause in typing after which the preview is updated."""


class PreviewState(StrEnum):
    """What the preview shows. `OUTPUT` and `FAILED` stay visible while the next one is computed."""

    HIDDEN = "hidden"
    WAITING = "waiting"
    LOADING = "loading"
    OUTPUT = "output"
    FAILED = "failed"


class OutputPreview(QObject):
    """The preview of the selected step, for actions that declare one.

    It is computed with the latest data of earlier steps, by the workspace, so nothing blocks the window; only
    the result for the newest values is shown.
    """

    changed = Signal()

    def __init__(self, editor: EditorViewModel, form: StepFormModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._editor, self._form = editor, form
        self._request = LatestRequest(editor.services.tasks, self)
        self._timer = QTimer(self, interval=TYPING_PAUSE_MS, singleShot=True)
        self._timer.timeout.connect(self._load)
        self._shown_for: tuple[object, ...] = ()
        self.state = PreviewState.HIDDEN
        self.output: Json = None
        self.message = ""
        """Why there is no output, in a sentence."""
        for signal in (editor.selected, editor.flow_changed, editor.context_changed, form.choices_changed):
            signal.connect(self._update)

    @property
    def text(self) -> str:
        """The output as text; a text as it is, other values as JSON."""
        if isinstance(self.output, str):
            return self.output
        return json.dumps(self.output, ensure_ascii=False, indent=2)

    @property
    def _loader(self) -> str:
        event = self._editor.app_event
        unavailable = self._editor.unavailable_reason is not None
        return event.preview if isinstance(event, ActionInfo) and not unavailable else ""

    def _update(self) -> None:
        """Start the timer if the values or the data of earlier steps have changed."""
        step_id, loader = self._editor.step_id, self._loader
        if step_id is None or not loader:
            self._shown_for = ()
            self._stop(PreviewState.HIDDEN)
            return
        parameters = self._parameters()
        samples = tuple(sorted((key, item.id) for key, item in self._editor.samples.items()))
        shown_for = (step_id, loader, json.dumps(parameters, sort_keys=True), samples)
        if shown_for == self._shown_for:
            return
        is_other_step = not self._shown_for or self._shown_for[0] != step_id
        self._shown_for = shown_for
        missing = missing_required(self._form.arguments, parameters)
        if missing:
            self._stop(
                PreviewState.WAITING, tr("Fill in “{field}” to see the result.", field=missing[0].label)
            )
            return
        if is_other_step or self.state in (PreviewState.HIDDEN, PreviewState.WAITING):
            self._set(PreviewState.LOADING)
        self._timer.start()

    def _parameters(self) -> JsonObject:
        """The values of the shown fields; None for empty ones, which replaces stored values."""
        values = self._form.parameters
        return {argument.key: values.get(argument.key) for argument in self._form.arguments}

    def _load(self) -> None:
        """Load the preview once the step is stored."""
        step_id, loader, draft = self._editor.step_id, self._loader, self._editor.draft
        if step_id is None or draft is None or not loader:
            return
        parameters, wanted = self._parameters(), self._shown_for

        def request_preview() -> None:
            if wanted == self._shown_for:  # else the values changed while the step was stored
                self._request_preview(step_id, loader, parameters)

        draft.write_queue.run_when_idle(request_preview)

    def _request_preview(self, step_id: StepId, loader: str, parameters: JsonObject) -> None:
        work = self._editor.services.backend.dynamic_options(step_id, loader, parameters)
        self._request.run(work, done=self._on_loaded, failed=self._on_failed)

    def _on_loaded(self, found: tuple[Option, ...]) -> None:
        if found:
            self._set(PreviewState.OUTPUT, output=found[0].value)
        else:
            self._set(PreviewState.WAITING, tr("There is nothing to show yet."))

    def _on_failed(self, error: AppError) -> None:
        self._set(PreviewState.FAILED, error.text())

    def _stop(self, state: PreviewState, message: str = "") -> None:
        self._timer.stop()
        self._request.cancel()
        if (state, message) != (self.state, self.message):
            self._set(state, message)

    def _set(self, state: PreviewState, message: str = "", output: Json = None) -> None:
        self.state, self.message, self.output = state, message, output
        self.changed.emit()
