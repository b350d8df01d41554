"""The editor for text: one line or several, with or without values of earlier steps."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QGridLayout

from patchbay.desktop.ui.kit.buttons import Button
from patchbay.desktop.ui.kit.fields.base import FieldEditor, FieldHost
from patchbay.desktop.ui.kit.fields.picker import ValuePicker
from patchbay.desktop.ui.kit.fields.value_text import ValueTextEdit
from patchbay.desktop.ui.kit.text import plain_tip
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.base import Json
from patchbay.domain.variables import as_text

WIDE = 380
"""Width from which a text has room for a button in words."""


class InsertButton(Button):
    """Opens the picker of earlier values. A click leaves the cursor in the text."""

    left = Signal()

    def __init__(self) -> None:
        super().__init__("", "link", "braces")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setFixedHeight(theme().px(24))
        self.setToolTip(plain_tip("Insert value (Ctrl+Space)"))

    def set_field(self, name: str) -> None:
        self.setAccessibleName(f"Insert value into {name}")

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.left.emit()


class ValueTextField(FieldEditor):
    """Text in which values of earlier steps can be inserted, by the button at its end, Ctrl+Space, or {{."""

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
        self.edit.left.connect(self._leave)
        self.insert = InsertButton()
        self.insert.left.connect(self._leave)
        self.insert.clicked.connect(self.insert_value)
        if values:
            self.edit.picker_wanted.connect(self.insert_value)
        self.setFocusProxy(self.edit)
        self.picker: ValuePicker | None = None
        self._lay_out()

    def _lay_out(self) -> None:
        """The button lies over the end of the text's first line."""
        corner = QGridLayout()
        corner.setContentsMargins(0, theme().px(5), theme().px(8), 0)
        corner.addWidget(self.insert)
        inside = QGridLayout(self)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.addWidget(self.edit, 0, 0)
        inside.addLayout(corner, 0, 0, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignRight)
        self.insert.setVisible(self.inserts_values)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The button is in words where there is room for them."""
        super().resizeEvent(event)
        if self.inserts_values:
            self.insert.setText("Insert value" if self.width() >= theme().px(WIDE) else "")
            self.edit.keep_free(self.insert.sizeHint().width() + theme().px(8))

    def setAccessibleName(self, name: str) -> None:
        super().setAccessibleName(name)
        self.edit.setAccessibleName(name)
        self.insert.set_field(name)

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

    def _leave(self) -> None:
        if QApplication.focusWidget() not in (self.edit, self.insert):
            self.left.emit()

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
