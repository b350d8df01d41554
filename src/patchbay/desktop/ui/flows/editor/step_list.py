"""The list of steps: choose, add between, drag to another place, all by keyboard as well."""

from typing import Any

from PySide6.QtCore import QByteArray, QMimeData, QModelIndex, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QDrag,
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPixmap,
)
from PySide6.QtWidgets import QAbstractItemView, QListView, QToolTip, QWidget

from patchbay.desktop.ui.flows.editor.step_delegate import (
    CARD,
    PITCH,
    StepDelegate,
    card_rect,
    plus_rect,
)
from patchbay.desktop.ui.flows.editor.step_rows import StepListModel
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.base import StepId

STEP_MIME = "application/x-patchbay-step"


class StepListView(QListView):
    """Cards. `moved(step, position)` when one was dragged, `entered_form` on Enter; the rest says itself."""

    chosen = Signal(str)
    add_after = Signal(str)
    moved = Signal(str, int)
    delete_wanted = Signal(str)
    duplicate_wanted = Signal(str)
    rename_wanted = Signal(str)
    menu_wanted = Signal(str, QPoint)
    entered_form = Signal()

    def __init__(self, model: StepListModel, delegate: StepDelegate, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._steps, self._delegate = model, delegate
        self._showing = False
        self._plus_pressed = -1
        self.setModel(model)
        self.setItemDelegate(delegate)
        self.setAccessibleName("Steps")
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setProperty("surface", "sidebar")
        self.setMouseTracking(True)
        self.setDragEnabled(True)
        self.setAcceptDrops(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        model.modelReset.connect(self.updateGeometry)
        theme().changed.connect(self.doItemsLayout)

    def sizeHint(self) -> QSize:
        rows = self._steps.rowCount()
        height = theme().px(max(0, rows - 1) * PITCH + CARD + 4) if rows else 0
        return QSize(theme().px(292), height)

    def show_step(self, step_id: StepId | None) -> None:
        """Select the card of a step without announcing it."""
        self._showing = True
        index = self._steps.index(max(0, self._steps.row_of(step_id)))
        self.selectionModel().setCurrentIndex(index, self.selectionModel().SelectionFlag.ClearAndSelect)
        self.scrollTo(index)
        self._showing = False

    def currentChanged(self, current: Any, previous: Any) -> None:
        super().currentChanged(current, previous)
        row = self._steps.row(current)
        if row is not None and not self._showing:
            self.chosen.emit(row.id)

    # Keyboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self._steps.row(self.currentIndex())
        key, alt = event.key(), bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        if row is None:
            super().keyPressEvent(event)
        elif alt and key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            place = self.currentIndex().row() + 1
            self.moved.emit(row.id, place + (1 if key == Qt.Key.Key_Down else -1))
        elif key == Qt.Key.Key_A and not event.modifiers():
            self.add_after.emit(row.id)
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.delete_wanted.emit(row.id)
        elif key == Qt.Key.Key_D and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.duplicate_wanted.emit(row.id)
        elif key == Qt.Key.Key_F2:
            self.rename_wanted.emit(row.id)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            self.entered_form.emit()
        else:
            super().keyPressEvent(event)

    # Pointer

    def _plus_at(self, at: QPointF) -> int:
        """The card after which the + under the pointer adds; -1 when there is none."""
        index = self.indexAt(at.toPoint())
        if not index.isValid() or index.row() >= self._steps.rowCount() - 1:
            return -1
        reach = theme().px(3)
        hit = plus_rect(QRectF(self.visualRect(index))).adjusted(-reach, -reach, reach, reach)
        return index.row() if hit.contains(at) else -1

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._plus_pressed = self._plus_at(event.position())
        index = self.indexAt(event.position().toPoint())
        on_card = (
            index.isValid() and card_rect(QRectF(self.visualRect(index))).bottom() >= event.position().y()
        )
        if self._plus_pressed < 0 and on_card:
            super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        pressed, self._plus_pressed = self._plus_pressed, -1
        if pressed < 0:
            super().mouseReleaseEvent(event)
        elif self._plus_at(event.position()) == pressed:
            self.add_after.emit(self._steps.rows[pressed].id)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._plus_pressed < 0:
            super().mouseMoveEvent(event)
        index = self.indexAt(event.position().toPoint())
        plus = self._plus_at(event.position())
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
        if row := self._steps.row(index):
            at = self.viewport().mapToGlobal(self.visualRect(index).center())
            self.menu_wanted.emit(row.id, event.globalPos() if by_mouse else at)

    def viewportEvent(self, event: Any) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QHelpEvent.Type.ToolTip:
            words = "Add a step here" if self._plus_at(QPointF(event.pos())) >= 0 else ""
            QToolTip.showText(event.globalPos(), words, self)
            return True
        return super().viewportEvent(event)

    # Drag to another place

    def startDrag(self, supportedActions: Qt.DropAction) -> None:  # noqa: N803
        index = self.currentIndex()
        row = self._steps.row(index)
        if row is None or not row.movable:
            return
        data = QMimeData()
        data.setData(STEP_MIME, QByteArray(row.id.encode()))
        drag = QDrag(self)
        drag.setMimeData(data)
        drag.setPixmap(self._picture(index))
        drag.setHotSpot(QPoint(theme().px(20), theme().px(20)))
        drag.exec(Qt.DropAction.MoveAction)

    def _picture(self, index: QModelIndex) -> QPixmap:
        area = card_rect(QRectF(self.visualRect(index))).toRect()
        full = self.viewport().grab(area)
        faded = QPixmap(full.size())
        faded.setDevicePixelRatio(full.devicePixelRatio())
        faded.fill(Qt.GlobalColor.transparent)
        painter = QPainter(faded)
        painter.setOpacity(0.85)
        painter.drawPixmap(0, 0, full)
        painter.end()
        return faded

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasFormat(STEP_MIME):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        if event.mimeData().hasFormat(STEP_MIME):
            self._aim(self._place(event.position()))
            event.acceptProposedAction()

    def dragLeaveEvent(self, event: Any) -> None:
        self._aim(-1)

    def dropEvent(self, event: QDropEvent) -> None:
        before = self._place(event.position())
        self._aim(-1)
        step_id = bytes(event.mimeData().data(STEP_MIME).data()).decode()
        here = self._steps.row_of(step_id)
        if here >= 0 and before >= 0:
            self.moved.emit(step_id, before if before > here else before + 1)
            event.acceptProposedAction()

    def _place(self, at: QPointF) -> int:
        """The row before which a dropped step goes; never before the trigger."""
        for number in range(self._steps.rowCount()):
            card = card_rect(QRectF(self.visualRect(self._steps.index(number))))
            if at.y() < card.center().y():
                return max(1, number)
        return self._steps.rowCount()

    def _aim(self, before: int) -> None:
        self._delegate.drop_before = before
        self.viewport().update()
