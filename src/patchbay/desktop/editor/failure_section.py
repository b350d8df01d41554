"""The When it fails section: timeout, attempts, delay, and whether to continue."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.editor.view_models.editor import EditorViewModel
from patchbay.desktop.editor.view_models.retry_policy import (
    ATTEMPTS_NOTE,
    POLICY_FIELDS,
    PolicyKey,
    continue_on_error_text,
    default_timeout_text,
    has_retry_policy,
    parse_amount,
    policy_summary,
)
from patchbay.desktop.editor.view_models.step_commands import StepCommands
from patchbay.desktop.kit.boxes import hbox
from patchbay.desktop.kit.inputs import FormField
from patchbay.desktop.kit.layout import FoldableSection
from patchbay.desktop.kit.line_edit import AmountField
from patchbay.desktop.kit.text import Label
from patchbay.desktop.kit.theme import theme
from patchbay.desktop.kit.toggles import CheckBox
from patchbay.domain.apps import ActionInfo, TriggerInfo
from patchbay.domain.flows import Step, StepType, StructuralType

OPEN_STATE_KEY = "editor.failure"
NEVER_FAILING = (StructuralType.PATHS, StructuralType.BRANCH)


class FailureSection(FoldableSection):
    """Error handling of a step; hidden for triggers and branches, which can't fail on their own."""

    def __init__(self, editor: EditorViewModel, commands: StepCommands) -> None:
        super().__init__(tr("When it fails", "heading: what happens when the step fails"))
        self._editor, self._commands = editor, commands
        self._step_id = ""
        self.amounts: dict[PolicyKey, AmountField] = {}
        self.frames: dict[PolicyKey, FormField] = {}
        self.continue_on_error = CheckBox("")
        self.continue_on_error.clicked.connect(commands.set_continue_on_error)
        self.attempts_note = Label(ATTEMPTS_NOTE, "caption", "text_tertiary", wrap=True)
        self._help_label = Label("", "caption", "text_tertiary", wrap=True)
        self._help_label.setContentsMargins(theme().px(24), 0, 0, 0)
        for amount in POLICY_FIELDS:
            read = partial(parse_amount, minimum=amount.minimum, maximum=amount.maximum)
            field = AmountField(amount.unit, read, tr("Default", "a value that isn't set"), width=84)
            frame = FormField(amount.label, field, help=amount.default)
            field.error_changed.connect(lambda message, frame=frame: frame.set_error(message or None))
            field.committed.connect(partial(self._set_amount, amount.key))
            self.amounts[amount.key], self.frames[amount.key] = field, frame
        self.body.addWidget(_AmountRow(tuple(self.frames.values())))
        self.body.addWidget(self.attempts_note)
        self.body.addWidget(self.continue_on_error)
        self.body.addWidget(self._help_label)
        self.body.setSpacing(theme().px(4))
        self.toggled.connect(self._save_open_state)
        self.set_open(editor.services.preferences.get(OPEN_STATE_KEY) == "open")

    def show_step(self, step: Step, event: TriggerInfo | ActionInfo | None = None) -> None:
        """Show the retry policy of a step; hidden if the step can't fail. `event` is what it runs."""
        can_fail = step.type is StepType.ACTION and step.structural_type not in NEVER_FAILING
        self.setVisible(can_fail)
        if not can_fail:
            return
        is_retryable = has_retry_policy(step)
        self.attempts_note.setVisible(is_retryable)
        for key, field in self.amounts.items():
            self.frames[key].setVisible(is_retryable)
            if step.id != self._step_id:
                self.frames[key].set_error(None)
                field.edit.setModified(False)
            field.set_value(getattr(step.policy, key))
        self._step_id = step.id
        self.frames["timeout_seconds"].set_help(default_timeout_text(step, event))
        label, meaning = continue_on_error_text(step)
        self.continue_on_error.setText(label)
        self.continue_on_error.updateGeometry()
        self.continue_on_error.setChecked(step.continue_on_error)
        self.continue_on_error.setAccessibleDescription(meaning)
        self._help_label.setText(meaning)
        self.set_summary(policy_summary(step))

    def _set_amount(self, key: PolicyKey, number: int | None) -> None:
        step = self._editor.step
        if step is not None and getattr(step.policy, key) != number:
            self._commands.set_policy(step.policy.model_copy(update={key: number}))

    def _save_open_state(self, on: bool) -> None:
        self._editor.services.preferences.put(OPEN_STATE_KEY, "open" if on else "")


class _AmountRow(QWidget):
    """The number fields side by side, or one below the other where that is too wide."""

    def __init__(self, fields: Sequence[FormField]) -> None:
        super().__init__()
        self._fields = fields
        self._box = hbox(parent=self, spacing=16)
        for field in fields:
            self._box.addWidget(field, 1, Qt.AlignmentFlag.AlignTop)

    def minimumSizeHint(self) -> QSize:
        return QSize(max(self._widths()), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        widths = self._widths()
        fits = self.width() >= sum(widths) + self._box.spacing() * (len(widths) - 1)
        way = QBoxLayout.Direction.LeftToRight if fits else QBoxLayout.Direction.TopToBottom
        if way != self._box.direction():
            self._box.setDirection(way)
            self.updateGeometry()

    def _widths(self) -> list[int]:
        return [field.minimumSizeHint().width() for field in self._fields]
