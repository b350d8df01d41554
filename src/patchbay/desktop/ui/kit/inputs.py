"""Fields: one line of text, search, secrets, choices, and the frame with label, help and error."""

from typing import Any

from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QGuiApplication, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QSizePolicy, QVBoxLayout, QWidget

from patchbay.desktop.ui.kit.buttons import Button, IconButton
from patchbay.desktop.ui.kit.focus import FocusRinged
from patchbay.desktop.ui.kit.icons import paint_icon
from patchbay.desktop.ui.kit.text import Label
from patchbay.desktop.ui.kit.theme import theme

REVEAL_MS = 10_000
CLIPBOARD_MS = 30_000
COPIED_MS = 1_500
DEBOUNCE_MS = 150


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


class SearchField(LineEdit):
    """A filter over a list. `text_changed` comes after a short pause in typing, and at once when cleared."""

    text_changed = Signal(str)

    def __init__(
        self, placeholder: str = "Search", parent: QWidget | None = None, *, key_cap: str = ""
    ) -> None:
        super().__init__("", placeholder, parent)
        self._key_cap = key_cap
        self.setAccessibleName(placeholder)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(DEBOUNCE_MS)
        self._pause.timeout.connect(self._announce)
        self.textChanged.connect(self._typed)
        self._clear = IconButton("x", "Clear", self, small=True)
        self._clear.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._clear.clicked.connect(self.clear)
        self._clear.hide()
        self._said = ""
        self._pad()
        theme().changed.connect(self._pad)

    def keyPressEvent(self, event: Any) -> None:
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
            return
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._announce()
        super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        side = self._clear.width()
        self._clear.move(self.width() - side - theme().px(3), (self.height() - side) // 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        paint_icon(painter, QRectF(theme().px(8), 0, theme().px(20), self.height()), "search")
        if self._key_cap and not self.text() and not self.hasFocus():
            paint_key_cap(painter, QPoint(self.width() - theme().px(8), self.height() // 2), self._key_cap)

    def _pad(self) -> None:
        self.setTextMargins(theme().px(22), 0, theme().px(18), 0)

    def _typed(self, text: str) -> None:
        self._clear.setVisible(bool(text))
        if text:
            self._pause.start()
        else:
            self._announce()

    def _announce(self) -> None:
        self._pause.stop()
        if self.text() != self._said:
            self._said = self.text()
            self.text_changed.emit(self._said)


def paint_key_cap(painter: QPainter, right_middle: QPoint, words: str) -> int:
    """One key cap whose right edge is given; returns its width."""
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


class SecretField(QWidget):
    """A masked field with its own eye button. Revealing ends after ten seconds or when the focus leaves."""

    changed = Signal(str)

    def __init__(self, placeholder: str = "", parent: QWidget | None = None, *, large: bool = False) -> None:
        super().__init__(parent)
        self.edit = LineEdit("", placeholder, large=large)
        self.edit.setEchoMode(QLineEdit.EchoMode.Password)
        self.edit.setInputMethodHints(
            Qt.InputMethodHint.ImhSensitiveData | Qt.InputMethodHint.ImhNoPredictiveText
        )
        self.edit.textChanged.connect(self.changed)
        self.eye = IconButton("eye", "Show for ten seconds", outlined=True)
        self.eye.clicked.connect(self._toggle)
        self.setFocusProxy(self.edit)
        self._hide_again = QTimer(self)
        self._hide_again.setSingleShot(True)
        self._hide_again.setInterval(REVEAL_MS)
        self._hide_again.timeout.connect(self.conceal)
        self.edit.installEventFilter(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme().px(6))
        row.addWidget(self.edit, 1)
        row.addWidget(self.eye)

    def text(self) -> str:
        return self.edit.text()

    def set_text(self, text: str) -> None:
        self.edit.setText(text)

    def set_invalid(self, invalid: bool) -> None:
        self.edit.set_invalid(invalid)

    def setAccessibleName(self, name: str) -> None:
        super().setAccessibleName(name)
        self.edit.setAccessibleName(name)

    @property
    def revealed(self) -> bool:
        return self.edit.echoMode() is QLineEdit.EchoMode.Normal

    def conceal(self) -> None:
        self._hide_again.stop()
        self.edit.setEchoMode(QLineEdit.EchoMode.Password)
        self.eye.set_icon("eye")
        self.eye.set_name("Show for ten seconds")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QFocusEvent) and event.lostFocus() and not self.eye.underMouse():
            self.conceal()
        return False

    def _toggle(self) -> None:
        if self.revealed:
            self.conceal()
            return
        self.edit.setEchoMode(QLineEdit.EchoMode.Normal)
        self.eye.set_icon("eye-off")
        self.eye.set_name("Hide")
        self.edit.setFocus(Qt.FocusReason.OtherFocusReason)
        self._hide_again.start()


class ComboBox(FocusRinged, QComboBox):
    """A choice of one, painted like a field. Fill with `set_options`; `value_changed` carries the value."""

    value_changed = Signal(object)

    def __init__(
        self, accessible_name: str = "", parent: QWidget | None = None, *, large: bool = False
    ) -> None:
        super().__init__(parent)
        self._large = large
        self.setAccessibleName(accessible_name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.currentIndexChanged.connect(lambda _: self.value_changed.emit(self.value()))
        theme().changed.connect(self.updateGeometry)

    def set_options(self, options: list[tuple[Any, str]] | tuple[tuple[Any, str], ...]) -> None:
        """Replace the choices; the chosen value stays when it is still among them."""
        kept = self.value()
        self.blockSignals(True)
        self.clear()
        for value, label in options:
            self.addItem(label, value)
        self.setCurrentIndex(
            next((i for i, (value, _) in enumerate(options) if value == kept), 0 if options else -1)
        )
        self.blockSignals(False)
        if self.value() != kept:
            self.value_changed.emit(self.value())

    def value(self) -> Any:
        return self.currentData()

    def set_value(self, value: Any) -> None:
        for row in range(self.count()):
            if self.itemData(row) == value:
                self.setCurrentIndex(row)

    def set_invalid(self, invalid: bool) -> None:
        mark_invalid(self, invalid)

    def wheelEvent(self, event: Any) -> None:
        """Only with the focus: scrolling a form must not change its values."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
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


class CopyField(QWidget):
    """A value to read and to copy. `secret` clears the clipboard after 30 s if it still holds the value."""

    def __init__(
        self,
        text: str = "",
        accessible_name: str = "",
        parent: QWidget | None = None,
        *,
        secret: bool = False,
    ) -> None:
        super().__init__(parent)
        self._secret = secret
        self.edit = LineEdit(text)
        self.edit.setReadOnly(True)
        self.edit.setAccessibleName(accessible_name)
        self.button = Button("Copy", icon="copy")
        self.button.setAccessibleName(f"Copy {accessible_name}".strip())
        self.button.clicked.connect(self._copy)
        self._reset = QTimer(self)
        self._reset.setSingleShot(True)
        self._reset.setInterval(COPIED_MS)
        self._reset.timeout.connect(lambda: self._say("Copy", "copy"))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme().px(8))
        row.addWidget(self.edit, 1)
        row.addWidget(self.button)

    def text(self) -> str:
        return self.edit.text()

    def set_text(self, text: str) -> None:
        self.edit.setText(text)
        self.edit.setCursorPosition(0)

    def _copy(self) -> None:
        copy_text(self.text(), secret=self._secret)
        self.button.setMinimumWidth(self.button.width())
        self._say("Copied", "check")
        self._reset.start()

    def _say(self, word: str, icon: str) -> None:
        self.button.setText(word)
        self.button.set_icon(icon)


def copy_text(text: str, *, secret: bool = False) -> None:
    """Put a text on the clipboard; a secret leaves it after 30 s unless something else took its place."""
    clipboard = QGuiApplication.clipboard()
    clipboard.setText(text)
    if secret:
        QTimer.singleShot(
            CLIPBOARD_MS, clipboard, lambda: clipboard.clear() if clipboard.text() == text else None
        )


class FormField(QWidget):
    """An editor with its label above and help below; an error takes the place of the help."""

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
        self.label = Label(label, "medium")
        self.label.setBuddy(editor)
        self._star = Label("*" if required else "", "medium", "failure")
        if not editor.accessibleName():
            editor.setAccessibleName(label)
        self._below = _Below()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme().px(5))
        head = QHBoxLayout()
        head.setSpacing(theme().px(3))
        head.addWidget(self.label)
        head.addWidget(self._star)
        head.addStretch(1)
        self.head = head
        """More may be added at the right end of the label's line."""
        column.addLayout(head)
        column.addWidget(editor)
        column.addWidget(self._below)
        self.set_error(None)

    @property
    def error(self) -> str | None:
        return self._below.error

    def set_error(self, text: str | None) -> None:
        self._below.show_text(text or self._help_text, is_error=bool(text))
        target = getattr(self.editor, "set_invalid", None)
        if target is not None:
            target(bool(text))
        else:
            mark_invalid(self.editor, bool(text))
        said = ["required"] if self._required else []
        self.editor.setAccessibleDescription(", ".join([*said, *filter(None, [text or self._help_text])]))

    def set_help(self, text: str) -> None:
        self._help_text = text
        if self.error is None:
            self.set_error(None)


class _Below(QWidget):
    """The line under a field: help in grey, or an error with its mark."""

    def __init__(self) -> None:
        super().__init__()
        self.error: str | None = None
        self._words = Label("", "caption", "text_tertiary", wrap=True)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.addWidget(self._words, 1)

    def show_text(self, text: str, *, is_error: bool) -> None:
        self.error = text if is_error else None
        self._words.setText(text)
        self._words.set_style(color_token="failure" if is_error else "text_tertiary")
        self._row.setContentsMargins(theme().px(19) if is_error else 0, 0, 0, 0)
        self.setVisible(bool(text))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.error:
            rect = QRectF(0, theme().px(1), theme().px(14), theme().px(15))
            paint_icon(QPainter(self), rect, "circle-alert", "failure", 14)
