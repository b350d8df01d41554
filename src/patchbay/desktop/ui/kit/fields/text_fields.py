"""The editor for text: one line or several, with or without values of earlier steps."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout

from patchbay.desktop.ui.kit.fields.base import FieldEditor, FieldHost
from patchbay.desktop.ui.kit.fields.picker import ValuePicker
from patchbay.desktop.ui.kit.fields.value_text import ValueTextEdit
from patchbay.domain.base import Json
from patchbay.domain.variables import as_text


class ValueTextField(FieldEditor):
    """Text in which values of earlier steps can be inserted."""

    inserts_values = True

    def __init__(
        self, host: FieldHost, *, multiline: bool = False, placeholder: str = "", values: bool = True,
        prefer: str = "",
    ) -> None:  # fmt: skip
        super().__init__()
        self._host, self._prefer = host, prefer
        self.inserts_values = values
        self.edit = ValueTextEdit(host, multiline=multiline)
        self.edit.setPlaceholderText(placeholder)
        self.edit.text_edited.connect(self.changed.emit)
        self.edit.left.connect(self.left.emit)
        if values:
            self.edit.picker_wanted.connect(self.insert_value)
        self.setFocusProxy(self.edit)
        self.picker: ValuePicker | None = None
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.edit)

    def setAccessibleName(self, name: str) -> None:
        super().setAccessibleName(name)
        self.edit.setAccessibleName(name)

    def setAccessibleDescription(self, description: str) -> None:
        super().setAccessibleDescription(description)
        self.edit.setAccessibleDescription(description)

    def value(self) -> Json:
        return self.edit.text()

    def set_value(self, value: Json) -> None:
        self.edit.set_text(as_text(value))

    def set_invalid(self, invalid: bool) -> None:
        self.edit.set_invalid(invalid)

    def refresh(self) -> None:
        self.edit.refresh()

    def insert_value(self) -> None:
        if not self.edit.hasFocus():
            self.edit.setFocus(Qt.FocusReason.OtherFocusReason)
        picker = ValuePicker(self.edit, self._host.catalog, self._host.app, self._prefer)
        picker.picked.connect(self._insert)
        picker.closed.connect(self._picker_closed)
        self.picker = picker
        picker.open_at(self.edit)

    def _insert(self, token: str) -> None:
        self.edit.insert_token(token)
        self.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def _picker_closed(self) -> None:
        self.picker = None
