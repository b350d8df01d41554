"""A dialog over a form that is sent once: errors under their fields, waiting, what went wrong on top."""

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from patchbay.desktop.state.dialog_form import DialogForm
from patchbay.desktop.ui.kit.buttons import Button
from patchbay.desktop.ui.kit.dialogs import Dialog
from patchbay.desktop.ui.kit.inputs import FormField
from patchbay.desktop.ui.kit.message import MessageBox


class FormDialog(Dialog):
    """Stays open until the form is done; whoever opened it closes it then."""

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
        """`key` is the field's name on the wire, by which errors find it."""
        self.fields[key] = field
        self.body.addWidget(field)

    def add_submit_button(self, verb: str, waiting: str, send: Callable[[], object]) -> None:
        """The button that sends it, and its word while the answer is awaited."""
        self._busy_text = waiting
        self._submit_button = self.add_buttons(verb, lambda: None if self._model.busy else send())[0]

    def _show(self) -> None:
        model = self._model
        for key, field in self.fields.items():
            field.set_error(model.wrong.get(key))
        if model.error is not None:
            self.problem.show_error(model.error)
        else:
            self.problem.hide()
        if self._submit_button is not None and self._submit_button.busy is not model.busy:
            self._submit_button.set_busy(model.busy, self._busy_text)
        for key in model.wrong:
            self.fields[key].editor.setFocus()
            break
