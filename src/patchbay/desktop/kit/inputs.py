"""Form inputs: combo box, field with label, help, and error, and a name that is edited in place."""

from typing import Any

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QComboBox, QSizePolicy, QStackedLayout, QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.kit.accessibility import AccessibleMixin
from patchbay.desktop.kit.boxes import Stretch, hbox, vbox
from patchbay.desktop.kit.buttons import IconButton
from patchbay.desktop.kit.focus import FocusRinged
from patchbay.desktop.kit.icons import paint_icon
from patchbay.desktop.kit.line_edit import LineEdit, mark_invalid
from patchbay.desktop.kit.popups import ChecklistPopup
from patchbay.desktop.kit.text import ElidedLabel, Label, literal
from patchbay.desktop.kit.theme import theme


class ComboBox(AccessibleMixin, FocusRinged, QComboBox):
    """A combo box. Fill it with `set_options`; `value_changed` carries the value.

    The values are stored here and not as item data, because Qt returns a `StrEnum` as `str`.
    """

    value_changed = Signal(object)
    accessible_role = QAccessible.Role.ComboBox

    def __init__(
        self, accessible_name: str = "", parent: QWidget | None = None, *, large: bool = False
    ) -> None:
        super().__init__(parent)
        self._large = large
        self._values: list[Any] = []
        self.setAccessibleName(accessible_name)
        self.popup: ChecklistPopup | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.currentIndexChanged.connect(lambda _: self.announce_value())
        self.currentIndexChanged.connect(lambda _: self.value_changed.emit(self.value()))
        theme().changed.connect(self.updateGeometry)

    def set_options(self, options: list[tuple[Any, str]] | tuple[tuple[Any, str], ...]) -> None:
        """Replace the options; the chosen value stays if it is still among them."""
        previous = self.value()
        self.blockSignals(True)
        self.clear()
        self._values = [value for value, _ in options]
        self.addItems([label for _, label in options])
        self.setCurrentIndex(
            self._values.index(previous) if previous in self._values else 0 if options else -1
        )
        self.blockSignals(False)
        if self.value() != previous:
            self.value_changed.emit(self.value())

    def ensure_option(self, value: Any, label: str) -> None:
        """Add an option at the end, if there is none for this value; the chosen value stays."""
        if value not in self._values:
            self.blockSignals(True)
            self._values.append(value)
            self.addItem(label)
            self.blockSignals(False)

    def value(self) -> Any:
        """The chosen value; None without one."""
        return self._values[self.currentIndex()] if self.currentIndex() >= 0 else None

    def set_value(self, value: Any) -> None:
        if value in self._values:
            self.setCurrentIndex(self._values.index(value))

    def accessible_value(self) -> str:
        return self.currentText()

    def set_invalid(self, invalid: bool) -> None:
        """Mark the field as invalid, or remove the mark."""
        mark_invalid(self, invalid)

    def showPopup(self) -> None:
        """Open the options in our own popup instead of Qt's."""
        options = [(row, self.itemText(row)) for row in range(self.count())]
        self.popup = ChecklistPopup(self, options, (self.currentIndex(),), multiple=False)
        self.popup.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.popup.changed.connect(lambda rows: self.setCurrentIndex(rows[0]))
        self.popup.open_under(self, self.width())

    def wheelEvent(self, event: Any) -> None:
        """Leave the wheel to the form: scrolling it must not change its values, not even the chosen one's."""
        event.ignore()

    def sizeHint(self) -> QSize:
        widest = max(
            (self.fontMetrics().horizontalAdvance(self.itemText(i)) for i in range(self.count())), default=0
        )
        return QSize(
            max(theme().px(90), min(widest, theme().px(320)) + theme().px(46)),
            theme().px(34 if self._large else 30),
        )

    def minimumSizeHint(self) -> QSize:
        return QSize(theme().px(90), self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        current, tokens = theme(), theme().tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line = tokens.border_control if self.isEnabled() else tokens.border_button
        if self.property("invalid"):
            line = tokens.failure_graphic
        elif self.hasFocus():
            line = tokens.focus
        painter.setPen(QPen(line, 1))
        painter.setBrush(tokens.surface if self.isEnabled() else tokens.window)
        painter.drawRoundedRect(
            QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), current.px(5.5), current.px(5.5)
        )
        colour = tokens.text if self.isEnabled() else tokens.text_disabled
        words = self.currentText()
        if self.currentIndex() < 0:
            words, colour = self.placeholderText(), tokens.text_tertiary
        rect = QRectF(self.rect()).adjusted(current.px(11), 0, -current.px(30), 0)
        painter.setFont(current.font())
        painter.setPen(colour)
        shown = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, int(rect.width()))
        painter.drawText(rect, int(Qt.AlignmentFlag.AlignVCenter), shown)
        arrow = QRectF(self.width() - current.px(27), 0, current.px(20), self.height())
        paint_icon(
            painter, arrow, "chevron-down", "text_secondary" if self.isEnabled() else "text_disabled", 14
        )


class FormField(QWidget):
    """An editor with its label above, and an error and its help below."""

    def __init__(
        self,
        label: str,
        editor: QWidget,
        required: bool = False,
        help: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.editor, self._help_text = editor, help
        self._required = required
        self.label = Label(literal(label), "medium")
        self.label.setBuddy(editor)
        self._required_mark = Label("*" if required else "", "medium", "failure")
        if not editor.accessibleName():
            editor.setAccessibleName(label)
        self._below = _ErrorLine()
        self._help = Label("", "caption", "text_tertiary", wrap=True)
        self.head = hbox(self.label, self._required_mark, Stretch(), spacing=3)
        """Add a widget at the right end of the label's line."""
        vbox(self.head, editor, self._below, self._help, parent=self, spacing=5)
        self.set_error(None)

    @property
    def error(self) -> str | None:
        """The error below the field; None without one."""
        return self._below.error

    def set_error(self, text: str | None) -> None:
        """Show an error below the field, above its help; None removes it."""
        self._below.show_error(text or "")
        self._help.setText(self._help_text)
        self._help.setVisible(bool(self._help_text))
        target = getattr(self.editor, "set_invalid", None)
        if target is not None:
            target(bool(text))
        else:
            mark_invalid(self.editor, bool(text))
        parts = [tr("required", "a field that has to be filled in")] if self._required else []
        texts = " ".join(filter(None, [text, self._help_text]))
        self.editor.setAccessibleDescription(", ".join(filter(None, [*parts, texts])))

    def set_required(self, required: bool) -> None:
        """Set whether the field is marked as required."""
        self._required = required
        self._required_mark.setText("*" if required else "")
        self.set_error(self.error)

    def set_help(self, text: str) -> None:
        """Set the help below the field."""
        self._help_text = text
        self.set_error(self.error)


class EditRow(QWidget):
    """A line edit with buttons as the editor of a `FormField`; errors outline only the line edit."""

    def __init__(self, edit: LineEdit, *buttons: QWidget) -> None:
        super().__init__()
        self._edit = edit
        self.setFocusProxy(edit)
        hbox((edit, 1), *buttons, parent=self, spacing=8)

    def set_invalid(self, invalid: bool) -> None:
        """Mark the field as invalid, or remove the mark."""
        self._edit.set_invalid(invalid)

    def setAccessibleName(self, name: str) -> None:
        super().setAccessibleName(name)
        self._edit.setAccessibleName(name)

    def setAccessibleDescription(self, description: str) -> None:
        super().setAccessibleDescription(description)
        self._edit.setAccessibleDescription(description)


class _ErrorLine(QWidget):
    """The line below a field with an error, after an icon."""

    def __init__(self) -> None:
        super().__init__()
        self.error: str | None = None
        self._words = Label("", "caption", "failure", wrap=True)
        hbox((self._words, 1), parent=self, margins=(19, 0, 0, 0))

    def show_error(self, text: str) -> None:
        self.error = text or None
        self._words.setText(text)
        self.setVisible(bool(text))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.error:
            rect = QRectF(0, theme().px(1), theme().px(14), theme().px(15))
            paint_icon(QPainter(self), rect, "circle-alert", "failure", 14)


class InlineName(QWidget):
    """A name that is edited in place after a click, F2, or the pencil. Enter saves, Esc cancels.

    `rename_name` is the accessible name of the pencil.
    """

    renamed = Signal(str)

    def __init__(self, accessible_name: str, rename_name: str, *, role: str = "title") -> None:
        super().__init__()
        self.label = ElidedLabel("", role)
        self.edit = _NameEdit()
        self.edit.setAccessibleName(accessible_name)
        self.edit.setMaxLength(255)
        self.edit.finished.connect(self._finish)
        self.pencil = IconButton("pencil", rename_name, small=True)
        self.pencil.clicked.connect(self.begin)
        display = _NameDisplay(self)
        hbox(self.label, self.pencil, Stretch(), parent=display, spacing=8)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(display)
        self._stack.addWidget(self.edit)
        self.setFixedHeight(theme().px(26))
        self.set_editable(True)

    def show_name(self, name: str, *, is_default: bool = False) -> None:
        """Show a name. `is_default`: no one has chosen it."""
        self.label.setText(name)
        self.label.set_style(color_token="text_secondary" if is_default else "text")
        self.updateGeometry()

    def set_editable(self, editable: bool) -> None:
        """Set whether the name can be edited."""
        self.editable = editable
        self.label.setCursor(Qt.CursorShape.IBeamCursor if editable else Qt.CursorShape.ArrowCursor)
        self.pencil.setVisible(editable)

    @property
    def editing(self) -> bool:
        """Whether the name is being edited."""
        return self._stack.currentIndex() == 1

    def begin(self) -> None:
        """Edit the name in place."""
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
    """The name while it isn't edited; a click starts editing."""

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
    """A line edit that emits `finished`: True to save what was typed, False to discard it."""

    finished = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(theme().px(26))
        self.editingFinished.connect(lambda: self.finished.emit(True))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Keep the whole name selected if the first click of a double click has started editing."""
        self.selectAll()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.finished.emit(False)
            return
        super().keyPressEvent(event)
