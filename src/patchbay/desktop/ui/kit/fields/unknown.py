"""What stands in for a field of a kind this version does not know."""

import json

from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout

from patchbay.desktop.ui.kit.fields.base import FieldEditor
from patchbay.desktop.ui.kit.text import Label
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.base import Json


class UnknownField(FieldEditor):
    """Shows the value as JSON and leaves it alone."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self._value: Json = None
        self._view = QPlainTextEdit()
        self._view.setReadOnly(True)
        self._view.setFont(theme().font("code"))
        self._view.setFixedHeight(theme().px(84))
        self.setFocusProxy(self._view)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._view)
        words = f"This version cannot edit fields of the kind “{kind}”; the value stays as it is."
        column.addWidget(Label(words, "caption", "text_tertiary", wrap=True))

    def value(self) -> Json:
        return self._value

    def set_value(self, value: Json) -> None:
        self._value = value
        self._view.setPlainText(json.dumps(value, indent=2, ensure_ascii=False))
