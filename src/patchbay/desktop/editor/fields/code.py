"""The code editor: syntax highlighting for JavaScript and Python, line numbers, and Tab to indent."""

import re

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import (
    QFocusEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QSyntaxHighlighter,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QPlainTextEdit, QSizePolicy, QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.editor.fields.base import FieldEditor
from patchbay.desktop.kit.boxes import vbox
from patchbay.desktop.kit.focus import FocusRinged
from patchbay.desktop.kit.line_edit import NamedContextMenu, UndoKeySharing, mark_invalid
from patchbay.desktop.kit.text import Label
from patchbay.desktop.kit.theme import theme
from patchbay.domain.base import Json
from patchbay.domain.variables import as_text

_JAVASCRIPT = (
    r"async|await|break|case|catch|class|const|continue|default|delete|do|else|export|extends|false|finally|for"
    r"|function|if|import|in|instanceof|let|new|null|of|return|static|switch|this|throw|true|try|typeof"
    r"|undefined|var|void|while|yield"
)
_PYTHON = (
    r"and|as|assert|async|await|break|case|class|continue|def|del|elif|else|except|False|finally|for|from|global"
    r"|if|import|in|is|lambda|match|None|nonlocal|not|or|pass|raise|return|True|try|while|with|yield"
)
_QUOTED = r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'"
Rules = tuple[tuple[str, re.Pattern[str]], ...]


def _rules(keywords: str, strings: str, comments: str) -> Rules:
    return (
        ("code_keyword", re.compile(rf"\b(?:{keywords})\b")),
        ("code_number", re.compile(r"\b\d+(?:\.\d+)?\b")),
        ("code_string", re.compile(strings)),
        ("text_tertiary", re.compile(comments)),
    )


_LANGUAGES = {
    "javascript": _rules(_JAVASCRIPT, rf"{_QUOTED}|`(?:\\.|[^`\\])*`", r"(?<!:)//.*$|/\*.*?\*/"),
    "python": _rules(_PYTHON, _QUOTED, r"(?<!\S)#.*$"),
}


class ScriptHighlighter(QSyntaxHighlighter):
    """Highlights line by line, which is enough for short scripts."""

    def __init__(self, document: QTextDocument, language: str = "") -> None:
        super().__init__(document)
        self._rules = _LANGUAGES.get(language, _LANGUAGES["javascript"])
        self._formats: list[tuple[QTextCharFormat, re.Pattern[str]]] = []
        self.restyle()

    def restyle(self) -> None:
        """Apply the theme's colours."""
        self._formats = []
        for token, pattern in self._rules:
            char_format = QTextCharFormat()
            char_format.setForeground(theme().color(token))
            self._formats.append((char_format, pattern))
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        for char_format, pattern in self._formats:
            for match in pattern.finditer(text):
                self.setFormat(match.start(), match.end() - match.start(), char_format)


# Editor

MIN_LINES, MAX_LINES = 8, 24
HINT = tr("Tab indents. To move to the next field, press Esc, then Tab.")
_BLOCK_OPENERS = {"python": (":", "(", "[", "{"), "javascript": ("(", "[", "{", "=>")}
_INDENT = {"python": 4, "javascript": 2}


class CodeField(FieldEditor):
    """The code field. Variables aren't replaced in code, so none can be inserted.

    `help_text` is shown below it, before the note about the Tab key.
    """

    def __init__(self, language: str = "", placeholder: str = "", *, help_text: str = "") -> None:
        super().__init__()
        self.edit = CodeEdit(language, self)
        self.edit.setPlaceholderText(placeholder)
        self.edit.textChanged.connect(self._on_edited)
        self._updating = False
        self.setFocusProxy(self.edit)
        vbox(
            self.edit,
            Label(f"{help_text} {HINT}".strip(), "caption", "text_tertiary", wrap=True),
            parent=self,
            spacing=5,
        )

    def setAccessibleName(self, name: str) -> None:
        super().setAccessibleName(name)
        self.edit.setAccessibleName(name)

    def setAccessibleDescription(self, description: str) -> None:
        super().setAccessibleDescription(description)
        self.edit.setAccessibleDescription(f"{description} {HINT}".strip())

    def value(self) -> Json:
        return self.edit.toPlainText()

    def set_value(self, value: Json) -> None:
        text = as_text(value)
        if text != self.edit.toPlainText():
            self._updating = True
            self.edit.setPlainText(text)
            self._updating = False

    def set_invalid(self, invalid: bool) -> None:
        mark_invalid(self.edit, invalid)

    def _on_edited(self) -> None:
        if not self._updating:
            self.changed.emit(self.value())


class CodeEdit(UndoKeySharing, NamedContextMenu, FocusRinged, QPlainTextEdit):
    """The text edit. Tab and Shift+Tab indent, Enter keeps the indentation, Esc releases the Tab key."""

    ring_halo = True
    max_lines = MAX_LINES
    """Maximum number of lines the edit grows to."""

    def __init__(self, language: str, field: CodeField) -> None:
        super().__init__(field)
        self._focus_left = field.focus_left
        self._block_openers = _BLOCK_OPENERS.get(language, _BLOCK_OPENERS["javascript"])
        self._indent = _INDENT.get(language, 2)
        self.numbers = _Numbers(self)
        self._highlighter = ScriptHighlighter(self.document(), language)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.blockCountChanged.connect(lambda _: self._fit())
        self.updateRequest.connect(self._on_scrolled)
        theme().changed.connect(self._restyle)
        self._restyle()

    # Keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key == Qt.Key.Key_Escape and self.tabChangesFocus():
            event.ignore()  # the Tab key is free already: this one is for the dialog around it
        elif key == Qt.Key.Key_Escape:
            self.setTabChangesFocus(True)
        elif key in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
            self._tab(back=key == Qt.Key.Key_Backtab)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                event.ignore()
            else:
                self._new_line()
        else:
            if event.text():
                self.setTabChangesFocus(False)
            super().keyPressEvent(event)

    def _tab(self, *, back: bool) -> None:
        cursor = self.textCursor()
        if back or cursor.hasSelection():
            self._move_lines(cursor, -1 if back else 1)
        else:
            cursor.insertText(" " * (self._indent - cursor.positionInBlock() % self._indent))

    def _move_lines(self, cursor: QTextCursor, direction: int) -> None:
        """Indent or unindent the selected lines by one step."""
        document = self.document()
        block = document.findBlock(cursor.selectionStart())
        last = document.findBlock(max(cursor.selectionStart(), cursor.selectionEnd() - 1)).blockNumber()
        cursor.beginEditBlock()
        while block.isValid() and block.blockNumber() <= last:
            at, text = QTextCursor(block), block.text()
            if direction > 0 and text.strip():
                at.insertText(" " * self._indent)
            elif direction < 0:
                spaces = len(text) - len(text.lstrip(" "))
                move, keep = QTextCursor.MoveOperation.Right, QTextCursor.MoveMode.KeepAnchor
                at.movePosition(move, keep, min(spaces, self._indent))
                at.removeSelectedText()
            block = block.next()
        cursor.endEditBlock()

    def _new_line(self) -> None:
        cursor = self.textCursor()
        cursor.beginEditBlock()
        cursor.removeSelectedText()
        before = cursor.block().text()[: cursor.positionInBlock()]
        deeper = self._indent if before.rstrip().endswith(self._block_openers) else 0
        cursor.insertText("\n" + " " * (len(before) - len(before.lstrip(" ")) + deeper))
        cursor.endEditBlock()
        self.setTextCursor(cursor)
        self.ensureCursorVisible()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.setTabChangesFocus(self.isReadOnly())

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() is not Qt.FocusReason.PopupFocusReason:
            self._focus_left.emit()

    # Size and line numbers

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_numbers()

    def paint_numbers(self, painter: QPainter, area: QRect) -> None:
        """The numbers of the lines in `area`, right-aligned."""
        painter.setFont(self.font())
        painter.setPen(theme().tokens.text_tertiary)
        block = self.firstVisibleBlock()
        while block.isValid():
            box = self.blockBoundingGeometry(block).translated(self.contentOffset())
            if box.top() > area.bottom():
                return
            place = QRectF(0, box.top(), self.numbers.width() - theme().px(8), box.height())
            painter.drawText(place, int(Qt.AlignmentFlag.AlignRight), str(block.blockNumber() + 1))
            block = block.next()

    def _fit(self) -> None:
        px, metrics = theme().px, self.fontMetrics()
        digits = max(2, len(str(self.blockCount())))
        width = metrics.horizontalAdvance("0" * digits) + px(16)
        self.numbers.setFixedWidth(width)
        self.setViewportMargins(width, 0, 0, 0)
        lines = min(self.max_lines, max(MIN_LINES, self.blockCount() + 1))
        self.setFixedHeight(lines * metrics.lineSpacing() + px(24))
        self._place_numbers()

    def _place_numbers(self) -> None:
        inside = self.viewport().geometry()
        self.numbers.setGeometry(
            inside.left() - self.numbers.width(), inside.top(), self.numbers.width(), inside.height()
        )

    def _on_scrolled(self, area: QRect, by: int) -> None:
        if by:
            self.numbers.scroll(0, by)
        else:
            self.numbers.update(0, area.y(), self.numbers.width(), area.height())

    def _restyle(self) -> None:
        self.setFont(theme().font("code"))
        self.setTabStopDistance(self.fontMetrics().horizontalAdvance(" " * self._indent))
        self._highlighter.restyle()
        self._fit()


class _Numbers(QWidget):
    """The margin with the numbers of the lines."""

    def __init__(self, edit: CodeEdit) -> None:
        super().__init__(edit)
        self._edit = edit
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def paintEvent(self, event: QPaintEvent) -> None:
        self._edit.paint_numbers(QPainter(self), event.rect())
