"""Where a dragged step may be dropped: between which rows, and what that place is in the tree."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPixmap

from patchbay.desktop.state.editor_tree import Spot, StepTree
from patchbay.desktop.ui.flows.editor.step_rows import RowKind, StepRow
from patchbay.domain.base import StepId


@dataclass(frozen=True)
class DropTarget:
    """Before the row with this number (one more than there are: at the end), as a line at this depth."""

    row: int
    depth: int
    position: int
    inside: StepId | None


def drop_targets(rows: Sequence[StepRow], tree: StepTree, step_id: StepId) -> tuple[DropTarget, ...]:
    """Every place the step may go to, from above."""
    if tree.step(step_id) is None:
        return ()
    found = []
    for number, row in enumerate(rows):
        if number == 0:
            continue
        adds = row.kind is RowKind.ADD
        spot = tree.end_of(row.id, step_id) if adds else tree.before(row.id, step_id)
        found.append(_drop_target(number, row.depth, spot))
    found.append(_drop_target(len(rows), 0, tree.end_of(None, step_id)))
    return tuple(item for item in found if tree.may_hold(item.inside, step_id))


def _drop_target(row: int, depth: int, spot: Spot) -> DropTarget:
    return DropTarget(row, depth, spot.position, spot.inside)


def nearest_target(targets: Sequence[DropTarget], edges: Sequence[float], y: float) -> DropTarget | None:
    """The target whose line is nearest to `y`; `edges` are the lines before each row, and the last end."""
    return min(targets, key=lambda item: abs(edges[item.row] - y), default=None)


def faded_pixmap(pixmap: QPixmap) -> QPixmap:
    """The picture that goes with the pointer."""
    result = QPixmap(pixmap.size())
    result.setDevicePixelRatio(pixmap.devicePixelRatio())
    result.fill(Qt.GlobalColor.transparent)
    painter = QPainter(result)
    painter.setOpacity(0.85)
    painter.drawPixmap(0, 0, pixmap)
    painter.end()
    return result
