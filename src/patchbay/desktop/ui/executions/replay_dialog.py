"""Running an execution again: the data it starts with, to be edited, and which steps run."""

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from patchbay.desktop.state.executions_replay import ReplayForm, parsed
from patchbay.desktop.ui.kit.availability import set_available
from patchbay.desktop.ui.kit.buttons import Button
from patchbay.desktop.ui.kit.dialogs import Dialog
from patchbay.desktop.ui.kit.fields.code_field import CodeField
from patchbay.desktop.ui.kit.inputs import ComboBox, FormField
from patchbay.desktop.ui.kit.message import MessageBox
from patchbay.desktop.ui.kit.text import Label, when
from patchbay.domain.base import EpochMs
from patchbay.domain.executions import ReplayOn

VALIDATION_DELAY_MS, MAX_EDITOR_LINES = 400, 12
_EXPLANATION = "A new execution from the start: every step runs, also those that succeeded then."
_VERSION_HELP = {
    ReplayOn.ORIGINAL: "The steps exactly as they were when this execution ran.",
    ReplayOn.NEWEST: "The steps as they are published now. What was edited since has its effect.",
}


class ReplayDialog(Dialog):
    """640 wide. Opened at once; the data follows."""

    def __init__(self, parent: QWidget, form: ReplayForm, now: EpochMs) -> None:
        super().__init__(parent, f"Run “{form.execution.flow.name}” again", 640)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._form = form
        form.setParent(self)
        started = when(form.execution.created_at, now)
        self.body.addWidget(Label(_EXPLANATION, "body", "text_secondary", wrap=True))
        self.problem = MessageBox("failure")
        field = CodeField(told=f"What the trigger gave at {started}.")
        self.edit = field.edit
        self.edit.highest_lines = MAX_EDITOR_LINES
        self.reset = Button("Reset to the original", "link", "undo-2", small=True)
        self.data = FormField("Data it starts with", field)
        self.data.head.addWidget(self.reset)
        self.version = ComboBox("Steps that run", large=True)
        self.steps = FormField("Steps that run", self.version)
        self.single_version = Label("", "body", wrap=True)
        for widget in (self.problem, self.data, self.steps, self.single_version):
            self.body.addWidget(widget)
        self.run, _ = self.add_buttons("Run again", self.submit)
        self._check_timer = QTimer(self, singleShot=True, interval=VALIDATION_DELAY_MS)
        self._check_timer.timeout.connect(self._check)
        self.reset.clicked.connect(self._reset)
        self.edit.textChanged.connect(self._on_edited)
        self.version.value_changed.connect(self._show_version_help)
        form.changed.connect(self._fill)
        self._fill()

    def submit(self) -> None:
        """Run with what is entered, or say what is wrong with it."""
        on = ReplayOn(self.version.value() or ReplayOn.ORIGINAL)
        error = self._form.run(self.edit.toPlainText(), on)
        self.data.set_error(error)
        if error is None:
            self.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.run.click()
        else:
            super().keyPressEvent(event)

    def _fill(self) -> None:
        form = self._form
        loading = "The data is still loading." if form.loading else None
        set_available(self.run, form.problem.happened if form.problem is not None else loading)
        if form.problem is not None:
            self.problem.show_error(form.problem)
        else:
            self.problem.hide()
        self.data.editor.setEnabled(not form.loading)
        self.edit.setPlaceholderText("Reading what started it" if form.loading else "")
        if form.too_long:
            self.data.set_help("It is too long to be edited here and is used as it was.")
            self.data.editor.hide()
        elif not form.loading and not form.original:
            self.data.set_help("What started it was not recorded; the workspace takes what it has.")
            self.data.editor.hide()
        elif form.editable:
            self.edit.setPlainText(form.original)
            self.edit.setFocus(Qt.FocusReason.OtherFocusReason)
        self.version.set_options(form.choices)
        has_choice = len(form.choices) > 1
        self.steps.setVisible(has_choice and not form.loading)
        self.single_version.setText(form.choices[0][1] + " runs." if form.choices else "")
        self.single_version.setVisible(not has_choice and not form.loading)
        self._show_version_help(self.version.value())
        self._on_edited()

    def _reset(self) -> None:
        self.edit.setPlainText(self._form.original)
        self.data.set_error(None)
        self.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_edited(self) -> None:
        self.reset.setVisible(self._form.editable and self.edit.toPlainText() != self._form.original)
        if self.data.error is not None:
            self._check_timer.start()

    def _check(self) -> None:
        """A slip that was told goes, or tells its new place, as soon as typing rests."""
        try:
            parsed(self.edit.toPlainText())
        except ValueError as error:
            self.data.set_error(str(error))
        else:
            self.data.set_error(None)

    def _show_version_help(self, on: object) -> None:
        self.steps.set_help(_VERSION_HELP[ReplayOn(str(on))] if on else "")
