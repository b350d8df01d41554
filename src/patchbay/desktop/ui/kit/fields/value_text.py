"""A text field in which values of earlier steps stand as chips."""

from PySide6.QtCore import QEvent, QMimeData, QPoint, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QContextMenuEvent,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QResizeEvent,
    QTextCursor,
)
from PySide6.QtWidgets import QFrame, QMenu, QSizePolicy, QTextEdit, QToolTip, QWidget

from patchbay.desktop.ui.kit.fields.base import FieldHost
from patchbay.desktop.ui.kit.fields.value_chips import (
    CHIP,
    ChipObject,
    chip_at,
    filter_words,
    insert_text,
    stored_text,
)
from patchbay.desktop.ui.kit.fields.value_options import ValueOptions
from patchbay.desktop.ui.kit.focus import FocusRinged
from patchbay.desktop.ui.kit.inputs import mark_invalid
from patchbay.desktop.ui.kit.text import plain_tip
from patchbay.desktop.ui.kit.theme import theme
from patchbay.desktop.ui.kit.undo_keys import EDIT_MENU, SharesUndo
from patchbay.domain.variables import Reference, split

LOWEST, LOWEST_OF_MANY, HIGHEST = 34, 84, 220


class ValueTextEdit(SharesUndo, FocusRinged, QTextEdit):
    """Text with chips. `text_edited` carries the stored form, in which each value is a `{{step.…}}` token.

    A double click on a chip, or Alt+Down beside one, opens what can be said of it; so does its menu.
    """

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
        self.options: ValueOptions | None = None
        self._chosen, self._described = 0, ""
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
        """Show a stored text, which Undo doesn't take away; the cursor stays when nothing changes."""
        if text == self.text():
            return
        self._quiet = True
        self.clear()
        insert_text(self.textCursor(), text)
        self.document().clearUndoRedoStacks()
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

    def keep_free(self, width: int) -> None:
        """Leave room for a button at the end of the lines."""
        self.setViewportMargins(0, 0, width, 0)

    def set_invalid(self, invalid: bool) -> None:
        mark_invalid(self, invalid)

    def setAccessibleDescription(self, description: str) -> None:
        self._described = description
        self._describe()

    def _describe(self) -> None:
        """Spell out a text that holds values: screen readers read each chip as one odd character."""
        pieces = split(self.text())
        spoken = "".join(
            piece if isinstance(piece, str) else f"[{self._chips.words(piece)}]" for piece in pieces
        )
        held = spoken if any(isinstance(piece, Reference) for piece in pieces) else ""
        super().setAccessibleDescription(". ".join(filter(None, (held, self._described))))

    def refresh(self) -> None:
        """Names of steps or samples changed: draw and measure the chips again."""
        self._chips.describe = self._host.catalog.describe
        self._describe()
        self.document().markContentsDirty(0, self.document().characterCount())
        self._fit()
        self.viewport().update()

    def _edited(self) -> None:
        self._fit()
        self._describe()
        if not self._quiet:
            self.text_edited.emit(self.text())

    # Keyboard and clipboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.picker_wanted.emit()
            return
        alt = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        if alt and event.key() == Qt.Key.Key_Down:
            self.open_options()
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

    # What is said of a value

    def open_options(self) -> None:
        """Say what a value is replaced by when it is empty, and how it is inserted; the one at the cursor."""
        found = chip_at(self.document(), self.textCursor().position())
        if found is None or self.isReadOnly():
            return
        self._chosen, reference = found
        options = ValueOptions(self, reference, self._host.catalog.describe(reference))
        options.changed.connect(self._replace_chosen)
        options.closed.connect(self._options_closed)
        self.options = options
        options.open_at(self)

    def _replace_chosen(self, reference: Reference) -> None:
        """Put another reference in the place of the chosen chip; the cursor stays."""
        cursor = self.textCursor()
        here = cursor.position()
        cursor.setPosition(self._chosen)
        cursor.setPosition(self._chosen + 1, QTextCursor.MoveMode.KeepAnchor)
        insert_text(cursor, reference.token)
        cursor.setPosition(here)
        self.setTextCursor(cursor)

    def _toggle_json(self) -> None:
        if (found := chip_at(self.document(), self.textCursor().position())) is not None:
            self._chosen, reference = found
            self._replace_chosen(reference.model_copy(update={"as_json": not reference.as_json}))

    def _options_closed(self) -> None:
        self.options = None
        self.setFocus(Qt.FocusReason.PopupFocusReason)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if (at := self._chip_under(event.position().toPoint())) is None:
            super().mouseDoubleClickEvent(event)
            return
        self._go_behind(at[0])
        self.open_options()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_mouse = event.reason() is QContextMenuEvent.Reason.Mouse
        if by_mouse and (at := self._chip_under(event.pos())) is not None:
            self._go_behind(at[0])
        menu = self.menu_at(event.pos())
        menu.exec(event.globalPos())
        menu.deleteLater()

    def menu_at(self, place: QPoint) -> QMenu:
        """The usual menu of a text, and what can be said of the value at the cursor."""
        menu = self.createStandardContextMenu(place)
        menu.setAccessibleName(EDIT_MENU)
        found = chip_at(self.document(), self.textCursor().position())
        if found is not None and not self.isReadOnly():
            first = menu.actions()[0]
            empty, as_json = QAction("If empty, use…", menu), QAction("Insert as JSON", menu)
            empty.setShortcut("Alt+Down")
            empty.triggered.connect(self.open_options)
            as_json.setCheckable(True)
            as_json.setChecked(found[1].as_json)
            as_json.triggered.connect(self._toggle_json)
            menu.insertActions(first, [empty, as_json])
            menu.insertSeparator(first)
        return menu

    def _go_behind(self, start: int) -> None:
        cursor = self.textCursor()
        cursor.setPosition(start + 1)
        self.setTextCursor(cursor)

    def _chip_under(self, place: QPoint) -> tuple[int, Reference] | None:
        """The chip at a point of the viewport."""
        position = self.cursorForPosition(place).position()
        for start in (position - 1, position):
            found = chip_at(self.document(), start + 1)
            if found is not None and found[0] == start and self._covers(start, place):
                return found
        return None

    def _covers(self, start: int, place: QPoint) -> bool:
        cursor = QTextCursor(self.document())
        cursor.setPosition(start)
        before = self.cursorRect(cursor)
        cursor.setPosition(start + 1)
        after = self.cursorRect(cursor)
        wrapped = after.top() > before.top()
        return before.left() <= place.x() and (wrapped or place.x() < after.left())

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

    def _tooltip(self, event: QHelpEvent) -> None:
        found = self._chip_under(self.viewport().mapFromGlobal(event.globalPos()))
        if found is None:
            QToolTip.hideText()
            return
        reference = found[1]
        chip = self._host.catalog.describe(reference)
        sample = f"\n{chip.sample}" if chip.sample else ""
        broken = "\nThis step is gone, comes later, or is in another path." if chip.broken else ""
        words = f"{chip.text}{filter_words(reference)}{sample}{broken}\nAlt+Down: if empty, as JSON"
        QToolTip.showText(event.globalPos(), plain_tip(words), self)
