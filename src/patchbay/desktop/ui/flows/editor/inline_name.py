"""A name that is renamed where it stands."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedLayout, QWidget

from patchbay.desktop.ui.kit.buttons import IconButton
from patchbay.desktop.ui.kit.inputs import LineEdit
from patchbay.desktop.ui.kit.text import ElidedLabel
from patchbay.desktop.ui.kit.theme import theme


class InlineName(QWidget):
    """Shows a name; a click, F2 or the pencil turn it into a field. Enter saves, Esc cancels."""

    renamed = Signal(str)

    def __init__(self, accessible_name: str, *, role: str = "title") -> None:
        super().__init__()
        self.label = ElidedLabel("", role)
        self.edit = _NameEdit()
        self.edit.setAccessibleName(accessible_name)
        self.edit.setMaxLength(255)
        self.edit.finished.connect(self._finish)
        self.pencil = IconButton("pencil", f"Rename: {accessible_name.lower()}", small=True)
        self.pencil.clicked.connect(self.begin)
        display = _NameDisplay(self)
        row = QHBoxLayout(display)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme().px(8))
        row.addWidget(self.label)
        row.addWidget(self.pencil)
        row.addStretch(1)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(display)
        self._stack.addWidget(self.edit)
        self.setFixedHeight(theme().px(26))
        self.set_editable(True)

    def show_name(self, name: str, *, is_default: bool = False) -> None:
        """`is_default`: nobody has given this name yet."""
        self.label.setText(name)
        self.label.set_style(color_token="text_secondary" if is_default else "text")
        self.updateGeometry()

    def set_editable(self, editable: bool) -> None:
        self.editable = editable
        self.label.setCursor(Qt.CursorShape.IBeamCursor if editable else Qt.CursorShape.ArrowCursor)
        self.pencil.setVisible(editable)

    @property
    def editing(self) -> bool:
        return self._stack.currentIndex() == 1

    def begin(self) -> None:
        if not self.editable or self.editing:
            return
        self.edit.setText(self.label.text())
        self._stack.setCurrentIndex(1)
        self.setMinimumWidth(theme().px(280))
        self.edit.setFocus(Qt.FocusReason.OtherFocusReason)
        self.edit.selectAll()

    def _finish(self, save: bool) -> None:
        if not self.editing:
            return
        name = self.edit.text().strip()
        self._stack.setCurrentIndex(0)
        self.setMinimumWidth(0)
        if save and name and name != self.label.text():
            self.label.setText(name)
            self.renamed.emit(name)


class _NameDisplay(QWidget):
    """The name at rest; a click on it begins to rename."""

    def __init__(self, owner: InlineName) -> None:
        super().__init__()
        self._owner = owner

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.setAccepted(self._owner.label.geometry().contains(event.position().toPoint()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.mousePressEvent(event)
        if event.isAccepted() and event.button() is Qt.MouseButton.LeftButton:
            self._owner.begin()


class _NameEdit(LineEdit):
    """A field that says how it was left: True to keep what was typed."""

    finished = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(theme().px(26))
        self.editingFinished.connect(lambda: self.finished.emit(True))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """The second click of those who click twice to rename leaves the whole name selected."""
        self.selectAll()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.finished.emit(False)
            return
        super().keyPressEvent(event)
