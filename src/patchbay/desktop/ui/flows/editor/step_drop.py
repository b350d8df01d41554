"""Where a dragged step may be dropped: between which rows, and what that place is in the tree."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPixmap

from patchbay.desktop.state.editor_tree import Spot, StepTree
from patchbay.desktop.ui.flows.editor.step_rows import RowKind, StepRow
from patchbay.domain.base import StepId


@dataclass(frozen=True)
class Target:
    """Before the row with this number (one more than there are: at the end), as a line at this depth."""

    row: int
    depth: int
    position: int
    inside: StepId | None


def drop_targets(rows: Sequence[StepRow], tree: StepTree, step_id: StepId) -> tuple[Target, ...]:
    """Every place the step may go to, from above."""
    if tree.step(step_id) is None:
        return ()
    found = []
    for number, row in enumerate(rows):
        if number == 0:
            continue
        adds = row.kind is RowKind.ADD
        spot = tree.end_of(row.id, step_id) if adds else tree.before(row.id, step_id)
        found.append(_target(number, row.depth, spot))
    found.append(_target(len(rows), 0, tree.end_of(None, step_id)))
    return tuple(item for item in found if tree.may_hold(item.inside, step_id))


def _target(row: int, depth: int, spot: Spot) -> Target:
    return Target(row, depth, spot.position, spot.inside)


def nearest(targets: Sequence[Target], edges: Sequence[float], y: float) -> Target | None:
    """The target whose line is nearest to `y`; `edges` are the lines before each row, and the last end."""
    return min(targets, key=lambda item: abs(edges[item.row] - y), default=None)


def faded(picture: QPixmap) -> QPixmap:
    """The picture that goes with the pointer."""
    made = QPixmap(picture.size())
    made.setDevicePixelRatio(picture.devicePixelRatio())
    made.fill(Qt.GlobalColor.transparent)
    painter = QPainter(made)
    painter.setOpacity(0.85)
    painter.drawPixmap(0, 0, picture)
    painter.end()
    return made
