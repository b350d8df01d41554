"""Settings, API keys: the list, making one, its value, ending one."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from tests.support.dialogs import button
from tests.support.fake_workspace import NOW

from patchbay.desktop.kit.badges import Tag
from patchbay.desktop.settings.api_keys_page import KeysPage, NewKeyDialog
from patchbay.desktop.settings.form_dialog import OneTimeSecretDialog
from patchbay.desktop.settings.view_models.api_keys import ApiKeysViewModel
from patchbay.domain.access import Scope
from patchbay.domain.backend import Capabilities, Feature
from patchbay.domain.errors import StorageFault, ValidationFailed

VALUE = "c0ff" + "0" * 88 + "ee00"


@pytest.fixture
def page(qtbot, around):
    return _page(qtbot, around)


def _page(qtbot, around):
    made = KeysPage(ApiKeysViewModel(around))
    qtbot.addWidget(made)
    made.resize(540, 440)
    made.show()
    made.activateWindow()
    qtbot.waitUntil(lambda: made.list.is_showing_rows or made.list.page.kind in ("empty", "error"))
    return made


def _words(page):
    return [row.accessibleName() for row in page.rows.rows.values()]


def _dialog(qtbot, page, kind):
    qtbot.waitUntil(lambda: isinstance(page.dialog, kind) and page.dialog.isVisible())
    return page.dialog


def test_each_key_says_how_far_it_reaches_whose_it_is_and_when_it_was_used(page):
    made = _words(page)[0].partition(" created ")[2].partition(" · ")[0]

    assert sorted(_words(page)) == [
        f"Anna’s laptop, Full access, 5f1c…90ab · used 2 min ago · created {made} · Anna Lindqvist",
        f"Build server, Can run flows, 5f1c…90ab · never used · created {made} · Bora Aydın",
        f"Nightly export, Read-only, 5f1c…90ab · used 3 h ago · created {made}",
    ]


def test_a_key_is_made_by_keyboard_and_its_value_is_shown_once(qtbot, page, backend):
    page.command.setFocus()
    qtbot.keyClick(page.command, Qt.Key.Key_Space)
    dialog = _dialog(qtbot, page, NewKeyDialog)
    qtbot.waitUntil(lambda: dialog.isActiveWindow() and dialog.name.hasFocus())
    assert dialog.scope.value() is Scope.OPERATE

    qtbot.keyClicks(dialog.name, "Backup")
    qtbot.keyClick(dialog.name, Qt.Key.Key_Return)

    shown = _dialog(qtbot, page, OneTimeSecretDialog)
    assert ("create_api_key", ("Backup", Scope.OPERATE, None)) in backend.calls
    assert VALUE not in shown.secret.edit.text()
    assert shown.secret.edit.text().startswith("c0ff•")
    qtbot.waitUntil(lambda: len(page.rows.rows) == 4)
    assert (shown.secret.button.kind, shown.end.kind) == ("primary", "default")
    shown.secret.copy()
    assert (shown.secret.button.kind, shown.end.kind) == ("default", "primary")
    assert QGuiApplication.clipboard().text() == VALUE
    button(shown, "Done").click()
    qtbot.waitUntil(lambda: page.dialog is None)


def test_the_value_is_shown_on_request_and_forgotten_with_the_dialog(qtbot, page, backend):
    page.open_new_dialog()
    page.dialog.name.setText("Backup")
    button(page.dialog, "Create key").click()
    shown = _dialog(qtbot, page, OneTimeSecretDialog)

    shown.secret.eye.click()
    assert shown.secret.edit.text() == VALUE
    shown.secret.eye.click()
    assert VALUE not in shown.secret.edit.text()

    shown.secret.eye.click()
    shown.done(0)
    assert shown.secret.edit.text() == ""
    assert VALUE not in repr(vars(page.model)) + repr(vars(page))


def test_a_value_that_was_not_copied_is_not_lost_by_one_key(qtbot, page):
    page.open_new_dialog()
    page.dialog.name.setText("Backup")
    button(page.dialog, "Create key").click()
    shown = _dialog(qtbot, page, OneTimeSecretDialog)

    qtbot.keyClick(shown, Qt.Key.Key_Escape)
    assert shown.isVisible()
    assert "Not copied yet" in shown.warning.accessibleName()

    button(shown, "Close without copying").click()
    qtbot.waitUntil(lambda: page.dialog is None)


def test_what_is_missing_or_refused_is_reported_under_its_field(qtbot, page, backend):
    page.open_new_dialog()
    dialog = page.dialog
    button(dialog, "Create key").click()
    assert "what the key is for" in dialog.fields["name"].error

    backend.failing["create_api_key"] = ValidationFailed({"name": ["is too long"]})
    dialog.name.setText("x" * 300)
    button(dialog, "Create key").click()
    qtbot.waitUntil(lambda: dialog.fields["name"].error == "Is too long.")

    backend.failing["create_api_key"] = StorageFault("The disk is full.", todo="Free some space.")
    button(dialog, "Create key").click()
    qtbot.waitUntil(lambda: "The disk is full." in dialog.problem.accessibleName())
    assert dialog.isVisible()
    dialog.reject()


def test_a_users_key_says_what_limits_it(page):
    page.open_new_dialog()
    dialog = page.dialog

    dialog.person.set_value("user-3")
    assert "A viewer's role limits" in dialog.fields["userId"].editor.accessibleDescription()

    dialog.person.set_value("user-1")
    assert (
        dialog.fields["userId"].editor.accessibleDescription()
        == "Has the same permissions as Anna Lindqvist."
    )
    dialog.reject()


def test_a_key_is_revoked_only_after_a_question_that_names_what_stops(qtbot, page, backend):
    row = page.rows.rows["key-1"]
    button(row, "Revoke…").click()
    question = page.dialog
    assert question.windowTitle() == "Revoke “Nightly export”?"
    assert "used 3 h ago" in question.accessibleDescription()
    assert "can't be undone" in question.accessibleDescription()
    assert "key-1" in backend.api_keys

    button(question, "Revoke").click()

    qtbot.waitUntil(lambda: "key-1" not in backend.api_keys and "key-1" not in page.rows.rows)
    assert page.success_label.text() == "“Nightly export” revoked."


def test_a_key_that_stays_says_why(qtbot, page, backend):
    backend.failing["revoke_api_key"] = StorageFault("The disk is full.")

    page.model.revoke(page.model.keys[0])

    qtbot.waitUntil(lambda: "The disk is full." in page.problem.accessibleName() and page.problem.isVisible())
    assert len(page.rows.rows) == 3


def test_the_first_key_is_one_button_away_and_how_to_use_it_is_there(qtbot, around, backend):
    backend.api_keys = {}
    page = _page(qtbot, around)
    assert page.list.page.title == "No API keys yet"
    assert page.line.text() == "curl -H 'x-api-token: YOUR_KEY' http://127.0.0.1:8787/v1/flows"

    button(page.list, "Create key…").click()

    assert isinstance(page.dialog, NewKeyDialog)
    page.dialog.reject()


def test_keys_that_cannot_be_read_say_why_and_are_read_again(qtbot, around, backend):
    backend.failing["list_api_keys"] = StorageFault("The disk is gone.")
    page = _page(qtbot, around)
    assert page.list.page.title == "The disk is gone."

    del backend.failing["list_api_keys"]
    button(page.list, "Try again").click()

    qtbot.waitUntil(lambda: page.list.is_showing_rows)


def test_where_keys_are_not_managed_the_page_says_why(qtbot, around, backend):
    backend.capabilities = Capabilities(unavailable={Feature.ACCESS: "Open its web page."})
    page = KeysPage(ApiKeysViewModel(around))
    qtbot.addWidget(page)
    page.show()

    assert page.problem.accessibleName() == "API keys can't be managed here Open its web page."
    assert page.problem.isVisible()
    assert not any(part.isVisible() for part in (page.command, page.list, page.call))
    assert page.open_new_dialog() is None


def test_focus_in_a_row_survives_a_change(qtbot, page, backend):
    revoke = button(page.rows.rows["key-3"], "Revoke…")
    revoke.setFocus()
    backend.api_keys["key-3"] = backend.api_keys["key-3"].model_copy(update={"last_used_at": NOW})

    page.model.refresh()

    qtbot.waitUntil(lambda: any("used just now" in words for words in _words(page)))
    assert QApplication.focusWidget().accessibleName() == "Revoke Build server"


def test_a_key_that_its_person_bounds_shows_how_far_it_really_goes(qtbot, around, backend):
    backend.api_keys = {"key-2": backend.api_keys["key-2"].model_copy(update={"user_id": "user-3"})}
    page = _page(qtbot, around)

    assert ", Read-only, " in _words(page)[0]
    tag = page.rows.rows["key-2"].findChild(Tag)
    assert tag.toolTip() == "Scope: full access, limited by Chidi Okafor's role."


def test_revoking_at_a_service_says_that_it_may_end_this_window(page):
    page.model.info = page.model.info.model_copy(update={"kind": "remote"})

    page.confirm_revoke(page.model.keys[0])

    assert "including this window if it uses this key" in page.dialog.accessibleDescription()
    page.dialog.reject()


def test_while_nothing_listens_no_call_is_suggested(page):
    page.model.info = page.model.info.model_copy(update={"address": None})

    page.model.changed.emit()

    assert not page.call.isVisible()
    assert not page.docs.isVisible()


def test_revoking_a_key_that_was_never_used_warns_of_no_client(page):
    unused = next(key for key in page.model.keys if key.last_used_at is None)

    page.confirm_revoke(unused)

    description = page.dialog.accessibleDescription()
    assert "This key has never been used." in description
    assert "stop working" not in description
    page.dialog.reject()
