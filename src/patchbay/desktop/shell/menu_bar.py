"""The menu bar of macOS, built from the actions of the window."""

from collections.abc import Iterable

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QMenuBar, QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.kit.actions import Action, ActionRegistry
from patchbay.desktop.kit.menu import Menu, MenuEntry

MENUS: tuple[tuple[str, tuple[tuple[str, ...], ...]], ...] = (
    (tr("File", "menu"), (
        ("flow.new", "save"), ("workspace.demo", "workspace.local", "workspace.add"), ("close",),
    )),
    (tr("View", "menu"), (
        ("tab.flows", "tab.executions", "tab.folders", "tab.templates", "tab.my_apps"),
        ("palette", "filter", "reload", "back"),
        ("appearance.light", "appearance.dark", "appearance.system"),
    )),
    (tr("Engine", "menu"), (("engine.pause", "engine.resume", "engine.settings"), ("audit",))),
    (tr("Window", "menu"), (("minimise",), ("settings", "about", "quit"))),
    (tr("Help", "menu"), (("help", "shortcuts"),)),
)  # fmt: skip
_ROLES = {
    "settings": QAction.MenuRole.PreferencesRole,
    "about": QAction.MenuRole.AboutRole,
    "quit": QAction.MenuRole.QuitRole,
}
"""Entries that macOS moves to the menu of the program."""


class MenuBar(QMenuBar):
    """The menu bar. Its entries own their first shortcuts, which the window must not define again."""

    def __init__(self, parent: QWidget, registry: ActionRegistry) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Menu bar"))
        self._entries: list[tuple[MenuEntry, Action]] = []
        for title, groups in MENUS:
            menu = Menu(self, title)
            menu.setTitle(title)
            for number, action_ids in enumerate(groups):
                if number:
                    menu.addSeparator()
                self._add(menu, map(registry.get, action_ids))
            menu.aboutToShow.connect(self.show_reasons)
            menu.aboutToHide.connect(self.enable_all)
            self.addMenu(menu)

    def entry(self, action_id: str) -> MenuEntry:
        """The entry of an action."""
        return next(entry for entry, action in self._entries if action.id == action_id)

    def shortcuts(self) -> frozenset[str]:
        """The key combinations of the entries."""
        return frozenset(action.sequences()[0] for _, action in self._entries if action.shortcut)

    def show_reasons(self) -> None:
        """Disable what isn't possible now, with the reasons."""
        for entry, action in self._entries:
            entry.set_reason(action.reason())

    def enable_all(self) -> None:
        """Enable all entries while no menu is open: a disabled one would ignore its shortcut."""
        for entry, _ in self._entries:
            entry.set_reason(None)

    def _add(self, menu: Menu, actions: Iterable[Action]) -> None:
        for action in actions:
            run = self._close_active_window if action.id == "close" else action.run
            entry = menu.add(action.title, run, keys=next(iter(action.sequences()), ""))
            # Otherwise, Qt guesses a role from the words: “Settings” in any entry would be the preferences.
            entry.setMenuRole(_ROLES.get(action.id, QAction.MenuRole.NoRole))
            self._entries.append((entry, action))

    def _close_active_window(self) -> None:
        """Close a dialog or the help instead of the main window, if it is in front: all share the bar."""
        (QApplication.activeWindow() or self.window()).close()
