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
        self._word, self._rest = "", ""
        self._state: StepState | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_result(self, words: str, state: StepState | None) -> None:
        self._word, _, self._rest = words.partition("\n")
        self._state = state
        self.setAccessibleName(words.replace("\n", ", "))
        self.update()

    def text(self) -> str:
        return f"{self._word} {self._rest}".strip()

    def sizeHint(self) -> QSize:
        return QSize(theme().px(160), theme().px(20))

    def paintEvent(self, event: QPaintEvent) -> None:
        px = theme().px
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_state_mark(painter, QRectF(0, 0, px(16), self.height()), self._state)
        area = QRectF(px(22), 0, self.width() - px(22), self.height())
        taken = paint_text(painter, area, self._word, "medium", mark_of(self._state).token)
        rest = area.adjusted(taken + px(8), 0, 0, 0)
        paint_text(painter, rest, self._rest, "body", "text_secondary")
