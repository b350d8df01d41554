"""The inputs of a connection form, made from the app's auth fields."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from patchbay.desktop.core.language import tr, tr_count
from patchbay.desktop.kit.boxes import hbox, vbox
from patchbay.desktop.kit.buttons import Button
from patchbay.desktop.kit.inputs import ComboBox, FormField
from patchbay.desktop.kit.line_edit import LineEdit
from patchbay.desktop.kit.messages import MessageBox
from patchbay.desktop.kit.secret_fields import CopyField, SecretField
from patchbay.desktop.my_apps.view_models.connection_form import ConnectionFormViewModel, labels_text
from patchbay.desktop.my_apps.wait_steps import CopyButton, Glyph
from patchbay.domain.fields import PEM_FIELDS, AuthField

CERTIFICATE_FILES = tr("Certificates and keys (*.pem *.crt *.cer *.key);;All files (*)")
_MAX_FILE_BYTES = 1 << 20
KEEP_STORED = tr("Leave empty to keep the saved value")
ENTER_AGAIN = tr("Enter it again")


class ConnectionFields(QWidget):
    """The fields of a connection form; fields that don't apply are hidden."""

    def __init__(self, model: ConnectionFormViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.fields: dict[str, FormField] = {}
        self._secrets: dict[str, SecretField] = {}
        self._edits: dict[str, LineEdit] = {}
        self.destination_changes = MessageBox("warning")
        """Explains why saved secrets must be entered again, above the first of them."""
        self._column = vbox(parent=self, spacing=14)
        model.value_set.connect(self._show_value)

    def build(self) -> None:
        """Build the inputs and focus the first one to fill in."""
        for definition in self._model.fields:
            field = self._build_field(definition)
            if self._secrets and self._column.indexOf(self.destination_changes) < 0:
                self._column.addWidget(self.destination_changes)
            self.fields[definition.key] = field
            self._column.addWidget(field)
        self.show_state()
        self.focus_first()

    def focus_first(self) -> None:
        """Focus the first empty field that applies, or the first editable one."""
        editable = [item for item in self._model.shown if not item.read_only]
        missing = [
            item
            for item in editable
            if (item.required or item.is_secret) and not self._model.values.get(item.key)
        ]
        if editable:
            self.focus((missing or editable)[0].key)

    def show_state(self) -> None:
        """Show messages and the fields that apply."""
        shown = {field.key for field in self._model.shown}
        for key, field in self.fields.items():
            field.setVisible(key in shown)
            field.set_error(self._model.messages.get(key))
            field.setEnabled(not self._model.busy)
        self._show_address_changed(self._model.destination_changes)

    def _show_address_changed(self, changed: Sequence[AuthField]) -> None:
        """Show, before submitting, that saved secrets won't be sent to a changed address."""
        secrets = any(field.is_secret for field in self._model.shown)
        self.destination_changes.setVisible(bool(changed) and secrets)
        for secret in self._secrets.values():
            secret.edit.setPlaceholderText(ENTER_AGAIN if changed else KEEP_STORED)
        if changed:
            explanation = tr_count(
                len(changed),
                "{fields} has changed. Stored credentials are only sent to the address they were entered "
                "for.",
                "{fields} have changed. Stored credentials are only sent to the address they were entered "
                "for.",
                fields=labels_text(changed),
            )
            self.destination_changes.set("warning", tr("Enter the credentials again"), explanation)

    def focus(self, key: str) -> None:
        """Move the focus to a field."""
        self.fields[key].editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def _build_field(self, definition: AuthField) -> FormField:
        required = definition.required and not definition.read_only
        field = FormField(
            definition.label, self._editor(definition, required), required, definition.description
        )
        if definition.read_only:
            field.head.insertWidget(1, Glyph("lock", "text_tertiary", 12))
        return field

    def _editor(self, field: AuthField, required: bool) -> QWidget:
        value = self._model.values.get(field.key)
        text = "" if value is None else str(value)
        if field.read_only:
            return self._read_only_editor(field, text)
        if field.options:
            return self._combo_box(field)
        if field.is_secret:
            secret = self._secret_field(field)
            return self._file_edit(secret, field) if field.key in PEM_FIELDS else secret
        edit = LineEdit(text, field.placeholder or "", large=True)
        edit.textChanged.connect(lambda typed: self._model.set_value(field.key, typed))
        edit.editingFinished.connect(lambda: self._on_editing_finished(field.key))
        self._edits[field.key] = edit
        if field.key in PEM_FIELDS:
            return self._file_edit(edit, field)
        return CopyableEdit(edit, field.label) if field.click_to_copy else edit

    def _file_edit(self, edit: LineEdit | SecretField, field: AuthField) -> "FileEdit":
        chosen = FileEdit(edit, field.label)
        chosen.failed.connect(lambda message: self._model.set_message(field.key, message))
        return chosen

    def _read_only_editor(self, field: AuthField, text: str) -> QWidget:
        """A read-only value that can be selected and focused."""
        if field.click_to_copy:
            return CopyField(text, field.label, secret=field.is_secret, large=True)
        edit = LineEdit(text, large=True)
        edit.setReadOnly(True)
        edit.setCursorPosition(0)
        return edit

    def _combo_box(self, field: AuthField) -> ComboBox:
        choice = ComboBox(field.label, large=True)
        empty_option = (
            []
            if field.required and field.value is not None
            else [(None, field.placeholder or tr("None", "no option of a field"))]
        )
        choice.set_options([*empty_option, *((option.value, option.label) for option in field.options)])
        choice.set_value(self._model.values.get(field.key))
        choice.value_changed.connect(lambda chosen: self._model.set_value(field.key, chosen))
        return choice

    def _secret_field(self, field: AuthField) -> SecretField:
        secret = SecretField(KEEP_STORED if self._model.existing else field.placeholder or "", large=True)
        secret.changed.connect(lambda typed: self._model.set_value(field.key, typed))
        secret.edit.editingFinished.connect(lambda: self._on_editing_finished(field.key))
        if self._model.existing:
            self._secrets[field.key] = secret
        return secret

    def _show_value(self, key: str, value: object) -> None:
        if edit := self._edits.get(key):
            edit.setText("" if value is None else str(value))

    def _on_editing_finished(self, key: str) -> None:
        """Ignore focus loss to another window."""
        if self.isActiveWindow():
            self._model.check(key)


class _EditWithButton(QWidget):
    """A line edit with a button."""

    def __init__(self, edit: LineEdit | SecretField, button: QWidget) -> None:
        super().__init__()
        self.edit = edit.edit if isinstance(edit, SecretField) else edit
        self.button = button
        self.setFocusProxy(edit)
        hbox((edit, 1), self.button, parent=self, spacing=8)

    def setAccessibleName(self, name: str) -> None:
        super().setAccessibleName(name)
        self.edit.setAccessibleName(name)

    def set_invalid(self, invalid: bool) -> None:
        self.edit.set_invalid(invalid)


class CopyableEdit(_EditWithButton):
    """A line edit with a Copy button."""

    def __init__(self, edit: LineEdit, name: str) -> None:
        button = CopyButton(tr("Copy"), edit.text)
        button.setAccessibleName(tr("Copy {name}", name=name))
        super().__init__(edit, button)


class FileEdit(_EditWithButton):
    """A text edit that can also be filled from a file."""

    failed = Signal(str)
    """Emitted with the reason why a file can't be used."""

    def __init__(self, edit: LineEdit | SecretField, name: str) -> None:
        button = Button(tr("Choose file…"))
        button.setAutoDefault(False)
        button.setAccessibleName(tr("Choose a file for {name}", name=name))
        button.clicked.connect(self._choose_file)
        super().__init__(edit, button)
        self._name = name

    def _choose_file(self) -> None:
        dialog = QFileDialog(self.window(), self._name, str(Path.home()), CERTIFICATE_FILES)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.read)
        dialog.open()

    def read(self, name: str) -> None:
        """Fill the field with the content of a file."""
        path = Path(name)
        try:
            with path.open("rb") as file:
                content = file.read(_MAX_FILE_BYTES + 1)
        except OSError as error:
            self.failed.emit(tr("Couldn't read {file}: {reason}.", file=path.name, reason=error.strerror))
            return
        if len(content) > _MAX_FILE_BYTES or b"-----BEGIN " not in content:
            self.failed.emit(tr("{file} isn't a PEM file.", file=path.name))
            return
        self.edit.setText(" ".join(content.decode("ascii", "replace").split()))
