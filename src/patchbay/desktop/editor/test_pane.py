"""The right pane of the editor: test the selected step and show its input, output, and errors."""

import json

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QSplitter, QStackedLayout, QWidget

from patchbay.desktop.core.execution_labels import comparison, error_data
from patchbay.desktop.core.language import tr
from patchbay.desktop.core.times import duration
from patchbay.desktop.editor.view_models.editor import EditorViewModel
from patchbay.desktop.editor.view_models.step_test import StepTestModel, StepTestResult
from patchbay.desktop.kit.accessibility import AccessibleText
from patchbay.desktop.kit.boxes import hbox, vbox
from patchbay.desktop.kit.buttons import Button, IconButton, set_available
from patchbay.desktop.kit.json_view import JsonView
from patchbay.desktop.kit.layout import line, surface
from patchbay.desktop.kit.marks import mark_of, paint_state_mark
from patchbay.desktop.kit.messages import MessageBox
from patchbay.desktop.kit.row_text import paint_text
from patchbay.desktop.kit.secret_fields import copy_text
from patchbay.desktop.kit.shortcuts import TEST_STEP
from patchbay.desktop.kit.tab_strip import TabStrip
from patchbay.desktop.kit.text import ElidedLabel, Label, WrappingContainer, clock_time, plain_tip
from patchbay.desktop.kit.theme import theme
from patchbay.domain.apps import TriggerInfo, TriggerKind
from patchbay.domain.base import Json
from patchbay.domain.errors import Conflict
from patchbay.domain.executions import ExecutionStep, StepState
from patchbay.domain.flows import StepType, StructuralType

_STATE_LABELS = {
    StepState.SUCCESS: tr("Success", "result of a step"),
    StepState.FAILURE: tr("Failure", "result of a step"),
    StepState.FILTERED: tr("Stopped by the filter"),
    StepState.CANCELLED: tr("Cancelled", "result of a step"),
}


def result_text(result: ExecutionStep) -> str:
    """Return the state label, and on the next line time and duration."""
    label = _STATE_LABELS.get(result.status, tr("Running", "state of a step"))
    text = f"{label}\n{clock_time(result.finished_at or result.created_at, seconds=True)}"
    if result.started_at is None or result.finished_at is None:
        return text
    return f"{text} · {duration(result.finished_at - result.started_at, parts=2, exact=True)}"


# Status line


class StatusLine(AccessibleText, QWidget):
    """A label whose first line has the colour of the state."""

    def __init__(self) -> None:
        super().__init__()
        self._state_label, self._details = "", ""
        self._state: StepState | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_result(self, text: str, state: StepState | None) -> None:
        """Show the outcome of a test. Details follow the first line of `text`."""
        self._state_label, _, self._details = text.partition("\n")
        self._state = state
        self.setAccessibleName(text.replace("\n", ", "))
        self.update()

    def text(self) -> str:
        """The text of both parts."""
        return f"{self._state_label} {self._details}".strip()

    def sizeHint(self) -> QSize:
        return QSize(theme().px(160), theme().px(20))

    def paintEvent(self, event: QPaintEvent) -> None:
        px = theme().px
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_state_mark(painter, QRectF(0, 0, px(16), self.height()), self._state)
        area = QRectF(px(22), 0, self.width() - px(22), self.height())
        label_width = paint_text(painter, area, self._state_label, "medium", mark_of(self._state).token)
        details_rect = area.adjusted(label_width + px(8), 0, 0, 0)
        paint_text(painter, details_rect, self._details, "body", "text_secondary")


# Pane

INPUT, OUTPUT, ERROR = range(3)
WAITING = tr("Waiting for a request. Send one to the test address and it appears here.")
WAITING_FOR_FORM = tr(
    "Waiting for a submission. Open the test address, fill in the form, and it appears here."
)
UNREACHABLE = tr("Requests can't reach this workspace. Skip the test to continue.")


class TestPane(QWidget):
    """The test pane, bound to a `StepTestModel`."""

    __test__ = False

    def __init__(self, editor: EditorViewModel, test: StepTestModel) -> None:
        super().__init__()
        surface(self, "surface")
        self._editor, self._test = editor, test
        self._title = Label(tr("Test this step"), "semibold")
        self._subtitle = ElidedLabel("", "caption", "text_secondary")
        self.button = Button(tr("Test", "verb, button"), "primary", "play")
        self.button.setToolTip(plain_tip(TEST_STEP.hint(tr("Test this step"))))
        self.cancel = Button(tr("Cancel"))
        self.skip = Button(tr("Skip test"), "link")
        self.skip.setToolTip(tr("Mark this step as ready without running it"))
        self.tabs = TabStrip((tr("Input"), tr("Output"), tr("Error")), tr("Result"))
        self.search = IconButton("search", tr("Search in the data"), small=True)
        self.copy = IconButton("copy", tr("Copy as JSON"), small=True)
        self.status = StatusLine()
        self.note = MessageBox("warning")
        self.view = JsonView()
        self.preview = JsonView()
        self._empty_label = Label("", "body", "text_tertiary", wrap=True)
        self._shown_result: StepTestResult | None = None
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        upper = QWidget()
        vbox(
            hbox(
                (vbox(self._title, self._subtitle, spacing=1), 1),
                self.skip,
                self.cancel,
                self.button,
                margins=(16, 12, 16, 12),
                spacing=8,
            ),
            line(),
            hbox((self.tabs, 1), self.search, self.copy, margins=(16, 4, 12, 0), spacing=2),
            line(),
            (self._build_result(), 1),
            parent=upper,
            spacing=0,
        )
        split = QSplitter(Qt.Orientation.Vertical)
        split.setChildrenCollapsible(False)
        split.setHandleWidth(1)
        split.addWidget(upper)
        split.addWidget(self._build_preview())
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 2)
        vbox(split, parent=self)

    def _build_result(self) -> QWidget:
        px = theme().px
        message = WrappingContainer()
        vbox(self.status, self.note, parent=message, margins=(16, 10, 16, 8), spacing=8)
        data_area = QWidget()
        self._stack = QStackedLayout(data_area)
        self._stack.addWidget(self.view)
        self._empty_label.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._empty_label.setContentsMargins(px(16), px(4), px(16), 0)
        self._stack.addWidget(self._empty_label)
        result_page = QWidget()
        vbox(message, (data_area, 1), parent=result_page, spacing=0)
        return result_page

    def _build_preview(self) -> QWidget:
        px = theme().px
        lower = QWidget()
        self._preview_title = Label(tr("Input preview"), "caption_strong", "text_secondary")
        self.preview_summary = Label("", "body", wrap=True)
        for label in (self._preview_title, self.preview_summary):
            label.setContentsMargins(px(16), 0, px(16), 0)
        self.missing = Label("", "caption", "warning", wrap=True)
        self.missing.setContentsMargins(px(16), 0, px(16), 0)
        column = vbox(
            self._preview_title,
            self.preview_summary,
            self.missing,
            (self.preview, 1),
            parent=lower,
            margins=(0, 10, 0, 0),
            spacing=4,
        )
        column.addStretch(0)  # messages without a tree
        return lower

    def _connect(self) -> None:
        test = self._test
        self.button.clicked.connect(test.test)
        self.cancel.clicked.connect(test.cancel)
        self.skip.clicked.connect(test.skip)
        self.tabs.currentChanged.connect(lambda _: self._show_data())
        self.search.clicked.connect(self.view.show_search)
        self.copy.clicked.connect(self._copy)
        test.changed.connect(self.show_test)
        test.finished.connect(self._on_finished)
        self._editor.selected.connect(self._on_step_selected)

    # Showing

    def show_test(self) -> None:
        """Show the test of the selected step."""
        step = self._editor.step
        if step is None:
            return
        running = self._test.is_running
        self.button.set_busy(running, tr("Testing"))
        reason = self._test.unavailable_reason
        can_test = self._test.can_test
        branch = step.structural_type is StructuralType.BRANCH
        self.button.setVisible(reason is None and (can_test or not branch))
        no_event_reason = None if can_test else tr("Choose an action first.")
        set_available(self.button, reason or no_event_reason, TEST_STEP.hint(tr("Test this step")))
        self.cancel.setVisible(running)
        untested = step.status == "incomplete" and can_test
        self.skip.setVisible(reason is None and not running and untested)
        self._subtitle.setText(self._source_text())
        self._subtitle.setVisible(bool(self._subtitle.text()))
        current = self._test.current
        is_new, self._shown_result = current is not self._shown_result, current
        if is_new and self.tabs.currentIndex() == ERROR:
            self._choose_tab()
        self.status.show_result(self._status_text(current), self._status_state(current))
        title, text, tone = self._note_content(current)
        self.note.setVisible(bool(title))
        self.note.set("failure" if tone else "warning", title, text)
        self._show_data()
        self._show_preview()

    def _source_text(self) -> str:
        step = self._editor.step
        if step is None or self._test.unavailable_reason:
            return ""
        if step.type is StepType.TRIGGER:
            return self._trigger_source_text()
        if moment := self._test.sampled_at:
            return tr("With data from the run at {time}", time=clock_time(moment))
        return tr("Uses values from steps that have no data yet") if self._test.missing_references() else ""

    def _trigger_source_text(self) -> str:
        event = self._editor.app_event
        kind = event.kind if isinstance(event, TriggerInfo) else TriggerKind.POLLING
        if self._is_webhook():
            return tr("Shows the latest request")
        if kind is TriggerKind.EVENT:
            return tr("Uses the latest event, or sample data if there was none")
        return tr("Uses the current time") if kind is TriggerKind.SCHEDULE else tr("Fetches the latest event")

    def _is_webhook(self) -> bool:
        """Whether the selected step is a webhook."""
        event = self._editor.app_event
        return isinstance(event, TriggerInfo) and event.show_webhook_url

    def _is_unreachable(self) -> bool:
        """Whether it is a webhook without an address."""
        step = self._editor.step
        return self._is_webhook() and step is not None and not step.webhook_url

    def _status_text(self, current: StepTestResult | None) -> str:
        if self._test.is_running:
            return tr("Testing")
        if not self._test.can_test and current is None and self._test.preview_summary():
            return tr("Nothing to test")
        if current is None and self._test.unavailable_reason:
            return tr("Steps can't be tested here")
        if self._test.skipped:
            return tr("The test was skipped")
        if current is None:
            return tr("Not tested yet")
        if self._test.stale:
            is_failed = self._test.has_failed_since
            return tr("The last test failed") if is_failed else tr("Not tested since its last change")
        return tr("Not run", "result of a step") if current.result is None else result_text(current.result)

    def _status_state(self, current: StepTestResult | None) -> StepState | None:
        if self._test.is_running:
            return StepState.RUNNING
        if current is None or self._test.skipped or (self._test.stale and not self._test.has_failed_since):
            return None
        if self._test.has_failed_since:
            return StepState.FAILURE
        return StepState.FAILURE if current.result is None else current.result.status

    def _note_content(self, current: StepTestResult | None) -> tuple[str, str, bool]:
        if self._test.stale and not self._test.is_running:
            is_failed = self._test.has_failed_since
            title = (
                tr("This result is from before the test that failed.")
                if is_failed
                else tr("This result is from before the last change.")
            )
            return title, tr("Test again before publishing."), False
        if current is not None and current.error is not None:
            error = current.error
            is_unreachable = isinstance(error, Conflict) and self._is_unreachable()
            text = " ".join(filter(None, (error.meaning, error.todo)))
            return error.happened, UNREACHABLE if is_unreachable else text, True
        if current is not None and current.failed and current.result is not None:
            details = current.result.error_details or {}
            text = " ".join(str(details.get(name) or "") for name in ("meaning", "todo")).strip()
            return str(details.get("happened") or tr("The step failed.")), text, True
        if message := self._test.warnings():
            return tr("Some values were missing"), " ".join(message), False
        return "", "", False

    def _data(self) -> Json:
        current = self._test.current
        result = current.result if current else None
        tab_index = self.tabs.currentIndex()
        if result is None:
            return (
                error_data(current.error.extra())
                if current and current.error and tab_index == ERROR
                else None
            )
        error: Json = error_data(result.error_details)
        if tab_index == OUTPUT and comparison(result):
            return None  # described in words instead
        return (result.data_in, result.data_out, error)[tab_index]

    def _show_data(self) -> None:
        data = self._data()
        current = self._test.current
        if data is None:
            self._empty_label.setText(self._no_data_reason(current))
            self._stack.setCurrentIndex(1)
        else:
            self.view.set_value(data)
            self._stack.setCurrentIndex(0)
        for button in (self.search, self.copy):
            set_available(button, None if data is not None else tr("No data to show."))

    def _no_data_reason(self, current: StepTestResult | None) -> str:
        tab_index = self.tabs.currentIndex()
        if reason := self._test.unavailable_reason:
            return reason
        if tab_index == OUTPUT and current is not None and (compared := comparison(current.result)):
            return compared
        if current is None and self._is_unreachable() and tab_index != ERROR:
            return UNREACHABLE
        if current is None and self._is_webhook() and tab_index != ERROR:
            event = self._editor.app_event
            return WAITING_FOR_FORM if isinstance(event, TriggerInfo) and event.shows_page else WAITING
        if not self._test.can_test and self._test.preview_summary():
            return tr("A branch can't be tested on its own. Test the step that contains it.")
        if current is None:
            return tr("Test results appear here.") if tab_index != ERROR else tr("No error.")
        if tab_index == ERROR:
            return tr("No error.") if not current.failed else ""
        if tab_index == OUTPUT and current.failed:
            return tr("A failed step has no output.")
        if tab_index == OUTPUT and self._editor.step and self._editor.step.key:
            return tr("No event found. Create one in the app and test again.")
        return tr("No input.")

    def _show_preview(self) -> None:
        sent, preview_summary = self._test.preview_input(), self._test.preview_summary()
        self.preview.set_value(sent, depth=4)
        self.preview.setVisible(sent is not None)
        self._preview_title.setText(
            tr("Result with the latest data") if preview_summary else tr("Input preview")
        )
        self.preview_summary.setText(preview_summary)
        self.preview_summary.setVisible(bool(preview_summary))
        titles = (
            {step.id: self._editor.title(step) for step in self._editor.flow.steps}
            if self._editor.flow
            else {}
        )
        missing_values = [
            f"{titles.get(item.step_id, tr('Deleted step'))} · {'.'.join(item.path)}"
            for item in self._test.missing_references()
        ]
        self.missing.setText(
            tr("Without a sample: {values}", values=", ".join(missing_values)) if missing_values else ""
        )
        self.missing.setVisible(bool(missing_values))

    def _on_step_selected(self) -> None:
        """Reset the data trees for another step."""
        self.view.set_value(None)
        self.preview.set_value(None)
        self._choose_tab()
        self.show_test()

    def _choose_tab(self) -> None:
        current = self._test.current
        self.tabs.setCurrentIndex(ERROR if current is not None and current.failed else OUTPUT)

    def _on_finished(self) -> None:
        self._choose_tab()
        self.show_test()

    def _copy(self) -> None:
        copy_text(json.dumps(self._data(), indent=2, ensure_ascii=False))
        self._editor.services.notices.post(tr("Copied"))
