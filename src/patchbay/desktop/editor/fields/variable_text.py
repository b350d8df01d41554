"""Text editors in which variables appear as chips, and the popup with the options of a chip."""

from PySide6.QtCore import QEvent, QMimeData, QPoint, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QContextMenuEvent,
    QFocusEvent,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QResizeEvent,
    QTextCursor,
)
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QGridLayout,
    QMenu,
    QSizePolicy,
    QTextEdit,
    QToolTip,
    QWidget,
)

from patchbay.desktop.core.language import tr
from patchbay.desktop.editor.fields.base import FieldEditor, FieldHost
from patchbay.desktop.editor.fields.variable_chips import (
    CHIP,
    ChipObject,
    chip_at,
    insert_text,
    modifiers_text,
    stored_text,
)
from patchbay.desktop.editor.fields.variable_picker import ValuePicker
from patchbay.desktop.editor.view_models.variables import ChipText
from patchbay.desktop.kit.buttons import Button
from patchbay.desktop.kit.focus import FocusRinged
from patchbay.desktop.kit.inputs import FormField
from patchbay.desktop.kit.line_edit import EDIT_MENU, LineEdit, UndoKeySharing, mark_invalid
from patchbay.desktop.kit.popups import SHADOW, Popup
from patchbay.desktop.kit.shortcuts import INSERT_VARIABLE, SET_FALLBACK, native_text
from patchbay.desktop.kit.text import ElidedLabel, Label, plain_tip
from patchbay.desktop.kit.theme import theme
from patchbay.desktop.kit.toggles import CheckBox
from patchbay.domain.base import Json
from patchbay.domain.variables import Reference, as_text, split

WIDTH = 300


class ValueOptions(Popup):
    """The popup with the options of a chip; every change emits `changed(reference)`."""

    changed = Signal(object)

    def __init__(self, anchor: QWidget, reference: Reference, chip: ChipText) -> None:
        super().__init__(anchor)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        px = theme().px
        self._reference = reference
        self.default = LineEdit(reference.default or "", tr("Leave empty and warn"))
        self.default.textEdited.connect(self._set_default)
        self.as_json = CheckBox(tr("Insert as JSON"))
        self.as_json.setChecked(reference.as_json)
        self.as_json.setAccessibleDescription(tr("Adds quotes around text so that it's valid inside JSON."))
        self.as_json.toggled.connect(self._set_as_json)
        margin = SHADOW + px(14)
        self.body.setContentsMargins(margin, SHADOW + px(12), margin, SHADOW + px(12))
        self.body.setSpacing(px(8))
        self.body.addWidget(ElidedLabel(chip.text, "caption_strong", "text_secondary"))
        self.body.addWidget(FormField(tr("If empty, use"), self.default))
        self.body.addWidget(self.as_json)
        self.body.addWidget(
            Label(tr("Adds quotes around text so that it's valid inside JSON."), "caption", "text_tertiary")
        )

    def open_at(self, anchor: QWidget) -> None:
        """Open the options below a widget, with the cursor in the fallback value."""
        self.setFixedWidth(theme().px(WIDTH) + 2 * SHADOW)
        self.open_under(anchor)
        self.default.setFocus(Qt.FocusReason.PopupFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.close()
        else:
            super().keyPressEvent(event)

    def _set_default(self, text: str) -> None:
        self._change(default=text or None)

    def _set_as_json(self, wanted: bool) -> None:
        self._change(as_json=wanted)

    def _change(self, **parts: str | bool | None) -> None:
        self._reference = self._reference.model_copy(update=parts)
        self.changed.emit(self._reference)


# Text with chips

MIN_HEIGHT = 34
MIN_MULTILINE_HEIGHT = 84
MAX_HEIGHT = 220
CHIP_RISE = 2
"""Height of a chip's centre above the centre of the text beside it."""


class ValueTextEdit(UndoKeySharing, FocusRinged, QTextEdit):
    """Text with chips. `text_edited` carries the stored form, in which each value is a `{{step.…}}` token.

    A double click on a chip, or Alt+Down beside one, opens what can be said of it; so does its menu.
    """

    ring_halo = True
    text_edited = Signal(str)
    focus_left = Signal()
    picker_requested = Signal()

    def __init__(self, host: FieldHost, *, multiline: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._multiline = multiline
        self._updating = False
        self._chips = ChipObject(self.document(), host.catalog.describe, host.app)
        self._host = host
        self.options: ValueOptions | None = None
        self._edited_chip, self._description = 0, ""
        self.document().documentLayout().registerHandler(int(CHIP), self._chips)
        self.setAcceptRichText(False)
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(theme().px(2))
        self.textChanged.connect(self._on_edited)
        self.document().documentLayout().documentSizeChanged.connect(lambda _: self._fit())
        theme().changed.connect(self.refresh)
        self._fit()

    # Value

    def text(self) -> str:
        """The text with variables as tokens."""
        return stored_text(self.document())

    def set_text(self, text: str) -> None:
        """Show stored text without an undo entry; the cursor stays if nothing changes."""
        if text == self.text():
            return
        self._updating = True
        self.clear()
        insert_text(self.textCursor(), text)
        self.document().clearUndoRedoStacks()
        self._updating = False
        self._fit()

    def insert_token(self, token: str) -> None:
        """Insert a variable at the cursor, replacing the braces that opened the picker."""
        cursor = self.textCursor()
        before = self.document().toPlainText()[: cursor.position()]
        for braces in ("{{", "{"):
            if before.endswith(braces) and not cursor.hasSelection():
                left, length = QTextCursor.MoveOperation.Left, len(braces)
                cursor.movePosition(left, QTextCursor.MoveMode.KeepAnchor, length)
                break
        insert_text(cursor, token)
        self.setTextCursor(cursor)

    @property
    def first_line_drop(self) -> int:
        """Pixels by which chips push the first line down, compared with plain text."""
        layout = self.document().firstBlock().layout()
        if not layout.lineCount():
            return 0
        raised = layout.lineAt(0).ascent() - QFontMetricsF(self.font()).ascent()
        return max(0, round(raised) - theme().px(CHIP_RISE))

    def reserve_width(self, width: int) -> None:
        """Reserve room for a button at the end of lines."""
        self.setViewportMargins(0, 0, width, 0)

    def set_invalid(self, invalid: bool) -> None:
        """Mark the field as invalid, or remove the mark."""
        mark_invalid(self, invalid)

    def setAccessibleDescription(self, description: str) -> None:
        self._description = description
        self._describe()

    def _describe(self) -> None:
        """Spell out variables for screen readers, which see a chip as one odd character."""
        pieces = split(self.text())
        spoken = "".join(
            piece if isinstance(piece, str) else f"[{self._chips.words(piece)}]" for piece in pieces
        )
        spoken_text = spoken if any(isinstance(piece, Reference) for piece in pieces) else ""
        super().setAccessibleDescription(". ".join(filter(None, (spoken_text, self._description))))

    def refresh(self) -> None:
        """Measure and paint the chips again after step names or samples changed."""
        self._chips.describe = self._host.catalog.describe
        self._describe()
        self.document().markContentsDirty(0, self.document().characterCount())
        self._fit()
        self.viewport().update()

    def _on_edited(self) -> None:
        self._fit()
        self._describe()
        if not self._updating:
            self.text_edited.emit(self.text())

    # Keyboard and clipboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if INSERT_VARIABLE.matches(event):
            self.picker_requested.emit()
            return
        if SET_FALLBACK.matches(event):
            self.open_options()
            return
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and (control or not self._multiline):
            event.ignore()
            return
        super().keyPressEvent(event)
        if event.text() == "{" and self._before_cursor(2) == "{{":
            self.picker_requested.emit()

    def _before_cursor(self, length: int) -> str:
        position = self.textCursor().position()
        return self.document().toPlainText()[max(0, position - length) : position]

    # What is said of a value

    def open_options(self) -> None:
        """Open the options of a chip (the one at the cursor): fallback value and format."""
        found = chip_at(self.document(), self.textCursor().position())
        if found is None or self.isReadOnly():
            return
        self._edited_chip, reference = found
        options = ValueOptions(self, reference, self._host.catalog.describe(reference))
        options.changed.connect(self._replace_chosen)
        options.closed.connect(self._on_options_closed)
        self.options = options
        options.open_at(self)

    def _replace_chosen(self, reference: Reference) -> None:
        """Replace the chosen chip's reference; the cursor stays."""
        cursor = self.textCursor()
        here = cursor.position()
        cursor.setPosition(self._edited_chip)
        cursor.setPosition(self._edited_chip + 1, QTextCursor.MoveMode.KeepAnchor)
        insert_text(cursor, reference.token)
        cursor.setPosition(here)
        self.setTextCursor(cursor)

    def _toggle_json(self) -> None:
        if (found := chip_at(self.document(), self.textCursor().position())) is not None:
            self._edited_chip, reference = found
            self._replace_chosen(reference.model_copy(update={"as_json": not reference.as_json}))

    def _on_options_closed(self) -> None:
        self.options = None
        self.setFocus(Qt.FocusReason.PopupFocusReason)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if (at := self._chip_under(event.position().toPoint())) is None:
            super().mouseDoubleClickEvent(event)
            return
        self._move_cursor_after(at[0])
        self.open_options()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_mouse = event.reason() is QContextMenuEvent.Reason.Mouse
        if by_mouse and (at := self._chip_under(event.pos())) is not None:
            self._move_cursor_after(at[0])
        menu = self.menu_at(event.pos())
        menu.exec(event.globalPos())
        menu.deleteLater()

    def menu_at(self, place: QPoint) -> QMenu:
        """Return the standard text menu plus the options of the chip at the cursor."""
        menu = self.createStandardContextMenu(place)
        menu.setAccessibleName(EDIT_MENU)
        found = chip_at(self.document(), self.textCursor().position())
        if found is not None and not self.isReadOnly():
            first = menu.actions()[0]
            empty, as_json = QAction(tr("If empty, use…"), menu), QAction(tr("Insert as JSON"), menu)
            empty.setShortcut(SET_FALLBACK.keys[0])
            empty.triggered.connect(self.open_options)
            as_json.setCheckable(True)
            as_json.setChecked(found[1].as_json)
            as_json.triggered.connect(self._toggle_json)
            menu.insertActions(first, [empty, as_json])
            menu.insertSeparator(first)
        return menu

    def _move_cursor_after(self, start: int) -> None:
        cursor = self.textCursor()
        cursor.setPosition(start + 1)
        self.setTextCursor(cursor)

    def _chip_under(self, place: QPoint) -> tuple[int, Reference] | None:
        """Return the chip at a viewport position."""
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
            self.focus_left.emit()

    # Size and tooltips

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        px = theme().px
        self._chips.max_width = max(80.0, self.viewport().width() - px(16))
        lowest = px(MIN_MULTILINE_HEIGHT if self._multiline else MIN_HEIGHT)
        wanted = round(self.document().size().height()) + px(12)
        height = min(px(MAX_HEIGHT), max(lowest, wanted))
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
        broken = tr("This step was deleted, runs later, or is in another branch.") if chip.broken else ""
        keys = tr("{keys}: if empty, as JSON", keys=native_text(SET_FALLBACK.keys[0]))
        lines = (f"{chip.text}{modifiers_text(reference)}", chip.sample, broken, keys)
        QToolTip.showText(event.globalPos(), plain_tip("\n".join(filter(None, lines))), self)


# Field editor

MIN_WIDTH_FOR_LABEL = 380
"""Width from which the Insert button shows text."""


class InsertButton(Button):
    """Opens the variable picker. A click doesn't move the cursor."""

    focus_left = Signal()

    def __init__(self) -> None:
        super().__init__("", "link", "braces")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setFixedHeight(theme().px(24))
        self.setToolTip(plain_tip(INSERT_VARIABLE.hint(tr("Insert variable"))))

    def set_field(self, name: str) -> None:
        """Set the name of the field that variables are inserted into."""
        self.setAccessibleName(tr("Insert variable into {field}", field=name))

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.focus_left.emit()


class ValueTextField(FieldEditor):
    """A text field with variables, inserted by button, Ctrl+Space, or {{."""

    accepts_values = True

    def __init__(
        self,
        host: FieldHost,
        *,
        multiline: bool = False,
        placeholder: str = "",
        values: bool = True,
        preferred_type: str = "",
    ) -> None:
        super().__init__()
        self._host, self._prefer = host, preferred_type
        self.accepts_values = values
        self.edit = ValueTextEdit(host, multiline=multiline)
        self.edit.setPlaceholderText(placeholder)
        self.edit.text_edited.connect(self.changed.emit)
        self.edit.focus_left.connect(self._on_focus_left)
        self.insert = InsertButton()
        self.insert.focus_left.connect(self._on_focus_left)
        self.insert.clicked.connect(self.insert_value)
        if values:
            self.edit.picker_requested.connect(self.insert_value)
        self.setFocusProxy(self.edit)
        self.picker: ValuePicker | None = None
        corner = self._corner = QGridLayout()
        corner.addWidget(self.insert)
        self._align_insert()
        self.edit.document().documentLayout().documentSizeChanged.connect(lambda _: self._align_insert())
        inside = QGridLayout(self)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.addWidget(self.edit, 0, 0)
        inside.addLayout(corner, 0, 0, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignRight)
        self.insert.setVisible(self.accepts_values)

    def _align_insert(self) -> None:
        """Centre the button on the first line, which is lower with chips."""
        self._corner.setContentsMargins(0, theme().px(5) + self.edit.first_line_drop, theme().px(8), 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the button with text if there is room."""
        super().resizeEvent(event)
        if self.accepts_values:
            self.insert.setText(
                tr("Insert variable") if self.width() >= theme().px(MIN_WIDTH_FOR_LABEL) else ""
            )
            self.edit.reserve_width(self.insert.sizeHint().width() + theme().px(8))

    def setAccessibleName(self, name: str) -> None:
        super().setAccessibleName(name)
        self.edit.setAccessibleName(name)
        self.insert.set_field(name)

    def setAccessibleDescription(self, description: str) -> None:
        super().setAccessibleDescription(description)
        self.edit.setAccessibleDescription(description)

    def value(self) -> Json:
        return self.edit.text()

    def set_value(self, value: Json) -> None:
        self.edit.set_text(as_text(value))

    def set_invalid(self, invalid: bool) -> None:
        self.edit.set_invalid(invalid)

    def refresh(self) -> None:
        self.edit.refresh()

    def _on_focus_left(self) -> None:
        if QApplication.focusWidget() not in (self.edit, self.insert):
            self.focus_left.emit()

    def insert_value(self) -> None:
        if not self.edit.hasFocus():
            self.edit.setFocus(Qt.FocusReason.OtherFocusReason)
        picker = ValuePicker(self.edit, self._host.catalog, self._host.app, self._prefer)
        picker.picked.connect(self._insert)
        picker.closed.connect(self._on_picker_closed)
        self.picker = picker
        picker.open_at(self.edit)

    def _insert(self, token: str) -> None:
        self.edit.insert_token(token)
        self.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_picker_closed(self) -> None:
        self.picker = None
