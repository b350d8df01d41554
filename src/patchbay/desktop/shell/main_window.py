"""The main window: a workspace, or the welcome page; command palette, settings, shortcuts."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QKeyCombination, QPoint, QRect, QSize, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QContextMenuEvent,
    QDesktopServices,
    QKeyEvent,
    QKeySequence,
    QShortcut,
)
from PySide6.QtWidgets import QApplication, QLineEdit, QMainWindow, QStackedWidget, QWidget

from patchbay.desktop.core.frame_options import FrameOptions
from patchbay.desktop.core.language import tr
from patchbay.desktop.core.navigation import Place, Tab
from patchbay.desktop.kit.actions import Action, ActionRegistry
from patchbay.desktop.kit.focus import ReadingOrder
from patchbay.desktop.kit.menu import Menu
from patchbay.desktop.kit.theme import SchemeChoice, apply, documentation_folder, theme
from patchbay.desktop.shell.early_input import EarlyInput, may_be_shortcut
from patchbay.desktop.shell.header import DEMO, Header, choice
from patchbay.desktop.shell.help_topics import page_for_settings, page_for_window
from patchbay.desktop.shell.start_page import StartPage

if TYPE_CHECKING:  # what the frame doesn't show is loaded after it, and dialogs when the first one is opened
    from patchbay.desktop.core.services import Services
    from patchbay.desktop.settings.audit_log import AuditLogDialog
    from patchbay.desktop.settings.dialog import SettingsDialog
    from patchbay.desktop.settings.window_options import Appearance, LanguageChoice, OnClose, ShellOptions
    from patchbay.desktop.shell.background import Background
    from patchbay.desktop.shell.command_palette import CommandPalette
    from patchbay.desktop.shell.help_window import HelpWindow
    from patchbay.desktop.shell.server_dialog import ServerDialog
    from patchbay.desktop.shell.shortcut_sheet import ShortcutSheet
    from patchbay.desktop.shell.welcome import WelcomePage
    from patchbay.desktop.shell.work_area import TabFactory, WorkArea
    from patchbay.desktop.shell.workspace_switch import WorkspaceSwitch
    from patchbay.desktop.tasks import Tasks
    from patchbay.domain.errors import AppError

MIN_SIZE, DEFAULT_SIZE = (1024, 640), (1280, 800)
FRAME_SIZE = QSize(16, 48)
"""Room for the borders and title bar of a window, whose real size is only known once it is shown."""
MAX_RECENT_ACTIONS = 20


def open_main_window(
    services: "Services | None",
    tabs: "Mapping[Tab, TabFactory]",
    options: "ShellOptions | None" = None,
    *,
    tasks: "Tasks | None" = None,
) -> "MainWindow":
    """Create the window with a workspace, or without one with the welcome page."""
    from patchbay.desktop.settings.window_options import ShellOptions

    options = options or ShellOptions()
    window = MainWindow(FrameOptions(state=options.state))
    window.complete(services, tabs, options, tasks=tasks)
    return window


class MainWindow(ReadingOrder, QMainWindow):
    """The main window. It first has only a frame, with the header of the workspace that is opened; `complete`
    adds the rest. The last click or shortcut before that takes effect once the workspace is shown.

    Requests for another workspace are signals. `workspace_requested` carries "demo", "local", or an address;
    `server_requested` an address, an API key (empty: the stored one), and `RemoteOptions`, followed by
    `show_server_error` or by `open_workspace`.
    """

    background: "Background"
    switching: "WorkspaceSwitch"
    welcome: "WelcomePage"
    options: "ShellOptions"
    actions_by_id: ActionRegistry
    workspace_requested = Signal(str)
    new_window_requested = Signal(str)
    """Carries the workspace to open in a further window."""
    server_requested = Signal(str, str, object)
    server_forgotten = Signal(str)
    appearance_changed = Signal(object)
    language_changed = Signal(object)
    test_interval_changed = Signal(float)
    on_close_changed = Signal(str)
    restore_requested = Signal(object, str)
    """Carries the file of a backup, and its passphrase."""
    repair_requested = Signal()
    closed = Signal()
    """Emitted when the window was closed for good, rather than hidden in the background."""

    def __init__(self, frame: FrameOptions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        theme().style_window(self)
        self._state = frame.state
        self.area: WorkArea | None = None
        self.palette_view: CommandPalette | None = None
        self.server_dialog: ServerDialog | None = None
        self.help: HelpWindow | None = None
        self.tasks: Tasks | None = None
        self._tabs: Mapping[Tab, TabFactory] = {}
        self._recent: list[str] = []
        self._waiting_place: Place | None = None
        self._early = EarlyInput()
        self.is_complete = False
        self._may_run_flows = frame.workspace == "local"
        self._closes_when_complete = False
        self._stack = QStackedWidget()
        self.setCentralWidget(self._stack)
        self.setMinimumSize(*MIN_SIZE)
        self._restore_state()
        self.start_page = self._add_start_page(frame) if frame.workspace else None

    def _add_start_page(self, frame: FrameOptions) -> StartPage:
        assert frame.workspace is not None
        page = StartPage(frame.workspace, frame.servers)
        self._connect_header(page.header)
        self._stack.addWidget(page)
        self._show_title(frame.workspace)
        return page

    def complete(
        self,
        services: "Services | None",
        tabs: "Mapping[Tab, TabFactory]",
        options: "ShellOptions",
        *,
        tasks: "Tasks | None" = None,
    ) -> None:
        """Add what the frame doesn't have.

        With `services` None, shows the welcome page, unless the frame already shows a workspace.
        """
        from patchbay.desktop.shell.background import Background
        from patchbay.desktop.shell.commands import window_actions
        from patchbay.desktop.shell.welcome import WelcomePage
        from patchbay.desktop.shell.workspace_switch import WorkspaceSwitch

        self._tabs, self.options, self._state = tabs, options, options.state
        self.tasks = tasks or (services.tasks if services is not None else None)
        self.background = Background(self)
        self.switching = WorkspaceSwitch(self)
        self.welcome = WelcomePage()
        self.welcome.workspace_requested.connect(self.switching.request)
        self.welcome.server_requested.connect(self.add_server)
        self._stack.addWidget(self.welcome)
        self.actions_by_id = ActionRegistry(window_actions(self))
        self._add_shortcuts()
        self.is_complete = True
        if services is not None:
            self.open_workspace(services, self.options)
        elif self.start_page is None:
            self.show_welcome()

    def _add_shortcuts(self) -> None:
        """Let the window handle the shortcuts of its actions, except those that the menu bar handles."""
        handled: frozenset[str] = frozenset()
        if sys.platform == "darwin":
            from patchbay.desktop.shell.menu_bar import MenuBar

            menu_bar = MenuBar(self, self.actions_by_id)
            self.setMenuBar(menu_bar)
            handled = menu_bar.shortcuts()
        for action in self.actions_by_id.with_shortcuts():
            for keys in action.sequences():
                if keys not in handled:
                    shortcut = QShortcut(QKeySequence(keys), self)
                    shortcut.activated.connect(partial(self._do_when_complete, action.run))

    # Workspace

    def open_workspace(self, services: "Services", options: "ShellOptions") -> None:
        """Show a workspace in place of the previous one."""
        from patchbay.desktop.shell.work_area import WorkArea

        self.options = options
        self._close_area()
        header = self._take_header()
        area = self.area = WorkArea(services, self._tabs, options, header=header)
        if header is None:
            self._connect_header(area.header)
        area.front_requested.connect(self.bring_to_front)
        area.secrets_requested.connect(lambda: self.open_settings("Secrets"))
        services.navigator.settings_requested.connect(self.open_settings)
        area.objects.changed.connect(self._refresh_palette)
        services.apps.changed.connect(self._refresh_palette)
        self._stack.addWidget(area)
        self._stack.setCurrentWidget(area)
        self.background.add_tray()
        place, self._waiting_place = self._waiting_place, None
        if place is not None:
            self.open_place(place)
        self._show_title(options.workspace)
        self.close_server_dialog()
        if self._early.request is not None:
            area.first_view_shown.connect(self._use_early_input)

    def _take_header(self) -> Header | None:
        """Remove the start page, and return its header; None if there is none any more."""
        page, self.start_page = self.start_page, None
        if page is None:
            return None
        page.header.setParent(None)
        self._stack.removeWidget(page)
        page.deleteLater()
        return page.header

    def _connect_header(self, header: Header) -> None:
        do, switcher = self._do_when_complete, header.switcher
        switcher.workspace_requested.connect(lambda key: do(lambda: self.switching.request(key)))
        switcher.add_requested.connect(lambda: do(self.add_server))
        switcher.edit_requested.connect(lambda: do(self.edit_server))
        switcher.reset_requested.connect(lambda: do(self.reset_demo))
        header.settings_requested.connect(lambda: do(self.open_settings))
        header.palette_requested.connect(lambda: do(self.open_palette))
        header.menu_requested.connect(lambda: do(self.open_menu))

    def _do_when_complete(self, request: Callable[[], object]) -> None:
        if self.is_complete:
            self._drop_early_input()
            request()
        else:
            self._early.remember(request)

    def _drop_early_input(self) -> None:
        """Forget what was requested for a workspace that isn't shown, except that the window is to close."""
        closes = self._early.request == self.close
        self._early.clear()
        if closes:
            QTimer.singleShot(0, self, self.close)

    def _use_early_input(self) -> None:
        early, self._early = self._early, EarlyInput()
        if early.request is not None:
            early.request()
            if early.text and isinstance(field := QApplication.focusWidget(), QLineEdit):
                field.insert(early.text)
            if early.is_submitted and self.palette_view is not None:
                self.palette_view.run_when_loaded()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Remember the last shortcut that is pressed before the workspace is shown, and what is typed
        after it.
        """
        if self.is_complete and self._early.request is None:
            super().keyPressEvent(event)
        elif self.is_complete or not may_be_shortcut(event):
            if self._early.request != self.close:
                self._early.press(event)
        else:
            self._early.remember(partial(self._run_shortcut, event.keyCombination()))

    def _run_shortcut(self, keys: QKeyCombination) -> None:
        pressed = QKeySequence(keys)
        for action in self.actions_by_id.with_shortcuts():
            if pressed in map(QKeySequence, action.sequences()):
                action.run()
                return

    def _show_title(self, workspace: str | None) -> None:
        name = choice(workspace).name if workspace else ""
        self.setWindowTitle(f"{name} – Patchbay" if name else "Patchbay")

    def open_place(self, place: Place) -> None:
        """Show a place, once a workspace is open."""
        if self.area is None:
            self._waiting_place = place
        elif self.area.has_view:
            self.area.go(place)
        else:
            self.area.first_view_shown.connect(partial(self.area.go, place))

    def show_welcome(self) -> None:
        """Close the open workspace and show the welcome page."""
        self._close_area()
        self._take_header()
        self._drop_early_input()
        self._stack.setCurrentWidget(self.welcome)
        self.setWindowTitle("Patchbay")
        self.welcome.activate()

    def preview_welcome(self) -> None:
        """Show the welcome page over the open workspace (for the tour)."""
        self._stack.setCurrentWidget(self.welcome)

    def end_welcome_preview(self) -> None:
        """Return from the welcome page to the workspace."""
        if self.area is not None:
            self._stack.setCurrentWidget(self.area)

    def add_server(self, address: str = "") -> "ServerDialog":
        """Ask for the address and API key of a server."""
        return self._open_server_dialog(address, known=False)

    def edit_server(self) -> None:
        """Ask for another key or other connection options of the open server, or whether to remove it."""
        address = self.options.workspace or ""
        if address in self.options.servers:
            self._open_server_dialog(address, known=True)

    def reset_demo(self) -> None:
        """Ask for confirmation, then create the demo again."""
        from patchbay.desktop.kit.dialogs import confirm

        confirm(
            self,
            tr("Reset the demo?"),
            tr("Your changes to its flows, connections, and history will be lost."),
            tr("Reset the demo"),
            False,
            lambda: self.workspace_requested.emit(DEMO),
        )

    def _open_server_dialog(self, address: str, *, known: bool) -> "ServerDialog":
        from patchbay.desktop.shell.server_dialog import ServerDialog

        network_options = self.options.network.get(address)
        dialog = ServerDialog(self, self.server_requested.emit, address, network_options, known=known)
        self.server_dialog = dialog
        dialog.forgotten.connect(self.server_forgotten)
        dialog.finished.connect(self._on_server_dialog_closed)
        dialog.open()
        return dialog

    def show_server_error(self, error: "AppError") -> None:
        """Show in the open dialog why the server couldn't be opened."""
        if self.server_dialog is not None:
            self.server_dialog.show_rejection(error)

    def close_server_dialog(self) -> None:
        """Close the dialog of a server, which is connected."""
        if self.server_dialog is not None:
            self.server_dialog.accept()

    def _on_server_dialog_closed(self) -> None:
        if self.server_dialog is not None:
            self.server_dialog.deleteLater()
            self.server_dialog = None

    def _close_area(self) -> None:
        self.background.remove_tray()
        if self.area is not None:
            self.area.hide()
            self._stack.removeWidget(self.area)
            self.area.deleteLater()
            self.area = None

    # Palette, settings, sheet, menu

    def open_palette(self) -> None:
        """Open the command palette, or close it if it is open."""
        if self.palette_view is not None:
            self.palette_view.dismiss()
            return
        from patchbay.desktop.shell.command_palette import CommandPalette

        area = self.area
        palette = CommandPalette(
            self,
            self._palette_actions(),
            self._recent,
            area.services.apps.get if area else None,
            is_loading=self._is_loading_objects(),
        )
        palette.action_run.connect(self._remember_action)
        palette.destroyed.connect(self._palette_closed)
        self.palette_view = palette
        if area is not None:
            area.objects.load()

    def open_settings(self, page: str = "General") -> "SettingsDialog":
        """Open the settings at a page."""
        from patchbay.desktop.settings.dialog import SettingsDialog

        services = self.area.services if self.area else None
        dialog = SettingsDialog(self, self.options, services, open_address=self.open_address)
        dialog.finished.connect(dialog.deleteLater)
        dialog.audit_log_requested.connect(dialog.accept)
        dialog.audit_log_requested.connect(self.open_audit_log)
        dialog.appearance_changed.connect(self._set_appearance)
        dialog.language_changed.connect(self._set_language)
        dialog.test_interval_changed.connect(self._set_test_interval)
        dialog.on_close_changed.connect(self.set_on_close)
        dialog.restore_requested.connect(self.restore_requested)
        dialog.repair_requested.connect(self.repair_requested)
        dialog.help_requested.connect(lambda title: self.open_help(page_for_settings(title)))
        dialog.show_page(page)
        dialog.open()
        return dialog

    def open_audit_log(self) -> "AuditLogDialog | None":
        """Open the audit log; None while no workspace is open."""
        from patchbay.desktop.settings.audit_log import AuditLogDialog

        if self.area is None:
            return None
        dialog = AuditLogDialog(self, self.area.services)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
        return dialog

    def open_shortcuts(self) -> "ShortcutSheet":
        """Open the list of keyboard shortcuts."""
        from patchbay.desktop.shell.shortcut_sheet import ShortcutSheet

        sheet = ShortcutSheet(self, self.actions_by_id.all())
        sheet.finished.connect(sheet.deleteLater)
        sheet.open()
        return sheet

    def open_help(self, page: str = "") -> "HelpWindow | None":
        """Open the documentation, at the page for what is shown. None if it isn't installed."""
        from patchbay.desktop.shell.help_window import HelpWindow

        folder = documentation_folder()
        if folder is None or self.tasks is None:
            return None
        if self.help is None:
            self.help = HelpWindow(folder, self.tasks, self.open_address)
        self.help.show_page(page or page_for_window(self.area))
        self.help.show()
        self.help.raise_()
        self.help.activateWindow()
        return self.help

    def build_menu(self) -> Menu:
        """The menu of the ≡ button."""
        from patchbay.desktop.shell.commands import action_menu

        return action_menu(self, self.actions_by_id)

    def open_menu(self) -> None:
        """Open the menu of the window."""
        menu = self.build_menu()
        anchor = self.area.header.menu if self.area else self
        corner = anchor.mapToGlobal(anchor.rect().bottomRight())
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(corner - QPoint(menu.sizeHint().width(), 0))

    def open_context_menu(self) -> None:
        """Open the menu of what has the focus, as the Menu key does, which many keyboards lack."""
        if (focused := QApplication.focusWidget()) is not None:
            at = focused.inputMethodQuery(Qt.InputMethodQuery.ImCursorRectangle).center()
            asked = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, at, focused.mapToGlobal(at))
            QApplication.sendEvent(focused, asked)

    def open_address(self, url: QUrl) -> None:
        """Open a URL in the browser."""
        QDesktopServices.openUrl(url)

    def set_scheme(self, scheme: SchemeChoice) -> None:
        """Set the colour scheme: light, dark, or that of the system."""
        self._set_appearance(replace(self.options.appearance, scheme=scheme))

    def _set_appearance(self, chosen: "Appearance") -> None:
        self.options = replace(self.options, appearance=chosen)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            apply(app, chosen.scheme, chosen.font)
        self.appearance_changed.emit(chosen)

    def _set_language(self, chosen: "LanguageChoice") -> None:
        self.options = replace(self.options, language=chosen)
        self.language_changed.emit(chosen)

    def set_on_close(self, chosen: "OnClose") -> None:
        """Set what closing the window does while flows of this computer are published."""
        self.options = replace(self.options, on_close=chosen)
        self.on_close_changed.emit(chosen)

    def _set_test_interval(self, hours: float) -> None:
        self.options = replace(self.options, test_every_hours=hours)
        self.test_interval_changed.emit(hours)

    def _palette_actions(self) -> tuple[Action, ...]:
        from patchbay.desktop.shell.commands import object_actions

        view = self.area.view if self.area else None
        selection_actions = view.commands() if view is not None else ()
        in_palette = tuple(action for action in self.actions_by_id.all() if action.in_palette)
        return (*selection_actions, *in_palette, *object_actions(self.area))

    def _refresh_palette(self) -> None:
        if self.palette_view is not None:
            self.palette_view.set_actions(self._palette_actions(), is_loading=self._is_loading_objects())

    def _is_loading_objects(self) -> bool:
        area = self.area
        return area is not None and not (area.objects.is_loaded and area.services.apps.all)

    def _palette_closed(self) -> None:
        self.palette_view = None

    def _remember_action(self, action_id: str) -> None:
        self._recent = [action_id, *(known for known in self._recent if known != action_id)][
            :MAX_RECENT_ACTIONS
        ]

    # Frame

    def _restore_state(self) -> None:
        saved_state = self._state.load()
        self._resize_to_default()
        geometry = saved_state.get("geometry")
        if isinstance(geometry, str):
            self.restoreGeometry(QByteArray.fromBase64(geometry.encode()))
        recent = saved_state.get("recent")
        if isinstance(recent, list):
            self._recent = [known for known in recent if isinstance(known, str)][:MAX_RECENT_ACTIONS]

    def _resize_to_default(self) -> None:
        """Use the default size, or what fits between the panels of a smaller screen, there in the centre."""
        size, free = QSize(*DEFAULT_SIZE), self.screen().availableGeometry()
        fitting = size.boundedTo(free.size() - FRAME_SIZE)
        can_fit = fitting.expandedTo(QSize(*MIN_SIZE)) == fitting
        self.resize(fitting if can_fit else size)
        if can_fit and fitting != size:
            frame = QRect(QPoint(), fitting + FRAME_SIZE)
            frame.moveCenter(free.center())
            self.move(frame.topLeft())

    def bring_to_front(self) -> None:
        """Show the window, also from the background, and activate it."""
        self.background.leave()
        self.showNormal() if self.isMinimized() else self.show()
        self.raise_()
        self.activateWindow()

    def close_help(self) -> None:
        """Close the window of the documentation; F1 opens a new one."""
        if self.help is not None:
            self.help.close()
            self.help.deleteLater()
            self.help = None

    def quit(self) -> None:
        """Close the window for good, without a question about published flows."""
        self.background.quit()

    def save_state(self) -> None:
        """Store the size of the window and the recently used commands."""
        saved_state = self._state.load()
        geometry = bytes(self.saveGeometry().toBase64().data()).decode()
        self._state.save({**saved_state, "geometry": geometry, "recent": self._recent})

    def closeEvent(self, event: QCloseEvent) -> None:
        """Close the window, hide it in the background, or ask, depending on the setting and on what runs.

        If flows may run in it, that isn't known before it is complete: the first attempt waits until then.
        """
        self.save_state()
        if not self.is_complete and self._may_run_flows and not self._closes_when_complete:
            self._closes_when_complete = True
            self._early.remember(self.close)
            event.ignore()
        elif self.is_complete and not self.background.may_close():
            event.ignore()
        else:
            self.close_help()
            super().closeEvent(event)
            self.closed.emit()
