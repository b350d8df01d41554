"""The toolbar above the Flows list, and the bar of bulk actions below it."""

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from patchbay.desktop.core.app_store import AppStore
from patchbay.desktop.core.execution_labels import state_label
from patchbay.desktop.core.language import number_text, tr, tr_count
from patchbay.desktop.flows.view_models.flow_list import FlowsViewModel
from patchbay.desktop.kit.boxes import Stretch, hbox, vbox
from patchbay.desktop.kit.buttons import Button, IconButton, SplitButton, set_available
from patchbay.desktop.kit.chips import FilterChip
from patchbay.desktop.kit.layout import line, surface
from patchbay.desktop.kit.line_edit import SearchField, paint_key_cap
from patchbay.desktop.kit.marks import flow_status_label
from patchbay.desktop.kit.menu import Menu
from patchbay.desktop.kit.messages import AVOIDED_BY_TOASTS
from patchbay.desktop.kit.text import ElidedLabel, Label, plain_tip
from patchbay.desktop.kit.theme import theme
from patchbay.domain.executions import ExecutionState
from patchbay.domain.flows import FlowStatus

_STATUSES = (FlowStatus.PUBLISHED, FlowStatus.PAUSED, FlowStatus.DRAFT)


class ListToolbar(QWidget):
    """The toolbar above the list: filters, counts, Import, and New flow."""

    import_requested = Signal()
    new_requested = Signal()
    template_requested = Signal()

    def __init__(self, flows: FlowsViewModel, apps: AppStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        surface(self, "surface")
        self._flows, self._apps = flows, apps
        px = theme().px
        self.setFixedHeight(px(48))
        self.search = SearchField(tr("Filter flows"), key_cap="/")
        self.search.setMaximumWidth(px(220))
        self.search.setMinimumWidth(px(120))
        self.search.text_changed.connect(lambda text: flows.update_filter(text=text))
        self.status = FilterChip(tr("Status"))
        self.status.set_options([(status, flow_status_label(status)[0]) for status in _STATUSES])
        self.status.value_changed.connect(lambda value: flows.update_filter(status=value))
        self.app = FilterChip(tr("App"))
        self.app.value_changed.connect(lambda value: flows.update_filter(app_key=value))
        self.result = FilterChip(tr("Last result"))
        self.result.set_options([(state, state_label(state)) for state in ExecutionState])
        self.result.value_changed.connect(lambda value: flows.update_filter(result=value))
        self.connection = FilterChip(tr("Connection"))
        self.connection.value_changed.connect(lambda value: flows.update_filter(connection_id=value))
        self.clear = Button(tr("Clear", "all filters"), "link")
        self.clear.clicked.connect(flows.clear_filter)
        self._count_label = ElidedLabel("", "caption", "text_secondary")
        self.import_button = Button(tr("Import…"))
        self.import_button.clicked.connect(self.import_requested)
        self.new = SplitButton(tr("New flow"), self._menu(), "plus")
        self.new.clicked.connect(self.new_requested)
        hbox(
            (self.search, 3),
            *self.chips,
            self.clear,
            Stretch(),
            self._count_label,
            self.import_button,
            self.new,
            parent=self,
            margins=(16, 0, 16, 0),
            spacing=8,
        )

    def _menu(self) -> Menu:
        menu = Menu(self, tr("New flow"))
        menu.add(tr("Empty flow"), self.new_requested.emit, "plus")
        menu.add(tr("From a template…"), self.template_requested.emit, "layout-template")
        self._import_action = menu.add(tr("Import from a file…"), self.import_requested.emit, "file-up")
        return menu

    @property
    def chips(self) -> tuple[FilterChip, ...]:
        """All filter chips. The connection chip has no options: it is set from My Apps."""
        return self.status, self.app, self.result, self.connection

    def set_availability(self, change_missing: str | None, edit_missing: str | None) -> None:
        """Disable New flow and Import for these reasons; None enables them."""
        self.new.setEnabled(change_missing is None)
        self.new.setToolTip(plain_tip(change_missing or ""))
        self.import_button.setEnabled(edit_missing is None)
        self.import_button.setToolTip(plain_tip(edit_missing or ""))
        self._import_action.set_reason(edit_missing)

    def show_state(self) -> None:
        """Show counts, app options, and the filter of the view-model."""
        flows, where = self._flows, self._flows.where
        self._count_label.setText(self._count_text() if flows.loaded else "")
        app_options = ((key, app.name if (app := self._apps.get(key)) else key) for key in flows.used_apps())
        self.app.set_options(sorted(app_options, key=lambda item: item[1].casefold()))
        for chip, value in (
            (self.status, where.status),
            (self.app, where.app_key),
            (self.result, where.result),
        ):
            if chip.value() != value:
                chip.set_value(value)
        self.connection.set_value(
            where.connection_id, flows.connection_name or tr("selected", "a connection, as a filter")
        )
        self.connection.setVisible(where.connection_id is not None)
        if self.search.text() != where.text and not self.search.hasFocus():
            self.search.setText(where.text)
        elif not where.text and not where.is_filtered and self.search.text() and not self.search.hasFocus():
            self.search.clear()
        self.clear.setVisible(any(chip.active for chip in self.chips))

    def _count_text(self) -> str:
        flows = self._flows
        if len(flows.rows) < flows.total:
            shown = number_text(len(flows.rows))
            return tr_count(flows.total, "{shown} of {n} flow", "{shown} of {n} flows", shown=shown)
        published = number_text(flows.published)
        if not flows.paused:
            return tr_count(
                flows.total,
                "{n} flow, {published} published",
                "{n} flows, {published} published",
                published=published,
            )
        return tr_count(
            flows.total,
            "{n} flow, {published} published, {paused} paused",
            "{n} flows, {published} published, {paused} paused",
            published=published,
            paused=number_text(flows.paused),
        )


# Bulk actions


class BulkActionBar(QWidget):
    """The bar of bulk actions. `command_requested` carries the first item of a `COMMANDS` pair."""

    command_requested = Signal(str)
    cleared = Signal()

    COMMANDS = (
        ("open", tr("Open", "verb")),
        ("publish", tr("Publish")),
        ("unpublish", tr("Unpublish")),
        ("pause", tr("Pause", "verb, a flow")),
        ("resume", tr("Resume", "verb, a flow")),
        ("move", tr("Move to…")),
        ("duplicate", tr("Duplicate")),
        ("export", tr("Export…")),
        ("delete", tr("Delete…")),
    )
    FOLDABLE = ("export", "duplicate", "resume", "pause", "unpublish")
    """Commands that move into the menu of more actions while there isn't room, the first one first."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(AVOIDED_BY_TOASTS)
        surface(self, "raised")
        px = theme().px
        self.buttons: dict[str, Button] = {}
        self._unavailable: set[str] = set()
        """Commands that don't apply to the selected flows and aren't shown."""
        self._count_label = Label("", "semibold")
        row = self._row = hbox(self._count_label, 8, margins=(16, 8, 16, 8), spacing=6)
        for command, text in self.COMMANDS:
            self.buttons[command] = button = (
                _DangerButton(text) if command == "delete" else Button(text, small=True)
            )
            button.clicked.connect(lambda _=False, command=command: self.command_requested.emit(command))
            row.addWidget(button)
        self.more = IconButton("ellipsis", tr("More actions"), outlined=True)
        self.more.clicked.connect(self._open_menu)
        row.addWidget(self.more)
        row.addStretch(1)
        clear = Button(tr("Clear selection"), "link")
        clear.clicked.connect(self.cleared)
        row.addWidget(clear)
        row.addSpacing(px(8))
        row.addWidget(_EscKeyCap())
        vbox(line(), row, parent=self, spacing=0)
        self.hide()

    def show_selection(self, statuses: tuple[FlowStatus, ...], unavailable_reason: str | None = None) -> None:
        """Show the commands for flows with these statuses: Resume if any is paused, else Pause.

        `unavailable_reason` is the reason why changes aren't possible; None if they are.
        """
        self.setVisible(bool(statuses))
        self._count_label.setText(tr_count(len(statuses), "{n} selected", "{n} selected", "flows"))
        set_available(self.buttons["open"], None if len(statuses) == 1 else tr("Select one flow to open it."))
        active = [status for status in statuses if status is not FlowStatus.DRAFT]
        all_active = tr("All selected flows are already published.") if len(active) == len(statuses) else None
        none_active = None if active else tr("None of the selected flows are published.")
        set_available(self.buttons["publish"], unavailable_reason or all_active)
        set_available(self.buttons["unpublish"], unavailable_reason or none_active)
        set_available(self.buttons["delete"], unavailable_reason)
        paused = FlowStatus.PAUSED in statuses
        can_pause = FlowStatus.PUBLISHED in statuses and not paused
        self._unavailable = {command for command, on in (("pause", can_pause), ("resume", paused)) if not on}
        self._fold()

    def minimumSizeHint(self) -> QSize:
        return QSize(self._needed_width(self.FOLDABLE), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fold()

    def menu(self) -> Menu:
        """The commands for which there isn't room."""
        menu = Menu(self, tr("More actions"))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for command, text in self.COMMANDS:
            button = self.buttons[command]
            if command in self.FOLDABLE and command not in self._unavailable and button.isHidden():
                menu.add(text, button.click, reason=None if button.isEnabled() else button.toolTip())
        return menu

    def _open_menu(self) -> None:
        self.menu().popup(self.more.mapToGlobal(self.more.rect().topLeft()))

    def _fold(self) -> None:
        """Show as many commands as there is room for."""
        folds = (self.FOLDABLE[:number] for number in range(len(self.FOLDABLE)))
        folded = next((fold for fold in folds if self._needed_width(fold) <= self.width()), self.FOLDABLE)
        for command, button in self.buttons.items():
            button.setVisible(command not in folded and command not in self._unavailable)
        self.more.setVisible(bool(folded))

    def _needed_width(self, folded: tuple[str, ...]) -> int:
        """The width of the bar while these commands are in the menu."""
        hidden: set[QWidget] = {self.buttons[command] for command in (*folded, *self._unavailable)}
        if not folded:
            hidden.add(self.more)
        margins = self._row.contentsMargins()
        width = margins.left() + margins.right()
        for item in map(self._row.itemAt, range(self._row.count())):
            widget = item.widget() if item is not None else None
            if widget is not None and widget not in hidden:
                width += max(widget.sizeHint().width(), widget.minimumWidth()) + self._row.spacing()
            elif widget is None and item is not None:
                width += item.minimumSize().width()
        return width

    def anchor(self, command: str) -> QPoint:
        """The position where the menu of a command opens."""
        button = self.buttons[command]
        return button.mapToGlobal(button.rect().topLeft())


class _DangerButton(Button):
    """A button with red text for a command that asks for confirmation."""

    def __init__(self, text: str) -> None:
        super().__init__(text, small=True)

    def _paint_content(self, painter: QPainter, text: QColor) -> None:
        colour = theme().tokens.failure if self.isEnabled() else theme().tokens.text_disabled
        super()._paint_content(painter, colour)


class _EscKeyCap(QWidget):
    """The Esc key cap: Esc clears the selection."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedSize(theme().px(32), theme().px(20))

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_key_cap(QPainter(self), QPoint(self.width() - 1, self.height() // 2), "Esc")
