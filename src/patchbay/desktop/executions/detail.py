"""The pane of one execution: header, step timeline, and the data of the selected step."""

from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QStackedLayout, QWidget

from patchbay.desktop.core.execution_labels import ErrorView, TimelineRow
from patchbay.desktop.core.language import number_text, tr, tr_count
from patchbay.desktop.core.services import Services
from patchbay.desktop.executions.detail_header import ExecutionHeader
from patchbay.desktop.executions.timeline import Timeline
from patchbay.desktop.executions.view_models.detail import DataTab, ExecutionDetailViewModel
from patchbay.desktop.kit.boxes import hbox, vbox
from patchbay.desktop.kit.buttons import Button, IconButton, set_available
from patchbay.desktop.kit.json_view import JsonView, pretty
from patchbay.desktop.kit.layout import line, surface
from patchbay.desktop.kit.list_states import StatePage
from patchbay.desktop.kit.messages import MessageAction, MessageBox
from patchbay.desktop.kit.secret_fields import copy_text
from patchbay.desktop.kit.shortcuts import FIND_KEYS, native_text
from patchbay.desktop.kit.tab_strip import TabStrip
from patchbay.desktop.kit.text import Label
from patchbay.desktop.kit.theme import theme
from patchbay.domain.executions import StepState
from patchbay.domain.flows import StructuralType

TABS = tuple(DataTab)
_TAB_LABELS = {
    DataTab.IN: tr("Input", "data of a step"),
    DataTab.OUT: tr("Output", "data of a step"),
    DataTab.ERROR: tr("Error", "data of a step"),
}
MAX_LABEL_LENGTH, NARROW_WIDTH = 23, 410


class ExecutionPane(QWidget):
    """The pane of one execution. `same_cause_requested` carries the note to filter by."""

    closed = Signal()
    move_requested = Signal(int)
    flow_filter_requested = Signal(object)
    same_cause_requested = Signal(str)
    related_requested = Signal(str)

    def __init__(
        self, pane: ExecutionDetailViewModel, services: Services, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._pane = pane
        self._services = services
        self._narrow = False
        surface(self, "surface")
        self.head = ExecutionHeader(pane, services)
        self.timeline = Timeline(services)
        self.tabs = TabStrip((_TAB_LABELS[tab] for tab in TABS), tr("Step data"))
        self.search = IconButton("search", tr("Search the data ({keys})", keys=native_text(FIND_KEYS)))
        self.copy = IconButton("copy", tr("Copy the data shown"))
        self.message = MessageBox("failure", mark=False)
        self.source = Label("", "caption_strong", "text_secondary")
        self.warnings = Label("", "caption", "warning", wrap=True)
        self.child = Button(tr("Open the execution it started"), "link", "arrow-up-right", small=True)
        self.json = JsonView()
        self.json.tree.setAccessibleName(tr("Data"))
        self.json.tree.setMinimumHeight(theme().px(44))
        self.nothing = Label("", "body", "text_tertiary", wrap=True)
        self.empty = StatePage()
        self._lay_out()
        self._connect()
        self._show()

    def sizeHint(self) -> QSize:
        return QSize(theme().px(432), theme().px(400))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = self.width() < theme().px(NARROW_WIDTH)
        if narrow != self._narrow:
            self._narrow = narrow
            self._show_step()

    def focus_steps(self) -> None:
        """Move the focus to the list of steps."""
        self.timeline.setFocus(Qt.FocusReason.OtherFocusReason)

    def _lay_out(self) -> None:
        error = vbox(
            self.message,
            self.source,
            self.nothing,
            self.warnings,
            (self.child, 0, Qt.AlignmentFlag.AlignLeft),
            margins=(16, 12, 16, 0),
            spacing=10,
        )
        content = QWidget()
        surface(content, "surface")
        column = vbox(
            self.head,
            line(),
            hbox(Label(tr("Steps"), "caption_strong", "text_secondary"), margins=(16, 8, 16, 3)),
            self.timeline,
            6,
            line(),
            hbox((self.tabs, 1), self.search, self.copy, margins=(16, 0, 10, 0), spacing=0),
            line(),
            error,
            (vbox((self.json, 1), margins=(10, 4, 0, 0)), 1),
            parent=content,
            spacing=0,
        )
        column.addStretch()  # fills the space while there is no data
        self._content = content
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(content)

    def _connect(self) -> None:
        self.head.closed.connect(self.closed)
        self.head.move_requested.connect(self.move_requested)
        self.head.flow_filter_requested.connect(self.flow_filter_requested)
        self.head.related_requested.connect(self.related_requested)
        self.timeline.step_chosen.connect(self._pane.select_step)
        self.timeline.toggle_requested.connect(self._pane.toggle)
        self.child.clicked.connect(self._open_called)
        self._pane.rows_changed.connect(self._show_step)
        self.tabs.currentChanged.connect(lambda at: self._pane.select_tab(TABS[at]))
        self.search.clicked.connect(self.json.show_search)
        self.copy.clicked.connect(lambda: copy_text(pretty(self._pane.data())))
        self._pane.changed.connect(self._show)
        self._pane.step_changed.connect(self._show_step)
        self._services.apps.changed.connect(self.timeline.viewport().update)

    def _show(self) -> None:
        pane = self._pane
        if pane.execution is None:
            if pane.error is not None:
                self.empty.show_error(pane.error)
            else:
                self.empty.show_empty(
                    "activity",
                    tr("No execution selected"),
                    tr("Select an execution to see its steps, data, and errors."),
                )
            self._stack.setCurrentWidget(self.empty)
            return
        self._stack.setCurrentWidget(self._content)
        self.head.show_execution(pane.execution, self._services.clock())
        self._show_step()

    def _show_step(self) -> None:
        pane, problem = self._pane, self._pane.problem
        self.timeline.set_rows(pane.rows, pane.step)
        error = TABS.index(DataTab.ERROR)
        self.tabs.blockSignals(True)
        self.tabs.setTabVisible(error, problem is not None)
        self.tabs.set_failed(error, problem is not None)
        self.tabs.setCurrentIndex(TABS.index(pane.tab))
        self.tabs.blockSignals(False)
        self._show_error(problem if pane.tab is DataTab.ERROR else None)
        reason = self._pane.comparison or self._no_data_reason()
        data = None if self._pane.comparison else self._pane.data()
        self.nothing.setText(reason)
        self.nothing.setVisible(bool(reason))
        self.json.setVisible(data is not None)
        for control in (self.search, self.copy):
            set_available(control, None if data is not None else tr("No data to show."))
        if data is not None:
            self.json.set_value(data)
        self._show_warnings()

    def _show_warnings(self) -> None:
        """Show the step's warnings and the link to the execution it started."""
        pane, row = self._pane, self._pane.row
        warnings = row.warnings if row is not None and pane.tab is not DataTab.ERROR else ()
        self.warnings.setText("\n".join(warnings))
        self.warnings.setVisible(bool(warnings))
        self.child.setVisible(pane.called is not None)

    def _open_called(self) -> None:
        if (called := self._pane.called) is not None:
            self._pane.control.show(called)

    def _show_error(self, problem: ErrorView | None) -> None:
        self.message.setVisible(problem is not None)
        self.source.setVisible(problem is not None and problem.raw is not None)
        if problem is not None:
            self.message.set("failure", problem.title, problem.text, self._actions(problem))
            self.source.setText(problem.source)

    def _actions(self, problem: ErrorView) -> list[MessageAction]:
        """Return the actions offered for a failed step: reconnect, retry, and similar failures."""
        actions: list[MessageAction] = []
        row, run = self._pane.row, self._pane.execution
        if problem.credentials_rejected and row is not None:
            app = self._services.apps.get(row.step.app_key)
            label = tr("Reconnect {app}…", app=app.name) if app else ""
            if not label or len(label) > MAX_LABEL_LENGTH or self._narrow:
                label = tr("Reconnect…")
            actions.append((label, self._pane.reconnect))
        elif (
            problem.outcome_unknown
            and run is not None
            and self._pane.control.retry_unavailable_reason(run) is None
        ):
            actions.append((tr("Retry from here"), partial(self._pane.control.retry, run)))
            actions.append((tr("Mark as done and continue"), partial(self._pane.control.continue_after, run)))
        elif run is not None:
            actions.append((tr("Open the flow"), self._pane.open_flow))
        if run is not None and run.note and self._pane.same_cause > 1:
            note, number = run.note, self._pane.same_cause
            similar = tr_count(number, "Same cause: {n} execution", "Same cause: {n} executions")
            if self._narrow or len(similar) > MAX_LABEL_LENGTH + 2:
                similar = tr("Same cause: {n}", n=number_text(number))
            actions.append((similar, lambda: self.same_cause_requested.emit(note)))
        return actions

    def _no_data_reason(self) -> str:
        """Return why there is no data to show; empty if there is."""
        pane, row = self._pane, self._pane.row
        if pane.loading or pane.tab is DataTab.ERROR or pane.data() is not None:
            return ""
        if pane.error is not None:
            return pane.error.text()
        if pane.results_unavailable_reason:
            return pane.results_unavailable_reason
        if row is None or row.state is None:
            return tr("This branch didn't run.") if row and _is_branch(row) else tr("This step didn't run.")
        if row.folds and row.result is None:
            if row.item is not None:
                return tr("Expand this item to see the input and output of its steps.")
            return tr("Expand this path to see the input and output of its steps.")
        if row.state is StepState.RUNNING:
            return tr("This step is running.")
        return tr("No input.") if pane.tab is DataTab.IN else tr("No output.")


def _is_branch(row: TimelineRow) -> bool:
    return row.step.structural_type is StructuralType.BRANCH and row.item is None
