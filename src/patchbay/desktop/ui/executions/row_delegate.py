"""Paints a row of the executions table, column by column, and the grey row of one on its way."""

from collections.abc import Callable

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyleOptionViewItem, QWidget

from patchbay.desktop.ui.executions import columns as at
from patchbay.desktop.ui.kit.chips import paint_tag, tag_width
from patchbay.desktop.ui.kit.delegates import (
    Index,
    RowDelegate,
    elided,
    paint_row_background,
    paint_status,
    paint_text,
)
from patchbay.desktop.ui.kit.theme import theme
from patchbay.desktop.ui.models import ITEM_ROLE
from patchbay.desktop.ui.models.row_parts import FindApp, paint_apps, stay_active
from patchbay.domain.base import EpochMs
from patchbay.domain.executions import Execution, ExecutionState

_SKELETON = {at.STATUS: 58, at.FLOW: 170, at.STARTED: 56, at.DURATION: 40, at.STEPS: 24, at.NOTE: 120}


class ExecutionDelegate(RowDelegate):
    """One row of 32 px."""

    def __init__(
        self, find_app: FindApp, clock: Callable[[], EpochMs], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent, height=32)
        self._find_app, self._clock = find_app, clock

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        column = index.column()
        stay_active(option)
        paint_row_background(painter, option, first=column == 0, hovered=index.row() == self.hovered)
        item = index.data(ITEM_ROLE)
        left = 16 if column == 0 else 8
        area = QRectF(option.rect).adjusted(theme().px(left), 0, -theme().px(8), 0)
        if item is None:
            self._paint_skeleton(painter, area, column, index.row())
            return
        painter.save()
        self._paint_cell(painter, area, column, item)
        painter.restore()

    def _paint_cell(self, painter: QPainter, area: QRectF, column: int, item: Execution) -> None:
        right = Qt.AlignmentFlag.AlignRight
        if column == at.STATUS:
            paint_status(painter, area.adjusted(0, 0, theme().px(8), 0), item.state)
        elif column == at.FLOW:
            self._paint_flow(painter, area, item)
        elif column == at.STARTED:
            clock, age = at.started_text(item, self._clock())
            area.setRight(area.right() + theme().px(8))
            used = paint_text(painter, area, clock)
            paint_text(painter, area.adjusted(used + theme().px(7), 0, 0, 0), age, "caption", "text_tertiary")
        elif column == at.DURATION:
            paint_text(painter, area, at.duration_text(item, self._clock()), align=right)
        elif column == at.STEPS:
            paint_text(painter, area, at.steps_text(item), color="text_secondary", align=right)
        else:
            failed = item.state is ExecutionState.FAILURE
            note = at.note_text(item, self._clock())
            paint_text(painter, area, note, "caption", "failure" if failed else "text_tertiary")

    def _paint_flow(self, painter: QPainter, area: QRectF, item: Execution) -> None:
        px = theme().px
        paint_apps(painter, area, item.flow.app_keys, self._find_app)
        name = area.adjusted(px(72), 0, 0, 0)
        test = tag_width("Test") if item.test_run else 0
        if test:
            name.setRight(name.right() - test - px(8))
        shown = elided(item.flow.name, "medium", name.width())
        used = paint_text(painter, name, shown, "medium")
        if test:
            tag = QRectF(name.x() + used + px(8), area.center().y() - px(9), test, px(18))
            paint_tag(painter, tag, "Test")

    @staticmethod
    def _paint_skeleton(painter: QPainter, area: QRectF, column: int, row: int) -> None:
        width = min(area.width(), theme().px(_SKELETON[column] + row * 7 % 24))
        if width < theme().px(12):
            return
        bar = QRectF(area.x(), area.center().y() - theme().px(5), width, theme().px(10))
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().tokens.selected_inactive)
        painter.drawRoundedRect(bar, bar.height() / 2, bar.height() / 2)
        painter.restore()
