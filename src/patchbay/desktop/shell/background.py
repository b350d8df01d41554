"""What closing the window does: quit, or keep flows running in the background with an icon in the tray."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication, QSystemTrayIcon

from patchbay.desktop.settings.window_options import OnClose
from patchbay.desktop.shell.runs_dialogs import CloseDialog
from patchbay.desktop.shell.tray import Tray
from patchbay.desktop.shell.view_models.local_runs import LocalRuns, find_local_runs
from patchbay.desktop.tasks import Task
from patchbay.domain.errors import AppError

if TYPE_CHECKING:
    from patchbay.desktop.shell.main_window import MainWindow


class Background(QObject):
    """Hides the window when it is closed, if flows of this computer would stop otherwise.

    Only the workspace of this computer runs in the background, and only while this program runs its engine.
    """

    changed = Signal()
    """Emitted when the window was hidden in the background, or shown again."""

    def __init__(self, window: "MainWindow") -> None:
        super().__init__(window)
        self._window = window
        self._quitting = False
        self._search: Task | None = None
        self.dialog: CloseDialog | None = None
        self.tray: Tray | None = None
        self.active = False
        """Whether the program runs in the background, without its window."""

    def may_close(self) -> bool:
        """Whether the window may be closed for good now. Otherwise, this asks, hides it, or closes it later.

        Closing the window a second time before this is known quits.
        """
        window = self._window
        if self._quitting or self._search is not None or self.active:
            return True
        area = window.area
        if area is None or window.options.workspace != "local" or window.options.on_close == "quit":
            return True
        if area.services.engine_owner.is_missing:
            return True  # no program runs the flows
        search = area.services.tasks.run(
            area, find_local_runs(area.services.backend), done=self._on_found, failed=self._on_failed
        )
        search.ended.connect(self._on_search_ended)
        self._search = search
        return False

    def prepare_to_quit(self) -> None:
        """Let the next close event end the program: the system or the user ends it."""
        self._quitting = True

    def quit(self) -> None:
        """Close all windows and end the program, unless a dialog stays open."""
        self._quitting = True
        QApplication.closeAllWindows()
        if not self._window.isVisible():
            self._window.close()  # a hidden window isn't among them
        self._quitting = False

    def enter(self) -> None:
        """Hide the window, and show an icon in the tray if the desktop has one."""
        if not self.active:
            self.active = True
            self._window.save_state()
            self._window.close_help()
            self._window.hide()
            self.add_tray()
            self.changed.emit()

    def leave(self) -> None:
        """Remove the icon from the tray; the window is about to be shown."""
        if self.active:
            self.active = False
            self.remove_tray()
            self.changed.emit()

    def add_tray(self) -> None:
        """Show the icon of the open workspace, if the program runs in the background."""
        if self.active and (area := self._window.area) is not None:
            self.tray = Tray(self._window, area)
            area.notifier.use_tray(self.tray.icon)

    def remove_tray(self) -> None:
        """Remove the icon, before its workspace is closed."""
        if self.tray is not None:
            self.tray.close()
            self.tray = None
            if self._window.area is not None:
                self._window.area.notifier.use_tray(None)

    def ask(self, runs: LocalRuns) -> CloseDialog:
        """Ask what closing the window does."""
        dialog = CloseDialog(self._window, runs, has_tray=QSystemTrayIcon.isSystemTrayAvailable())
        dialog.decided.connect(self._on_decided)
        dialog.finished.connect(self._on_dialog_closed)
        self.dialog = dialog
        dialog.open()
        return dialog

    def _on_found(self, runs: LocalRuns) -> None:
        if not runs.published:
            self.quit()
        elif self._window.options.on_close == "background":
            self.enter()
        else:
            self.ask(runs)

    def _on_failed(self, _: AppError) -> None:
        """The workspace can't be reached, so nothing runs that could go on in the background."""
        self.quit()

    def _on_search_ended(self) -> None:
        self._search = None

    def _on_decided(self, chosen: OnClose) -> None:
        self._window.set_on_close(chosen)
        if chosen == "background":
            self.enter()
        else:
            self.quit()

    def _on_dialog_closed(self) -> None:
        self.dialog = None
