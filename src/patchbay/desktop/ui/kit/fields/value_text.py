"""A text field in which values of earlier steps stand as chips."""

from PySide6.QtCore import QEvent, QMimeData, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QHelpEvent, QKeyEvent, QResizeEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextEdit, QToolTip, QWidget

from patchbay.desktop.ui.kit.fields.base import FieldHost
from patchbay.desktop.ui.kit.fields.value_chips import (
    CHIP,
    TOKEN,
    ChipObject,
    insert_text,
    reference_of,
    stored_text,
)
from patchbay.desktop.ui.kit.focus import FocusRinged
from patchbay.desktop.ui.kit.inputs import mark_invalid
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.variables import Reference

LOWEST, LOWEST_OF_MANY, HIGHEST = 34, 84, 220


class ValueTextEdit(FocusRinged, QTextEdit):
    """Text with chips. `text_edited` carries the stored form, in which each value is a `{{step.…}}` token."""

    ring_halo = True
    text_edited = Signal(str)
    left = Signal()
    picker_wanted = Signal()

    def __init__(self, host: FieldHost, *, multiline: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._multiline = multiline
        self._quiet = False
        self._chips = ChipObject(self.document(), host.catalog.describe, host.app)
        self._host = host
        self.document().documentLayout().registerHandler(int(CHIP), self._chips)
        self.setAcceptRichText(False)
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(theme().px(2))
        self.textChanged.connect(self._edited)
        self.document().documentLayout().documentSizeChanged.connect(lambda _: self._fit())
        theme().changed.connect(self.refresh)
        self._fit()

    # Value

    def text(self) -> str:
        return stored_text(self.document())

    def set_text(self, text: str) -> None:
        """Show a stored text; the cursor stays when nothing changes."""
        if text == self.text():
            return
        self._quiet = True
        self.clear()
        insert_text(self.textCursor(), text)
        self._quiet = False
        self._fit()

    def insert_token(self, token: str) -> None:
        """Put a value at the cursor; braces typed to call for it go."""
        cursor = self.textCursor()
        before = self.document().toPlainText()[: cursor.position()]
        for braces in ("{{", "{"):
            if before.endswith(braces) and not cursor.hasSelection():
                left, many = QTextCursor.MoveOperation.Left, len(braces)
                cursor.movePosition(left, QTextCursor.MoveMode.KeepAnchor, many)
                break
        insert_text(cursor, token)
        self.setTextCursor(cursor)

    def set_invalid(self, invalid: bool) -> None:
        mark_invalid(self, invalid)

    def refresh(self) -> None:
        """Names of steps or samples changed: draw and measure the chips again."""
        self._chips.describe = self._host.catalog.describe
        self.document().markContentsDirty(0, self.document().characterCount())
        self._fit()
        self.viewport().update()

    def _edited(self) -> None:
        self._fit()
        if not self._quiet:
            self.text_edited.emit(self.text())

    # Keyboard and clipboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.picker_wanted.emit()
            return
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and (control or not self._multiline):
            event.ignore()
            return
        super().keyPressEvent(event)
        if event.text() == "{" and self._before_cursor(2) == "{{":
            self.picker_wanted.emit()

    def _before_cursor(self, many: int) -> str:
        position = self.textCursor().position()
        return self.document().toPlainText()[max(0, position - many) : position]

    def createMimeDataFromSelection(self) -> QMimeData:
        cursor = self.textCursor()
        data = QMimeData()
        data.setText(stored_text(self.document(), cursor.selectionStart(), cursor.selectionEnd()))
        return data

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasText()

    def insertFromMimeData(self, source: QMimeData) -> None:
        text = source.text()
        insert_text(self.textCursor(), text if self._multiline else " ".join(text.splitlines()))

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() is not Qt.FocusReason.PopupFocusReason:
            self.left.emit()

    # Size and tooltips

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        px = theme().px
        self._chips.room = max(80.0, self.viewport().width() - px(16))
        lowest = px(LOWEST_OF_MANY if self._multiline else LOWEST)
        wanted = round(self.document().size().height()) + px(12)
        height = min(px(HIGHEST), max(lowest, wanted))
        bar = (
            Qt.ScrollBarPolicy.ScrollBarAsNeeded if wanted > height else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        )
        if bar != self.verticalScrollBarPolicy():
            self.setVerticalScrollBarPolicy(bar)
        if height != self.height() or self.minimumHeight() != height:
            self.setFixedHeight(height)

    def sizeHint(self) -> QSize:
        return QSize(theme().px(240), self.minimumHeight())

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            self._tooltip(event)
            return True
        return super().event(event)

    def chip_at(self, event: QHelpEvent) -> Reference | None:
        cursor = self.cursorForPosition(self.viewport().mapFromGlobal(event.globalPos()))
        for _ in range(2):
            token = str(cursor.charFormat().property(int(TOKEN)) or "")
            if token:
                return reference_of(token)
            cursor.movePosition(QTextCursor.MoveOperation.Right)
        return None

    def _tooltip(self, event: QHelpEvent) -> None:
        reference = self.chip_at(event)
        if reference is None:
            QToolTip.hideText()
            return
        chip = self._host.catalog.describe(reference)
        sample = f"\n{chip.sample}" if chip.sample else ""
        broken = "\nThis step is gone or comes later." if chip.broken else ""
        QToolTip.showText(event.globalPos(), f"{chip.text}{sample}{broken}", self)
