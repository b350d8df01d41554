"""Dragging a step to another place in the list, within what holds it or across."""

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QByteArray, QMimeData, QModelIndex, QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QDrag, QDragEnterEvent, QDragMoveEvent, QDropEvent, QPixmap
from PySide6.QtWidgets import QListView, QWidget

from patchbay.desktop.ui.flows.editor.step_delegate import StepDelegate
from patchbay.desktop.ui.flows.editor.step_drop import DropTarget, faded_pixmap, nearest_target
from patchbay.desktop.ui.flows.editor.step_model import StepListModel
from patchbay.desktop.ui.flows.editor.step_shapes import card_rect
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.base import StepId

STEP_MIME = "application/x-patchbay-step"


class DraggableStepList(QListView):
    """The part of the step list that drags. `moved(step, position, inside)` when one was dropped."""

    moved = Signal(str, int, object)

    def __init__(self, model: StepListModel, delegate: StepDelegate, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._steps, self._delegate = model, delegate
        self.targets: Callable[[StepId], Sequence[DropTarget]] = lambda _: ()
        """Where a dragged step may go."""
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
        """The place nearest to the pointer that the dragged step may go to."""
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
    return bytes(event.mimeData().data(STEP_MIME).data()).decode()
