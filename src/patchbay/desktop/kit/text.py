"""Text: labels in the styles of the theme, times as text, and containers of wrapped text."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPalette, QResizeEvent, QTextLayout
from PySide6.QtGui import Qt as RichText
from PySide6.QtWidgets import QLabel, QWidget

from patchbay.desktop.core.language import date_text, day_text, time_text, weekday_text
from patchbay.desktop.kit.theme import theme
from patchbay.domain.clock import local_datetime

if TYPE_CHECKING:
    from patchbay.domain.base import EpochMs

_SELECTABLE = Qt.TextInteractionFlag.TextSelectableByMouse
_SIDEWAYS = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignHCenter


class Label(QLabel):
    """A text in one of the theme's styles. With `wrap` it can have several lines, otherwise one."""

    def __init__(
        self,
        text: str = "",
        role: str = "body",
        color_token: str = "text",
        parent: QWidget | None = None,
        *,
        wrap: bool = False,
    ) -> None:
        super().__init__(text, parent)
        self._role, self._token = role, color_token
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(wrap)
        self._restyle()
        theme().changed.connect(self._restyle)

    def set_style(self, role: str | None = None, color_token: str | None = None) -> None:
        """Change the font or the colour of the text."""
        self._role, self._token = role or self._role, color_token or self._token
        self._restyle()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange):
            self._apply_color()  # the style sheet engine forgets a label's own palette when it gets a parent

    def heightForWidth(self, width: int) -> int:
        if not self._paragraph:
            return super().heightForWidth(width)
        return self._layout_text(width)[1] + self.contentsMargins().top() + self.contentsMargins().bottom()

    def sizeHint(self) -> QSize:
        if not self._paragraph:
            return super().sizeHint()
        margins = self.contentsMargins()
        words = QFontMetrics(self.font()).horizontalAdvance(self.text()) + 2
        width = min(words, max(theme().px(360), self.minimumWidth())) + margins.left() + margins.right()
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        if not self._paragraph:
            return super().minimumSizeHint()
        return QSize(theme().px(40), theme().line(self._role))

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._paragraph:
            super().paintEvent(event)
            return
        layout, height = self._layout_text(self.width())
        area, align = self.contentsRect(), self.alignment()
        top = float(area.y())
        if align & Qt.AlignmentFlag.AlignVCenter:
            top += max(0, (area.height() - height) // 2)
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        for number in range(layout.lineCount()):
            line = layout.lineAt(number)
            spare = area.width() - line.naturalTextWidth()
            shift = spare if align & Qt.AlignmentFlag.AlignRight else spare / 2
            left = area.x() + (shift if align & _SIDEWAYS else 0)
            line.draw(painter, QPointF(left, top))

    @property
    def _paragraph(self) -> bool:
        """Whether the text can have several lines, which are then drawn with the line height of its role."""
        return self.wordWrap() and not self.textInteractionFlags() & _SELECTABLE

    def _layout_text(self, width: int) -> tuple[QTextLayout, int]:
        margins = self.contentsMargins()
        room = max(1, width - margins.left() - margins.right())
        layout = QTextLayout(self.text().replace("\n", "\u2028"), self.font())
        pitch, top = theme().line(self._role), 0
        layout.beginLayout()
        while (line := layout.createLine()).isValid():
            line.setLineWidth(room)
            line.setPosition(QPointF(0, top + (pitch - line.height()) / 2))
            top += pitch
        layout.endLayout()
        return layout, top

    def _restyle(self) -> None:
        self.setFont(theme().font(self._role, tabular=False))
        self._apply_color()

    def _apply_color(self) -> None:
        wanted = theme().color(self._token)
        palette = self.palette()
        if palette.color(QPalette.ColorRole.WindowText) != wanted:
            palette.setColor(QPalette.ColorRole.WindowText, wanted)
            self.setPalette(palette)


class ElidedLabel(Label):
    """A one-line label that ends in … if there is no room; the tooltip then has the whole text."""

    def minimumSizeHint(self) -> QSize:
        return QSize(theme().px(24), super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        shown = QFontMetrics(self.font()).elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())
        painter = QPainter(self)
        painter.setPen(self.palette().color(QPalette.ColorRole.WindowText))
        painter.drawText(QRectF(self.rect()), int(self.alignment()), shown)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            cut = QFontMetrics(self.font()).horizontalAdvance(self.text()) > self.width()
            self.setToolTip(plain_tip(self.text()) if cut else "")
        return super().event(event)


def literal(text: str) -> str:
    """The text for a control in which a single & underlines the next letter, so that it is shown as it is."""
    return text.replace("&", "&&")


def plain_tip(text: str) -> str:
    """The text of a tooltip.

    Qt shows text that looks like HTML as HTML, including pictures from other servers; text of others is
    therefore escaped.
    """
    if not RichText.mightBeRichText(text):
        return text
    return f"<span style='white-space: pre-wrap'>{escape(text)}</span>"


def clock_time(ms: EpochMs, *, seconds: bool = False) -> str:
    """14:38, or 14:38:06."""
    return time_text(local_datetime(ms), seconds=seconds)


def day(ms: EpochMs, now: EpochMs) -> str:
    """Fri 20 Nov; with the year if it isn't the current one."""
    then, today = local_datetime(ms), local_datetime(now)
    return f"{weekday_text(then)} {date_text(then, year=then.year != today.year)}"


def when(ms: EpochMs | None, now: EpochMs) -> str:
    """A time as lists show it: 14:38 today, Thu 19, 22:14 within six days, otherwise 3 Oct, 09:05."""
    if ms is None:
        return "–"
    then, today = local_datetime(ms), local_datetime(now)
    if then.date() == today.date():
        return clock_time(ms)
    if abs(then.date() - today.date()).days <= 6:
        return f"{weekday_text(then)} {day_text(then)}, {clock_time(ms)}"
    return f"{date_text(then, year=then.year != today.year)}, {clock_time(ms)}"


def full_time(ms: EpochMs, now: EpochMs) -> str:
    """A time in full, for tooltips and headers: Fri 20 Nov, 14:38:06."""
    return f"{day(ms, now)}, {clock_time(ms, seconds=True)}"


class WrappingContainer(QWidget):
    """A container of wrapped text. A layout's minimum assumes that wrapped texts are as narrow as possible,
    which would make the window taller.
    """

    def minimumSizeHint(self) -> QSize:
        hint = super().minimumSizeHint()
        layout = self.layout()
        if layout is None or not layout.hasHeightForWidth() or self.width() < hint.width():
            return hint
        return QSize(hint.width(), layout.heightForWidth(self.width()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()
