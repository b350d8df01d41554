"""Dialogs of the settings: a form that is submitted once, and a secret that is shown once."""

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.kit.buttons import Button
from patchbay.desktop.kit.dialogs import Dialog
from patchbay.desktop.kit.inputs import FormField
from patchbay.desktop.kit.mark_painting import Tone
from patchbay.desktop.kit.messages import MessageBox
from patchbay.desktop.kit.secret_fields import OneTimeSecretField
from patchbay.desktop.kit.text import Label
from patchbay.desktop.settings.view_models.dialog_form import DialogForm

MessageSpec = tuple[Tone, str, str]
"""Tone, title, and text of a message."""


class FormDialog(Dialog):
    """A form that stays open until it has been submitted; its opener closes it then."""

    def __init__(self, parent: QWidget, title: str, form: DialogForm, width: int = 480) -> None:
        super().__init__(parent, title, width)
        self._model = form
        form.setParent(self)
        self.problem = MessageBox("failure", parent=self)
        self.problem.hide()
        self.body.addWidget(self.problem)
        self.fields: dict[str, FormField] = {}
        self._submit_button: Button | None = None
        self._busy_text = ""
        form.changed.connect(self._show)

    def add_field(self, key: str, field: FormField) -> None:
        """`key` is the field's wire name, by which errors refer to it."""
        self.fields[key] = field
        self.body.addWidget(field)

    def add_submit_button(self, verb: str, waiting: str, send: Callable[[], object]) -> None:
        """The submit button, and its label while it is busy."""
        self._busy_text = waiting
        self._submit_button = self.add_buttons(verb, lambda: None if self._model.busy else send())[0]

    def _show(self) -> None:
        model = self._model
        for key, field in self.fields.items():
            field.set_error(model.field_errors.get(key))
        if model.error is not None:
            self.problem.show_error(model.error)
        else:
            self.problem.hide()
        if self._submit_button is not None and self._submit_button.busy is not model.busy:
            self._submit_button.set_busy(model.busy, self._busy_text)
        for key in model.field_errors:
            self.fields[key].editor.setFocus()
            break


class OneTimeSecretDialog(Dialog):
    """Shows a secret once and deletes it when closed.

    `messages` are above it. With `close_warning`, closing without copying shows this warning first.
    """

    def __init__(
        self,
        parent: QWidget,
        title: str,
        field: FormField,
        messages: Sequence[MessageSpec],
        *,
        notes: Sequence[str] = (),
        close_warning: str = "",
    ) -> None:
        super().__init__(parent, title, 520)
        assert isinstance(field.editor, OneTimeSecretField)
        self.secret = field.editor
        self._close_warning = close_warning
        self.warning = MessageBox("warning", parent=self)
        self.warning.hide()
        for tone, head, text in messages:
            self.body.addWidget(MessageBox(tone, head, text))
        self.body.addWidget(field)
        for note in notes:
            self.body.addWidget(Label(note, "body", "text_secondary", wrap=True))
        self.body.addWidget(self.warning)
        self.secret.copied.connect(self._copied)
        self.finished.connect(self.secret.clear_secret)
        self.end, cancel = self.add_buttons(tr("Done", "button"), self.reject)
        cancel.hide()
        self._set_primary(to_copy=bool(close_warning))
        self.secret.setFocus()

    def reject(self) -> None:
        """Warn before closing if the secret wasn't copied."""
        if self._close_warning and self.warning.isHidden():
            self.warning.set(
                "warning",
                tr("Not copied yet"),
                self._close_warning,
                [(tr("Close without copying"), self._close)],
            )
            self.warning.show()
            self.secret.setFocus()
        else:
            super().reject()

    def _close(self) -> None:
        super().reject()

    def _copied(self) -> None:
        self._close_warning = ""
        self.warning.hide()
        self._set_primary(to_copy=False)

    def _set_primary(self, *, to_copy: bool) -> None:
        """Make Copy the primary button until the secret was copied, then Done."""
        self.secret.button.set_kind("primary" if to_copy else "default")
        self.end.set_kind("default" if to_copy else "primary")
