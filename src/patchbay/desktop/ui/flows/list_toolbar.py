"""The bar above the list: filter field, chips, how many there are, import and new."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from patchbay.desktop.state.app_store import AppStore
from patchbay.desktop.state.executions_timeline import state_word
from patchbay.desktop.state.flows_list import FlowsViewModel
from patchbay.desktop.ui.kit.buttons import Button, SplitButton
from patchbay.desktop.ui.kit.chips import FilterChip
from patchbay.desktop.ui.kit.inputs import SearchField
from patchbay.desktop.ui.kit.marks import flow_word
from patchbay.desktop.ui.kit.menu import Menu
from patchbay.desktop.ui.kit.surface import surface
from patchbay.desktop.ui.kit.text import ElidedLabel, count, plain_tip
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.executions import ExecutionState
from patchbay.domain.flows import FlowStatus

_STATUSES = (FlowStatus.PUBLISHED, FlowStatus.PAUSED, FlowStatus.DRAFT)


class ListToolbar(QWidget):
    """Writes the filter of the view-model and follows it."""

    import_requested = Signal()
    new_requested = Signal()
    template_requested = Signal()

    def __init__(self, flows: FlowsViewModel, apps: AppStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        surface(self, "surface")
        self._flows, self._apps = flows, apps
        px = theme().px
        self.setFixedHeight(px(48))
        self.search = SearchField("Filter flows", key_cap="/")
        self.search.setMaximumWidth(px(220))
        self.search.setMinimumWidth(px(120))
        self.search.text_changed.connect(lambda text: flows.narrow(text=text))
        self.status = FilterChip("Status")
        self.status.set_options([(status, flow_word(status)[0]) for status in _STATUSES])
        self.status.value_changed.connect(lambda value: flows.narrow(status=value))
        self.app = FilterChip("App")
        self.app.value_changed.connect(lambda value: flows.narrow(app_key=value))
        self.result = FilterChip("Last result")
        self.result.set_options([(state, state_word(state)) for state in ExecutionState])
        self.result.value_changed.connect(lambda value: flows.narrow(result=value))
        self.connection = FilterChip("Connection")
        self.connection.value_changed.connect(lambda value: flows.narrow(connection_id=value))
        self.clear = Button("Clear", "link")
        self.clear.clicked.connect(flows.clear_filter)
        self._count_label = ElidedLabel("", "caption", "text_secondary")
        self.import_button = Button("Import…")
        self.import_button.clicked.connect(self.import_requested)
        self.new = SplitButton("New flow", self._menu(), "plus")
        self.new.clicked.connect(self.new_requested)
        self._lay_out()

    def _menu(self) -> Menu:
        menu = Menu(self, "New flow")
        menu.add("Empty flow", self.new_requested.emit, "plus")
        menu.add("From a template…", self.template_requested.emit, "layout-template")
        self._import_action = menu.add("Import from a file…", self.import_requested.emit, "file-up")
        return menu

    @property
    def chips(self) -> tuple[FilterChip, ...]:
        """The last one has no choices of its own: it is there while the list shows one connection's flows."""
        return self.status, self.app, self.result, self.connection

    def _lay_out(self) -> None:
        px = theme().px
        row = QHBoxLayout(self)
        row.setContentsMargins(px(16), 0, px(16), 0)
        row.setSpacing(px(8))
        row.addWidget(self.search, 3)
        for widget in (*self.chips, self.clear):
            row.addWidget(widget)
        row.addStretch(1)
        row.addWidget(self._count_label)
        row.addWidget(self.import_button)
        row.addWidget(self.new)

    def offer(self, change_missing: str | None, edit_missing: str | None) -> None:
        """Why flows cannot be made here, and why they cannot be imported; None where they can."""
        self.new.setEnabled(change_missing is None)
        self.new.setToolTip(plain_tip(change_missing or ""))
        self.import_button.setEnabled(edit_missing is None)
        self.import_button.setToolTip(plain_tip(edit_missing or ""))
        self._import_action.set_reason(edit_missing)

    def show_state(self) -> None:
        """Follow the view-model: counts, app choices, and a filter that was set elsewhere."""
        flows, where = self._flows, self._flows.where
        paused = f", {flows.paused} paused" if flows.paused else ""
        text = f"{count(flows.total, 'flow')}, {flows.published} published{paused}"
        self._count_label.setText(text if flows.loaded else "")
        app_options = ((key, app.name if (app := self._apps.get(key)) else key) for key in flows.used_apps())
        self.app.set_options(sorted(app_options, key=lambda item: item[1].casefold()))
        for chip, value in (
            (self.status, where.status),
            (self.app, where.app_key),
            (self.result, where.result),
        ):
            if chip.value() != value:
                chip.set_value(value)
        self.connection.set_value(where.connection_id, flows.connection_name or "one of yours")
        self.connection.setVisible(where.connection_id is not None)
        if self.search.text() != where.text and not self.search.hasFocus():
            self.search.setText(where.text)
        elif not where.text and not where.narrowed and self.search.text() and not self.search.hasFocus():
            self.search.clear()
        self.clear.setVisible(any(chip.active for chip in self.chips))
