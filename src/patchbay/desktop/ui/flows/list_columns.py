"""Where everything stands in a row of the Flows list; painting, hit tests and the header share it."""

from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QPointF, QRectF

from patchbay.desktop.state.flows_rows import FlowSort
from patchbay.desktop.ui.kit.theme import theme

ROW_HEIGHT = 52
RUNS_MIN_WIDTH = 884
"""List widths (at a 13 px body) from which the last 20 runs are shown."""


class RowPart(StrEnum):
    """What the pointer is over."""

    CHECK = "check"
    SWITCH = "switch"
    MENU = "menu"
    BODY = "body"


@dataclass(frozen=True)
class ColumnLayout:
    """Left edges of the columns at one width of the list."""

    width: float
    name: float
    status: float
    runs: float | None
    last: float
    next: float

    @property
    def end(self) -> float:
        return self.width - theme().px(52)


def columns(width: float) -> ColumnLayout:
    px = theme().px
    has_runs = width >= px(RUNS_MIN_WIDTH)
    next_left = width - px(160)
    last = next_left - px(146)
    runs = last - px(140) if has_runs else None
    status = (runs if runs is not None else last) - px(130)
    return ColumnLayout(width, px(122), status, runs, last, next_left)


@dataclass(frozen=True)
class HeaderCell:
    """One word of the header. `sort` None: the list cannot be sorted by it."""

    label: str
    left: float
    right: float
    sort: FlowSort | None


def header_cells(width: float) -> tuple[HeaderCell, ...]:
    at = columns(width)
    cells = [
        HeaderCell("Flow", at.name, at.status, FlowSort.NAME),
        HeaderCell("Status", at.status, at.runs or at.last, FlowSort.STATUS),
        HeaderCell("Last run", at.last, at.next, FlowSort.LAST_RUN),
        HeaderCell("Next run", at.next, at.width, FlowSort.NEXT_RUN),
    ]
    if at.runs is not None:
        cells.insert(2, HeaderCell("Last 20 runs", at.runs, at.last, None))
    return tuple(cells)


def check_rect(row: QRectF) -> QRectF:
    px = theme().px
    return QRectF(row.x() + px(16), row.center().y() - px(8), px(16), px(16))


def switch_rect(row: QRectF) -> QRectF:
    px = theme().px
    return QRectF(row.x() + columns(row.width()).status, row.center().y() - px(9), px(32), px(18))


def menu_rect(row: QRectF) -> QRectF:
    px = theme().px
    return QRectF(row.right() - px(42), row.center().y() - px(13), px(28), px(26))


def part_at(row: QRectF, at: QPointF) -> RowPart:
    """Which part of a row is at a point; small parts have a larger target than they show."""
    margin = theme().px(6)
    for part, rect in (
        (RowPart.CHECK, check_rect(row)),
        (RowPart.SWITCH, switch_rect(row)),
        (RowPart.MENU, menu_rect(row)),
    ):
        if rect.adjusted(-margin, -margin, margin, margin).contains(at):
            return part
    return RowPart.BODY
