"""Editors for text: one line, several lines, with or without values of earlier steps."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget

from patchbay.desktop.ui.kit.fields.base import FieldEditor, FieldHost
from patchbay.desktop.ui.kit.fields.highlight import ScriptHighlighter
from patchbay.desktop.ui.kit.fields.picker import ValuePicker
from patchbay.desktop.ui.kit.fields.value_text import ValueTextEdit
from patchbay.desktop.ui.kit.inputs import mark_invalid
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.base import Json
from patchbay.domain.variables import as_text


class ValueTextField(FieldEditor):
    """Text in which values of earlier steps can be inserted."""

    inserts_values = True

    def __init__(
        self, host: FieldHost, *, multiline: bool = False, placeholder: str = "", values: bool = True
    ) -> None:
        super().__init__()
        self._host = host
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
        picker = ValuePicker(self.edit, self._host.catalog, self._host.app)
        picker.picked.connect(self._insert)
        picker.closed.connect(self._picker_closed)
        self.picker = picker
        picker.open_at(self.edit)

    def _insert(self, token: str) -> None:
        self.edit.insert_token(token)
        self.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def _picker_closed(self) -> None:
        self.picker = None


class CodeField(FieldEditor):
    """Program text in a fixed font, with colours for JavaScript and JSON."""

    def __init__(self, placeholder: str = "") -> None:
        super().__init__()
        self.edit = _CodeEdit(self)
        self.edit.setPlaceholderText(placeholder)
        self.edit.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.edit.setFixedHeight(theme().px(200))
        self.edit.setTabChangesFocus(False)
        self._highlighter = ScriptHighlighter(self.edit.document())
        self._quiet = False
        self._restyle()
        theme().changed.connect(self._restyle)
        self.edit.textChanged.connect(self._edited)
        self.setFocusProxy(self.edit)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.edit)

    def setAccessibleName(self, name: str) -> None:
        super().setAccessibleName(name)
        self.edit.setAccessibleName(name)

    def value(self) -> Json:
        return self.edit.toPlainText()

    def set_value(self, value: Json) -> None:
        text = as_text(value)
        if text != self.edit.toPlainText():
            self._quiet = True
            self.edit.setPlainText(text)
            self._quiet = False

    def set_invalid(self, invalid: bool) -> None:
        mark_invalid(self.edit, invalid)

    def _edited(self) -> None:
        if not self._quiet:
            self.changed.emit(self.value())

    def _restyle(self) -> None:
        font = theme().font("code")
        self.edit.setFont(font)
        self.edit.setTabStopDistance(self.edit.fontMetrics().horizontalAdvance("    "))
        self._highlighter.restyle()


class _CodeEdit(QPlainTextEdit):
    """A plain text edit that tells its field when the cursor leaves it."""

    def __init__(self, field: CodeField) -> None:
        super().__init__()
        self._field: QWidget = field
        self._left = field.left

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._left.emit()
