"""The Folders tab by keyboard."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QLineEdit
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend
from tests.support.fake_workspace import NOW

from patchbay.desktop.core.services import Services
from patchbay.desktop.folders.tab import FoldersTab
from patchbay.desktop.folders.table import cells
from patchbay.desktop.tasks import Tasks
from patchbay.domain.errors import Unreachable

K = Qt.Key


@pytest.fixture
def backend() -> FakeBackend:
    return FakeBackend()


@pytest.fixture
def around(tasks: Tasks, backend: FakeBackend) -> Services:
    return services(tasks, backend)


@pytest.fixture
def tab(qtbot: QtBot, around: Services) -> FoldersTab:
    tab = FoldersTab(around)
    qtbot.addWidget(tab)
    tab.resize(1280, 724)
    tab.show()
    tab.activate()
    qtbot.waitUntil(lambda: tab.folders.detail is not None)
    return tab


def editor(tab: FoldersTab) -> QLineEdit:
    found = tab.table.viewport().findChild(QLineEdit)
    assert found is not None
    return found


def test_f2_renames_in_place(qtbot, tab, backend):
    qtbot.keyClick(tab.table, K.Key_Down)
    qtbot.keyClick(tab.table, K.Key_F2)
    line = editor(tab)
    line.selectAll()
    qtbot.keyClicks(line, "Platform")
    qtbot.keyClick(line, K.Key_Return)

    qtbot.waitUntil(lambda: backend.folders["folder-eng"].name == "Platform")
    assert tab.pane.name.text() == "Platform"


def test_a_new_folder_asks_for_its_name_at_once_and_survives_a_refresh(qtbot, tab, backend):
    tab.new.click()
    qtbot.waitUntil(lambda: tab.table.viewport().findChild(QLineEdit) is not None)
    with qtbot.waitSignal(tab.folders.detail_changed):
        tab.folders.refresh()
    line = editor(tab)
    line.selectAll()
    qtbot.keyClicks(line, "Archive")
    qtbot.keyClick(line, K.Key_Return)

    qtbot.waitUntil(lambda: "Archive" in {folder.name for folder in backend.folders.values()})


def test_delete_deletes_and_enter_opens_in_flows(qtbot, tab, around, backend):
    with qtbot.waitSignal(around.navigator.requested) as asked:
        qtbot.keyClick(tab.table, K.Key_Return)
    qtbot.keyClick(tab.table, K.Key_Delete)

    qtbot.waitUntil(lambda: "folder-cus" not in backend.folders)
    assert asked.args[0].where.folder_id == "folder-cus"


def test_the_uncategorised_can_be_looked_at_but_not_changed(qtbot, tab):
    for _ in range(3):
        qtbot.keyClick(tab.table, K.Key_Down)

    assert tab.pane.name.text() == "Uncategorised"
    menu = tab.pane.menu()
    assert menu.accessibleName() == "Actions for Uncategorised"
    assert [entry.text() for entry in menu.actions()] == [
        "Rename (these flows aren't in a folder)",
        "Delete (these flows aren't in a folder)",
    ]
    assert not tab.delete.isEnabled()
    assert not tab.rename.isEnabled()


def test_a_filter_without_match_says_so(qtbot, tab):
    tab.search.setText("no such folder")
    qtbot.waitUntil(lambda: tab.rows.page.kind == "no_match")

    tab.search.clear()

    qtbot.waitUntil(lambda: tab.rows.is_showing_rows)


def test_a_workspace_without_folders_says_what_they_are_for(qtbot, tasks):
    backend = FakeBackend()
    backend.folders.clear()
    tab = FoldersTab(services(tasks, backend))
    qtbot.addWidget(tab)
    tab.show()

    tab.activate()
    qtbot.waitUntil(lambda: tab.rows.page.kind == "empty")

    assert tab.rows.page.title == "No folders yet"


def test_an_error_offers_to_try_again(qtbot, around, backend):
    backend.failing["list_folders"] = Unreachable("flows.example.org does not answer.")
    tab = FoldersTab(around)
    qtbot.addWidget(tab)
    tab.show()

    tab.activate()

    qtbot.waitUntil(lambda: tab.rows.page.kind == "error")


def test_statistics_are_abbreviated(tab):
    row = next(row for row in tab.folders.rows if row.name == "Engineering")

    assert cells(row, NOW) == ("Engineering", "2", "2", "–", "412", "99.0%", "4 min ago")


def test_the_model_keeps_qts_rules(tab, qtmodeltester: ModelTester):
    qtmodeltester.check(tab.table.folders)


def test_everything_that_takes_the_focus_has_a_name(tab):
    nameless = [
        widget
        for kind in (QAbstractButton, QAbstractItemView, QLineEdit)
        for widget in tab.findChildren(kind)
        if widget.isVisible()
        and widget.focusPolicy() is not Qt.FocusPolicy.NoFocus
        and not (widget.accessibleName() or (isinstance(widget, QAbstractButton) and widget.text()))
    ]

    assert nameless == []
