"""The toolbar of the Executions tab: search, filters, live updates, columns, and export."""

from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from patchbay.desktop.core.execution_labels import short_id, state_label
from patchbay.desktop.core.language import tr
from patchbay.desktop.core.services import Services
from patchbay.desktop.core.times import ExecutionQuery, QuickRange, StartedRange
from patchbay.desktop.executions.columns import OPTIONAL_COLUMNS, columns
from patchbay.desktop.executions.view_models.execution_list import ExecutionsViewModel
from patchbay.desktop.kit.boxes import hbox
from patchbay.desktop.kit.buttons import Button, IconButton
from patchbay.desktop.kit.chips import FilterChip
from patchbay.desktop.kit.layout import surface
from patchbay.desktop.kit.line_edit import SearchField
from patchbay.desktop.kit.menu import Menu
from patchbay.desktop.kit.text import Label, plain_tip
from patchbay.desktop.kit.theme import theme
from patchbay.desktop.kit.toggles import Switch
from patchbay.domain.base import AppKey
from patchbay.domain.executions import ExecutionState

OUTCOMES = (ExecutionState.SUCCESS, ExecutionState.FAILURE)


class FilterBar(QWidget):
    """Edits the query of the screen. The order of the chips is fixed."""

    export_requested = Signal(str)
    columns_changed = Signal(object)

    def __init__(
        self, screen: ExecutionsViewModel, services: Services, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._screen, self._services = screen, services
        surface(self, "surface")
        self.setFixedHeight(theme().px(48))
        self.search = SearchField(tr("Filter executions"), key_cap="/")
        self.search.setMinimumWidth(theme().px(110))
        self.search.setMaximumWidth(theme().px(232))
        self.status = FilterChip(tr("Status"), multiple=True)
        self.flow = FilterChip(tr("Flow"))
        self.started = FilterChip(tr("Started"))
        self.app = FilterChip(tr("App"))
        self.test = FilterChip(tr("Run type"))
        self.data = FilterChip(tr("Data"))
        self.folder = FilterChip(tr("Folder"))
        self.cause = FilterChip(tr("Cause"))
        self.origin = FilterChip(tr("From", "filter: the execution that started it"))
        self.retried = FilterChip(tr("Retried", "filter: yes or no"))
        self.clear = Button(tr("Clear", "all filters"), "link")
        self.live_label = Label(tr("Live updates"), "caption", "text_secondary")
        self.live = Switch(tr("Live updates"))
        self.columns = IconButton("columns-3", tr("Columns"))
        self.export = IconButton("download", tr("Export", "verb"))
        self.hidden: frozenset[str] = frozenset()
        self.started.set_options([(quick, quick.label) for quick in QuickRange])
        self.test.set_options([(False, tr("live", "kind of run")), (True, tr("test", "kind of run"))])
        self._lay_out()
        self._connect()
        self._show()

    @property
    def chips(self) -> tuple[FilterChip, ...]:
        """The chips of the filter, in their order."""
        chosen = self.status, self.flow, self.started, self.app, self.test
        return (*chosen, self.data, self.folder, self.cause, self.origin, self.retried)

    def columns_menu(self, hidden: frozenset[str]) -> Menu:
        """Build the menu of visible columns."""
        menu = _menu(self, tr("Columns"))
        for column in columns(self._services.clock):
            if column.key in OPTIONAL_COLUMNS:
                entry = menu.add(column.title, partial(self._set_hidden, hidden ^ {column.key}))
                entry.setCheckable(True)
                entry.setChecked(column.key not in hidden)
        menu.addSeparator()
        menu.add(tr("Show all columns"), partial(self._set_hidden, frozenset()))
        return menu

    def export_menu(self) -> Menu:
        """The menu to export the matching executions."""
        menu = _menu(self, tr("Export", "verb"))
        for extension, label in (("csv", tr("Export as CSV…")), ("jsonl", tr("Export as JSON lines…"))):
            menu.add(label, partial(self.export_requested.emit, extension))
        return menu

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.live_label.setVisible(self.width() >= theme().px(1100))

    def _lay_out(self) -> None:
        px = theme().px
        row = hbox((self.search, 20), parent=self, margins=(16, 0, 16, 0), spacing=8)
        for chip in self.chips:
            chip.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
            row.addWidget(chip)
        row.addSpacing(px(4))
        row.addWidget(self.clear)
        row.addStretch(1)
        row.addWidget(self.live_label)
        row.addWidget(self.live)
        row.addWidget(self.columns)
        row.addWidget(self.export)

    def _connect(self) -> None:
        self.search.text_changed.connect(lambda text: self._update_filter(text=text.strip()))
        self.data.value_changed.connect(lambda _: self._screen.search_data(""))
        self.status.value_changed.connect(lambda states: self._update_filter(states=tuple(states)))
        self.flow.value_changed.connect(lambda flow: self._update_filter(flow_id=flow))
        self.started.value_changed.connect(self._filter_started)
        self.app.value_changed.connect(lambda app: self._update_filter(app_key=app))
        self.test.value_changed.connect(lambda test: self._update_filter(test_run=test))
        self.folder.value_changed.connect(lambda _: self._update_filter(folder_id=None))
        self.cause.value_changed.connect(lambda _: self._update_filter(note=None))
        self.origin.value_changed.connect(lambda _: self._update_filter(origin_id=None))
        self.retried.value_changed.connect(lambda _: self._update_filter(retried=None))
        self.clear.clicked.connect(self._screen.clear)
        self.live.toggled.connect(self._screen.set_live)
        self.columns.clicked.connect(lambda: self._open_menu(self.columns, self.columns_menu(self.hidden)))
        self.export.clicked.connect(lambda: self._open_menu(self.export, self.export_menu()))
        self._screen.query_changed.connect(self._show)
        self._screen.flows_changed.connect(self._show)
        self._services.apps.changed.connect(self._show)

    def _update_filter(self, **changes: Any) -> None:
        self._screen.set_query(replace(self._screen.query, **changes))

    def search_data(self) -> None:
        """Search the data for the entered text, instead of flow names."""
        text = self.search.text().strip()
        if text and self._screen.search.unavailable_reason is None:
            self._screen.search_data(text)

    def _filter_started(self, value: Any) -> None:
        self._update_filter(started=StartedRange(quick=value) if isinstance(value, QuickRange) else None)

    def _show(self) -> None:
        query = self._screen.query
        if query.text != self.search.text().strip():
            self.search.setText(query.text)
        self.flow.set_options([(flow.id, flow.name) for flow in self._screen.flows])
        self.app.set_options(self._used_apps())
        self.status.set_value(query.states)
        self.flow.set_value(query.flow_id)
        self.app.set_value(query.app_key)
        self.test.set_value(query.test_run)
        self._show_availability()
        if query.started is None or query.started.quick is not None:
            self.started.set_value(query.started and query.started.quick)
        else:
            self.started.set_value(query.started, query.started.text(self._services.clock()))
        self._show_links(query)
        self.clear.setVisible(query.active)
        unavailable_reason = self._screen.live_unavailable_reason
        self.live.setEnabled(unavailable_reason is None)
        self.live.setChecked(self._screen.live and unavailable_reason is None)
        self.live.setToolTip(plain_tip(unavailable_reason or ""))

    def _used_apps(self) -> list[tuple[AppKey, str]]:
        """The apps of flows and of loaded executions, and the chosen one."""
        used = {key for flow in self._screen.flows for key in flow.app_keys}
        used |= {key for run in self._screen.window.loaded() for key in run.flow.app_keys}
        used.add(self._screen.query.app_key or AppKey(""))
        return [(app.key, app.name) for app in self._services.apps.all if app.key in used]

    def _show_availability(self) -> None:
        """Disable filters the workspace doesn't support, with the reason."""
        unavailable_reason = self._screen.filters_unavailable_reason
        states = [state for state in ExecutionState if unavailable_reason is None or state in OUTCOMES]
        self.status.set_options([(state, state_label(state)) for state in states])
        for chip in (self.flow, self.app, self.test):
            chip.setEnabled(unavailable_reason is None)
            chip.setToolTip(plain_tip(unavailable_reason or ""))

    def _show_links(self, query: ExecutionQuery) -> None:
        """Show filters without options of their own only while they are set."""
        self.data.set_value(query.data or None, query.data)
        self.data.setVisible(bool(query.data))
        unavailable_reason = self._screen.search.unavailable_reason
        self.search.setToolTip(
            plain_tip(
                unavailable_reason
                or tr(
                    "Filters by flow name or execution ID. Enter opens the only match, or searches the data "
                    "of all steps."
                )
            )
        )
        self.folder.set_value(query.folder_id, self._screen.folder_name)
        self.folder.setVisible(query.folder_id is not None)
        self.cause.set_value(query.note, query.note)
        self.cause.setVisible(query.note is not None)
        self.origin.set_value(query.origin_id, short_id(query.origin_id) if query.origin_id else "")
        self.origin.setVisible(query.origin_id is not None)
        self.retried.set_value(query.retried, tr("yes") if query.retried else tr("no"))
        self.retried.setVisible(query.retried is not None)

    def _set_hidden(self, hidden: frozenset[str]) -> None:
        self.hidden = hidden
        self.columns_changed.emit(hidden)

    @staticmethod
    def _open_menu(button: QWidget, menu: Menu) -> None:
        corner = button.rect().bottomRight()
        corner.setX(corner.x() - menu.sizeHint().width())
        menu.popup(button.mapToGlobal(corner))


def _menu(parent: QWidget, name: str) -> Menu:
    menu = Menu(parent, name)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return menu
