"""What fields of text share: undo and redo keys beside those of their page, and a menu with a name."""

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    _Mixed = QWidget
else:
    _Mixed = object


EDIT_MENU = "Edit"


class SharesUndo(_Mixed):
    """A field of text that leaves the undo and redo keys to its page when it has nothing to undo or redo.

    Qt's fields always claim these keys, so the page's shortcuts would not work while a field has the focus.
    """

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            history: Any = self.document() if hasattr(self, "document") else self
            undo, redo = QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo
            if (event.matches(undo) and not history.isUndoAvailable()) or (
                event.matches(redo) and not history.isRedoAvailable()
            ):
                event.ignore()
                return False
        return super().event(event)


class NamedEditMenu(_Mixed):
    """A field of text whose menu has a name; Qt would call it after the program."""

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        field: Any = self
        menu = field.createStandardContextMenu()
        menu.setAccessibleName(EDIT_MENU)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())
