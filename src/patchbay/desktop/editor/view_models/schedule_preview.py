"""When the edited schedule would start its flow: a sentence and the next starts, updated while typing."""

from datetime import datetime

from PySide6.QtCore import QObject, QTimer, Signal

from patchbay.desktop.core.language import date_text, time_text, tr, weekday_text
from patchbay.desktop.editor.view_models.editor import EditorViewModel
from patchbay.desktop.editor.view_models.form import StepFormModel
from patchbay.desktop.tasks import LatestRequest
from patchbay.domain.apps import TriggerInfo, TriggerKind
from patchbay.domain.errors import AppError, ValidationFailed
from patchbay.domain.fields import missing_required
from patchbay.domain.flows import StepType
from patchbay.domain.schedules import SchedulePreview

TYPING_PAUSE_MS = 300
INCOMPLETE = tr("Fill in the fields to see when the flow starts.")
INVALID = tr("Correct the fields to see when the flow starts.")


class SchedulePreviewModel(QObject):
    """The preview of the selected step; `is_shown` only for schedule triggers that can be edited."""

    changed = Signal()

    def __init__(self, editor: EditorViewModel, form: StepFormModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._editor = editor
        self._form = form
        self._request = LatestRequest(editor.services.tasks, self)
        self._timer = QTimer(self, singleShot=True, interval=TYPING_PAUSE_MS)
        self._timer.timeout.connect(self._load)
        self._shown_for: tuple[object, ...] = ()
        self.is_shown = False
        self.preview: SchedulePreview | None = None
        self.hint = ""
        """What to do to get a preview; empty if there is one, or while it is loaded."""
        for signal in (editor.selected, editor.flow_changed, editor.context_changed):
            signal.connect(self._update)

    @property
    def next_starts(self) -> tuple[str, ...]:
        """The next starts on the clock of the schedule, such as “Fri 27 Nov 2026, 09:00”."""
        return tuple(map(_start_text, self.preview.next_starts)) if self.preview else ()

    def _trigger(self) -> TriggerInfo | None:
        step, event = self._editor.step, self._editor.app_event
        is_trigger = step is not None and step.type is StepType.TRIGGER
        if not is_trigger or not isinstance(event, TriggerInfo) or self._editor.unavailable_reason:
            return None
        return event if event.kind is TriggerKind.SCHEDULE else None

    def _update(self) -> None:
        step, flow, trigger = self._editor.step, self._editor.flow, self._trigger()
        if step is None or flow is None or trigger is None:
            self._shown_for = ()
            self._stop()
            self._set(None, "", is_shown=False)
            return
        shown_for = (flow.id, step.id, step.app_key, step.key, step.parameters, flow.settings.time_zone)
        if shown_for == self._shown_for:
            return
        is_same_step = shown_for[:4] == self._shown_for[:4]
        self._shown_for = shown_for
        if missing_required(trigger.arguments, step.parameters):
            self._stop()
            self._set(None, INCOMPLETE)
        elif is_same_step:
            self._timer.start()
        else:
            self._set(None, "")
            self._load()

    def _stop(self) -> None:
        self._timer.stop()
        self._request.cancel()

    def _load(self) -> None:
        step, flow_id = self._editor.step, self._editor.flow_id
        if step is None or flow_id is None or step.app_key is None or step.key is None:
            return
        backend = self._editor.services.backend
        work = backend.preview_schedule(flow_id, step.app_key, step.key, dict(step.parameters))
        self._request.run(work, done=self._on_loaded, failed=self._on_failed)

    def _on_loaded(self, preview: SchedulePreview) -> None:
        self._form.report({})
        self._set(preview, "")

    def _on_failed(self, error: AppError) -> None:
        if not isinstance(error, ValidationFailed):  # for example an older server, which has no preview
            self._set(None, "", is_shown=False)
            return
        keys = {argument.key for argument in self._form.arguments}
        by_field = {key: messages[0] for key, messages in error.by_field.items() if key in keys and messages}
        self._form.report(by_field)
        self._set(None, INVALID if by_field else error.text())

    def _set(self, preview: SchedulePreview | None, hint: str, *, is_shown: bool = True) -> None:
        self.preview, self.hint, self.is_shown = preview, hint, is_shown
        self.changed.emit()


def _start_text(start: str) -> str:
    at = datetime.fromisoformat(start)
    return f"{weekday_text(at)} {date_text(at, year=True)}, {time_text(at)}"
