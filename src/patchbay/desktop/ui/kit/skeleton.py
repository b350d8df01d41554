"""What is seen while waiting: grey rows at first, a thin bar over old rows later."""

from collections.abc import Callable

from PySide6.QtCore import QRectF, Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from patchbay.desktop.ui.kit.buttons import Button, Spinner
from patchbay.desktop.ui.kit.text import Label
from patchbay.desktop.ui.kit.theme import theme

SKELETON_AFTER_MS, CANCEL_AFTER_MS = 200, 1000


class Skeleton(QWidget):
    """Grey rows while the first answer is awaited. No shimmer."""

    _WIDTHS = ((58, 150, 40), (50, 190, 32), (62, 130, 46), (58, 170, 40), (54, 160, 30), (50, 130, 46))

    def __init__(self) -> None:
        super().__init__()
        px = theme().px
        self.shown = False
        self._what = Label("", "body", "text_secondary")
        self._spinner_at = px(16)
        self._spinner = Spinner(self)
        self._cancel = Button("Cancel", "link")
        row = QHBoxLayout()
        row.setContentsMargins(px(38), px(6), px(16), px(6))
        row.addWidget(self._what, 1)
        row.addWidget(self._cancel)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(row)
        column.addStretch(1)
        self._wait = single_shot(self, SKELETON_AFTER_MS, self._appear)
        self._long = single_shot(self, CANCEL_AFTER_MS, self._offer_cancel)
        self._on_cancel: Callable[[], object] | None = None
        self._cancel.clicked.connect(lambda: self._on_cancel() if self._on_cancel else None)

    def begin(self, what: str, on_cancel: Callable[[], object] | None) -> None:
        self._on_cancel = on_cancel
        self._what.setText(what)
        self._what.setVisible(self.shown)
        self._cancel.hide()
        if not self.shown:
            self._wait.start()
        self._long.start()

    def end(self) -> None:
        self.shown = False
        self._wait.stop()
        self._long.stop()
        self._spinner.run(False)

    def _appear(self) -> None:
        self.shown = True
        self._what.show()
        self._spinner.run(True)
        self.update()

    def _offer_cancel(self) -> None:
        self._cancel.setVisible(self._on_cancel is not None)

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self.shown:
            return
        current = theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        head = current.px(36)
        self._spinner.paint(painter, QRectF(self._spinner_at, 0, current.px(16), head))
        painter.fillRect(QRectF(0, head - 1, self.width(), 1), current.tokens.row_line)
        row = current.px(32)
        for number in range(max(0, (self.height() - head) // row)):
            self._paint_row(painter, number, head + number * row, row)

    def _paint_row(self, painter: QPainter, number: int, top: int, height: int) -> None:
        current = theme()
        grey = current.tokens.selected_inactive
        first, second, third = (current.px(width) for width in self._WIDTHS[number % len(self._WIDTHS)])
        bar, middle = current.px(10), top + height / 2
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(grey)
        dot = current.px(16)
        painter.drawEllipse(QRectF(current.px(16), middle - dot / 2, dot, dot))
        x = current.px(44)
        for left, width in (
            (x, first),
            (x + first + current.px(12), second),
            (self.width() - current.px(16) - third, third),
        ):
            painter.drawRoundedRect(QRectF(left, middle - bar / 2, width, bar), bar / 2, bar / 2)
        painter.fillRect(QRectF(0, top + height - 1, self.width(), 1), current.tokens.row_line)


def single_shot(owner: QWidget, milliseconds: int, run: Callable[[], None]) -> QTimer:
    timer = QTimer(owner)
    timer.setSingleShot(True)
    timer.setInterval(milliseconds)
    timer.timeout.connect(run)
    return timer


class RefreshBar(QWidget):
    """A thin line above old rows while new ones are fetched, from 200 ms on."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._at = 0.0
        self._wait = single_shot(self, SKELETON_AFTER_MS, self._begin)
        self._run = QTimer(self)
        self._run.setInterval(30)
        self._run.timeout.connect(self._step)
        self.hide()

    def set_active(self, active: bool) -> None:
        if active:
            self._wait.start()
            return
        self._wait.stop()
        self._run.stop()
        self.hide()

    def _begin(self) -> None:
        self.show()
        self.raise_()
        if not theme().calm:
            self._run.start()

    def _step(self) -> None:
        self._at = (self._at + 0.02) % 1.3
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        part = self.width() * 0.3
        left = self._at * self.width() - part
        if theme().calm:
            left, part = 0.0, float(self.width())
        QPainter(self).fillRect(QRectF(left, 0, part, self.height()), theme().tokens.accent)
