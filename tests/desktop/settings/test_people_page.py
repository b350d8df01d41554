"""Settings, People: roles, inviting, the link, removing."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from tests.support.dialogs import button

from patchbay.desktop.kit.buttons import IconButton
from patchbay.desktop.kit.inputs import ComboBox
from patchbay.desktop.settings.form_dialog import OneTimeSecretDialog
from patchbay.desktop.settings.people_page import InviteDialog, PeoplePage
from patchbay.desktop.settings.view_models.people import PeopleViewModel
from patchbay.domain.backend import Capabilities, Feature
from patchbay.domain.base import UserId
from patchbay.domain.errors import AlreadyTaken, Conflict, Forbidden, NotSupported, Unreachable
from patchbay.domain.people import EDITOR, VIEWER, User

LINK = f"http://127.0.0.1:8787/accept-invitation?token={'3f' * 32}"


@pytest.fixture
def page(qtbot, around):
    return _page(qtbot, around)


def _page(qtbot, around):
    made = PeoplePage(PeopleViewModel(around))
    qtbot.addWidget(made)
    made.resize(540, 440)
    made.show()
    made.activateWindow()
    qtbot.waitUntil(lambda: made.list.is_showing_rows or made.list.page.kind == "error")
    return made


def _role(page, key):
    return page.people.rows[key].findChild(ComboBox)


def _dialog(qtbot, page, kind):
    qtbot.waitUntil(lambda: isinstance(page.dialog, kind) and page.dialog.isVisible())
    return page.dialog


def test_people_and_the_invited_are_listed(page):
    assert [row.accessibleName() for row in page.people.rows.values()] == [
        "Anna Lindqvist, anna@example.org",
        "Bora Aydın, bora@example.org",
        "Chidi Okafor, chidi@example.org",
    ]
    [invited] = page.invited.rows.values()
    assert invited.accessibleName() == "Dana Mori, dana@example.org · Editor · Expires in 2 days"
    assert not page.search.isVisible()


def test_a_role_is_changed_where_it_stands(qtbot, page, backend):
    box = _role(page, "user-2")
    assert (box.accessibleName(), box.currentText()) == ("Role of Bora Aydın", "Editor")

    box.set_value(VIEWER.id)

    assert _role(page, "user-2").currentText() == "Viewer"
    qtbot.waitUntil(lambda: backend.users["user-2"].role == VIEWER)
    qtbot.waitUntil(lambda: page.success_label.text() == "Bora Aydın's role is now viewer.")
    assert _role(page, "user-2").currentText() == "Viewer"


def test_a_role_that_was_refused_is_as_it_was_and_says_why(qtbot, page, backend):
    backend.failing["update_user"] = Conflict("Not now.")

    _role(page, "user-2").set_value(VIEWER.id)

    qtbot.waitUntil(lambda: page.problem.isVisible() and page.problem.accessibleName() == "Not now.")
    qtbot.waitUntil(lambda: _role(page, "user-2").currentText() == "Editor")


def test_the_only_admin_can_neither_step_down_nor_go(page):
    assert not _role(page, "user-1").isEnabled()
    remove = page.people.rows["user-1"].findChild(IconButton)
    assert not remove.isEnabled()
    assert "A workspace needs at least one admin" in remove.toolTip()


def test_a_user_is_invited_by_keyboard_and_the_link_is_shown_once(qtbot, page, backend):
    page.command.setFocus()
    qtbot.keyClick(page.command, Qt.Key.Key_Space)
    dialog = _dialog(qtbot, page, InviteDialog)
    qtbot.waitUntil(lambda: dialog.isActiveWindow() and dialog.name.hasFocus())
    assert dialog.role.value() == EDITOR.id

    qtbot.keyClicks(dialog.name, "Emre Demir")
    qtbot.keyClick(dialog.name, Qt.Key.Key_Tab)
    qtbot.keyClicks(dialog.email, "emre@example.org")
    qtbot.keyClick(dialog.email, Qt.Key.Key_Return)

    shown = _dialog(qtbot, page, OneTimeSecretDialog)
    assert shown.windowTitle() == "Invitation for Emre Demir created"
    assert shown.secret.edit.text() == LINK.partition("token=")[0] + "token=••••••••"
    qtbot.keyClick(shown.secret.button, Qt.Key.Key_Space)
    assert QGuiApplication.clipboard().text() == LINK
    qtbot.waitUntil(lambda: len(page.invited.rows) == 2)
    shown.reject()
    assert shown.secret.edit.text() == ""


def test_a_mailed_link_says_so_and_closes_at_once(qtbot, page, backend):
    backend.hosting = backend.hosting.model_copy(update={"mail_connection_id": "con-mail"})
    page.invite()
    page.dialog.name.setText("Emre")
    page.dialog.email.setText("emre@example.org")
    button(page.dialog, "Invite").click()
    shown = _dialog(qtbot, page, OneTimeSecretDialog)
    assert "Sent to emre@example.org" in _messages(shown)

    qtbot.keyClick(shown, Qt.Key.Key_Escape)

    qtbot.waitUntil(lambda: page.dialog is None)


def test_a_link_that_could_not_be_mailed_says_why(qtbot, page, backend):
    made = backend.invitations["user-4"].model_copy(
        update={"accept_invitation_url": LINK, "notice": "The mail server refused the sender."}
    )

    shown = page.show_link(made)

    assert "Email not sent The mail server refused the sender." in _messages(shown)
    shown.done(0)


def _messages(dialog):
    return " | ".join(item.accessibleName() for item in dialog.findChildren(type(dialog.warning)))


def test_a_members_address_is_rejected_below_its_input(qtbot, page, backend):
    backend.failing["invite"] = AlreadyTaken({"email": ["A user with this email address already exists."]})
    page.invite()
    dialog = page.dialog
    button(dialog, "Invite").click()
    assert dialog.fields["fullName"].error == "Enter the name of the person."

    dialog.name.setText("Bora")
    dialog.email.setText("bora@example.org")
    button(dialog, "Invite").click()

    qtbot.waitUntil(lambda: dialog.fields["email"].error == "A user with this email address already exists.")
    assert dialog.fields["fullName"].error is None
    dialog.reject()


def test_a_new_link_is_made_for_who_was_invited_before(page):
    button(page.invited.rows["user-4"], "New link…").click()

    dialog = page.dialog
    assert (dialog.name.text(), dialog.email.text(), dialog.role.value()) == (
        "Dana Mori",
        "dana@example.org",
        EDITOR.id,
    )
    assert dialog.email.isReadOnly()
    dialog.reject()


def test_an_invitation_is_withdrawn_after_a_question(qtbot, page, backend):
    page.confirm_revoke_invitation(page.model.invitations[0])
    assert "user-4" in backend.invitations

    button(page.dialog, "Revoke").click()

    qtbot.waitUntil(lambda: page.invited.rows == {})
    assert not page.invited_title.isVisible()


def test_removing_a_user_says_what_is_deleted_and_what_stays(qtbot, page, backend):
    page.confirm_remove(page.model.people[1])
    words = page.dialog.accessibleDescription()
    assert "Their API key “Build server” stops working immediately." in words
    assert "unpublished" in words
    assert "can't be undone" in words

    button(page.dialog, "Remove").click()

    qtbot.waitUntil(lambda: "user-2" not in page.people.rows)
    assert page.success_label.text() == "Bora Aydın removed."


def test_alone_the_page_says_what_inviting_does(qtbot, around, backend):
    backend.users = {"user-1": backend.users["user-1"]}
    backend.invitations = {}
    page = _page(qtbot, around)

    assert page.alone.isVisible()
    assert page.command.isEnabled()


def test_many_people_are_found_by_name(qtbot, around, backend):
    backend.users |= {
        f"u-{number}": User(
            id=UserId(f"u-{number}"),
            full_name=f"Person {number:03}",
            email=f"p{number}@example.org",
            role=VIEWER,
        )
        for number in range(80)
    }
    page = _page(qtbot, around)
    assert len(page.people.rows) == 30
    assert page.more.text() == "And 53 more. Type part of a name above."

    page.search.setText("person 07")

    qtbot.waitUntil(lambda: len(page.people.rows) == 10)
    page.search.setText("zzz")
    qtbot.waitUntil(lambda: page.people.rows == {})
    assert page.more.text() == "No one's name or email matches."


def test_a_search_that_finds_only_an_invitation_shows_no_empty_state(qtbot, around):
    page = _page(qtbot, around)

    page.search.setText("dana")

    qtbot.waitUntil(lambda: page.people.rows == {})
    assert len(page.invited.rows) == 1
    assert page.more.text() == ""


def test_where_roles_are_changed_elsewhere_people_can_still_be_invited(qtbot, around, backend):
    backend.capabilities = Capabilities(unavailable={Feature.PEOPLE: "Roles are changed on its web page."})
    page = _page(qtbot, around)

    assert "Roles are changed on its web page." in page.problem.accessibleName()
    assert _role(page, "user-2") is None
    assert page.command.isEnabled()
    assert page.invite() is not None
    page.dialog.reject()


def test_who_may_only_look_sees_people_and_why_nothing_can_be_done(qtbot, around, backend):
    backend.capabilities = Capabilities(unavailable={Feature.PEOPLE: "This key may only look."})
    backend.failing["list_invitations"] = Forbidden("This key may only look.")
    page = _page(qtbot, around)

    assert len(page.people.rows) == 3
    assert not page.command.isVisible()
    assert page.problem.accessibleName() == "People can't be managed here This key may only look."
    assert page.invite() is None


def test_people_that_cannot_be_read_say_why_and_are_read_again(qtbot, around, backend):
    backend.failing["list_users"] = Unreachable("The service does not answer.")
    page = _page(qtbot, around)
    assert page.list.page.title == "The service does not answer."

    del backend.failing["list_users"]
    button(page.list, "Try again").click()

    qtbot.waitUntil(lambda: page.list.is_showing_rows)


def test_a_service_without_people_says_so_and_offers_nothing(qtbot, around, backend):
    backend.failing["list_users"] = NotSupported("This service does not offer people.", feature="people")
    page = PeoplePage(PeopleViewModel(around))
    qtbot.addWidget(page)
    page.show()

    qtbot.waitUntil(lambda: page.problem.isVisible())

    assert page.problem.accessibleName() == "People aren't available here This service does not offer people."
    assert not page.list.isVisible()
    assert not page.command.isVisible()


def test_at_a_third_party_server_nothing_is_promised_that_it_does_not_keep(qtbot, page, backend):
    backend.capabilities = Capabilities(unavailable={Feature.PEOPLE: "Roles are changed on its web page."})

    page.confirm_remove(page.model.people[1])
    removal_note = page.dialog.accessibleDescription()
    page.dialog.reject()
    page.confirm_revoke_invitation(page.model.invitations[0])
    withdrawal = page.dialog.accessibleDescription()

    assert "Automatisch deletes their flows" in removal_note
    assert "stays" not in removal_note
    assert "You can invite them again" not in withdrawal
    assert "it can't be invited again" in withdrawal
