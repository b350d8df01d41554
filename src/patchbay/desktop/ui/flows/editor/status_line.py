"""How a test went, in one line: mark, word, and when and how long in grey."""

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from patchbay.desktop.ui.kit.accessibility import Spoken
from patchbay.desktop.ui.kit.delegates import paint_text
from patchbay.desktop.ui.kit.marks import mark_of, paint_state_mark
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.executions import StepState


class StatusLine(Spoken, QWidget):
    """The first line of the given words is drawn in the colour of the state, the rest in grey."""

    def __init__(self) -> None:
        super().__init__()
        self._state_label, self._details = "", ""
        self._state: StepState | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_result(self, text: str, state: StepState | None) -> None:
        self._state_label, _, self._details = text.partition("\n")
        self._state = state
        self.setAccessibleName(text.replace("\n", ", "))
        self.update()

    def text(self) -> str:
        return f"{self._state_label} {self._details}".strip()

    def sizeHint(self) -> QSize:
        return QSize(theme().px(160), theme().px(20))

    def paintEvent(self, event: QPaintEvent) -> None:
        px = theme().px
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_state_mark(painter, QRectF(0, 0, px(16), self.height()), self._state)
        area = QRectF(px(22), 0, self.width() - px(22), self.height())
        label_width = paint_text(painter, area, self._state_label, "medium", mark_of(self._state).token)
        details_rect = area.adjusted(label_width + px(8), 0, 0, 0)
        paint_text(painter, details_rect, self._details, "body", "text_secondary")
