"""How the entries of the folder list are drawn, and renamed in place."""

from typing import Any

from PySide6.QtCore import QAbstractItemModel, QObject, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from patchbay.desktop.state.flows_folders import SideEntry
from patchbay.desktop.state.flows_rows import SidePlace
from patchbay.desktop.ui.flows.list_model import Index
from patchbay.desktop.ui.flows.side_model import ENTRY_ROLE
from patchbay.desktop.ui.kit.buttons import paint_box
from patchbay.desktop.ui.kit.delegates import begin_rename, paint_text
from patchbay.desktop.ui.kit.icons import paint_icon
from patchbay.desktop.ui.kit.marks import paint_mark
from patchbay.desktop.ui.kit.theme import theme

ROW_HEIGHT, HEADING_HEIGHT, MARGIN = 30, 44, 8

_ICONS = {SidePlace.ALL: "workflow", SidePlace.ATTENTION: "triangle-alert", SidePlace.UNCATEGORISED: "inbox"}


class FolderSidebarDelegate(QStyledItemDelegate):
    """A 30 px entry with icon, name and count; the heading; the drop target while flows are dragged."""

    renamed = Signal(str, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.target = -1
        self.dragged_count = 0

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        entry = isinstance(index.data(ENTRY_ROLE), SideEntry)
        return QSize(theme().px(100), theme().px(ROW_HEIGHT if entry else HEADING_HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        line = index.data(ENTRY_ROLE)
        shown: Any = option
        px = theme().px
        rect = QRectF(shown.rect).adjusted(px(MARGIN), 0, -px(MARGIN), 0)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if isinstance(line, SideEntry):
            self._paint_entry(painter, rect, shown.state, index.row(), line)
        else:
            area = rect.adjusted(px(8), px(8), 0, 0)
            paint_text(painter, area, "Folders", "caption_strong", "text_secondary")
        painter.restore()

    def _paint_entry(
        self, painter: QPainter, rect: QRectF, state: QStyle.StateFlag, row: int, line: SideEntry
    ) -> None:
        px, tokens = theme().px, theme().tokens
        target = row == self.target
        selected = bool(state & QStyle.StateFlag.State_Selected)
        if selected or target:
            paint_box(painter, rect, tokens.selected, None)
        elif state & QStyle.StateFlag.State_MouseOver:
            paint_box(painter, rect, tokens.hover, None)
        if target:
            painter.setPen(QPen(tokens.accent, px(2)))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), px(5), px(5))
        self._paint_icon(
            painter, QRectF(rect.x() + px(8), rect.y(), px(16), rect.height()), line, target, selected
        )
        text_rect = QRectF(rect.x() + px(32), rect.y(), rect.width() - px(72), rect.height())
        paint_text(painter, text_rect, line.label, "semibold" if selected else "body")
        number = f"+{self.dragged_count}" if target else "–" if line.count is None else str(line.count)
        is_strong = selected or target
        is_warning = line.place == SidePlace.ATTENTION and line.count
        colour = "accent_text" if is_strong else "warning" if is_warning else "text_tertiary"
        area = QRectF(rect.right() - px(48), rect.y(), px(40), rect.height())
        role = "caption_strong" if is_strong else "caption"
        paint_text(painter, area, number, role, colour, Qt.AlignmentFlag.AlignRight)

    def _paint_icon(
        self, painter: QPainter, rect: QRectF, line: SideEntry, target: bool, selected: bool
    ) -> None:
        name = _ICONS.get(SidePlace(line.place)) if line.folder is None else None
        if name == "triangle-alert":
            colour = theme().tokens.warning if line.count else theme().tokens.text_tertiary
            paint_mark(painter, rect, name, colour, theme().tokens.sidebar)
            return
        token = "accent_text" if selected or target else "text_secondary"
        paint_icon(painter, rect, name or ("folder-open" if target else "folder"), token)

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = QLineEdit(parent)
        editor.setAccessibleName("Folder name")
        editor.setMaxLength(255)
        return editor

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        shown: Any = option
        px = theme().px
        editor.setGeometry(QRect(shown.rect).adjusted(px(MARGIN + 24), 1, -px(MARGIN), -1))

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        begin_rename(editor, index.data())

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        line = index.data(ENTRY_ROLE)
        if isinstance(editor, QLineEdit) and isinstance(line, SideEntry):
            self.renamed.emit(line.place, editor.text())
