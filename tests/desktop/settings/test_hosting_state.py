"""How a workspace is reached, without a widget."""

import pytest

from patchbay.desktop.settings.view_models.hosting import (
    INVALID_ADDRESS_MESSAGE,
    HostingViewModel,
    normalize_address,
)
from patchbay.domain.backend import Capabilities, Feature
from patchbay.domain.changes import ResourceType
from patchbay.domain.errors import Unreachable, ValidationFailed
from patchbay.domain.hosting import ServiceSettings

PUBLIC = "https://flows.example.org"


@pytest.fixture
def hosting(qtbot, around):
    made = HostingViewModel(around)
    made.load()
    qtbot.waitUntil(lambda: made.info is not None)
    return made


def test_addresses_are_shown_as_others_use_them(hosting):
    assert hosting.docs == "http://127.0.0.1:8787/docs"
    assert hosting.openapi == "http://127.0.0.1:8787/openapi.json"
    assert hosting.redirect_address == "http://127.0.0.1:8787/oauth/callback"
    assert hosting.webhook_base == "http://127.0.0.1:8787/webhooks/"


def test_a_public_address_changes_the_shown_addresses_and_can_be_undone(qtbot, hosting, backend):
    hosting.save_address("flows.example.org/")
    qtbot.waitUntil(lambda: backend.hosting.public_address == PUBLIC and not hosting.busy)
    assert hosting.redirect_address == f"{PUBLIC}/oauth/callback"
    assert hosting.docs == "http://127.0.0.1:8787/docs"

    hosting.undo()

    qtbot.waitUntil(lambda: backend.hosting.public_address is None and not hosting.busy)
    assert hosting.previous_settings is None


def test_nonsense_is_not_sent(hosting, backend):
    hosting.save_address("ftp://flows example")

    assert hosting.address_error == INVALID_ADDRESS_MESSAGE
    assert not [name for name, _ in backend.calls if name == "change_service_settings"]


def test_what_the_service_says_of_an_address_goes_under_its_field(qtbot, hosting, backend):
    backend.failing["change_service_settings"] = ValidationFailed({"publicAddress": ["Use https."]})

    hosting.save_address("http://flows.example.org")

    qtbot.waitUntil(lambda: not hosting.busy)
    assert (hosting.address_error, hosting.error) == ("Use https.", None)


def test_the_address_as_typed_is_tested_before_it_is_saved(qtbot, hosting, backend):
    hosting.run_test("flows.example.org")
    assert hosting.testing

    qtbot.waitUntil(lambda: not hosting.testing)
    assert hosting.test.ok
    assert backend.calls[-1] == ("test_public_address", (PUBLIC,))


def test_a_test_can_be_stopped(qtbot, hosting, backend):
    backend.hold("test_public_address")
    hosting.run_test("")

    hosting.stop_test()

    qtbot.waitUntil(lambda: not hosting.testing)
    assert (hosting.test, hosting.test_error) == (None, None)


def test_a_test_that_could_not_be_made_says_why(qtbot, hosting, backend):
    backend.failing["test_public_address"] = Unreachable("No answer.")

    hosting.run_test("")

    qtbot.waitUntil(lambda: hosting.test_error is not None)
    assert not hosting.testing


def test_mail_goes_out_with_the_chosen_connection(qtbot, hosting, backend):
    hosting.set_mail_connection("con-mail")

    qtbot.waitUntil(lambda: backend.hosting.mail_connection_id == "con-mail")
    qtbot.waitUntil(lambda: not hosting.busy)


def test_changes_by_another_user_are_shown(qtbot, hosting, backend, loop_thread):
    backend.hosting = ServiceSettings(public_address=PUBLIC)
    loop_thread.loop.call_soon_threadsafe(backend.announce, ResourceType.WORKSPACE)

    qtbot.waitUntil(lambda: hosting.settings.public_address == PUBLIC)


def test_addresses_are_shown_even_if_they_cannot_be_set(qtbot, around, backend):
    backend.capabilities = Capabilities(unavailable={Feature.ADDRESS: "Set where it runs."})
    hosting = HostingViewModel(around)

    hosting.load()

    qtbot.waitUntil(lambda: hosting.info is not None)
    assert (hosting.unavailable_reason, hosting.settings) == ("Set where it runs.", None)
    assert not [name for name, _ in backend.calls if name == "service_settings"]


@pytest.mark.parametrize(
    ("typed", "address"),
    [
        ("  ", ""),
        ("flows.example.org", PUBLIC),
        ("https://flows.example.org/", PUBLIC),
        ("http://10.0.0.5:8787", "http://10.0.0.5:8787"),
        ("https://flows.example.org?x=1", None),
        ("https://anna@flows.example.org", None),
        ("https://flows.example.org:99999", None),
        ("mailto:anna@example.org", None),
        ("https://", None),
    ],
)
def test_an_address_is_understood_as_typed(typed, address):
    assert normalize_address(typed) == address
