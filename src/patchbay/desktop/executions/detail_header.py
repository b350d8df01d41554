"""The header of the execution pane: state, flow, commands, and links to related executions."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from patchbay.desktop.core.execution_labels import short_id
from patchbay.desktop.core.language import tr, tr_count
from patchbay.desktop.core.services import Services
from patchbay.desktop.core.times import duration, full_moment
from patchbay.desktop.executions.view_models.detail import ExecutionDetailViewModel
from patchbay.desktop.executions.view_models.queries import RelatedExecutions
from patchbay.desktop.executions.view_models.run_actions import can_resume
from patchbay.desktop.kit import shortcuts
from patchbay.desktop.kit.boxes import Stretch, hbox, vbox
from patchbay.desktop.kit.buttons import Button, IconButton, set_available
from patchbay.desktop.kit.focus import FocusRinged
from patchbay.desktop.kit.json_view import pretty
from patchbay.desktop.kit.marks import mark_of, paint_state_mark
from patchbay.desktop.kit.menu import Menu
from patchbay.desktop.kit.row_text import paint_text
from patchbay.desktop.kit.secret_fields import copy_text
from patchbay.desktop.kit.text import ElidedLabel, Label, full_time, plain_tip, when
from patchbay.desktop.kit.theme import theme
from patchbay.domain.base import EpochMs
from patchbay.domain.executions import Execution, ExecutionState, Origin

ORIGIN_LABELS = {
    Origin.RETRY: tr("Retry of", "followed by a link to an execution"),
    Origin.REPLAY: tr("Run again from", "followed by a link to an execution"),
    Origin.CALL: tr("Called by", "followed by a link to an execution"),
    Origin.FAILURE: tr("Started by the failure of", "followed by a link to an execution"),
}
_DELETED_ORIGIN_LABELS = {
    Origin.RETRY: tr("Retry of a deleted execution"),
    Origin.REPLAY: tr("Run again from a deleted execution"),
    Origin.CALL: tr("Called by a deleted execution"),
    Origin.FAILURE: tr("Started by the failure of a deleted execution"),
}
FOLLOWER_LABELS = {
    Origin.RETRY: tr("Retried", "followed by links to executions"),
    Origin.REPLAY: tr("Run again", "followed by links to executions"),
    Origin.CALL: tr("Called", "followed by links to executions"),
    Origin.FAILURE: tr("Started on failure", "followed by links to executions"),
}


class NameLink(FocusRinged, QAbstractButton):
    """A link to an execution, elided if needed; `state` adds its icon."""

    ring_radius = 4

    def __init__(self, parent: QWidget | None = None, *, role: str = "medium") -> None:
        super().__init__(parent)
        self._role = role
        self._state: ExecutionState | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def set_name(self, name: str, accessible: str, state: ExecutionState | None = None) -> None:
        """Set the flow's name, and what a screen reader says."""
        self._state = state
        self.setText(name)
        self.setToolTip(plain_tip(name))
        self.setAccessibleName(accessible)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        text = self.fontMetrics().horizontalAdvance(self.text())
        mark = theme().px(18) if self._state else 0
        return QSize(round(text * 1.06) + theme().px(4) + mark, theme().px(20))

    def minimumSizeHint(self) -> QSize:
        return QSize(min(theme().px(60), self.sizeHint().width()), theme().px(20))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, area = QPainter(self), QRectF(self.rect())
        if self._state is not None:
            paint_state_mark(painter, QRectF(area.x(), 0, theme().px(14), area.height()), self._state, 14)
            area.setLeft(area.x() + theme().px(18))
        paint_text(painter, area, self.text(), self._role, "accent_text")


class RelatedExecutionsView(QWidget):
    """Links to related executions: "Retry of 14:38", "Retried 14:52, 14:55, all 12"."""

    opened = Signal(str)
    all_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column = vbox(parent=self, margins=(0, 5, 0, 0), spacing=0)
        self._shown: tuple[object, ...] = ()
        self.links: list[NameLink] = []
        self.hide()

    def show_family(self, run: Execution, related_executions: RelatedExecutions, now: EpochMs) -> None:
        """Show the related executions; rebuild only if they changed."""
        key = (run.id, run.origin_id, related_executions)
        if key == self._shown:
            return
        self._shown = key
        self._clear()
        if run.origin_id is not None and run.origin_kind is not None:
            self._origin_line(run.origin_kind, related_executions.origin, now)
        by_kind: dict[Origin, list[Execution]] = {}
        for item in related_executions.derived_executions:
            by_kind.setdefault(item.origin_kind or Origin.RETRY, []).append(item)
        for kind, items in by_kind.items():
            more = related_executions.total if items[-1] is related_executions.derived_executions[-1] else 0
            self._follower_line(kind, items, more, len(related_executions.derived_executions), now)
        self.setVisible(bool(self.links) or run.origin_id is not None)

    def _origin_line(self, kind: Origin, origin: Execution | None, now: EpochMs) -> None:
        if origin is None:
            self._line(_DELETED_ORIGIN_LABELS[kind], [])
        else:
            self._line(ORIGIN_LABELS[kind], [self._link(kind, origin, now)])

    def _follower_line(
        self, kind: Origin, items: list[Execution], total: int, shown: int, now: EpochMs
    ) -> None:
        links = [self._link(kind, item, now) for item in items]
        if total > shown:
            links.append(
                self._add_link(
                    tr_count(total, "all {n}", "all {n}"),
                    tr("Show all executions started from this one"),
                    self.all_requested.emit,
                )
            )
        self._line(FOLLOWER_LABELS[kind], links)

    def _link(self, kind: Origin, item: Execution, now: EpochMs) -> NameLink:
        at = when(item.created_at, now)
        text = f"{item.flow.name}, {at}" if kind in (Origin.CALL, Origin.FAILURE) else at
        accessible_name = tr("Open the execution of {time}, {state}", time=at, state=mark_of(item.state).word)
        return self._add_link(text, accessible_name, partial(self.opened.emit, item.id), item.state)

    def _add_link(
        self,
        text: str,
        accessible_name: str,
        on_click: Callable[[], object],
        state: ExecutionState | None = None,
    ) -> NameLink:
        link = NameLink(self, role="caption")
        link.set_name(text, accessible_name, state)
        link.clicked.connect(lambda: on_click())
        self.links.append(link)
        return link

    def _line(self, text: str, links: list[NameLink]) -> None:
        self._column.addLayout(
            hbox(Label(text, "caption", "text_secondary", self), *links, Stretch(), spacing=8)
        )

    def _clear(self) -> None:
        self.links.clear()
        while item := self._column.takeAt(0):
            row = item.layout()
            if row is None:
                continue
            while part := row.takeAt(0):
                if widget := part.widget():
                    widget.hide()
                    widget.deleteLater()
            row.deleteLater()


# Header

RETRY = tr("Retry from failed step")
RETRY_SHORT = tr("Retry", "verb, button")
RUN_AGAIN = tr("Run again…")
CANCEL = tr("Cancel")
RESUME = tr("Try now")
TICK_INTERVAL_MS = 1000
LEFT_MARGIN, RIGHT_MARGIN = 16, 14
_RESUME_HELP = tr("Retry now. Other executions waiting for the same host or connection continue too.")


class StateMark(QWidget):
    """The 16 px icon of the execution's state; the label beside it carries the text."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state: ExecutionState | None = None
        side = theme().px(18)
        self.setFixedSize(side, side)

    def set_state(self, state: ExecutionState) -> None:
        """Show the mark of a state."""
        self._state = state
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_state_mark(painter, QRectF(self.rect()), self._state, 18)


class ExecutionHeader(QWidget):
    """State, flow, facts, and related executions; buttons for commands and navigation."""

    closed = Signal()
    move_requested = Signal(int)
    flow_filter_requested = Signal(object)
    retry_requested = Signal()
    run_again_requested = Signal()
    cancel_requested = Signal()
    resume_requested = Signal()
    related_requested = Signal(str)
    """Emitted with an execution's ID to list everything started from it."""

    def __init__(
        self, pane: ExecutionDetailViewModel, services: Services, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._pane, self._services = pane, services
        self.mark = StateMark()
        self.status_sentence = ElidedLabel("", "title")
        self.previous = IconButton("chevron-up", tr("Previous execution (K)"))
        self.next = IconButton("chevron-down", tr("Next execution (J)"))
        self.close_button = IconButton("x", tr("Close"))
        self.flow = NameLink()
        self.facts = ElidedLabel("", "caption", "text_secondary")
        self.wait = ElidedLabel("", "caption", "text")
        self.related_executions = RelatedExecutionsView()
        self.retry = Button(RETRY, "primary", "rotate-ccw")
        self.retry.setAccessibleName(RETRY)
        self.run_again = Button(RUN_AGAIN, icon="play")
        self.resume = Button(RESUME, "primary", "play")
        self.cancel = Button(CANCEL, icon="circle-minus")
        self.copy = Button(tr("Copy as JSON", "button"), icon="copy")
        self.more = IconButton("ellipsis", tr("More actions"), outlined=True)
        self._clock = QTimer(self, interval=TICK_INTERVAL_MS)
        self._clock.timeout.connect(self._tick)
        self._lay_out()
        self._connect()

    def show_neighbours(self, *, has_newer: bool, has_older: bool) -> None:
        """Offer the previous and the next execution of the list where there is one."""
        set_available(self.previous, None if has_newer else tr("This is the first execution in the list."))
        set_available(self.next, None if has_older else tr("This is the last execution in the list."))

    def show_execution(self, execution: Execution, now: EpochMs) -> None:
        """Show the state, flow, and times of an execution."""
        self.mark.set_state(self._pane.shown_state or execution.state)
        self.status_sentence.setText(self._pane.status_sentence)
        self.status_sentence.setAccessibleName(self._pane.status_sentence)
        self.flow.set_name(execution.flow.name, tr("Open the flow {name}", name=execution.flow.name))
        self.facts.setText(facts(execution, now))
        self.facts.setToolTip(plain_tip(f"{full_moment(execution.created_at)}\n{execution.id}"))
        self.related_executions.show_family(execution, self._pane.related_executions, now)
        failed = execution.state is ExecutionState.FAILURE
        self.retry.setVisible(failed)
        self.retry.set_kind("default" if self._pane.related_executions.is_settled_by_retry else "primary")
        self.run_again.setVisible(execution.state.finished)
        self.cancel.setVisible(not execution.state.finished)
        self.resume.setVisible(can_resume(execution))
        self.copy.setVisible(not failed)
        self._fit_retry()
        self._set_availability(self._pane.control.unavailable_reason)
        self._tick()
        is_counting_down = execution.state is ExecutionState.WAITING and execution.wake_at is not None
        self._clock.start() if is_counting_down else self._clock.stop()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_retry()

    def _fit_retry(self) -> None:
        """Use the short text of the retry button if there isn't room for the other."""
        self.retry.setText(RETRY)
        self._actions.invalidate()
        if self._actions.sizeHint().width() > self.width() - theme().px(LEFT_MARGIN + RIGHT_MARGIN):
            self.retry.setText(RETRY_SHORT)

    def menu(self) -> Menu:
        """The menu with the actions for the execution."""
        menu = Menu(self, tr("Actions for this execution"))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        run = self._pane.execution
        if run is not None:
            menu.add(tr("Copy as JSON"), self._copy)
            menu.add(tr("Copy ID"), lambda: copy_text(run.id))
            menu.addSeparator()
            menu.add(tr("Open the flow"), self._pane.open_flow)
            filter_by_flow = partial(self.flow_filter_requested.emit, run)
            menu.add(tr("Show only this flow"), filter_by_flow, reason=self._pane.filters_unavailable_reason)
            if self._pane.related_executions.total:
                menu.add(
                    tr("Show executions started from this one"), lambda: self.related_requested.emit(run.id)
                )
        return menu

    def _set_availability(self, reason: str | None) -> None:
        for button, tip in (
            (self.retry, shortcuts.RETRY.keys[0]),
            (self.run_again, shortcuts.RUN_AGAIN.keys[0]),
            (self.cancel, ""),
            (self.resume, _RESUME_HELP),
        ):
            set_available(button, reason, tip)

    def _tick(self) -> None:
        run = self._pane.execution
        text = self._pane.waiting_text(self._services.clock()) if run else ""
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
            self._pane.control.unavailable_reason
            or (tr("Waiting for the workspace to respond.") if busy else None)
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
        self.related_executions.opened.connect(pane.control.show)
        self.related_executions.all_requested.connect(
            lambda: self.related_requested.emit(pane.execution.id if pane.execution else "")
        )
        pane.control.busy_changed.connect(self._show_busy)

    def _lay_out(self) -> None:
        top = hbox(
            self.mark, 6, (self.status_sentence, 1), self.previous, self.next, self.close_button, spacing=2
        )
        actions = self._actions = hbox(
            self.retry, self.run_again, self.resume, self.cancel, self.copy, Stretch(), self.more, spacing=8
        )
        vbox(
            top,
            hbox(self.flow, Stretch()),
            self.facts,
            self.wait,
            self.related_executions,
            11,
            actions,
            parent=self,
            margins=(LEFT_MARGIN, 9, RIGHT_MARGIN, 12),
            spacing=0,
        )


def facts(execution: Execution, now: EpochMs) -> str:
    """Return "Fri 20 Nov, 14:38:06 · 3.9 s · live · flow version 12 · 019ac01f-7d3e"."""
    parts = [full_time(execution.created_at, now)]
    if execution.duration_ms is not None:
        parts.append(duration(execution.duration_ms, parts=2, exact=True))
    parts.append(tr("test", "kind of run") if execution.test_run else tr("live", "kind of run"))
    if execution.flow_version is not None:
        parts.append(tr("flow version {n}", n=execution.flow_version))
    parts.append(short_id(execution.id))
    return " · ".join(parts)
