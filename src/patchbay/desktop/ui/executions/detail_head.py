"""The head of the pane: how the execution stands, of which flow it is, and what can be done."""

from functools import partial

from PySide6.QtCore import QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from patchbay.desktop.state.executions_control import can_resume
from patchbay.desktop.state.executions_detail import ExecutionDetailViewModel
from patchbay.desktop.state.executions_filter import full_moment
from patchbay.desktop.state.executions_waits import waiting_words
from patchbay.desktop.state.services import Services
from patchbay.desktop.ui.executions.links import RelatedExecutionsView, NameLink
from patchbay.desktop.ui.kit.availability import set_available
from patchbay.desktop.ui.kit.buttons import Button, IconButton
from patchbay.desktop.ui.kit.inputs import copy_text
from patchbay.desktop.ui.kit.json_model import pretty
from patchbay.desktop.ui.kit.marks import paint_state_mark
from patchbay.desktop.ui.kit.menu import Menu
from patchbay.desktop.ui.kit.text import ElidedLabel, duration, full_time, plain_tip
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.base import EpochMs
from patchbay.domain.executions import Execution, ExecutionState

RETRY, RETRY_SHORT, RUN_AGAIN, CANCEL = "Retry from failed step", "Retry", "Run again…", "Cancel"
RESUME = "Try now"
TICK_INTERVAL_MS = 1000
_RESUME_HELP = "Stop waiting. Other executions that wait for the same host or connection go on too."


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


class ExecutionHeader(QWidget):
    """State, flow, time, length, id, family; retry, run again, cancel, more; previous, next, close."""

    closed = Signal()
    move_requested = Signal(int)
    flow_filter_requested = Signal(object)
    retry_requested = Signal()
    run_again_requested = Signal()
    cancel_requested = Signal()
    resume_requested = Signal()
    related_requested = Signal(str)
    """All that came from the execution with this id."""

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
        self.wait = ElidedLabel("", "caption", "text")
        self.family = RelatedExecutionsView()
        self.retry = Button(RETRY, "primary", "rotate-ccw")
        self.run_again = Button(RUN_AGAIN, icon="play")
        self.resume = Button(RESUME, "primary", "play")
        self.cancel = Button(CANCEL, icon="circle-minus")
        self.copy = Button("Copy as JSON", icon="copy")
        self.more = IconButton("ellipsis", "More actions", outlined=True)
        self._clock = QTimer(self, interval=TICK_INTERVAL_MS)
        self._clock.timeout.connect(self._tick)
        self._lay_out()
        self._connect()

    def show_execution(self, execution: Execution, now: EpochMs) -> None:
        self.mark.set_state(execution.state)
        self.sentence.setText(self._pane.sentence)
        self.sentence.setAccessibleName(self._pane.sentence)
        self.flow.set_name(execution.flow.name, f"Open the flow {execution.flow.name}")
        self.facts.setText(facts(execution, now))
        self.facts.setToolTip(plain_tip(f"{full_moment(execution.created_at)}\n{execution.id}"))
        self.family.show_family(execution, self._pane.family, now)
        self._show_commands(execution)
        self._tick()
        is_counting_down = execution.state is ExecutionState.WAITING and execution.wake_at is not None
        self._clock.start() if is_counting_down else self._clock.stop()

    def set_narrow(self, narrow: bool) -> None:
        """Shorter words where the pane has little room."""
        self.retry.setText(RETRY_SHORT if narrow else RETRY)
        self.retry.setAccessibleName(RETRY)

    def menu(self) -> Menu:
        menu = Menu(self, "Actions for this execution")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        run = self._pane.execution
        if run is not None:
            menu.add("Copy as JSON", self._copy)
            menu.add("Copy id", lambda: copy_text(run.id))
            menu.addSeparator()
            menu.add("Open the flow", self._pane.open_flow)
            filter_by_flow = partial(self.flow_filter_requested.emit, run)
            menu.add("Show only this flow", filter_by_flow, reason=self._pane.filters_missing)
            if self._pane.family.total:
                menu.add("Show what came from it", lambda: self.related_requested.emit(run.id))
        return menu

    def _show_commands(self, run: Execution) -> None:
        """Those that fit the state are there; where the workspace cannot, they are grey and say why."""
        control, failed = self._pane.control, run.state is ExecutionState.FAILURE
        self.retry.setVisible(failed)
        self.retry.set_kind("default" if self._pane.family.taken_up else "primary")
        self.run_again.setVisible(run.state.finished)
        self.cancel.setVisible(not run.state.finished)
        self.resume.setVisible(can_resume(run))
        self.copy.setVisible(not failed)
        self._set_availability(control.missing)

    def _set_availability(self, reason: str | None) -> None:
        for button, tip in (
            (self.retry, "Ctrl+R"), (self.run_again, "Ctrl+Shift+R"), (self.cancel, ""), (self.resume, _RESUME_HELP),
        ):  # fmt: skip
            set_available(button, reason, tip)

    def _tick(self) -> None:
        run = self._pane.execution
        text = waiting_words(run, self._services.clock()) if run else ""
        self.wait.setText(text)
        self.wait.setVisible(bool(text))

    def _copy(self) -> None:
        copy_text(pretty(self._pane.json()))

    def _open_menu(self) -> None:
        self.menu().popup(self.more.mapToGlobal(self.more.rect().bottomLeft()))

    def _show_busy(self, busy: bool) -> None:
        for button in (self.retry, self.run_again, self.resume, self.cancel):
            button.set_busy(busy and button.isVisible() and button.hasFocus())
        self._set_availability(
            self._pane.control.missing or ("Wait for the answer of the workspace." if busy else None)
        )

    def _connect(self) -> None:
        pane = self._pane
        self.previous.clicked.connect(lambda: self.move_requested.emit(-1))
        self.next.clicked.connect(lambda: self.move_requested.emit(1))
        self.close_button.clicked.connect(self.closed)
        self.flow.clicked.connect(pane.open_flow)
        self.retry.clicked.connect(self.retry_requested)
        self.run_again.clicked.connect(self.run_again_requested)
        self.cancel.clicked.connect(self.cancel_requested)
        self.resume.clicked.connect(self.resume_requested)
        self.copy.clicked.connect(self._copy)
        self.more.clicked.connect(self._open_menu)
        self.family.opened.connect(pane.control.show)
        self.family.all_requested.connect(
            lambda: self.related_requested.emit(pane.execution.id if pane.execution else "")
        )
        pane.control.busy_changed.connect(self._show_busy)

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
        for command in (self.retry, self.run_again, self.resume, self.cancel, self.copy):
            actions.addWidget(command)
        actions.addStretch(1)
        actions.addWidget(self.more)
        column = QVBoxLayout(self)
        column.setContentsMargins(px(16), px(9), px(14), px(12))
        column.setSpacing(0)
        column.addLayout(top)
        column.addLayout(link)
        column.addWidget(self.facts)
        column.addWidget(self.wait)
        column.addWidget(self.family)
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
