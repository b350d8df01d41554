"""One line of text, and the outline of an error around any field."""

from PySide6.QtWidgets import QLineEdit, QWidget

from patchbay.desktop.ui.kit.focus import FocusRinged
from patchbay.desktop.ui.kit.theme import theme


class LineEdit(FocusRinged, QLineEdit):
    """One line of text, 30 px high; `large` 34 px for dialogs and forms."""

    ring_halo = True

    def __init__(
        self, text: str = "", placeholder: str = "", parent: QWidget | None = None, *, large: bool = False
    ) -> None:
        super().__init__(text, parent)
        self._large = large
        self.setPlaceholderText(placeholder)
        self._resize()
        theme().changed.connect(self._resize)

    def set_invalid(self, invalid: bool) -> None:
        mark_invalid(self, invalid)

    def _resize(self) -> None:
        self.setFixedHeight(theme().px(34 if self._large else 30))


def mark_invalid(editor: QWidget, invalid: bool) -> None:
    """Give a field the outline of an error, or take it away."""
    if bool(editor.property("invalid")) != invalid:
        editor.setProperty("invalid", invalid)
        editor.style().unpolish(editor)
        editor.style().polish(editor)
        editor.update()
