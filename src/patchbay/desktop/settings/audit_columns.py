"""The columns of the audit log: their texts, and how a row is painted."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyleOptionViewItem, QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.core.times import age, full_moment
from patchbay.desktop.kit.icons import paint_icon
from patchbay.desktop.kit.item_views import (
    ITEM_ROLE,
    Index,
    RowDelegate,
    force_active_state,
    paint_row_background,
)
from patchbay.desktop.kit.row_text import paint_text
from patchbay.desktop.kit.text import clock_time, when
from patchbay.desktop.kit.theme import theme
from patchbay.desktop.kit.windowed_model import Column
from patchbay.desktop.settings.view_models.audit_log import (
    actor_kind_label,
    actor_name,
    describe_action,
    describe_actor,
    describe_entry,
)
from patchbay.domain.audit_log import ActorKind, AuditEntry
from patchbay.domain.base import EpochMs, UserId

WHEN, WHO, WHAT = range(3)
EDGE = 20
"""The left margin of rows, the same as that of the dialog."""
_WHEN_WIDTH = 146
_WHO_MIN = 190
_WHO_MAX = 260
_SKELETON = {WHEN: 70, WHO: 110, WHAT: 230}
_ICONS = {
    ActorKind.WINDOW: "monitor",
    ActorKind.COMMAND: "command",
    ActorKind.KEY: "key-round",
    ActorKind.INVITATION: "user",
    ActorKind.PROGRAM: "activity",
}


def columns(clock: Callable[[], EpochMs], people: Callable[[], Mapping[UserId, str]]) -> tuple[Column, ...]:
    """The columns for audit entries; `people` has the names of users by ID."""
    return (
        Column(
            "when",
            tr("When", "column"),
            lambda item: " ".join(time_and_age(item.at, clock())),
            tool_tip=lambda item: full_moment(item.at),
        ),
        Column(
            "who",
            tr("Who", "column"),
            lambda item: f"{actor_name(item.actor)}, {actor_kind_label(item.actor)}",
            tool_tip=lambda item: describe_actor(item.actor, people()),
        ),
        Column("what", tr("What", "column"), describe_action, tool_tip=describe_entry),
    )


def time_and_age(at: EpochMs, now: EpochMs) -> tuple[str, str]:
    """The time and age; for another day, the day and time only."""
    shown = when(at, now)
    return (shown, age(at, now)) if shown == clock_time(at) else (shown, "")


def widths(available_width: int) -> dict[int, int]:
    """Column widths in pixels for a table `available_width` wide."""
    px = theme().px
    first = px(_WHEN_WIDTH)
    second = min(px(_WHO_MAX), max(px(_WHO_MIN), round((available_width - first) * 0.32)))
    return {WHEN: first, WHO: second, WHAT: max(px(120), available_width - first - second)}


class AuditDelegate(RowDelegate):
    """A row of 32 px."""

    def __init__(self, clock: Callable[[], EpochMs], parent: QWidget | None = None) -> None:
        super().__init__(parent, height=32)
        self._clock = clock

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        column, px = index.column(), theme().px
        force_active_state(option)
        paint_row_background(painter, option, first=column == WHEN, hovered=index.row() == self.hovered)
        area = QRectF(option.rect).adjusted(px(EDGE if column == WHEN else 8), 0, -px(8), 0)
        item: AuditEntry | None = index.data(ITEM_ROLE)
        painter.save()
        if item is None:
            self._paint_skeleton(painter, area, column, index.row())
        elif column == WHEN:
            moment, age_text = time_and_age(item.at, self._clock())
            used = paint_text(painter, area, moment)
            rest = area.adjusted(used + px(7), 0, px(8), 0)
            paint_text(painter, rest, age_text, "caption", "text_tertiary")
        elif column == WHO:
            mark = QRectF(area.x(), area.y(), px(16), area.height())
            paint_icon(painter, mark, _ICONS[item.actor.kind], "text_tertiary", 14)
            text_rect = area.adjusted(px(22), 0, 0, 0)
            used = paint_text(painter, text_rect, actor_name(item.actor), "medium")
            rest = text_rect.adjusted(used + px(7), 0, 0, 0)
            if rest.width() > px(50):
                paint_text(painter, rest, actor_kind_label(item.actor), "caption", "text_tertiary")
        else:
            paint_text(painter, area, describe_action(item))
        painter.restore()

    @staticmethod
    def _paint_skeleton(painter: QPainter, area: QRectF, column: int, row: int) -> None:
        width = min(area.width(), theme().px(_SKELETON.get(column, _SKELETON[WHO]) + row * 7 % 24))
        bar = QRectF(area.x(), area.center().y() - theme().px(5), width, theme().px(10))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().tokens.selected_inactive)
        painter.drawRoundedRect(bar, bar.height() / 2, bar.height() / 2)
