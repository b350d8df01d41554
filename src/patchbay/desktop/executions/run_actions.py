"""Retry, run again, and cancel, with their dialogs."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.core.services import Services
from patchbay.desktop.editor.fields.code import CodeField
from patchbay.desktop.executions.view_models.run_actions import (
    ExecutionCommandsViewModel,
    ReplayForm,
    parse_json,
)
from patchbay.desktop.kit.actions import Action
from patchbay.desktop.kit.buttons import Button, set_available
from patchbay.desktop.kit.dialogs import Dialog, confirm
from patchbay.desktop.kit.inputs import ComboBox, FormField
from patchbay.desktop.kit.messages import MessageBox
from patchbay.desktop.kit.shortcuts import RETRY, RUN_AGAIN
from patchbay.desktop.kit.text import Label, when
from patchbay.domain.base import EpochMs
from patchbay.domain.executions import Execution, ExecutionState, ReplayOn

VALIDATION_DELAY_MS, MAX_EDITOR_LINES = 400, 12
_EXPLANATION = tr("Creates a new execution that runs every step, including those that already succeeded.")
_VERSION_HELP = {
    ReplayOn.ORIGINAL: tr("The steps exactly as they were when this execution ran."),
    ReplayOn.NEWEST: tr("The steps as published now, including later edits."),
}


class ReplayDialog(Dialog):
    """The dialog that runs an execution again with edited input. Opens at once; the data loads later."""

    def __init__(self, parent: QWidget, form: ReplayForm, now: EpochMs) -> None:
        super().__init__(parent, tr("Run “{name}” again", name=form.execution.flow.name), 640)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._form = form
        form.setParent(self)
        started = when(form.execution.created_at, now)
        self.body.addWidget(Label(_EXPLANATION, "body", "text_secondary", wrap=True))
        self.problem = MessageBox("failure")
        field = CodeField(help_text=tr("Trigger output from {time}.", time=started))
        self.edit = field.edit
        self.edit.max_lines = MAX_EDITOR_LINES
        self.reset = Button(tr("Reset to original"), "link", "undo-2", small=True)
        self.data = FormField(tr("Input data"), field)
        self.data.head.addWidget(self.reset)
        self.version = ComboBox(tr("Flow version"), large=True)
        self.steps = FormField(tr("Flow version"), self.version)
        self.single_version = Label("", "body", wrap=True)
        for widget in (self.problem, self.data, self.steps, self.single_version):
            self.body.addWidget(widget)
        self.run, _ = self.add_buttons(tr("Run again"), self.submit)
        self._check_timer = QTimer(self, singleShot=True, interval=VALIDATION_DELAY_MS)
        self._check_timer.timeout.connect(self._check)
        self.reset.clicked.connect(self._reset)
        self.edit.textChanged.connect(self._on_edited)
        self.version.value_changed.connect(self._show_version_help)
        form.changed.connect(self._fill)
        self._fill()

    def submit(self) -> None:
        """Run with the entered data, or show what is wrong with it."""
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
        loading = tr("The data is still loading.") if form.loading else None
        set_available(self.run, form.problem.happened if form.problem is not None else loading)
        if form.problem is not None:
            self.problem.show_error(form.problem)
        else:
            self.problem.hide()
        self.data.editor.setEnabled(not form.loading)
        self.edit.setPlaceholderText(tr("Loading the input data") if form.loading else "")
        if form.too_long:
            self.data.set_help(tr("The data is too long to edit here and is used unchanged."))
            self.data.editor.hide()
        elif not form.loading and not form.original:
            self.data.set_help(tr("The input data wasn't recorded. The workspace uses the data it has."))
            self.data.editor.hide()
        elif form.editable:
            self.edit.setPlainText(form.original)
            self.edit.setFocus(Qt.FocusReason.OtherFocusReason)
        self.version.set_options(form.choices)
        has_choice = len(form.choices) > 1
        self.steps.setVisible(has_choice and not form.loading)
        self.single_version.setText(form.choices[0][1] if form.choices else "")
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
        """Update or clear a shown error once typing pauses."""
        try:
            parse_json(self.edit.toPlainText())
        except ValueError as error:
            self.data.set_error(str(error))
        else:
            self.data.set_error(None)

    def _show_version_help(self, on: object) -> None:
        self.steps.set_help(_VERSION_HELP[ReplayOn(str(on))] if on else "")


# Commands


class ExecutionCommands:
    """Runs commands on executions, with confirmation where they can't be undone."""

    def __init__(self, owner: QWidget, control: ExecutionCommandsViewModel, services: Services) -> None:
        self._owner = owner
        self._control = control
        self._services = services
        self.dialog: Dialog | None = None

    def retry(self, run: Execution) -> None:
        """Retry from the failed step, or show why that isn't possible."""
        self._run_or_notify(self._control.retry_unavailable_reason(run), partial(self._control.retry, run))

    def run_again(self, run: Execution) -> None:
        """Open the dialog to run an execution again."""
        self._run_or_notify(self._control.unavailable_reason, partial(self._open_replay_dialog, run))

    def cancel(self, run: Execution) -> None:
        """Cancel an execution; confirm first if a step is running."""
        stop = partial(self._control.cancel, run)
        if run.state is ExecutionState.RUNNING:
            stop = partial(self._confirm_cancel, run)
        self._run_or_notify(self._control.cancel_unavailable_reason(run), stop)

    def resume(self, run: Execution) -> None:
        """Resume a waiting execution now, or show why that isn't possible."""
        self._run_or_notify(self._control.resume_unavailable_reason(run), partial(self._control.resume, run))

    def actions(self, run: Execution) -> tuple[Action, ...]:
        """Return the commands for the command palette."""
        control = self._control
        command = partial(Action, hint=run.flow.name, group=tr("This execution"))
        return (
            command(
                "run.retry",
                tr("Retry from failed step"),
                partial(self.retry, run),
                "rotate-ccw",
                RETRY.keys[0],
                reason=partial(control.retry_unavailable_reason, run),
            ),
            command(
                "run.again",
                tr("Run again…"),
                partial(self.run_again, run),
                "play",
                RUN_AGAIN.keys[0],
                reason=lambda: control.unavailable_reason,
            ),
            command(
                "run.resume",
                tr("Try now instead of waiting"),
                partial(self.resume, run),
                "play",
                reason=partial(control.resume_unavailable_reason, run),
            ),
            command(
                "run.cancel",
                tr("Cancel"),
                partial(self.cancel, run),
                "circle-minus",
                reason=partial(control.cancel_unavailable_reason, run),
            ),
        )

    def _open_replay_dialog(self, run: Execution) -> None:
        form = ReplayForm(self._services, self._control, run)
        self.dialog = ReplayDialog(self._owner.window(), form, self._services.clock())
        self.dialog.open()

    def _confirm_cancel(self, run: Execution) -> None:
        self.dialog = confirm(
            self._owner.window(),
            tr("Cancel “{name}”?", name=run.flow.name),
            tr(
                "A step is running and will be interrupted, so its outcome will be unknown. "
                "Earlier steps aren't undone, and later steps don't run."
            ),
            tr("Cancel execution"),
            True,
            partial(self._control.cancel, run),
            cancel=tr("Keep running"),
        )

    def _run_or_notify(self, unavailable_reason: str | None, action: Callable[[], object]) -> None:
        if unavailable_reason is not None:
            self._services.notices.post(unavailable_reason)
        else:
            action()
