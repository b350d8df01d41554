"""Says in the editor that the flow is paused, why, and how it goes on."""

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from patchbay.desktop.state.editor import EditorViewModel
from patchbay.desktop.state.editor_steps import StepCommands
from patchbay.desktop.ui.kit.buttons import Button
from patchbay.desktop.ui.kit.marks import paint_mark
from patchbay.desktop.ui.kit.text import ElidedLabel, Label
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.flows import FlowStatus

EVENTS_ARE_QUEUED = "Events that come meanwhile are kept and run once it is resumed."


class PausedBanner(QWidget):
    """A strip below the header; hidden unless the flow is paused."""

    def __init__(self, editor: EditorViewModel, commands: StepCommands) -> None:
        super().__init__()
        self._editor = editor
        self._title = Label("This flow is paused", "semibold")
        self._reason = ElidedLabel("", "body", "text_secondary")
        self.resume = Button("Resume", icon="play", small=True)
        self.resume.clicked.connect(lambda: commands.set_paused(False))
        px = theme().px
        row = QHBoxLayout(self)
        row.setContentsMargins(px(44), 0, px(12), 0)
        row.setSpacing(px(8))
        row.addWidget(self._title)
        row.addWidget(self._reason, 1)
        row.addWidget(self.resume)
        self.setFixedHeight(px(40))
        for signal in (editor.opened, editor.flow_changed):
            signal.connect(self.show_state)
        self.hide()

    def show_state(self) -> None:
        flow = self._editor.flow
        paused = flow is not None and flow.status is FlowStatus.PAUSED
        self.setVisible(paused)
        if flow is not None and paused:
            reason = (flow.paused_reason or "").rstrip(".")
            self._reason.setText(f"{reason}. {EVENTS_ARE_QUEUED}" if reason else EVENTS_ARE_QUEUED)
            self.setAccessibleName(f"This flow is paused. {self._reason.text()}")
            self.resume.setVisible(self._editor.read_only is None)

    def paintEvent(self, event: QPaintEvent) -> None:
        px, tokens = theme().px, theme().tokens
        painter = QPainter(self)
        painter.fillRect(self.rect(), tokens.warning_soft)
        painter.fillRect(QRectF(0, self.height() - 1, self.width(), 1), tokens.warning_border)
        mark = QRectF(px(16), 0, px(16), self.height())
        paint_mark(painter, mark, "triangle-alert", tokens.warning, tokens.warning_soft)
