"""Dragging a step to another place in the list, within what holds it or across."""

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QByteArray, QMimeData, QModelIndex, QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QDrag, QDragEnterEvent, QDragMoveEvent, QDropEvent, QPixmap
from PySide6.QtWidgets import QListView, QWidget

from patchbay.desktop.ui.flows.editor.step_delegate import StepDelegate
from patchbay.desktop.ui.flows.editor.step_drop import Target, faded, nearest
from patchbay.desktop.ui.flows.editor.step_model import StepListModel
from patchbay.desktop.ui.flows.editor.step_shapes import card_rect
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.base import StepId

STEP_MIME = "application/x-patchbay-step"


class DraggableSteps(QListView):
    """The part of the step list that drags. `moved(step, position, inside)` when one was dropped."""

    moved = Signal(str, int, object)

    def __init__(self, model: StepListModel, delegate: StepDelegate, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._steps, self._delegate = model, delegate
        self.targets: Callable[[StepId], Sequence[Target]] = lambda _: ()
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
        drag.setPixmap(self._picture(index))
        drag.setHotSpot(QPoint(theme().px(20), theme().px(20)))
        drag.exec(Qt.DropAction.MoveAction)

    def _picture(self, index: QModelIndex) -> QPixmap:
        row = self._steps.row(index)
        rect = QRectF(self.visualRect(index))
        area = (card_rect(rect, row) if row else rect).toRect()
        return faded(self.viewport().grab(area))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasFormat(STEP_MIME):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        if event.mimeData().hasFormat(STEP_MIME):
            target = self._target(event)
            self._aim(target)
            if target is not None:
                event.acceptProposedAction()
            else:
                event.ignore()

    def dragLeaveEvent(self, event: Any) -> None:
        self._aim(None)

    def dropEvent(self, event: QDropEvent) -> None:
        target = self._target(event)
        self._aim(None)
        if target is not None:
            step_id = _dragged(event)
            self.moved.emit(step_id, target.position, target.inside)
            event.acceptProposedAction()

    def _target(self, event: QDropEvent) -> Target | None:
        """The place nearest to the pointer that the dragged step may go to."""
        tops = [
            float(self.visualRect(self._steps.index(number)).y()) for number in range(len(self._steps.rows))
        ]
        if not tops:
            return None
        end = card_rect(QRectF(self.visualRect(self._steps.index(len(tops) - 1))), self._steps.rows[-1])
        return nearest(self.targets(_dragged(event)), [*tops, end.bottom()], event.position().y())

    def _aim(self, target: Target | None) -> None:
        self._delegate.drop = (target.row, target.depth) if target else None
        self.viewport().update()


def _dragged(event: QDropEvent) -> StepId:
    return bytes(event.mimeData().data(STEP_MIME).data()).decode()
