"""The head of the pane: how the execution stands, of which flow it is, and what can be done."""

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QMenu, QSizePolicy, QVBoxLayout, QWidget

from patchbay.desktop.state.executions_detail import ExecutionDetailViewModel
from patchbay.desktop.state.executions_filter import full_moment
from patchbay.desktop.state.services import Services
from patchbay.desktop.ui.kit.buttons import Button, IconButton
from patchbay.desktop.ui.kit.delegates import paint_text
from patchbay.desktop.ui.kit.focus import FocusRinged
from patchbay.desktop.ui.kit.inputs import copy_text
from patchbay.desktop.ui.kit.json_model import pretty
from patchbay.desktop.ui.kit.marks import paint_state_mark
from patchbay.desktop.ui.kit.text import ElidedLabel, duration, full_time
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.base import EpochMs
from patchbay.domain.executions import Execution, ExecutionState

RUN_AGAIN = "Run again with this data"


class StateMark(QWidget):
    """The mark of the execution's state, 16 px; the words beside it say the same."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state: ExecutionState | None = None
        side = theme().px(18)
        self.setFixedSize(side, side)

    def set_state(self, state: ExecutionState) -> None:
        self._state = state
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_state_mark(painter, QRectF(self.rect()), self._state, 18)


class NameLink(FocusRinged, QAbstractButton):
    """A name to follow, shortened where there is no room."""

    ring_radius = 4

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def set_name(self, name: str, accessible: str) -> None:
        self.setText(name)
        self.setToolTip(name)
        self.setAccessibleName(accessible)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        words = self.fontMetrics().horizontalAdvance(self.text())
        return QSize(round(words * 1.06) + theme().px(4), theme().px(20))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme().px(60), theme().px(20))

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_text(QPainter(self), QRectF(self.rect()), self.text(), "medium", "accent_text")


class DetailHead(QWidget):
    """State, flow, time, length, id; run again, copy, more; previous, next, close."""

    closed = Signal()
    stepped = Signal(int)
    flow_wanted = Signal(object)

    def __init__(
        self, pane: ExecutionDetailViewModel, services: Services, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._pane, self._services = pane, services
        self.mark = StateMark()
        self.sentence = ElidedLabel("", "title")
        self.previous = IconButton("chevron-up", "Previous execution (K)")
        self.next = IconButton("chevron-down", "Next execution (J)")
        self.close_button = IconButton("x", "Close")
        self.flow = NameLink()
        self.facts = ElidedLabel("", "caption", "text_secondary")
        self.again = Button(RUN_AGAIN, "primary", "rotate-ccw")
        self.copy = Button("Copy as JSON", icon="copy")
        self.more = IconButton("ellipsis", "More actions", outlined=True)
        self._lay_out()
        self.previous.clicked.connect(lambda: self.stepped.emit(-1))
        self.next.clicked.connect(lambda: self.stepped.emit(1))
        self.close_button.clicked.connect(self.closed)
        self.flow.clicked.connect(pane.open_flow)
        self.again.clicked.connect(pane.run_again)
        self.copy.clicked.connect(lambda: copy_text(pretty(pane.json())))
        self.more.clicked.connect(self._open_menu)
        pane.busy_changed.connect(lambda busy: self.again.set_busy(busy, "Starting"))

    def show_execution(self, execution: Execution, now: EpochMs) -> None:
        self.mark.set_state(execution.state)
        self.sentence.setText(self._pane.sentence)
        self.sentence.setAccessibleName(self._pane.sentence)
        self.flow.set_name(execution.flow.name, f"Open the flow {execution.flow.name}")
        self.facts.setText(facts(execution, now))
        self.facts.setToolTip(f"{full_moment(execution.created_at)}\n{execution.id}")
        missing = self._pane.run_again_missing if not self._pane.loading else ""
        self.again.setEnabled(missing is None)
        self.again.setToolTip(missing or "")

    def set_narrow(self, narrow: bool) -> None:
        """Shorter words where the pane has little room."""
        self.again.setText("Run again" if narrow else RUN_AGAIN)
        self.again.setAccessibleName(RUN_AGAIN)

    def menu(self) -> QMenu:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        run = self._pane.execution
        if run is not None:
            menu.addAction("Copy id", lambda: copy_text(run.id))
            menu.addAction("Open the flow", self._pane.open_flow)
            menu.addAction("Show only this flow", lambda: self.flow_wanted.emit(run))
        return menu

    def _open_menu(self) -> None:
        self.menu().popup(self.more.mapToGlobal(self.more.rect().bottomLeft()))

    def _lay_out(self) -> None:
        px = theme().px
        top = QHBoxLayout()
        top.setSpacing(px(2))
        top.addWidget(self.mark)
        top.addSpacing(px(6))
        top.addWidget(self.sentence, 1)
        for button in (self.previous, self.next, self.close_button):
            top.addWidget(button)
        link = QHBoxLayout()
        link.addWidget(self.flow)
        link.addStretch(1)
        actions = QHBoxLayout()
        actions.setSpacing(px(8))
        actions.addWidget(self.again)
        actions.addWidget(self.copy)
        actions.addStretch(1)
        actions.addWidget(self.more)
        column = QVBoxLayout(self)
        column.setContentsMargins(px(16), px(9), px(14), px(12))
        column.setSpacing(0)
        column.addLayout(top)
        column.addLayout(link)
        column.addWidget(self.facts)
        column.addSpacing(px(11))
        column.addLayout(actions)


def facts(execution: Execution, now: EpochMs) -> str:
    """ "Fri 20 Nov, 14:38:06 · 3.9 s · live · flow version 12 · 7f3c91"."""
    parts = [full_time(execution.created_at, now)]
    if execution.duration_ms is not None:
        parts.append(duration(execution.duration_ms))
    parts.append("test" if execution.test_run else "live")
    if execution.flow_version is not None:
        parts.append(f"flow version {execution.flow_version}")
    parts.append(execution.id if len(execution.id) <= 12 else execution.id[:8])
    return " · ".join(parts)
