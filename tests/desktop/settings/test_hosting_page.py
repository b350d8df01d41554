"""Settings → Server: addresses to copy, the public one and its test, how invitations go out."""

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from tests.support.choosing import choose
from tests.support.dialogs import button

from patchbay.desktop.settings.hosting_page import ServicePage
from patchbay.desktop.settings.view_models.hosting import INVALID_ADDRESS_MESSAGE, HostingViewModel
from patchbay.domain.backend import Capabilities, Feature
from patchbay.domain.base import AppKey, ConnectionId
from patchbay.domain.connections import Connection
from patchbay.domain.errors import StorageFault, Unreachable, ValidationFailed
from patchbay.domain.hosting import AddressCheck, AddressTest
from patchbay.domain.outgoing import OutgoingMode

PUBLIC = "https://flows.example.org"


@pytest.fixture
def page(qtbot, around, backend):
    backend.connections["con-mail"] = Connection(
        id=ConnectionId("con-mail"), app_key=AppKey("smtp"), screen_name="Office mail"
    )
    return _page(qtbot, around)


def _page(qtbot, around):
    made = ServicePage(HostingViewModel(around))
    qtbot.addWidget(made)
    made.resize(540, 440)
    made.show()
    made.activateWindow()
    qtbot.waitUntil(lambda: made.model.info is not None or made.model.error is not None)
    return made


def test_addresses_can_be_copied_and_the_documentation_opened(page, monkeypatch):
    opened: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)

    page.docs.click()
    page.openapi.click()

    assert page.listen_address.text() == "http://127.0.0.1:8787"
    assert page.redirect.text() == "http://127.0.0.1:8787/oauth/callback"
    assert page.webhooks.text() == "http://127.0.0.1:8787/webhooks/"
    assert [url.toString() for url in opened] == [
        "http://127.0.0.1:8787/docs",
        "http://127.0.0.1:8787/openapi.json",
    ]


def test_an_address_is_saved_shown_as_it_holds_and_undone(qtbot, page, backend):
    assert not page.save.isEnabled()
    qtbot.keyClicks(page.address, "flows.example.org")
    assert page.save.isEnabled()

    page.save.click()

    qtbot.waitUntil(lambda: backend.hosting.public_address == PUBLIC and page.undo.isVisible())
    assert page.address.text() == PUBLIC
    assert page.redirect.text() == f"{PUBLIC}/oauth/callback"
    assert not page.save.isEnabled()

    page.undo.click()

    qtbot.waitUntil(lambda: backend.hosting.public_address is None and page.address.text() == "")


def test_invalid_input_is_reported_below_the_field(qtbot, page):
    qtbot.keyClicks(page.address, "flows example")

    page.save.click()

    assert page.public_field.error == INVALID_ADDRESS_MESSAGE
    assert page.address.text() == "flows example"


def test_what_could_not_be_saved_stays_in_the_field_and_says_why(qtbot, page, backend):
    backend.failing["change_service_settings"] = StorageFault("The disk is full.")
    qtbot.keyClicks(page.address, PUBLIC)

    page.save.click()

    qtbot.waitUntil(lambda: page.problem.isVisible())
    assert page.address.text() == PUBLIC
    assert page.save.isEnabled()


def test_typed_text_survives_a_change_by_another_user(qtbot, page, backend):
    qtbot.keyClicks(page.address, "half.typ")
    backend.hosting = backend.hosting.model_copy(update={"public_address": PUBLIC})

    page.model.refresh()

    qtbot.waitUntil(lambda: page.model.settings.public_address == PUBLIC)
    assert page.address.text() == "half.typ"


def test_a_test_shows_each_call_with_what_came_back(qtbot, page, backend):
    backend.address_test = AddressTest(
        address=PUBLIC,
        checks=(
            AddressCheck(
                name="Webhooks", url=f"{PUBLIC}/webhooks/x", ok=True, words="The request reached Patchbay."
            ),
            AddressCheck(name="Sign-ins", url=f"{PUBLIC}/oauth", ok=False, words="Somebody else answered."),
        ),
    )

    page.test.click()
    assert page.test.busy
    assert page.stop.isVisible()

    qtbot.waitUntil(lambda: page.checks.isVisible())
    said = [item.accessibleName() for item in page.checks.findChildren(type(page.checks).__mro__[1])]
    assert "Webhooks reachable: The request reached Patchbay." in said
    assert "Sign-ins not reachable: Somebody else answered." in said
    assert any("Some requests" in words for words in said)
    assert not page.stop.isVisible()


def test_a_test_is_stopped_and_one_that_fails_says_why(qtbot, page, backend):
    responding = backend.hold("test_public_address")
    page.test.click()
    page.stop.click()
    qtbot.waitUntil(lambda: not page.test.busy)
    assert not page.checks.isVisible()

    responding.release()
    backend.failing["test_public_address"] = Unreachable("No answer.")
    page.test.click()

    qtbot.waitUntil(lambda: page.checks.isVisible() and not page.test.busy)


def test_invitations_go_out_with_the_chosen_connection(qtbot, page, backend):
    assert [page.mail.itemText(row) for row in range(page.mail.count())] == [
        "Only show the link",
        "Send with “Office mail”",
    ]

    page.mail.set_value("con-mail")

    qtbot.waitUntil(lambda: backend.hosting.mail_connection_id == "con-mail")
    qtbot.waitUntil(lambda: page.mail.isEnabled())


def test_a_mail_connection_that_is_gone_is_reported(qtbot, around, backend):
    backend.hosting = backend.hosting.model_copy(update={"mail_connection_id": "con-of-old"})
    page = _page(qtbot, around)

    assert page.mail.currentText() == "Send with a deleted connection"
    assert "Connect Mail (SMTP)" in page.mail.accessibleDescription()


def test_where_the_address_is_not_set_from_here_the_page_says_why(qtbot, around, backend):
    backend.capabilities = Capabilities(unavailable={Feature.ADDRESS: "Open its web page."})
    page = _page(qtbot, around)

    assert page.problem.accessibleName() == "The public address can't be set here Open its web page."
    assert page.listen_address.isVisible()
    assert not page.address.isVisible()
    assert not page.mail.isVisible()


def test_a_service_that_does_not_answer_is_asked_again(qtbot, around, backend):
    backend.failing["service_settings"] = Unreachable("No answer.")
    page = _page(qtbot, around)
    assert page.problem.isVisible()

    del backend.failing["service_settings"]
    button(page, "Try again").click()

    qtbot.waitUntil(lambda: page.address.isVisible())


def test_where_nothing_listens_nothing_can_be_tested(qtbot, page):
    page.model.info = page.model.info.model_copy(update={"address": None, "webhook_address": None})
    page.model.changed.emit()

    assert not page.test.isEnabled()
    assert "listening for requests" in page.test.toolTip()
    assert not page.docs.isVisible()


def test_outgoing_addresses_are_blocked_and_allowed_from_here(qtbot, page, backend):
    section = page.outgoing
    qtbot.waitUntil(lambda: section.isVisible())
    choose(qtbot, section.mode, "Block for everyone")
    qtbot.waitUntil(lambda: backend.hosting.outgoing_addresses is OutgoingMode.EVERYBODY)
    qtbot.waitUntil(lambda: not page.model.busy)

    assert not section.save.isEnabled()
    qtbot.keyClicks(section.allowed, "nas.lan, 10.0.0.0/8")
    section.save.click()

    qtbot.waitUntil(lambda: backend.hosting.allowed_addresses == ("nas.lan", "10.0.0.0/8"))
    qtbot.waitUntil(lambda: not page.model.busy and section.allowed.text() == "nas.lan, 10.0.0.0/8")
    assert not section.save.isEnabled()


def test_an_entry_that_is_refused_stays_in_the_field(qtbot, page, backend):
    backend.failing["change_service_settings"] = ValidationFailed({"allowedAddresses": ["No host."]})
    section = page.outgoing
    qtbot.waitUntil(lambda: section.isVisible())
    qtbot.keyClicks(section.allowed, "http://x")
    section.save.click()

    qtbot.waitUntil(lambda: page.model.allowed_addresses_error == "No host.")
    assert section.allowed.text() == "http://x"
