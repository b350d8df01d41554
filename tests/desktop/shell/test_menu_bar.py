"""The menu bar of macOS, and the keys of its keyboards."""

import sys
from collections import Counter

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QShortcut, QStyleHints
from pytestqt.qtbot import QtBot
from tests.support.other_systems import module_of
from tests.support.shell import window

from patchbay.desktop.kit import theme
from patchbay.desktop.shell import menu_bar
from patchbay.desktop.shell.menu_bar import MenuBar
from patchbay.desktop.tasks import Tasks

Role = QAction.MenuRole


def test_macos_gets_a_menu_bar_with_its_own_roles(qtbot: QtBot, tasks: Tasks, monkeypatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    main = window(tasks)
    qtbot.addWidget(main)

    bar = main.menuBar()

    assert isinstance(bar, MenuBar)
    assert [menu.text() for menu in bar.actions()] == ["File", "View", "Engine", "Window", "Help"]
    moved = ("settings", "about", "quit", "help")
    assert {action_id: bar.entry(action_id).menuRole() for action_id in moved} == {
        "settings": Role.PreferencesRole,
        "about": Role.AboutRole,
        "quit": Role.QuitRole,
        "help": Role.NoRole,
    }
    assert bar.entry("close").shortcut().toString() == "Ctrl+W"


def test_no_key_has_two_commands(qtbot: QtBot, tasks: Tasks, monkeypatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    main = window(tasks)
    qtbot.addWidget(main)

    entries = [entry.shortcut().toString() for entry in main.menuBar().findChildren(QAction)]
    shortcuts = [key.key().toString() for key in main.findChildren(QShortcut) if key.parent() is main]

    counted = Counter(filter(None, [*entries, *shortcuts]))
    assert counted["Ctrl+K"] == counted["Ctrl+Q"] == counted["/"] == 1
    assert [keys for keys, times in counted.items() if times > 1] == []


def test_the_menu_bar_runs_commands_and_says_why_some_are_missing(qtbot: QtBot, tasks: Tasks) -> None:
    main = window(tasks)
    qtbot.addWidget(main)
    main.show()
    bar = MenuBar(main, main.actions_by_id)
    main.show_welcome()

    bar.show_reasons()
    assert not bar.entry("flow.new").isEnabled()
    assert "open a workspace first" in bar.entry("flow.new").text()
    bar.enable_all()
    assert bar.entry("flow.new").isEnabled()

    bar.entry("palette").trigger()
    assert main.palette_view is not None
    main.close()


class FrontWindow:
    """A window in front of the main window, and the application that knows it."""

    is_closed = False

    def activeWindow(self) -> "FrontWindow":
        return self

    def close(self) -> None:
        self.is_closed = True


def test_close_means_the_window_in_front(qtbot: QtBot, tasks: Tasks, monkeypatch) -> None:
    main, front = window(tasks), FrontWindow()
    qtbot.addWidget(main)
    main.show()
    bar = MenuBar(main, main.actions_by_id)
    monkeypatch.setattr(menu_bar, "QApplication", front)

    bar.entry("close").trigger()

    assert front.is_closed
    assert main.isVisible()


def test_other_systems_have_no_menu_bar(qtbot: QtBot, tasks: Tasks) -> None:
    main = window(tasks)
    qtbot.addWidget(main)

    assert main.findChild(MenuBar) is None


def test_command_m_minimises_on_macos(monkeypatch) -> None:
    assert module_of(monkeypatch, "patchbay.desktop.shell.commands", "darwin")._MINIMISE_KEYS == "Ctrl+M"
    assert module_of(monkeypatch, "patchbay.desktop.shell.commands", "win32")._MINIMISE_KEYS == ""


def test_keyboards_of_macs_can_delete_and_insert_variables(monkeypatch) -> None:
    keys = module_of(monkeypatch, "patchbay.desktop.kit.shortcuts", "darwin")

    assert (keys.DELETE.keys, keys.DELETE.also) == (("Backspace",), ("Del",))
    assert keys.DELETE_STEP.keys == ("Backspace",)
    assert (keys.INSERT_VARIABLE.keys, keys.INSERT_VARIABLE.also) == (("Ctrl+I",), ("Ctrl+Space",))
    assert keys.INSERT_VARIABLE.hint("Insert variable") == "Insert variable (Ctrl+I)"


def test_title_bars_follow_the_chosen_scheme() -> None:
    class Hints(QStyleHints):
        asked: list[Qt.ColorScheme] = []

        def setColorScheme(self, scheme: Qt.ColorScheme) -> None:
            self.asked.append(scheme)

    hints = Hints.__new__(Hints)
    for choice in ("dark", "light", "system"):
        theme.request_scheme(hints, choice)

    assert Hints.asked == [Qt.ColorScheme.Dark, Qt.ColorScheme.Light, Qt.ColorScheme.Unknown]
