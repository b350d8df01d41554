"""The page of one app: its head, and tabs for connections, flows, and triggers and actions."""

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from patchbay.desktop.state.my_apps import MyAppsViewModel
from patchbay.desktop.state.my_apps_rows import AppRow
from patchbay.desktop.state.services import Services
from patchbay.desktop.ui.kit.buttons import Button
from patchbay.desktop.ui.kit.form_scroll import FormScroll
from patchbay.desktop.ui.kit.surface import line
from patchbay.desktop.ui.kit.text import ElidedLabel, Label, plain_tip
from patchbay.desktop.ui.kit.theme import theme
from patchbay.desktop.ui.my_apps.app_parts import AppTile, SectionTab, fill_events, fill_flows
from patchbay.desktop.ui.my_apps.broken_app import BrokenAppCard
from patchbay.desktop.ui.my_apps.connection_card import ConnectionCard
from patchbay.desktop.ui.my_apps.guide_pane import has_guide
from patchbay.desktop.ui.my_apps.wait_parts import Glyph
from patchbay.domain.apps import AppInfo
from patchbay.domain.backend import WorkspaceInfo
from patchbay.domain.base import AppKey, ConnectionId
from patchbay.domain.connections import Connection
from patchbay.domain.flows import Flow

SECTIONS = ("Connections", "Flows", "Triggers and actions")


class AppPage(QWidget):
    """Shows the row selected in the view-model. What needs a dialog or another tab is asked of the tab."""

    add_asked = Signal()
    guide_asked = Signal()
    reconnect_asked = Signal(object)
    rename_asked = Signal(object)
    limit_asked = Signal(object)
    duplicate_asked = Signal(object)
    delete_asked = Signal(object)
    settings_asked = Signal(str)
    flows_asked = Signal(object)
    failures_asked = Signal(object)
    flow_asked = Signal(str)

    def __init__(self, services: Services, model: MyAppsViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._services, self._model = services, model
        self._detail: AppInfo | None = None
        self._shown_app: AppKey = ""
        self.cards: dict[ConnectionId, ConnectionCard] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._head())
        column.addLayout(self._section_tabs())
        column.addWidget(line())
        self._pages = QStackedWidget()
        self._bodies = [self._add_page(name) for name in SECTIONS]
        column.addWidget(self._pages, 1)
        column.addLayout(self._foot())
        model.selection_changed.connect(self.refresh)
        model.flows_changed.connect(self._show_flows)
        model.busy_changed.connect(self._show_testing)

    def set_where(self, info: WorkspaceInfo) -> None:
        """Where secrets are kept, at the foot of the page, with the way to change it."""
        problem = info.secrets_problem
        self._lock.set_icon(
            "triangle-alert" if problem else "lock", "warning" if problem else "text_tertiary"
        )
        self._where.set_style(color_token="warning" if problem else "text_secondary")
        self._where.setText(f"Secrets: {problem or info.secrets_kept}")
        self._change.setText("Open settings" if problem else "Change")
        self._change.setVisible(info.kind == "local" or bool(problem))

    def first_card(self) -> ConnectionCard | None:
        """The only card, or the first one."""
        return next(iter(self.cards.values()), None)

    def refresh(self) -> None:
        """Show the selected app as it is now."""
        row = self._model.row
        self.setVisible(row is not None)
        if row is None:
            return
        self._name.setText(row.app.name)
        about = "Could not be loaded" if row.app.broken else row.app.description or row.app.category
        self._about.setText(about)
        self._tile.set_app(row.app)
        reason = "The app could not be loaded." if row.app.broken else self._model.disabled_reason
        self._add.setEnabled(reason is None)
        self._add.setToolTip(plain_tip(reason or ""))
        self._tabs[0].set_count(len(row.connections))
        if self._detail is not None and self._detail.key != row.app.key:
            self._forget_detail()
        self._fill_connections(row)
        self._show_flows()
        self._show_testing()
        if row.app.broken is None:
            self._services.apps.detail(row.app.key, self._detail_read, owner=self)

    def show_section(self, number: int) -> None:
        self._pages.setCurrentIndex(number)
        self._tabs[number].setChecked(True)

    def _head(self) -> QHBoxLayout:
        px = theme().px
        row = QHBoxLayout()
        row.setContentsMargins(px(20), px(16), px(20), px(16))
        row.setSpacing(px(14))
        self._tile = AppTile(44)
        self._name = Label("", "title")
        self._about = ElidedLabel("", "caption", "text_secondary")
        words = QVBoxLayout()
        words.setSpacing(px(2))
        words.addWidget(self._name)
        words.addWidget(self._about)
        self._guide = Button("Set-up guide", icon="book-open")
        self._guide.clicked.connect(self.guide_asked)
        self._add = Button("Add connection", "primary", "plus")
        self._add.clicked.connect(self.add_asked)
        row.addWidget(self._tile)
        row.addLayout(words, 1)
        row.addWidget(self._guide)
        row.addWidget(self._add)
        return row

    def _section_tabs(self) -> QHBoxLayout:
        px = theme().px
        row = QHBoxLayout()
        row.setContentsMargins(px(20), 0, px(20), 0)
        row.setSpacing(px(20))
        self._tabs = [SectionTab(name) for name in SECTIONS]
        group = QButtonGroup(self)
        for number, tab in enumerate(self._tabs):
            group.addButton(tab, number)
            row.addWidget(tab)
        row.addStretch(1)
        self._tabs[0].setChecked(True)
        group.idClicked.connect(self.show_section)
        return row

    def _add_page(self, name: str) -> QVBoxLayout:
        area, px = FormScroll(name), theme().px
        column = area.inside.column
        column.setContentsMargins(px(20), px(16), px(20), px(16))
        column.setSpacing(px(12))
        self._pages.addWidget(area)
        return column

    def _foot(self) -> QHBoxLayout:
        px = theme().px
        self._lock = Glyph("lock", "text_tertiary", 14)
        self._where = ElidedLabel("", "caption", "text_secondary")
        self._change = Button("Change", "link", small=True)
        self._change.setAccessibleName("Change where secrets are kept")
        self._change.clicked.connect(lambda: self.settings_asked.emit("Secrets"))
        foot = QHBoxLayout()
        foot.setContentsMargins(px(20), px(8), px(20), px(10))
        foot.setSpacing(px(8))
        foot.addWidget(self._lock)
        foot.addWidget(self._where)
        foot.addWidget(self._change)
        foot.addStretch(1)
        return foot

    def _fill_connections(self, row: AppRow) -> None:
        """Cards that are there already change in place, so that the focus stays where it is."""
        app = self._detail if self._detail and self._detail.key == row.app.key else row.app
        column, now = self._bodies[0], self._services.clock()
        wanted = [item.id for item in row.connections]
        if row.app.key != self._shown_app or wanted != list(self.cards) or not wanted:
            self._rebuild(row, app)
            return
        for connection in row.connections:
            self.cards[connection.id].show_connection(app, connection, now)
        column.update()

    def _rebuild(self, row: AppRow, app: AppInfo) -> None:
        """The cards in their order, with what belongs above them; kept cards keep the focus."""
        column, now = self._bodies[0], self._services.clock()
        known = self.cards if row.app.key == self._shown_app else {}
        had_focus = any(
            card.isAncestorOf(self.focusWidget()) for card in self.cards.values() if self.focusWidget()
        )
        self._shown_app, self.cards = row.app.key, {}
        for card in known.values():
            column.removeWidget(card)
        clear(column)
        if row.app.broken:
            column.addWidget(BrokenAppCard(row.app))
        for connection in row.connections:
            card = known.get(connection.id) or self._new_card(app, connection)
            card.show_connection(app, connection, now)
            self.cards[connection.id] = card
            column.addWidget(card)
        for key in known.keys() - self.cards.keys():
            known[key].hide()
            known[key].deleteLater()
        if not row.connections and not row.app.broken:
            column.addWidget(Label(_no_connection(row), "body", "text_secondary", wrap=True))
        column.addStretch(1)
        if had_focus and not any(card.isAncestorOf(self.focusWidget()) for card in self.cards.values()):
            self.focus_connection(next(iter(self.cards), ""))

    def focus_connection(self, connection_id: ConnectionId) -> None:
        """Put the focus on a connection; on adding one when there is none."""
        card = self.cards.get(connection_id)
        (card.test if card else self._add).setFocus(Qt.FocusReason.OtherFocusReason)

    def _new_card(self, app: AppInfo, connection: Connection) -> ConnectionCard:
        card = ConnectionCard(app, connection, self._services.clock())
        card.locked = self._model.disabled_reason
        card.test_asked.connect(lambda: self._model.test(card.connection.id))
        for signal, ask in (
            (card.reconnect_asked, self.reconnect_asked), (card.rename_asked, self.rename_asked),
            (card.limit_asked, self.limit_asked), (card.duplicate_asked, self.duplicate_asked),
            (card.delete_asked, self.delete_asked), (card.flows_asked, self.flows_asked),
            (card.failures_asked, self.failures_asked),
        ):  # fmt: skip
            signal.connect(lambda ask=ask: ask.emit(card.connection))
        return card

    def _show_flows(self) -> None:
        flows: dict[str, Flow] = {}
        for key, card in self.cards.items():
            used = self._model.flows.get(key)
            card.set_flows(used)
            flows.update({flow.id: flow for flow in used or ()})
        self._tabs[1].set_count(len(flows))
        clear(self._bodies[1])
        fill_flows(self._bodies[1], tuple(flows.values()), self.flow_asked.emit)

    def _show_testing(self) -> None:
        for key, card in self.cards.items():
            card.set_testing(key in self._model.testing)

    def _forget_detail(self) -> None:
        self._detail = None
        self._tabs[2].set_count(0)
        self._guide.hide()
        clear(self._bodies[2])

    def _detail_read(self, app: AppInfo) -> None:
        row = self._model.row
        if row is None or row.app.key != app.key or app is self._detail:
            return
        self._detail = app
        self._tabs[2].set_count(len(app.triggers or ()) + len(app.actions or ()))
        self._guide.setVisible(has_guide(app))
        self._fill_connections(row)
        self._show_flows()
        clear(self._bodies[2])
        fill_events(self._bodies[2], app)

    @property
    def detail(self) -> AppInfo | None:
        """The selected app with its fields, once read."""
        return self._detail


def _no_connection(row: AppRow) -> str:
    return f"You have not connected {row.app.name} yet. A connection keeps your sign-in for flows to use."


def clear(layout: Any) -> None:
    """Take everything out of a layout."""
    while item := layout.takeAt(0):
        if widget := item.widget():
            widget.hide()
            widget.deleteLater()
