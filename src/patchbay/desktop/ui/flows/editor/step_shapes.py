"""Where the parts of the step list's rows are; painting and hit tests share it."""

from PySide6.QtCore import QRectF

from patchbay.desktop.ui.flows.editor.step_rows import RowKind, StepRow
from patchbay.desktop.ui.kit.theme import theme

LEFT, RIGHT, INDENT = 28, 17, 14
GAP, GAP_PLAIN, GAP_END = 26, 10, 2
HEIGHTS = {RowKind.STEP: 54, RowKind.BRANCH: 44, RowKind.ADD: 26}


def row_height(row: StepRow, *, last: bool) -> int:
    """Height of a row with the room below it, for a 13 px body."""
    below = GAP_END if last else GAP if row.insert_point is not None else GAP_PLAIN
    return HEIGHTS[row.kind] + below


def left_of(item: QRectF, depth: int) -> float:
    return item.x() + theme().px(LEFT + INDENT * depth)


def card_rect(item: QRectF, row: StepRow) -> QRectF:
    left = left_of(item, row.depth)
    return QRectF(left, item.y(), item.right() - theme().px(RIGHT) - left, theme().px(HEIGHTS[row.kind]))


def handle_rect(item: QRectF, row: StepRow) -> QRectF:
    px = theme().px
    return QRectF(item.x() + px(8), item.y(), px(18), px(HEIGHTS[row.kind]))


def fold_rect(item: QRectF, row: StepRow) -> QRectF:
    """The chevron that folds what a step holds, at the right end of its card."""
    px = theme().px
    card = card_rect(item, row)
    return QRectF(card.right() - px(30), card.y(), px(24), card.height())


def guide_x(item: QRectF, depth: int) -> float:
    """The line that runs down from a step of this depth along what it holds."""
    return left_of(item, depth) + theme().px(6) + 0.5


def plus_rect(item: QRectF, row: StepRow) -> QRectF:
    """The + between this row and the next."""
    px = theme().px
    side = px(20)
    depth = row.insert_point.depth if row.insert_point is not None else row.depth
    top = item.y() + px(HEIGHTS[row.kind]) + px(3)
    return QRectF(left_of(item, depth) + px(15), top, side, side)
