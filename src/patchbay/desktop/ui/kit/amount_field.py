"""A whole number with its unit; nothing typed means the default."""

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from patchbay.desktop.ui.kit.line_edit import LineEdit
from patchbay.desktop.ui.kit.text import Label
from patchbay.desktop.ui.kit.theme import theme

Read = Callable[[str], tuple[int | None, str]]


class AmountField(QWidget):
    """`committed(number or None)` when the cursor left a number that can be; `wrong(why)` otherwise."""

    committed = Signal(object)
    wrong = Signal(str)

    def __init__(self, unit: str, read: Read, placeholder: str = "", *, width: int = 96) -> None:
        super().__init__()
        self._read = read
        self.edit = LineEdit("", placeholder)
        self.edit.setFixedWidth(theme().px(width))
        self.edit.editingFinished.connect(self._finished)
        self.setFocusProxy(self.edit)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme().px(6))
        row.addWidget(self.edit)
        row.addWidget(Label(unit, "body", "text_secondary"))
        row.addStretch(1)

    def setAccessibleName(self, name: str) -> None:
        super().setAccessibleName(name)
        self.edit.setAccessibleName(name)

    def setAccessibleDescription(self, description: str) -> None:
        super().setAccessibleDescription(description)
        self.edit.setAccessibleDescription(description)

    def set_value(self, number: int | None) -> None:
        """Show a number, unless the person is typing another one."""
        text = "" if number is None else str(number)
        if not self.edit.hasFocus() or not self.edit.isModified():
            self.edit.setText(text)

    def set_invalid(self, invalid: bool) -> None:
        self.edit.set_invalid(invalid)

    def _finished(self) -> None:
        number, why = self._read(self.edit.text())
        self.edit.setModified(False)
        self.wrong.emit(why)
        if not why:
            self.committed.emit(number)
