"""The tree of steps: selection, folding, inserting, and moving by drag or keyboard."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QByteArray,
    QEvent,
    QMimeData,
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
    QDrag,
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QListView, QToolTip, QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.editor.step_painting import StepDelegate, card_rect, fold_rect, plus_rect, row_height
from patchbay.desktop.editor.step_rows import RowKind, StepListModel, StepRow
from patchbay.desktop.editor.view_models.step_commands import MoveDirection
from patchbay.desktop.editor.view_models.step_tree import StepPosition, StepTree
from patchbay.desktop.kit.shortcuts import ADD_STEP, DELETE_STEP, DUPLICATE_STEP, RENAME
from patchbay.desktop.kit.text import plain_tip
from patchbay.desktop.kit.theme import theme
from patchbay.domain.base import StepId


@dataclass(frozen=True)
class DropTarget:
    """A drop position: before row `row` (row count: at the end), at this depth."""

    row: int
    depth: int
    position: int
    inside: StepId | None


def drop_targets(rows: Sequence[StepRow], tree: StepTree, step_id: StepId) -> tuple[DropTarget, ...]:
    """Return all drop positions for a step, top to bottom."""
    if tree.step(step_id) is None:
        return ()
    found = []
    for number, row in enumerate(rows):
        if number == 0:
            continue
        adds = row.kind is RowKind.ADD
        spot = tree.end_position(row.id, step_id) if adds else tree.before(row.id, step_id)
        found.append(_drop_target(number, row.depth, spot))
    found.append(_drop_target(len(rows), 0, tree.end_position(None, step_id)))
    return tuple(item for item in found if tree.can_contain(item.inside, step_id))


def _drop_target(row: int, depth: int, spot: StepPosition) -> DropTarget:
    return DropTarget(row, depth, spot.position, spot.inside)


def nearest_target(targets: Sequence[DropTarget], edges: Sequence[float], y: float) -> DropTarget | None:
    """Return the target nearest to `y`; `edges`: top of each row, then the bottom of the last."""
    return min(targets, key=lambda item: abs(edges[item.row] - y), default=None)


def faded_pixmap(pixmap: QPixmap) -> QPixmap:
    """Return a translucent copy of the pixmap that follows the pointer."""
    result = QPixmap(pixmap.size())
    result.setDevicePixelRatio(pixmap.devicePixelRatio())
    result.fill(Qt.GlobalColor.transparent)
    painter = QPainter(result)
    painter.setOpacity(0.85)
    painter.drawPixmap(0, 0, pixmap)
    painter.end()
    return result


# Dragging

STEP_MIME = "application/x-patchbay-step"


class DraggableStepList(QListView):
    """The dragging part of the step list. `moved(step, position, inside)` on drop."""

    moved = Signal(str, int, object)

    def __init__(self, model: StepListModel, delegate: StepDelegate, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._steps, self._delegate = model, delegate
        self.targets: Callable[[StepId], Sequence[DropTarget]] = lambda _: ()
        """The drop positions of the dragged step."""
        self.setDragEnabled(True)
        self.setAcceptDrops(True)

    def startDrag(self, supportedActions: Qt.DropAction) -> None:  # noqa: N803
        index = self.currentIndex()
        row = self._steps.row(index)
        if row is None or not row.movable:
            return
        data = QMimeData()
        data.setData(STEP_MIME, QByteArray(row.id.encode()))
        drag = QDrag(self)
        drag.setMimeData(data)
        drag.setPixmap(self._drag_pixmap(index))
        drag.setHotSpot(QPoint(theme().px(20), theme().px(20)))
        drag.exec(Qt.DropAction.MoveAction)

    def _drag_pixmap(self, index: QModelIndex) -> QPixmap:
        row = self._steps.row(index)
        rect = QRectF(self.visualRect(index))
        area = (card_rect(rect, row) if row else rect).toRect()
        return faded_pixmap(self.viewport().grab(area))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasFormat(STEP_MIME):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        if event.mimeData().hasFormat(STEP_MIME):
            target = self._drop_target(event)
            self._show_drop_line(target)
            if target is not None:
                event.acceptProposedAction()
            else:
                event.ignore()

    def dragLeaveEvent(self, event: Any) -> None:
        self._show_drop_line(None)

    def dropEvent(self, event: QDropEvent) -> None:
        target = self._drop_target(event)
        self._show_drop_line(None)
        if target is not None:
            step_id = _dragged(event)
            self.moved.emit(step_id, target.position, target.inside)
            event.acceptProposedAction()

    def _drop_target(self, event: QDropEvent) -> DropTarget | None:
        """Return the drop position nearest to the pointer."""
        row_tops = [
            float(self.visualRect(self._steps.index(number)).y()) for number in range(len(self._steps.rows))
        ]
        if not row_tops:
            return None
        end = card_rect(QRectF(self.visualRect(self._steps.index(len(row_tops) - 1))), self._steps.rows[-1])
        return nearest_target(self.targets(_dragged(event)), [*row_tops, end.bottom()], event.position().y())

    def _show_drop_line(self, target: DropTarget | None) -> None:
        self._delegate.drop = (target.row, target.depth) if target else None
        self.viewport().update()


def _dragged(event: QDropEvent) -> StepId:
    return StepId(bytes(event.mimeData().data(STEP_MIME).data()).decode())


# View

MOVE_KEYS = {
    Qt.Key.Key_Up: MoveDirection.UP,
    Qt.Key.Key_Down: MoveDirection.DOWN,
    Qt.Key.Key_Left: MoveDirection.OUT,
    Qt.Key.Key_Right: MoveDirection.IN,
}


class StepListView(DraggableStepList):
    """The tree of steps. Signals request changes; the view itself never edits the flow.

    `insert_requested` carries the pressed + or line, `moved(step, position, inside)` a drag,
    `shifted(step, way)` a move by keyboard, `form_requested` is emitted on Enter.
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
        self.setAccessibleName(tr("Steps"))
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
        """Restore the scroll position after the list has grown."""
        super().resizeEvent(event)
        if self._is_settling and event.size().height() > event.oldSize().height():
            self.scrollToTop()
            self.scrollTo(self.currentIndex())

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._is_settling = False
        super().wheelEvent(event)

    def show_step(self, step_id: StepId | None) -> None:
        """Select a step without emitting a signal."""
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
        """Move the step out on Alt+Left in nested steps, instead of going back to the list."""
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
        """Handle a key for a step; returns whether it was handled."""
        key, modifiers = Qt.Key(event.key()), event.modifiers()
        if modifiers & Qt.KeyboardModifier.AltModifier and key in MOVE_KEYS:
            self.shifted.emit(row.id, MOVE_KEYS[key])
        elif ADD_STEP.matches(event):
            self.add_after_requested.emit(row.id)
        elif DELETE_STEP.matches(event):
            self.delete_requested.emit(row.id)
        elif DUPLICATE_STEP.matches(event):
            self.duplicate_requested.emit(row.id)
        elif RENAME.matches(event):
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
        """Return the row whose + is under the pointer; -1 if none."""
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
            return tr("Add a step here")
        row = self._steps.row(self.indexAt(at))
        return row.tooltip if row is not None else ""
