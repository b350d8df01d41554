"""All of My Apps by keyboard alone: what a person without a mouse does, found by accessible names."""

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QMenu, QWidget
from tests.support.shell import stub_tabs

from patchbay.desktop.core.navigation import Tab
from patchbay.desktop.my_apps.app_picker import AppPicker
from patchbay.desktop.my_apps.connection_card import DeleteConnectionDialog
from patchbay.desktop.my_apps.connection_dialog import ConnectionDialog
from patchbay.desktop.my_apps.tab import MyAppsTab
from patchbay.desktop.settings.window_options import ShellOptions
from patchbay.desktop.shell.main_window import open_main_window
from patchbay.domain.connections import ConnectionHealth

Key = Qt.Key
MOST_TABS = 80


class Person:
    """Sends keys to the focused widget and reads its accessible name."""

    def __init__(self, qtbot: Any) -> None:
        self._qtbot = qtbot

    def press(self, key: Qt.Key, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        self._qtbot.keyClick(self.focus, key, keys)

    def write(self, text: str) -> None:
        field = self.focus
        assert isinstance(field, QLineEdit)
        field.selectAll()
        self._qtbot.keyClicks(field, text)

    def tab_to(self, name: str) -> QWidget:
        """Press Tab until something of this name has the focus. Waits for what is disabled for a moment."""

        def reached() -> bool:
            for _ in range(MOST_TABS):
                if name_of(self.focus) == name:
                    return True
                self.press(Key.Key_Tab)
            return False

        self._qtbot.waitUntil(reached)
        return self.focus

    def push(self, name: str) -> None:
        self.tab_to(name)
        self.press(Key.Key_Space)

    def choose(self, word: str) -> None:
        """Take an entry of the open menu."""
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        window = menu.parentWidget().window()
        for _ in menu.actions():
            self._qtbot.keyClick(menu, Key.Key_Down)
            if menu.activeAction().text().split("\t")[0] == word:
                self._qtbot.keyClick(menu, Key.Key_Return)
                window.activateWindow()  # as the window manager does
                return
        raise AssertionError(f"the menu has no “{word}”")

    @property
    def focus(self) -> QWidget:
        focused = QApplication.focusWidget()
        assert focused is not None
        return focused


def name_of(widget: QWidget) -> str:
    text = getattr(widget, "text", None)
    words = text() if callable(text) and not isinstance(widget, QLineEdit) else ""
    return widget.accessibleName() or words


def _says(button: QWidget, word: str) -> bool:
    """Whether the message that this button belongs to contains the word."""
    toast = button.parentWidget()
    assert toast is not None
    return any(word in label.text() for label in toast.findChildren(QLabel))


@pytest.fixture
def person(qtbot):
    return Person(qtbot)


@pytest.fixture
def window(qtbot, shared, opened):
    def my_apps(services):
        return MyAppsTab(services, open_url=lambda url: opened.append(url) is None)

    made = open_main_window(shared, {**stub_tabs(), Tab.MY_APPS: my_apps}, ShellOptions(workspace="local"))
    qtbot.addWidget(made)
    made.show()
    made.activateWindow()
    qtbot.waitUntil(lambda: made.isActiveWindow() and made.area.view is not None)
    return made


@pytest.fixture
def tab(qtbot, window):
    qtbot.keyClick(window, Key.Key_5, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: isinstance(window.area.view, MyAppsTab))
    view = window.area.view
    qtbot.waitUntil(lambda: bool(view.page.cards) and bool(view.model.flows) and view.list.hasFocus())
    return view


def _called(backend, name):
    return sum(1 for called, _ in backend.calls if called == name)


def _named(backend, name):
    return next((item for item in backend.connections.values() if item.screen_name == name), None)


def _dialog(qtbot, tab, kind=ConnectionDialog):
    qtbot.waitUntil(lambda: isinstance(tab.dialog, kind) and tab.dialog.isVisible())
    if kind is ConnectionDialog:
        qtbot.waitUntil(lambda: bool(tab.dialog.fields) and tab.dialog.isActiveWindow())
    return tab.dialog


def _gone(qtbot, tab):
    qtbot.waitUntil(lambda: tab.dialog is None and QApplication.activeModalWidget() is None)


def _closed(qtbot, tab):
    """The dialog is gone; the window manager, which is missing here, gives the window back its focus."""
    _gone(qtbot, tab)
    tab.window().activateWindow()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is not None)


def _connect(qtbot, person, tab, backend):
    """Add a connection to DeepL: a wrong key first, then the right one."""
    _choose(person, tab, "DeepL")
    person.push("Add connection")
    dialog = _dialog(qtbot, tab)
    person.tab_to("Screen name")
    person.write("Mine")
    person.tab_to("API Key")
    person.write("wrong")
    person.press(Key.Key_Return)
    qtbot.waitUntil(dialog.error_box.isVisible)
    assert "Invalid API key" in dialog.error_box.box.accessibleName()
    assert name_of(person.focus) == "API Key"  # the first error has the focus
    person.write("right")
    person.press(Key.Key_Return)
    _closed(qtbot, tab)
    qtbot.waitUntil(lambda: any(card.connection.screen_name == "Mine" for card in tab.page.cards.values()))


def _choose(person, tab, app):
    """Go to an app with the arrow keys."""
    person.tab_to("Apps")
    person.press(Key.Key_Home)
    for _ in range(tab.list.rows.rowCount()):
        if tab.list.currentIndex().data() == app:
            return
        person.press(Key.Key_Down)
    raise AssertionError(f"the arrow keys never reach {app}")


def test_the_life_of_a_connection(qtbot, person, tab, window, backend):
    _connect(qtbot, person, tab, backend)

    # test
    tested = _called(backend, "test_connection")
    person.push("Test Mine")
    qtbot.waitUntil(lambda: _called(backend, "test_connection") == tested + 1 and not tab.model.testing)

    # rename
    person.tab_to("Test Mine")
    person.press(Key.Key_F2)
    qtbot.waitUntil(lambda: tab.dialog is not None and name_of(person.focus) == "Screen name")
    person.write("Work")
    person.press(Key.Key_Return)
    _closed(qtbot, tab)
    qtbot.waitUntil(lambda: _named(backend, "Work") is not None)

    # duplicate
    qtbot.waitUntil(lambda: any(card.connection.screen_name == "Work" for card in tab.page.cards.values()))
    person.push("More actions for Work")
    person.choose("Duplicate")
    qtbot.waitUntil(lambda: [card.isVisible() for card in tab.page.cards.values()] == [True] * 3)
    assert _named(backend, "Work copy") is not None
    assert name_of(person.focus) == "More actions for Work"

    # delete and undo
    person.tab_to("Test Work copy")
    person.press(Key.Key_Delete)
    _dialog(qtbot, tab, DeleteConnectionDialog)
    qtbot.waitUntil(lambda: name_of(person.focus) == "Cancel")
    person.push("Delete")
    _closed(qtbot, tab)
    qtbot.waitUntil(lambda: _named(backend, "Work copy") is None and "deleted" in window.area.toasts.text())
    while not _says(person.tab_to("Undo"), "deleted"):  # that of the message before, if it is still there
        person.press(Key.Key_Tab)
    person.push("Undo")
    qtbot.waitUntil(lambda: _named(backend, "Work copy") is not None)


def test_reconnecting_what_the_program_asks_for(qtbot, person, tab, backend):
    _choose(person, tab, "Todoist")
    person.push("Reconnect Anna’s Todoist")
    dialog = _dialog(qtbot, tab)

    person.push(dialog.primary.text())

    _gone(qtbot, tab)  # nothing has the focus if the button that had it disappears before the dialog
    qtbot.waitUntil(lambda: backend.connections["con-anna"].health is ConnectionHealth.VALID)


def test_signing_in_in_the_browser_and_thinking_better_of_it(qtbot, person, tab, backend, opened):
    _choose(person, tab, "Forge")
    person.push("Add connection")
    dialog = _dialog(qtbot, tab)
    person.tab_to("Client ID")
    person.write("abc")
    person.press(Key.Key_Return)
    qtbot.waitUntil(dialog.sign_in.isVisible)
    person.push("Open browser again")
    assert len(opened) == 2
    person.push("Browser didn't open? Signing in on another computer?")
    assert name_of(person.focus) == "Address of the last page"

    person.press(Key.Key_Escape)
    qtbot.waitUntil(lambda: dialog.form.isVisible() and not backend.sign_ins)
    person.press(Key.Key_Escape)
    qtbot.waitUntil(lambda: QApplication.activeModalWidget() is not dialog)  # typed words would be lost
    qtbot.waitUntil(lambda: name_of(person.focus) == "Cancel")
    person.push("Discard")

    _closed(qtbot, tab)
    assert len(backend.connections) == 6


def test_finding_an_app_in_the_picker(qtbot, person, tab):
    tab.pick_app()
    picker = _dialog(qtbot, tab, AppPicker)
    qtbot.waitUntil(lambda: name_of(person.focus) == "Search apps")
    person.write("git")
    assert picker.list.currentIndex().data() == "GitHub"
    person.press(Key.Key_Return)

    qtbot.waitUntil(lambda: isinstance(tab.dialog, ConnectionDialog))
    assert tab.dialog.accessibleName() == "Connect GitHub"
    tab.dialog.reject()


def test_views_filters_and_testing_all(qtbot, person, tab):
    person.push("Show as grid")
    assert tab.list.grid
    person.tab_to("Apps")
    person.press(Key.Key_Right)
    assert tab.model.selected == tab.model.rows[1].app.key
    person.push("Show as list")
    person.press(Key.Key_Slash)
    assert name_of(person.focus) == "Filter apps"
    person.write("slack")
    person.press(Key.Key_Return)
    assert [row.app.key for row in tab.model.rows] == ["slack"]
    person.press(Key.Key_Escape)

    person.push("Test all")

    qtbot.waitUntil(lambda: tab.model.test_run.done == 6 and not tab.model.testing_all)
