"""The card of a connection: health, commands, and facts; and the dialogs to rename or delete it."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QShortcut
from PySide6.QtWidgets import QGridLayout, QWidget

from patchbay.desktop.core.language import number_text, tr, tr_count
from patchbay.desktop.core.rate_limits import rate_limit_text
from patchbay.desktop.kit.badges import Tag
from patchbay.desktop.kit.boxes import Stretch, hbox, vbox
from patchbay.desktop.kit.buttons import Button, IconButton, set_available
from patchbay.desktop.kit.dialogs import Dialog
from patchbay.desktop.kit.icons import icon
from patchbay.desktop.kit.inputs import FormField
from patchbay.desktop.kit.layout import Card, ListArea, surface
from patchbay.desktop.kit.line_edit import LineEdit
from patchbay.desktop.kit.mark_painting import Tone
from patchbay.desktop.kit.marks import flow_status_label, mark_of
from patchbay.desktop.kit.menu import Menu
from patchbay.desktop.kit.messages import MessageAction, MessageBox
from patchbay.desktop.kit.shortcuts import DELETE, RENAME
from patchbay.desktop.kit.text import ElidedLabel, Label, clock_time, when
from patchbay.desktop.kit.theme import theme
from patchbay.desktop.my_apps.view_models.app_list import (
    UNHEALTHY,
    health_label,
    is_unreachable,
    secrets_blocker,
)
from patchbay.desktop.my_apps.view_models.connection_form import labels_text
from patchbay.domain.apps import AppInfo
from patchbay.domain.base import EpochMs
from patchbay.domain.connections import Connection, ConnectionHealth
from patchbay.domain.fields import is_visible
from patchbay.domain.flows import Flow

MAX_NAMED_FLOWS = 3
_FILE_AND_LINE = re.compile(r"\s*\(([^()\s]+\.py), line (\d+)\)$")


def sign_in_text(app: AppInfo, connection: Connection) -> str:
    """Return the sign-in method of a connection."""
    if app.auth is None:
        return "–"
    chosen = connection.formatted_data
    if app.auth.needs_browser(chosen):
        return tr("Browser sign-in (OAuth)")
    secrets = [field for field in app.auth.fields if field.is_secret and is_visible(field, chosen)]
    return labels_text(secrets) or tr("No credentials")


def used_by_text(connection: Connection, flows: Sequence[Flow] | None) -> str:
    """Return the flows' names, or their number until loaded."""
    if not flows:
        number = connection.flow_count if flows is None else 0
        return tr_count(number, "{n} flow", "{n} flows") if number else tr("No flows")
    names = ", ".join(flow.name for flow in flows[:MAX_NAMED_FLOWS])
    if len(flows) <= MAX_NAMED_FLOWS:
        return names
    return tr_count(
        len(flows) - MAX_NAMED_FLOWS, "{names} and {n} more", "{names} and {n} more", "flows", names=names
    )


def last_test_text(connection: Connection, now: EpochMs) -> str:
    """Return the time and result of the last test."""
    tested_at = connection.tested_at
    if tested_at is None:
        return tr("Never")
    moment = when(tested_at, now)
    is_rejected = connection.health is ConnectionHealth.NEEDS_ATTENTION and not secrets_blocker(connection)
    if moment == clock_time(tested_at):
        if is_rejected:
            return tr("Today {time}, rejected", time=moment)
        return tr("Today {time}, succeeded", time=moment)
    if is_rejected:
        return tr("{time}, rejected", time=moment)
    return tr("{time}, succeeded", time=moment)


def limit_text(connection: Connection) -> str:
    """Return the connection's own rate limit, "Max. 5 a second"; empty without one."""
    limit = rate_limit_text(connection.rate_limit) if connection.rate_limit else ""
    return limit[:1].upper() + limit[1:]


@dataclass(frozen=True)
class AppLoadError:
    """Why an app failed to load: message, file, and line if known."""

    reason: str
    file: str = ""
    line: str = ""


def parse_load_error(broken: str) -> AppLoadError:
    """Split an error into message, file, and line."""
    found = _FILE_AND_LINE.search(broken)
    if found is None:
        return AppLoadError(broken)
    return AppLoadError(broken[: found.start()].rstrip(), found[1], found[2])


# Card

_TONES: dict[ConnectionHealth, Tone] = {
    ConnectionHealth.VALID: "success",
    ConnectionHealth.NEEDS_ATTENTION: "warning",
    ConnectionHealth.EXPIRES_SOON: "warning",
    ConnectionHealth.NEVER_TESTED: "neutral",
}


class ConnectionCard(Card):
    """The card of a connection; signals request commands. F2 and Delete work anywhere inside."""

    test_requested = Signal()
    reconnect_requested = Signal()
    rename_requested = Signal()
    limit_requested = Signal()
    duplicate_requested = Signal()
    delete_requested = Signal()
    flows_requested = Signal()
    failures_requested = Signal()

    def __init__(
        self, app: AppInfo, connection: Connection, now: EpochMs, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._app, self._now = app, now
        self._flows: Sequence[Flow] | None = None
        self.limit_disabled_reason: str | None = None
        """Why the rate limit can't be changed; None if it can."""
        self._shown_message: tuple[str, ...] = ()
        self._name, self._tag = ElidedLabel("", "semibold"), Tag("")
        self.reconnect = Button(tr("Reconnect…"), "primary", small=True)
        self.test = Button(tr("Test", "verb, button"), small=True)
        self.more = IconButton("ellipsis", tr("More actions"))
        self._message = MessageBox("warning", mark=False, first_kind="link")
        self._signs_in, self._used_by = _fact_label(), _fact_label()
        self._last_test, self._limit = _fact_label(), _fact_label()
        self._limit_word = _word(tr("Rate limit"))
        self.body.addLayout(
            hbox(self._name, self._tag, Stretch(), self.reconnect, self.test, self.more, spacing=8)
        )
        self.body.addWidget(self._message)
        self.body.addLayout(self._build_facts())
        self.reconnect.clicked.connect(self.reconnect_requested)
        self.test.clicked.connect(self.test_requested)
        self.more.clicked.connect(self.open_menu)
        for keys, asked in ((RENAME, self.rename_requested), (DELETE, self.delete_requested)):
            shortcut = QShortcut(self)
            shortcut.setKeys(keys.sequences())
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(asked)
        self.show_connection(app, connection, now)

    def show_connection(self, app: AppInfo, connection: Connection, now: EpochMs) -> None:
        """Update the card in place."""
        self._app = app
        self.connection = connection
        self._now = now
        is_unreached_now = is_unreachable(connection)
        name, word = connection.screen_name, health_label(connection, now)
        self._word = word
        self.setAccessibleName(tr("Connection {name}, {state}", name=name, state=word))
        self.line_token = "warning_border" if connection.health in UNHEALTHY or is_unreached_now else "border"
        self._name.setText(name)
        if not self.test.busy:
            self._show_health()
            self.test.setText(tr("Test again") if is_unreached_now else tr("Test", "verb, button"))
            self.test.set_kind("primary" if is_unreached_now else "default")
        self.reconnect.setVisible(connection.health in UNHEALTHY)
        self.reconnect.setAccessibleName(tr("Reconnect {name}", name=name))
        self.test.setAccessibleName(tr("Test {name}", name=name))
        self.more.set_name(tr("More actions for {name}", name=name))
        broken = tr("The app couldn't be loaded.") if app.broken else None
        set_available(self.test, broken)
        set_available(self.reconnect, broken)
        self._signs_in.setText(sign_in_text(app, connection))
        self._last_test.setText(last_test_text(connection, now))
        self._limit.setText(limit_text(connection))
        for part in (self._limit_word, self._limit):
            part.setVisible(connection.rate_limit is not None)
        self._show_usage()
        self.update()

    def set_flows(self, flows: Sequence[Flow] | None) -> None:
        """Show the flows that use this connection, once loaded."""
        self._flows = flows
        self._show_usage()

    def set_testing(self, testing: bool) -> None:
        """Show whether the connection is being tested."""
        if testing == self.test.busy:
            return
        self.test.set_busy(testing, tr("Testing"))
        if testing:
            self._tag.set(tr("Testing"), "accent")
        else:
            self.show_connection(self._app, self.connection, self._now)

    def _show_health(self) -> None:
        health = self.connection.health
        if self.connection.secrets_problem:
            self._tag.set(self._word, "warning", "lock")
        elif is_unreachable(self.connection):
            self._tag.set(self._word, "warning", "unplug")
        else:
            self._tag.set(self._word, _TONES[health], mark_of(health).icon)

    def menu(self) -> Menu:
        """Return the menu of the ⋯ button."""
        menu = Menu(self, self.more.accessibleName())
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.add(tr("Reconnect…"), self.reconnect_requested.emit, "refresh-cw")
        menu.add(tr("Rename…"), self.rename_requested.emit, "pencil", "F2")
        menu.add(tr("Rate limit…"), self.limit_requested.emit, "clock", reason=self.limit_disabled_reason)
        menu.add(tr("Duplicate"), self.duplicate_requested.emit, "copy")
        menu.add(tr("Show flows"), self.flows_requested.emit, "workflow")
        menu.addSeparator()
        menu.add(tr("Delete…"), self.delete_requested.emit, "trash-2", DELETE.keys[0]).setIcon(
            icon("trash-2", "danger")
        )
        return menu

    def open_menu(self) -> None:
        """Open the menu of the connection."""
        self.menu().popup(self.more.mapToGlobal(QPoint(0, self.more.height())))

    def _build_facts(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(theme().px(16))
        grid.setVerticalSpacing(theme().px(4))
        grid.setColumnMinimumWidth(0, theme().px(68))
        grid.setColumnStretch(1, 1)
        fact_rows = (
            (_word(tr("Credentials")), self._signs_in),
            (_word(tr("Used by")), self._used_by),
            (_word(tr("Last test")), self._last_test),
            (self._limit_word, self._limit),
        )
        for line, (word, value) in enumerate(fact_rows):
            grid.addWidget(word, line, 0)
            grid.addWidget(value, line, 1)
        return grid

    def _show_usage(self) -> None:
        flows = self._flows
        self._used_by.setText(used_by_text(self.connection, flows))
        if is_unreachable(self.connection):
            self._show_unreachable()
            return
        locked = self.connection.secrets_problem
        reason = locked or self.connection.reason
        self._message.setVisible(bool(reason))
        if not reason:
            return
        known = flows or ()
        published_count = sum(flow.active for flow in known)
        failing_text = _failing_text(published_count, locked=bool(locked))
        actions: list[MessageAction] = []
        if known:
            actions = [
                (tr_count(len(known), "Show {n} flow", "Show {n} flows"), self.flows_requested.emit),
                (tr("Show failed executions"), self.failures_requested.emit),
            ]
        kept = tr("The saved credentials are replaced only after the new ones are verified.")
        self._show_message(reason, " ".join(filter(None, (failing_text, "" if locked else kept))), actions)

    def _show_unreachable(self) -> None:
        moment = when(self.connection.unreachable_at, self._now)
        if moment == clock_time(self.connection.unreachable_at or 0):
            title = tr("Couldn't reach {app} at {time}.", app=self._app.name, time=moment)
        else:
            title = tr("Couldn't reach {app} on {day}.", app=self._app.name, day=moment)
        kept = tr("The credentials weren't rejected, so flows keep using them.")
        self._message.show()
        self._show_message(title, f"{self.connection.unreachable} {kept}", [])

    def _show_message(self, title: str, text: str, actions: list[MessageAction]) -> None:
        message = (title, text, *(word for word, _ in actions))
        if message != self._shown_message:  # setting it rebuilds its links, which flickers
            self._shown_message = message
            self._message.set("warning", title, text, actions)


def _failing_text(published_count: int, *, locked: bool) -> str:
    """How many published flows can't run, and until when; empty if none."""
    if not published_count:
        return ""
    if locked:
        return tr_count(
            published_count,
            "{n} published flow can't run until then.",
            "{n} published flows can't run until then.",
        )
    return tr_count(
        published_count,
        "{n} published flow can't run until you reconnect.",
        "{n} published flows can't run until you reconnect.",
    )


def _word(text: str) -> Label:
    return Label(text, "caption", "text_tertiary")


def _fact_label() -> ElidedLabel:
    return ElidedLabel("…", "body", "text_secondary")


# Dialogs

MAX_VISIBLE_ROWS = 6


class RenameConnectionDialog(Dialog):
    """Renames a connection; an empty name shows an error."""

    def __init__(self, parent: QWidget, connection: Connection, on_renamed: Callable[[str], object]) -> None:
        super().__init__(parent, tr("Rename connection"), 420)
        self._on_renamed = on_renamed
        self.edit = LineEdit(connection.screen_name, large=True)
        self.edit.selectAll()
        self.field = FormField(tr("Screen name"), self.edit, required=True)
        self.edit.textChanged.connect(lambda _: self.field.set_error(None))
        self.body.addWidget(self.field)
        self.add_buttons(tr("Rename"), self._submit)
        self.edit.setFocus()

    def _submit(self) -> None:
        name = self.edit.text().strip()
        if not name:
            self.field.set_error(tr("Enter a name."))
            return
        self.accept()
        self._on_renamed(name)


class DeleteConnectionDialog(Dialog):
    """Confirms deleting a connection and lists affected flows. Cancel has the focus."""

    def __init__(
        self,
        parent: QWidget,
        connection: Connection,
        flows: Sequence[Flow],
        on_confirm: Callable[[], object],
    ) -> None:
        super().__init__(parent, tr("Delete “{name}”?", name=connection.screen_name), 420)
        self._on_confirm = on_confirm
        published_count = sum(flow.active for flow in flows)
        self.body.addWidget(
            Label(_consequence(len(flows), published_count), "body", "text_secondary", wrap=True)
        )
        if flows:
            self.body.addWidget(_flow_list(flows))
        self.add_buttons(tr("Delete"), self._submit, danger=True)
        names = ", ".join(flow.name for flow in flows)
        self.setAccessibleDescription(f"{_consequence(len(flows), published_count)} {names}".strip())

    def _submit(self) -> None:
        self.accept()
        self._on_confirm()


def _consequence(flows: int, published_count: int) -> str:
    undo = tr("You can undo this for 10 seconds.")
    if not flows:
        affected = tr("No flows use it.")
    elif flows == published_count:
        affected = tr_count(
            flows,
            "{n} published flow can't run without it.",
            "{n} published flows can't run without it.",
        )
    elif published_count:
        affected = tr_count(
            flows,
            "{n} flow, {published} of them published, can't run without it.",
            "{n} flows, {published} of them published, can't run without it.",
            published=number_text(published_count),
        )
    else:
        affected = tr_count(flows, "{n} flow can't run without it.", "{n} flows can't run without it.")
    return f"{affected} {undo}"


def _flow_list(flows: Sequence[Flow]) -> ListArea:
    px, inside = theme().px, surface(QWidget(), "sidebar")
    column = vbox(parent=inside, margins=(12, 6, 12, 6), spacing=0)
    for flow in flows:
        row_widget = QWidget()
        tag = Tag(*flow_status_label(flow.status))
        hbox((ElidedLabel(flow.name, "medium"), 1), tag, parent=row_widget)
        row_widget.setFixedHeight(px(28))
        column.addWidget(row_widget)
    area = ListArea(tr("Affected flows"))
    area.setWidget(inside)
    area.setFixedHeight(px(28) * min(len(flows), MAX_VISIBLE_ROWS) + px(12))
    return area
