"""The page of one app: connections, flows, triggers, and actions; or why the app failed to load."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QGridLayout,
    QHBoxLayout,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from patchbay.desktop.core.language import number_text, tr
from patchbay.desktop.core.secret_stores import place_text
from patchbay.desktop.core.services import Services
from patchbay.desktop.kit.accessibility import AccessibleMixin
from patchbay.desktop.kit.badges import Tag
from patchbay.desktop.kit.boxes import Stretch, hbox, vbox
from patchbay.desktop.kit.buttons import Button
from patchbay.desktop.kit.focus import FocusRinged
from patchbay.desktop.kit.icons import paint_app_tile
from patchbay.desktop.kit.layout import Card, FormScroll, line
from patchbay.desktop.kit.marks import flow_status_label
from patchbay.desktop.kit.row_text import paint_text
from patchbay.desktop.kit.secret_fields import CopyField
from patchbay.desktop.kit.text import ElidedLabel, Label, plain_tip
from patchbay.desktop.kit.theme import theme
from patchbay.desktop.my_apps.connection_card import ConnectionCard, parse_load_error
from patchbay.desktop.my_apps.setup_guide import has_guide
from patchbay.desktop.my_apps.view_models.app_list import AppRow
from patchbay.desktop.my_apps.view_models.my_apps import MyAppsViewModel
from patchbay.desktop.my_apps.wait_steps import CopyButton, Glyph
from patchbay.domain.apps import AppInfo, TriggerInfo, TriggerKind
from patchbay.domain.backend import WorkspaceInfo
from patchbay.domain.base import AppKey, ConnectionId, FlowId, get_optional
from patchbay.domain.connections import Connection
from patchbay.domain.flows import Flow

_KIND_LABELS = {
    TriggerKind.POLLING: tr("Polls"),
    TriggerKind.WEBHOOK: tr("Instant"),
    TriggerKind.EVENT: tr("Instant"),
    TriggerKind.SCHEDULE: tr("Schedule"),
}


class AppTile(QWidget):
    """The app's icon on a tile."""

    def __init__(self, size: int = 32, app: AppInfo | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._app = app
        self.setFixedSize(theme().px(size), theme().px(size))

    def set_app(self, app: AppInfo) -> None:
        """Show another app."""
        self._app = app
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_app_tile(QPainter(self), QRectF(self.rect()), self._app)


class SectionTab(AccessibleMixin, FocusRinged, QAbstractButton):
    """A tab inside a page: label, number, and an accent line if selected."""

    accessible_role = QAccessible.Role.PageTab

    def __init__(self, label: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._label, self._count = label, 0
        self.setText(label)
        self.setAccessibleName(label)
        self.setCheckable(True)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def set_count(self, number: int) -> None:
        """Show the number of entries in the section."""
        self._count = number
        self.setAccessibleName(f"{self._label}, {number_text(number)}")
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        label_width = QFontMetricsF(theme().font("semibold")).horizontalAdvance(self._label)
        number = QFontMetricsF(theme().font("caption")).horizontalAdvance(number_text(self._count))
        return QSize(round(label_width + number + theme().px(8)), theme().px(34))

    def paintEvent(self, event: QPaintEvent) -> None:
        current = theme()
        painter = QPainter(self)
        rect = QRectF(self.rect())
        chosen = self.isChecked()
        token = "text" if chosen or self.underMouse() else "text_secondary"
        width = paint_text(painter, rect, self._label, "semibold" if chosen else "body", token)
        if self._count:
            start = width + current.px(6)
            count_rect = rect.adjusted(start, 0, 0, 0)
            width = start + paint_text(
                painter, count_rect, number_text(self._count), "caption", "text_tertiary"
            )
        if chosen:
            painter.fillRect(QRectF(0, rect.bottom() - 2, width, 2), current.tokens.accent)


def fill_flows(column: QVBoxLayout, flows: tuple[Flow, ...], open_flow: Callable[[FlowId], object]) -> None:
    """Flows that use any connection of the app; a click opens the editor."""
    if not flows:
        column.addWidget(
            Label(tr("No flow uses this app's connections yet."), "body", "text_secondary", wrap=True)
        )
    for flow in flows:
        link = Button(flow.name, "link")
        link.clicked.connect(lambda _=False, key=flow.id: open_flow(key))
        column.addWidget(_row(link, Tag(*flow_status_label(flow.status))))
    column.addStretch(1)


def fill_events(column: QVBoxLayout, app: AppInfo) -> None:
    """The app's triggers and actions."""
    for heading, events in ((tr("Triggers"), app.triggers or ()), (tr("Actions"), app.actions or ())):
        if events:
            column.addWidget(Label(heading, "caption_strong", "text_tertiary"))
        for event in events:
            parts: list[QWidget] = [Label(event.name, "medium")]
            if isinstance(event, TriggerInfo):
                parts.append(Tag(_KIND_LABELS[event.kind]))
            column.addWidget(_row(*parts))
            if event.description:
                column.addWidget(Label(event.description, "caption", "text_secondary", wrap=True))
    column.addStretch(1)


def _row(*parts: QWidget) -> QWidget:
    holder = QWidget()
    hbox(*parts, Stretch(), parent=holder, spacing=8)
    return holder


# App that failed to load


class BrokenAppCard(Card):
    """Shows why an app failed to load, with file, line, and what to do."""

    def __init__(self, app: AppInfo, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.line_token = "failure_border"
        load_error = parse_load_error(app.broken or "")
        self.setAccessibleName(tr("{name} couldn't be loaded. {error}", name=app.name, error=app.broken))
        head = hbox(
            Glyph("circle-alert", "failure"),
            (Label(tr("This app couldn't be loaded"), "semibold"), 1),
            CopyButton(tr("Copy error"), lambda: app.broken or "", small=True),
            spacing=8,
        )
        self.body.addLayout(head)
        reason = Label(load_error.reason, "code", wrap=True)
        self.body.addWidget(reason)
        if load_error.file:
            self.body.addLayout(_location_grid(load_error.file, load_error.line))
        explanation = tr(
            "Other apps aren't affected. Flows that use this app fail until it loads again. "
            "Fix the file, and Patchbay reloads it. To list all problems, run:"
        )
        self.body.addWidget(Label(explanation, "body", "text_secondary", wrap=True))
        self.body.addWidget(CopyField(f"patchbay app check {app.key}", tr("Command that checks the app")))


def _location_grid(file: str, line: str) -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(theme().px(16))
    grid.setColumnMinimumWidth(0, theme().px(68))
    grid.setColumnStretch(1, 1)
    for number, (label, value) in enumerate(((tr("File"), file), (tr("Line"), line))):
        text = Label(value, "code")
        text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        grid.addWidget(Label(label, "caption", "text_tertiary"), number, 0)
        grid.addWidget(text, number, 1)
    return grid


# Page

SECTION_TITLES = (tr("Connections"), tr("Flows"), tr("Triggers and actions"))


class AppPage(QWidget):
    """The page of the selected app. Signals ask the tab for dialogs and other tabs."""

    add_requested = Signal()
    guide_requested = Signal()
    reconnect_requested = Signal(object)
    rename_requested = Signal(object)
    limit_requested = Signal(object)
    duplicate_requested = Signal(object)
    delete_requested = Signal(object)
    settings_requested = Signal(str)
    flows_requested = Signal(object)
    failures_requested = Signal(object)
    flow_requested = Signal(str)

    def __init__(self, services: Services, model: MyAppsViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._services, self._model = services, model
        self._detail: AppInfo | None = None
        self._shown_app = AppKey("")
        self.cards: dict[ConnectionId, ConnectionCard] = {}
        self._pages = QStackedWidget()
        self._page_columns = [self._add_page(name) for name in SECTION_TITLES]
        vbox(
            self._build_head(),
            self._build_tabs(),
            line(),
            (self._pages, 1),
            self._build_foot(),
            parent=self,
            spacing=0,
        )
        model.selection_changed.connect(self.refresh)
        model.flows_changed.connect(self._show_flows)
        model.busy_changed.connect(self._show_testing)

    def set_secrets_location(self, info: WorkspaceInfo) -> None:
        """Build the footer: where secrets are stored, with a link to change it."""
        problem = info.secrets_problem
        self._secrets_icon.set_icon(
            "triangle-alert" if problem else "lock", "warning" if problem else "text_tertiary"
        )
        self._secrets_label.set_style(color_token="warning" if problem else "text_secondary")
        self._secrets_label.setText(problem or place_text(info))
        self._secrets_link.setText(tr("Open settings") if problem else tr("Change"))
        self._secrets_link.setVisible(info.kind == "local" or bool(problem))

    def refresh(self) -> None:
        """Show the current state of the selected app."""
        row = self._model.row
        self.setVisible(row is not None)
        if row is None:
            return
        self._name.setText(row.app.name)
        subtitle = tr("Failed to load") if row.app.broken else row.app.description or row.app.category
        self._subtitle.setText(subtitle)
        self._tile.set_app(row.app)
        reason = tr("The app couldn't be loaded.") if row.app.broken else self._model.unavailable_reason
        self._add.setEnabled(reason is None)
        self._add.setToolTip(plain_tip(reason or ""))
        self._tabs[0].set_count(len(row.connections))
        if self._detail is not None and self._detail.key != row.app.key:
            self._detail = None
            self._tabs[2].set_count(0)
            self._guide.hide()
            clear(self._page_columns[2])
        self._fill_connections(row)
        self._show_flows()
        self._show_testing()
        if row.app.broken is None:
            self._services.apps.detail(row.app.key, self._show_detail, owner=self)

    def show_section(self, number: int) -> None:
        """Show a section of the page."""
        self._pages.setCurrentIndex(number)
        self._tabs[number].setChecked(True)

    def _build_head(self) -> QHBoxLayout:
        self._tile = AppTile(44)
        self._name = Label("", "title")
        self._subtitle = ElidedLabel("", "caption", "text_secondary")
        self._guide = Button(tr("Set-up guide"), icon="book-open")
        self._guide.clicked.connect(self.guide_requested)
        self._add = Button(tr("Add connection"), "primary", "plus")
        self._add.clicked.connect(self.add_requested)
        return hbox(
            self._tile,
            (vbox(self._name, self._subtitle, spacing=2), 1),
            self._guide,
            self._add,
            margins=(20, 16, 20, 16),
            spacing=14,
        )

    def _build_tabs(self) -> QHBoxLayout:
        row = hbox(margins=(20, 0, 20, 0), spacing=20)
        self._tabs = [SectionTab(name) for name in SECTION_TITLES]
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

    def _build_foot(self) -> QHBoxLayout:
        self._secrets_icon = Glyph("lock", "text_tertiary", 14)
        self._secrets_label = ElidedLabel("", "caption", "text_secondary")
        self._secrets_link = Button(tr("Change"), "link", small=True)
        self._secrets_link.setAccessibleName(tr("Change where credentials are stored"))
        self._secrets_link.clicked.connect(lambda: self.settings_requested.emit("Secrets"))
        return hbox(
            self._secrets_icon,
            self._secrets_label,
            self._secrets_link,
            Stretch(),
            margins=(20, 8, 20, 10),
            spacing=8,
        )

    def _fill_connections(self, row: AppRow) -> None:
        """Update existing cards in place, so that the focus stays."""
        app = self._detail if self._detail and self._detail.key == row.app.key else row.app
        column, now = self._page_columns[0], self._services.clock()
        connection_ids = [item.id for item in row.connections]
        if row.app.key != self._shown_app or connection_ids != list(self.cards) or not connection_ids:
            self._rebuild(row, app)
            return
        for connection in row.connections:
            self.cards[connection.id].show_connection(app, connection, now)
        column.update()

    def _rebuild(self, row: AppRow, app: AppInfo) -> None:
        """Lay out the cards in order; kept cards keep the focus."""
        column, now = self._page_columns[0], self._services.clock()
        old_cards = self.cards if row.app.key == self._shown_app else {}
        had_focus = any(
            card.isAncestorOf(self.focusWidget()) for card in self.cards.values() if self.focusWidget()
        )
        self._shown_app, self.cards = row.app.key, {}
        for card in old_cards.values():
            column.removeWidget(card)
        clear(column)
        if row.app.broken:
            column.addWidget(BrokenAppCard(row.app))
        for connection in row.connections:
            card = old_cards.get(connection.id) or self._build_card(app, connection)
            card.show_connection(app, connection, now)
            self.cards[connection.id] = card
            column.addWidget(card)
        for key in old_cards.keys() - self.cards.keys():
            old_cards[key].hide()
            old_cards[key].deleteLater()
        if not row.connections and not row.app.broken:
            text = tr(
                "You haven't connected {name} yet. Flows use a connection to access your account.",
                name=row.app.name,
            )
            column.addWidget(Label(text, "body", "text_secondary", wrap=True))
        column.addStretch(1)
        if had_focus and not any(card.isAncestorOf(self.focusWidget()) for card in self.cards.values()):
            self.focus_connection(next(iter(self.cards), None))

    def focus_connection(self, connection_id: ConnectionId | None) -> None:
        """Focus a connection, or Add connection if there is none."""
        card = get_optional(self.cards, connection_id)
        (card.test if card else self._add).setFocus(Qt.FocusReason.OtherFocusReason)

    def _build_card(self, app: AppInfo, connection: Connection) -> ConnectionCard:
        card = ConnectionCard(app, connection, self._services.clock())
        card.limit_disabled_reason = self._model.unavailable_reason
        card.test_requested.connect(lambda: self._model.test(card.connection.id))
        for signal, request in (
            (card.reconnect_requested, self.reconnect_requested),
            (card.rename_requested, self.rename_requested),
            (card.limit_requested, self.limit_requested),
            (card.duplicate_requested, self.duplicate_requested),
            (card.delete_requested, self.delete_requested),
            (card.flows_requested, self.flows_requested),
            (card.failures_requested, self.failures_requested),
        ):
            signal.connect(lambda request=request: request.emit(card.connection))
        return card

    def _show_flows(self) -> None:
        flows: dict[FlowId, Flow] = {}
        for key, card in self.cards.items():
            used = self._model.flows.get(key)
            card.set_flows(used)
            flows.update({flow.id: flow for flow in used or ()})
        self._tabs[1].set_count(len(flows))
        clear(self._page_columns[1])
        fill_flows(self._page_columns[1], tuple(flows.values()), self.flow_requested.emit)

    def _show_testing(self) -> None:
        for key, card in self.cards.items():
            card.set_testing(key in self._model.testing)

    def _show_detail(self, app: AppInfo) -> None:
        row = self._model.row
        if row is None or row.app.key != app.key or app is self._detail:
            return
        self._detail = app
        self._tabs[2].set_count(len(app.triggers or ()) + len(app.actions or ()))
        self._guide.setVisible(has_guide(app))
        self._fill_connections(row)
        self._show_flows()
        clear(self._page_columns[2])
        fill_events(self._page_columns[2], app)

    @property
    def detail(self) -> AppInfo | None:
        """The selected app with details, once loaded."""
        return self._detail


def clear(layout: Any) -> None:
    """Remove all items from a layout."""
    while item := layout.takeAt(0):
        if widget := item.widget():
            widget.hide()
            widget.deleteLater()
