"""One line of text, and the outline of an error around any field."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from patchbay.desktop.ui.kit.focus import FocusRinged
from patchbay.desktop.ui.kit.resize import ResizeWatch
from patchbay.desktop.ui.kit.theme import theme
from patchbay.desktop.ui.kit.undo_keys import NamedEditMenu, SharesUndo


class LineEdit(SharesUndo, NamedEditMenu, FocusRinged, QLineEdit):
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
    if bool(editor.property("invalid")) == invalid:
        return
    editor.setProperty("invalid", invalid)
    outline = editor.findChild(ErrorOutline, options=Qt.FindChildOption.FindDirectChildrenOnly)
    if outline is None:
        outline = ErrorOutline(editor)
    outline.setVisible(invalid)
    editor.update()


class ErrorOutline(QWidget):
    """A red outline over a field.

    Painted, because asking the style sheet again needs `QWidget.style()`, whose Python object may outlive the
    style and crash the program later.
    """

    def __init__(self, editor: QWidget) -> None:
        super().__init__(editor)
        self._editor = editor
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._watch = ResizeWatch(editor, self, self._cover)
        self._cover()

    def _cover(self) -> None:
        self.setGeometry(self._editor.rect())
        self.raise_()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme().tokens.failure_graphic)
        corner = theme().px(6) - 0.5
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), corner, corner)
