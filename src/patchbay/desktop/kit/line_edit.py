"""Single-line fields: text, search, and whole numbers with a unit; and the outline of an invalid field."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QPoint, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFontMetricsF,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QLineEdit, QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.kit.boxes import Stretch, hbox
from patchbay.desktop.kit.buttons import IconButton
from patchbay.desktop.kit.focus import FocusRinged
from patchbay.desktop.kit.icons import paint_icon
from patchbay.desktop.kit.layout import ResizeWatcher
from patchbay.desktop.kit.text import Label
from patchbay.desktop.kit.theme import theme

if TYPE_CHECKING:
    _WidgetBase = QWidget
else:
    _WidgetBase = object

EDIT_MENU = tr("Edit", "menu of a text field")
DEBOUNCE_MS = 150

ParseNumber = Callable[[str], tuple[int | None, str]]


class UndoKeySharing(_WidgetBase):
    """A line edit that leaves undo and redo to its page if it has nothing to undo or redo.

    Qt's fields always claim these keys, so the page's shortcuts wouldn't work while a field has the focus.
    """

    def event(self, event: QEvent) -> bool:
        """Leave undo and redo to the page if there is nothing to undo or redo here."""
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            history: Any = self.document() if hasattr(self, "document") else self
            undo, redo = QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo
            if (event.matches(undo) and not history.isUndoAvailable()) or (
                event.matches(redo) and not history.isRedoAvailable()
            ):
                event.ignore()
                return False
        return super().event(event)


class NamedContextMenu(_WidgetBase):
    """A line edit whose context menu has a name; Qt would name it after the program."""

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the context menu, with a name for screen readers."""
        field: Any = self
        menu = field.createStandardContextMenu()
        menu.setAccessibleName(EDIT_MENU)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())


class LineEdit(UndoKeySharing, NamedContextMenu, FocusRinged, QLineEdit):
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
        """Mark the field as invalid, or remove the mark."""
        mark_invalid(self, invalid)

    def _resize(self) -> None:
        self.setFixedHeight(theme().px(34 if self._large else 30))


def mark_invalid(editor: QWidget, invalid: bool) -> None:
    """Outline a field as invalid, or remove the outline."""
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

    It is painted, because updating the style sheet needs `QWidget.style()`, whose Python object may outlive
    the style and crash the program later.
    """

    def __init__(self, editor: QWidget) -> None:
        super().__init__(editor)
        self._editor = editor
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._watch = ResizeWatcher(editor, self, self._fill_editor)
        self._fill_editor()

    def _fill_editor(self) -> None:
        self.setGeometry(self._editor.rect())
        self.raise_()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme().tokens.failure_graphic)
        corner = theme().px(6) - 0.5
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), corner, corner)


class SearchField(LineEdit):
    """The filter field of a list. `text_changed` is emitted after a short pause in typing, and immediately
    when cleared.
    """

    text_changed = Signal(str)

    def __init__(
        self, placeholder: str = tr("Search"), parent: QWidget | None = None, *, key_cap: str = ""
    ) -> None:
        super().__init__("", placeholder, parent)
        self._key_cap = key_cap
        self.setAccessibleName(placeholder)
        self._debounce_timer = QTimer(self)
        self._debounce_timer.setSingleShot(True)
        self._debounce_timer.setInterval(DEBOUNCE_MS)
        self._debounce_timer.timeout.connect(self._emit_text)
        self.textChanged.connect(self._on_text_changed)
        self._clear = IconButton("x", tr("Clear"), self, small=True)
        self._clear.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._clear.clicked.connect(self.clear)
        self._clear.hide()
        self._last_announced = ""
        self._update_margins()
        theme().changed.connect(self._update_margins)

    def keyPressEvent(self, event: Any) -> None:
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
            return
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._emit_text()
        super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._update_margins()
        side = self._clear.width()
        self._clear.move(self.width() - side - theme().px(3), (self.height() - side) // 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        paint_icon(painter, QRectF(theme().px(8), 0, theme().px(20), self.height()), "search")
        if self._has_room_for_key_cap() and not self.text() and not self.hasFocus():
            paint_key_cap(painter, QPoint(self.width() - theme().px(8), self.height() // 2), self._key_cap)

    def _update_margins(self) -> None:
        right = theme().px(18) if self.text() or self._has_room_for_key_cap() else 0
        self.setTextMargins(theme().px(22), 0, right, 0)

    def _has_room_for_key_cap(self) -> bool:
        """Whether the key cap fits beside the whole placeholder."""
        words = QFontMetricsF(theme().font()).horizontalAdvance(self.placeholderText())
        return bool(self._key_cap) and self.width() >= words + theme().px(68)

    def _on_text_changed(self, text: str) -> None:
        self._clear.setVisible(bool(text))
        self._update_margins()
        if text:
            self._debounce_timer.start()
        else:
            self._emit_text()

    def _emit_text(self) -> None:
        self._debounce_timer.stop()
        if self.text() != self._last_announced:
            self._last_announced = self.text()
            self.text_changed.emit(self._last_announced)


def paint_key_cap(painter: QPainter, right_middle: QPoint, words: str) -> int:
    """Paint a key cap by its right edge; returns its width."""
    current = theme()
    font = current.font("caption")
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setFont(font)
    width = max(current.px(14), painter.fontMetrics().horizontalAdvance(words) + current.px(9))
    height = current.px(18)
    rect = QRectF(right_middle.x() - width, right_middle.y() - height / 2, width, height)
    painter.setPen(QPen(current.tokens.border_button, 1))
    painter.setBrush(current.tokens.sidebar)
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), current.px(4), current.px(4))
    painter.setPen(current.tokens.text_secondary)
    painter.drawText(rect, int(Qt.AlignmentFlag.AlignCenter), words)
    painter.restore()
    return width


class AmountField(QWidget):
    """A whole number with a unit. Emits `committed(number or None)` when a valid number was left, and
    `wrong(reason)` otherwise.
    """

    committed = Signal(object)
    error_changed = Signal(str)

    def __init__(self, unit: str, read: ParseNumber, placeholder: str = "", *, width: int = 96) -> None:
        super().__init__()
        self._read = read
        self.edit = LineEdit("", placeholder)
        self.edit.setFixedWidth(theme().px(width))
        self.edit.editingFinished.connect(self._on_editing_finished)
        self.setFocusProxy(self.edit)
        hbox(self.edit, Label(unit, "body", "text_secondary"), Stretch(), parent=self, spacing=6)

    def setAccessibleName(self, name: str) -> None:
        super().setAccessibleName(name)
        self.edit.setAccessibleName(name)

    def setAccessibleDescription(self, description: str) -> None:
        super().setAccessibleDescription(description)
        self.edit.setAccessibleDescription(description)

    def set_value(self, number: int | None) -> None:
        """Show a number, unless the user is typing another one."""
        text = "" if number is None else str(number)
        if not self.edit.hasFocus() or not self.edit.isModified():
            self.edit.setText(text)

    def set_invalid(self, invalid: bool) -> None:
        """Mark the field as invalid, or remove the mark."""
        self.edit.set_invalid(invalid)

    def _on_editing_finished(self) -> None:
        number, error = self._read(self.edit.text())
        self.edit.setModified(False)
        self.error_changed.emit(error)
        if not error:
            self.committed.emit(number)
