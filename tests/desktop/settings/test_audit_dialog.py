"""The audit log as a window, and its page of the settings."""

import json
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget
from tests.support.choosing import choose
from tests.support.dialogs import button

from patchbay.desktop.core.page_window import ListStatus
from patchbay.desktop.settings.audit_log import AuditLogDialog, AuditPage
from patchbay.desktop.settings.view_models.audit_log import AuditLogViewModel, AuditQuery
from patchbay.domain.backend import Capabilities, Feature
from patchbay.domain.errors import StorageFault


@pytest.fixture
def window(qtbot):
    made = QWidget()
    qtbot.addWidget(made)
    made.resize(1280, 800)
    made.show()
    return made


@pytest.fixture
def dialog(qtbot, window, around):
    made = AuditLogDialog(window, around)
    made.open()
    qtbot.waitUntil(lambda: made.log.status is ListStatus.READY and made.isActiveWindow())
    yield made
    made.done(0)


def _select(dialog, row):
    dialog.table.setCurrentIndex(dialog.table.model().index(row, 0))


def test_rows_say_when_who_and_what(dialog):
    model = dialog.table.model()
    status_label = [[str(model.index(row, column).data()) for column in range(3)] for row in (0, 1)]

    assert [words[1:] for words in status_label] == [
        ["This computer, window", "published flow “GitHub issue to Todoist”"],
        ["Build server, API key", "renamed folder “Operations”"],
    ]
    tip = model.index(1, 1).data(Qt.ItemDataRole.ToolTipRole)
    assert tip == "Build server, API key, for Bora Aydın, from 10.0.4.17"
    assert dialog.status_label.text() == "240 entries"


def test_filters_are_set_and_cleared(qtbot, dialog):
    dialog.search.setText("operations")
    choose(qtbot, dialog.kind, "Folders")
    qtbot.waitUntil(lambda: dialog.status_label.text() == "35 entries match")
    assert dialog.clear.isVisible()

    dialog.search.setText("nobody")
    qtbot.waitUntil(lambda: dialog.rows.page.kind == "no_match")
    button(dialog.rows, "Clear filters").click()

    qtbot.waitUntil(lambda: dialog.status_label.text() == "240 entries")
    assert dialog.search.text() == ""


def test_a_row_is_copied_and_its_resource_opened_by_keyboard(qtbot, dialog, around):
    _select(dialog, 0)
    qtbot.keyClick(dialog.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert "published flow “GitHub issue to Todoist”" in QGuiApplication.clipboard().text()
    dialog.table.copy_json()
    assert json.loads(QGuiApplication.clipboard().text())["subjectId"] == "flow-issues"

    with qtbot.waitSignals([around.navigator.requested, dialog.finished]):
        qtbot.keyClick(dialog.table, Qt.Key.Key_Return)


def test_a_deleted_resource_is_reported_below_the_list(qtbot, dialog, backend):
    backend.flows.clear()
    _select(dialog, 0)

    qtbot.keyClick(dialog.table, Qt.Key.Key_Return)

    qtbot.waitUntil(lambda: dialog.status_label.text() == "“GitHub issue to Todoist” no longer exists.")
    assert dialog.isVisible()


def test_the_menu_offers_what_can_be_done_with_a_row(qtbot, dialog):
    _select(dialog, 3)
    actions = {action.text(): action for action in dialog.table.menu().actions()}
    assert not actions["Show the API key (this kind of object has no page)"].isEnabled()
    _select(dialog, 1)
    actions = {action.text(): action for action in dialog.table.menu().actions()}

    actions["Only by “Build server”"].trigger()

    assert dialog.log.query == AuditQuery(text="Build server")
    qtbot.waitUntil(lambda: dialog.status_label.text().endswith(" match"))
    assert dialog.search.text() == "Build server"


def test_what_the_filters_let_through_is_exported(qtbot, dialog, tmp_path):
    choose(qtbot, dialog.kind, "Folders")
    qtbot.waitUntil(lambda: dialog.status_label.text() == "35 entries match")

    dialog.start_export(tmp_path / "log.csv")
    assert dialog.bar.isVisible()

    qtbot.waitUntil(lambda: dialog.status_label.text() == "35 entries written to log.csv.")
    assert not dialog.bar.isVisible()
    assert len((tmp_path / "log.csv").read_text("utf-8").splitlines()) == 36


def test_an_export_that_cannot_be_written_says_why(qtbot, dialog, tmp_path):
    dialog.start_export(tmp_path / "missing" / "log.jsonl")

    qtbot.waitUntil(lambda: "couldn't be written" in dialog.status_label.text())


def test_the_slash_goes_to_the_filter_and_down_to_the_list(qtbot, dialog):
    dialog.table.setFocus()
    qtbot.keyClick(dialog.table, Qt.Key.Key_Slash)
    assert dialog.search.hasFocus()

    qtbot.keyClick(dialog.search, Qt.Key.Key_Down)
    assert dialog.table.hasFocus()


def test_an_empty_a_failed_and_a_missing_log_say_so(qtbot, window, around, backend):
    backend.audit = []
    empty = AuditLogDialog(window, around)
    qtbot.waitUntil(lambda: empty.rows.page.kind == "empty")
    assert empty.rows.page.title == "No changes yet"

    backend.failing["audit_log"] = StorageFault("The disk is gone.")
    failed = AuditLogDialog(window, around)
    qtbot.waitUntil(lambda: failed.rows.page.kind == "error")
    assert failed.rows.page.title == "The disk is gone."

    backend.capabilities = Capabilities(unavailable={Feature.ACCESS: "Open its web page."})
    missing = AuditLogDialog(window, around)
    assert missing.rows.page.title == "The audit log isn't available here"
    assert not missing.search.isEnabled()


def test_it_fits_into_a_small_window(qtbot, window, around):
    window.resize(1024, 640)

    dialog = AuditLogDialog(window, around)

    assert dialog.width() <= 984
    assert dialog.height() <= 600


def test_the_page_tells_the_last_changes_and_leads_to_all(qtbot, around):
    page = AuditPage(AuditLogViewModel(around), around.clock())
    qtbot.addWidget(page)
    page.show()
    qtbot.waitUntil(lambda: len(page.rows.rows) == 5)
    first: Any = next(iter(page.rows.rows.values()))
    assert first.title.text() == "This computer published flow “GitHub issue to Todoist”"

    with qtbot.waitSignal(page.audit_log_requested):
        page.all.click()


def test_the_page_says_why_there_is_nothing(qtbot, around, backend):
    backend.failing["audit_log"] = StorageFault("The disk is gone.")
    page = AuditPage(AuditLogViewModel(around), around.clock())
    qtbot.addWidget(page)
    page.show()
    qtbot.waitUntil(lambda: page.problem.isVisible())

    del backend.failing["audit_log"]
    button(page, "Try again").click()

    qtbot.waitUntil(lambda: not page.problem.isVisible() and len(page.rows.rows) == 5)
