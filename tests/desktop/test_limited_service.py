"""With a service that offers only the interface, nothing that can be clicked ends in "not offered"."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QDialog,
    QFileDialog,
    QWidget,
)
from pytestqt.qtbot import QtBot
from tests.support.desktop import services
from tests.support.forms import in_forms
from tests.support.limited import LimitedBackend

from patchbay.bootstrap.window_tabs import TABS
from patchbay.desktop.core.navigation import Place, Tab
from patchbay.desktop.settings.window_options import ShellOptions
from patchbay.desktop.shell.main_window import MainWindow, open_main_window
from patchbay.desktop.tasks import Tasks

ASKED_IN_PASSING = {"list_connections"}
"""Looked at in the background; that it is missing is seen nowhere."""


@pytest.fixture
def backend() -> LimitedBackend:
    return LimitedBackend()


@pytest.fixture
def main(
    qtbot: QtBot, tasks: Tasks, backend: LimitedBackend, monkeypatch: pytest.MonkeyPatch
) -> Iterator[MainWindow]:
    monkeypatch.setattr(QFileDialog, "open", lambda self, *_: None)
    monkeypatch.setattr("PySide6.QtGui.QDesktopServices.openUrl", lambda url: True)
    made = open_main_window(
        services(tasks, backend), TABS, ShellOptions(workspace="https://flows.example.org")
    )
    made.resize(1280, 800)
    qtbot.addWidget(made)
    made.show()
    qtbot.waitUntil(lambda: bool(made.area and made.area.model.health and made.area.model.info))
    yield made
    made.close()


def rest(qtbot: QtBot) -> None:
    """Until nothing that was asked is awaited any more."""
    qtbot.wait(40)


def close_all(main: MainWindow) -> None:
    """Dialogs, menus and popups that a click opened."""
    for widget in QApplication.topLevelWidgets():
        if widget is not main and widget.isVisible():
            widget.close()


def refused(backend: LimitedBackend) -> list[str]:
    return [name for name in backend.refused if name not in ASKED_IN_PASSING]


def name_of(button: QAbstractButton) -> str:
    return button.accessibleName() or button.text()


def clickable_names(qtbot: QtBot, main: MainWindow, tab: Tab) -> list[str]:
    """What can be clicked in a tab with the first row of each list selected."""
    assert main.area is not None
    main.area.show_tab(tab)
    rest(qtbot)
    view = main.area.views[tab]
    for rows in view.findChildren(QAbstractItemView):
        if rows.isVisible() and rows.model() and rows.model().rowCount():
            rows.setCurrentIndex(rows.model().index(0, 0))
    rest(qtbot)
    return [name_of(button) for button in clickable(view)]


def clickable(view: QWidget) -> list[QAbstractButton]:
    return [
        button
        for button in view.findChildren(QAbstractButton)
        if button.isVisible() and button.isEnabled() and button.width() > 0
    ]


@pytest.mark.parametrize("tab", list(Tab), ids=lambda tab: tab.value)
def test_looking_at_a_tab_asks_for_nothing_that_is_missing(qtbot, main, backend, tab):
    main.area.show_tab(tab)
    rest(qtbot)

    assert refused(backend) == []


@pytest.mark.parametrize("tab", in_forms([*Tab], short=[Tab.FLOWS, Tab.MY_APPS]), ids=lambda tab: tab.value)
def test_no_button_of_a_tab_leads_to_something_that_is_missing(qtbot, main, backend, tab):
    names = clickable_names(qtbot, main, tab)
    tried: dict[str, list[str]] = {}
    for name in names:
        clickable_names(qtbot, main, tab)
        buttons = clickable(main.area.views[tab])
        button = next((item for item in buttons if name_of(item) == name), None)
        backend.refused.clear()
        if button is not None:
            qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
            rest(qtbot)
            tried |= {name: refused(backend)} if refused(backend) else {}
        close_all(main)

    assert tried == {}
    assert names


def test_no_command_of_the_palette_leads_to_something_that_is_missing(qtbot, main, backend):
    tried: dict[str, list[str]] = {}
    leaving = ("workspace", "quit")
    for tab in Tab:
        main.area.show_tab(tab)
        rest(qtbot)
        backend.refused.clear()
        for action in main.area.view.commands() if main.area.view else ():
            if not any(word in action.id for word in leaving):
                action.run()
                rest(qtbot)
                close_all(main)
                if refused(backend):
                    tried[f"{tab.value}: {action.id}"] = refused(backend)
                    backend.refused.clear()

    assert tried == {}


def test_every_page_of_the_settings_says_what_is_missing_instead_of_asking_for_it(
    qtbot, tasks, main, backend
):
    dialog = main.open_settings()
    for row in range(dialog.list.count()):
        dialog.list.setCurrentRow(row)
        rest(qtbot)
    dialog.close()

    assert refused(backend) == []
    assert isinstance(dialog, QDialog)


def test_the_editor_shows_a_flow_and_asks_for_nothing_that_is_missing(qtbot, main, backend):
    main.area.services.navigator.go(Place(Tab.FLOWS, "flow-inventory", "editor"))
    rest(qtbot)
    names = [name_of(button) for button in clickable(main.area.views[Tab.FLOWS])]
    tried: dict[str, list[str]] = {}
    for name in names:
        main.area.services.navigator.go(Place(Tab.FLOWS, "flow-inventory", "editor"))
        rest(qtbot)
        buttons = clickable(main.area.views[Tab.FLOWS])
        button = next((item for item in buttons if name_of(item) == name), None)
        backend.refused.clear()
        if button is not None:
            qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
            rest(qtbot)
            tried |= {name: refused(backend)} if refused(backend) else {}
        close_all(main)

    assert tried == {}
    assert names


def test_my_apps_says_where_connections_are_instead_of_failing(qtbot, main):
    main.area.show_tab(Tab.MY_APPS)
    rest(qtbot)
    page = main.area.views[Tab.MY_APPS].stack.page

    assert page.kind == "empty"
    assert "Open web interface" in [name_of(button) for button in clickable(page)]
