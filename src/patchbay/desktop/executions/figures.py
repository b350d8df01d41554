"""The summary above the table: counts by outcome and the histogram."""

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from patchbay.desktop.core.language import number_text, tr, tr_count
from patchbay.desktop.executions.view_models.execution_list import ExecutionsViewModel
from patchbay.desktop.kit.accessibility import AccessibleText
from patchbay.desktop.kit.boxes import hbox, vbox
from patchbay.desktop.kit.buttons import Button, paint_box
from patchbay.desktop.kit.charts import HistogramView
from patchbay.desktop.kit.focus import FocusRinged
from patchbay.desktop.kit.icons import paint_icon
from patchbay.desktop.kit.layout import line, surface
from patchbay.desktop.kit.row_text import paint_text
from patchbay.desktop.kit.text import ElidedLabel, plain_tip
from patchbay.desktop.kit.theme import theme
from patchbay.domain.executions import ExecutionCounts


class NewExecutionsButton(FocusRinged, QAbstractButton):
    """The "3 new" button: shows executions that arrived while the list was in use."""

    ring_radius = 11

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.set_count(0)

    def set_count(self, number: int, more: bool = False) -> None:
        """Show the number of new executions; hidden at 0."""
        if more:
            text = tr("{n}+ new", n=number_text(number))
            accessible_name = tr("{n}+ new executions, show them", n=number_text(number))
        else:
            text = tr_count(number, "{n} new", "{n} new")
            accessible_name = tr_count(number, "{n} new execution, show it", "{n} new executions, show them")
        self.setText(text)
        self.setAccessibleName(accessible_name)
        self.setToolTip(tr("Show the new executions"))
        self.setVisible(number > 0)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        text = QFontMetricsF(theme().font("medium")).horizontalAdvance(self.text())
        return QSize(round(text) + theme().px(42), theme().px(22))

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens, px = theme().tokens, theme().px
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        fill = (
            tokens.accent_pressed
            if self.isDown()
            else tokens.accent_hover
            if self.underMouse()
            else tokens.accent
        )
        paint_box(painter, QRectF(self.rect()), fill, None, radius=11)
        paint_icon(painter, QRectF(px(10), 0, px(14), self.height()), "arrow-up", tokens.on_accent, 14)
        paint_text(
            painter, QRectF(px(30), 0, self.width(), self.height()), self.text(), "medium", tokens.on_accent
        )


class CountsLabel(AccessibleText, QWidget):
    """ "166 of 366 executions" and the legend, painted as one widget."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._counts, self._filtered = ExecutionCounts(), False
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_counts(self, counts: ExecutionCounts, filtered: bool) -> None:
        """Show how many executions match, and how they ended."""
        self._counts, self._filtered = counts, filtered
        self.setAccessibleName(
            tr(
                "{total}: {success} success, {failure} failure, {other} other",
                total="".join(self._count_texts()),
                success=number_text(counts.success),
                failure=number_text(counts.failure),
                other=number_text(counts.other),
            )
        )
        self.updateGeometry()
        self.update()

    def _count_texts(self) -> tuple[str, str, str]:
        """The sentence of the counts in three parts, of which the second, a number, is emphasised."""
        counts = self._counts
        if self._filtered:
            number = number_text(counts.matching)
            text = tr_count(
                counts.all, "{matching} of {n} execution", "{matching} of {n} executions", matching=number
            )
        else:
            number = number_text(counts.all)
            text = tr_count(counts.all, "{n} execution", "{n} executions")
        return text.partition(number)

    def _legend(self) -> tuple[tuple[str, str], ...]:
        counts = self._counts
        other = (("", tr("Other {n}", n=number_text(counts.other))),) if counts.other else ()
        return (
            ("success_graphic", tr("Success {n}", n=number_text(counts.success))),
            ("failure_graphic", tr("Failure {n}", n=number_text(counts.failure))),
            *other,
        )

    def sizeHint(self) -> QSize:
        before, number, after = self._count_texts()
        caption, px = QFontMetricsF(theme().font("caption")), theme().px
        width = QFontMetricsF(theme().font("semibold")).horizontalAdvance(number)
        for text in (before, after):
            width += QFontMetricsF(theme().font()).horizontalAdvance(text)
        for token, text in self._legend():
            width += px(14) + (px(14) if token else 0) + caption.horizontalAdvance(text)
        return QSize(round(width) + px(4), px(22))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, px = QPainter(self), theme().px
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(self.rect())
        before, number, after = self._count_texts()
        for text, role in ((before, "body"), (number, "semibold"), (after, "body")):
            if text:
                area.setLeft(area.x() + paint_text(painter, area, text, role))
        area.setLeft(area.x() + px(14))
        for token, text in self._legend():
            if token:
                square = QRectF(area.x(), area.center().y() - px(4), px(8), px(8))
                paint_box(painter, square, theme().color(token), None, radius=2)
                area.setLeft(area.x() + px(14))
            used = paint_text(painter, area, text, "caption", "text_secondary" if token else "text_tertiary")
            area.setLeft(area.x() + used + px(14))


class ExecutionSummary(QWidget):
    """The counts, the new-executions button, Retry all failed, and the histogram."""

    show_new_requested = Signal()
    retry_all_requested = Signal()

    def __init__(self, screen: ExecutionsViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._screen = screen
        surface(self, "surface")
        self.counts, self.new_button = CountsLabel(), NewExecutionsButton()
        self.retry = Button("", "link", "rotate-ccw", small=True)
        self.retry.hide()
        self.span = ElidedLabel("", "caption", "text_secondary")
        self.span.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.span.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.histogram = HistogramView()
        inner = vbox(
            hbox(self.counts, self.new_button, self.retry, (self.span, 1), spacing=12),
            self.histogram,
            margins=(16, 9, 16, 2),
            spacing=5,
        )
        vbox(inner, line(), parent=self, spacing=0)
        self.new_button.clicked.connect(self.show_new_requested)
        self.retry.clicked.connect(self.retry_all_requested)
        self.histogram.brush_changed.connect(self._set_brush)
        screen.counts_changed.connect(self._show_counts)
        screen.histogram_changed.connect(self._show_histogram)
        screen.pending_changed.connect(self._show_arrived)
        screen.query_changed.connect(self._show_brush)
        self.histogram.setVisible(screen.statistics_unavailable_reason is None)

    def _set_brush(self, chosen: tuple[int, int] | None) -> None:
        self._screen.brush(*(chosen or (None, None)))

    def _show_counts(self) -> None:
        screen = self._screen
        self.counts.set_counts(screen.counts, screen.query.active)
        failed = screen.counts.failure
        self.retry.setText(tr_count(failed, "Retry the failed execution…", "Retry all {n} failed…"))
        self.retry.setVisible(bool(failed) and screen.query.only_failures)
        self.retry.setEnabled(screen.run_control_unavailable_reason is None)
        self.retry.setToolTip(plain_tip(screen.run_control_unavailable_reason or ""))

    def _show_histogram(self) -> None:
        if self._screen.histogram is not None and self._screen.span is not None:
            self.histogram.set_histogram(self._screen.histogram)
            self.span.setText(self._screen.span.label)
            self._show_brush()

    def _show_brush(self) -> None:
        self.histogram.set_brush(self._screen.brushed_range)

    def _show_arrived(self) -> None:
        self.new_button.set_count(len(self._screen.pending_rows), self._screen.has_more_pending)
