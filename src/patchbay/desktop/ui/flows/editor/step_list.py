"""The list of steps: choose, fold, add between, drag to another place, all by keyboard as well."""

from typing import Any

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QPoint,
    QPointF,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QContextMenuEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QListView, QToolTip, QWidget

from patchbay.desktop.state.editor_steps import Way
from patchbay.desktop.ui.flows.editor.step_delegate import StepDelegate
from patchbay.desktop.ui.flows.editor.step_drag import DraggableStepList
from patchbay.desktop.ui.flows.editor.step_model import StepListModel
from patchbay.desktop.ui.flows.editor.step_rows import RowKind, StepRow
from patchbay.desktop.ui.flows.editor.step_shapes import card_rect, fold_rect, plus_rect, row_height
from patchbay.desktop.ui.kit.text import plain_tip
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.base import StepId

MOVE_KEYS = {
    Qt.Key.Key_Up: Way.UP,
    Qt.Key.Key_Down: Way.DOWN,
    Qt.Key.Key_Left: Way.OUT,
    Qt.Key.Key_Right: Way.IN,
}


class StepListView(DraggableStepList):
    """Rows of the tree. The signals say what is wanted; `insert_requested` with the + or line that was pressed.

    `moved(step, position, inside)` when one was dragged, `shifted(step, way)` by the keyboard, `form_requested`
    on Enter.
    """

    chosen = Signal(str)
    add_after_requested = Signal(str)
    insert_requested = Signal(object, QPoint)
    append_requested = Signal(object, QPoint)
    shifted = Signal(str, object)
    folded = Signal(str)
    delete_requested = Signal(str)
    duplicate_requested = Signal(str)
    rename_requested = Signal(str)
    menu_requested = Signal(str, QPoint)
    form_requested = Signal()

    def __init__(self, model: StepListModel, delegate: StepDelegate, parent: QWidget | None = None) -> None:
        super().__init__(model, delegate, parent)
        self._is_restoring = False
        self._plus_pressed = -1
        self.setModel(model)
        self.setItemDelegate(delegate)
        self.setAccessibleName("Steps")
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setProperty("surface", "sidebar")
        self.setMouseTracking(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._is_settling = False
        model.modelReset.connect(self._on_model_reset)
        theme().changed.connect(self.doItemsLayout)

    def sizeHint(self) -> QSize:
        rows = self._steps.rows
        height = sum(row_height(row, last=number == len(rows) - 1) for number, row in enumerate(rows))
        return QSize(theme().px(292), theme().px(height + 2) if rows else 0)

    def _on_model_reset(self) -> None:
        self._is_settling = True
        self.updateGeometry()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """What was scrolled to in less room, before the list was laid out, stands from above in more."""
        super().resizeEvent(event)
        if self._is_settling and event.size().height() > event.oldSize().height():
            self.scrollToTop()
            self.scrollTo(self.currentIndex())

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._is_settling = False
        super().wheelEvent(event)

    def show_step(self, step_id: StepId | None) -> None:
        """Select the card of a step without announcing it."""
        self._is_restoring = True
        index = self._steps.index(max(0, self._steps.row_of(step_id)))
        self.selectionModel().setCurrentIndex(index, self.selectionModel().SelectionFlag.ClearAndSelect)
        self.scrollTo(index)
        self._is_restoring = False

    def currentChanged(self, current: Any, previous: Any) -> None:
        super().currentChanged(current, previous)
        row = self._steps.row(current)
        if row is not None and not self._is_restoring and row.kind is not RowKind.ADD:
            self.chosen.emit(row.id)

    # Keyboard

    def event(self, event: QEvent) -> bool:
        """In a flow with branches or loops Alt+Left moves a step out of them, not the person to the list."""
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            alt = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
            if alt and event.key() in MOVE_KEYS and any(row.folded is not None for row in self._steps.rows):
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self._steps.row(self.currentIndex())
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers()
        if row is not None and row.kind is RowKind.ADD and (enter or event.key() == Qt.Key.Key_Space):
            self.append_requested.emit(row, self._menu_position(self.currentIndex()))
        elif row is None or row.kind is RowKind.ADD or not self._handle_step_key(row, event):
            super().keyPressEvent(event)

    def _handle_step_key(self, row: StepRow, event: QKeyEvent) -> bool:
        """Do what a key asks of a step; whether it asked for anything."""
        key, modifiers = Qt.Key(event.key()), event.modifiers()
        if modifiers & Qt.KeyboardModifier.AltModifier and key in MOVE_KEYS:
            self.shifted.emit(row.id, MOVE_KEYS[key])
        elif key == Qt.Key.Key_A and not modifiers:
            self.add_after_requested.emit(row.id)
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.delete_requested.emit(row.id)
        elif key == Qt.Key.Key_D and modifiers & Qt.KeyboardModifier.ControlModifier:
            self.duplicate_requested.emit(row.id)
        elif key == Qt.Key.Key_F2:
            self.rename_requested.emit(row.id)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not modifiers:
            self.form_requested.emit()
        elif row.folded is (key == Qt.Key.Key_Right) and key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self.folded.emit(row.id)
        else:
            return False
        return True

    def _menu_position(self, index: QModelIndex) -> QPoint:
        row = self._steps.row(index)
        rect = QRectF(self.visualRect(index))
        card = card_rect(rect, row) if row else rect
        return self.viewport().mapToGlobal(card.bottomLeft().toPoint())

    # Pointer

    def _row_with_plus_at(self, at: QPointF) -> int:
        """The row whose + is under the pointer; -1 when there is none."""
        index = self.indexAt(at.toPoint())
        row = self._steps.row(index)
        if row is None or row.insert_point is None:
            return -1
        margin = theme().px(3)
        plus_area = plus_rect(QRectF(self.visualRect(index)), row).adjusted(-margin, -margin, margin, margin)
        return index.row() if plus_area.contains(at) else -1

    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = event.position()
        self._plus_pressed = self._row_with_plus_at(at)
        index = self.indexAt(at.toPoint())
        row = self._steps.row(index)
        if self._plus_pressed >= 0 or row is None:
            return
        rect = QRectF(self.visualRect(index))
        if card_rect(rect, row).bottom() < at.y():
            return
        if row.kind is RowKind.ADD:
            self.append_requested.emit(row, self._menu_position(index))
        elif row.folded is not None and fold_rect(rect, row).contains(at):
            self.folded.emit(row.id)
        else:
            super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        pressed, self._plus_pressed = self._plus_pressed, -1
        if pressed < 0:
            super().mouseReleaseEvent(event)
        elif self._row_with_plus_at(event.position()) == pressed:
            row = self._steps.rows[pressed]
            plus = plus_rect(QRectF(self.visualRect(self._steps.index(pressed))), row)
            corner = self.viewport().mapToGlobal(plus.bottomLeft().toPoint())
            self.insert_requested.emit(row.insert_point, corner)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._plus_pressed < 0:
            super().mouseMoveEvent(event)
        plus = self._row_with_plus_at(event.position())
        index = self.indexAt(event.position().toPoint())
        self._delegate.hover = -1 if plus >= 0 else index.row()
        self._delegate.hover_plus = plus
        self.viewport().update()

    def leaveEvent(self, event: Any) -> None:
        super().leaveEvent(event)
        self._delegate.hover = self._delegate.hover_plus = -1
        self.viewport().update()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_mouse = event.reason() is QContextMenuEvent.Reason.Mouse
        index = self.indexAt(event.pos()) if by_mouse else self.currentIndex()
        row = self._steps.row(index)
        if row is not None and row.kind is not RowKind.ADD:
            at = self.viewport().mapToGlobal(self.visualRect(index).center())
            self.menu_requested.emit(row.id, event.globalPos() if by_mouse else at)

    def viewportEvent(self, event: Any) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QHelpEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), plain_tip(self._tooltip_text(event.pos())), self)
            return True
        return super().viewportEvent(event)

    def _tooltip_text(self, at: QPoint) -> str:
        if self._row_with_plus_at(QPointF(at)) >= 0:
            return "Add a step here"
        row = self._steps.row(self.indexAt(at))
        return f"{row.title}\n{row.detail}" if row is not None and row.kind is not RowKind.ADD else ""
