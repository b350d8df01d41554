"""Signing in in the browser, without widgets: opening, waiting, handing in by hand, giving up, refusals."""

import pytest
from tests.support.fake_workspace import NOW

from patchbay.desktop.my_apps.view_models.connection_form import ConnectionFormViewModel, FormState
from patchbay.domain.base import AppKey, ConnectionId
from patchbay.domain.connections import Connection, ConnectionHealth, DeviceCode
from patchbay.domain.errors import Conflict, ThirdPartyError, TimedOut

FORGE = AppKey("forge")


@pytest.fixture
def form(qtbot, shared, opened):
    made = ConnectionFormViewModel(shared, FORGE, open_url=lambda url: opened.append(url) is None)
    made.load()
    qtbot.waitUntil(lambda: bool(made.fields))
    made.set_value("clientId", "abc")
    return made


@pytest.fixture
def waiting(qtbot, form):
    form.submit()
    qtbot.waitUntil(lambda: form.state is FormState.WAITING)
    return form


def _called(backend, name):
    return [arguments for called, arguments in backend.calls if called == name]


def test_the_form_opens_the_browser_and_waits(waiting, opened, backend):
    assert opened == [waiting.browser.pending_sign_in.url]
    assert waiting.browser.opened
    assert waiting.browser.seconds_left == 600
    assert len(backend.connections) == 6


def test_missing_fields_are_reported_before_any_browser_opens(form, opened, backend):
    form.set_value("clientId", "")

    form.submit()

    assert form.messages == {"clientId": "Enter Client ID."}
    assert opened == []
    assert _called(backend, "begin_sign_in") == []


def test_coming_back_from_the_browser_makes_the_connection(qtbot, waiting, backend, on_loop):
    with qtbot.waitSignal(waiting.finished) as told:
        on_loop(backend.come_back, waiting.browser.pending_sign_in.id)

    assert told.args[0].screen_name == "Ada"
    assert told.args[0].id in backend.connections


def test_a_refusal_is_shown_in_the_words_of_the_service_and_can_be_tried_again(
    qtbot, waiting, backend, on_loop, opened
):
    refusal = ThirdPartyError(app="Forge", said="The person refused access")
    on_loop(lambda: backend.come_back(waiting.browser.pending_sign_in.id, error=refusal))
    qtbot.waitUntil(lambda: waiting.state is FormState.REJECTED)
    assert waiting.error.said == "The person refused access"

    waiting.submit()

    qtbot.waitUntil(lambda: waiting.state is FormState.WAITING)
    assert len(opened) == 2


def test_a_sign_in_without_a_response_times_out(qtbot, waiting, backend, on_loop):
    on_loop(
        lambda: backend.come_back(waiting.browser.pending_sign_in.id, error=TimedOut("Nobody came back."))
    )

    qtbot.waitUntil(lambda: waiting.state is FormState.REJECTED)

    assert waiting.error.happened == "Nobody came back."
    assert waiting.browser.pending_sign_in is None


def test_a_taken_port_is_reported_and_nothing_waits(qtbot, form, backend, opened):
    backend.failing["begin_sign_in"] = Conflict("Port 8787 is in use by another program.")

    form.submit()
    qtbot.waitUntil(lambda: form.state is FormState.REJECTED)

    assert form.error.happened.startswith("Port 8787")
    assert opened == []


def test_cancelling_gives_the_sign_in_up_everywhere(qtbot, waiting, backend):
    pending_sign_in = waiting.browser.pending_sign_in

    waiting.cancel()

    qtbot.waitUntil(lambda: waiting.state is FormState.EDITING and not backend.sign_ins)
    assert _called(backend, "cancel_sign_in") == [(pending_sign_in.id,)]
    assert len(backend.connections) == 6
    assert waiting.values["clientId"] == "abc"


def test_the_address_of_the_last_page_can_be_pasted(qtbot, waiting):
    address = f"http://127.0.0.1:8787/oauth/callback?code=x&state={waiting.browser.pending_sign_in.id}"

    with qtbot.waitSignal(waiting.finished):
        waiting.browser.paste(address)


@pytest.mark.parametrize(
    ("address", "words"), [("  ", "Paste the address"), ("http://127.0.0.1/x", "Paste the whole address")]
)
def test_an_unusable_address_is_reported_and_the_sign_in_keeps_waiting(qtbot, waiting, address, words):
    waiting.browser.paste(address)

    qtbot.waitUntil(lambda: waiting.browser.paste_problem.startswith(words))
    assert waiting.state is FormState.WAITING


def test_a_code_is_shown_before_any_page_opens(qtbot, form, backend, opened):
    backend.device = DeviceCode(user_code="WDJB-MJHT", verification_url="https://forge.example/device")

    form.submit()
    qtbot.waitUntil(lambda: form.state is FormState.WAITING)

    assert form.browser.pending_sign_in.device.user_code == "WDJB-MJHT"
    assert opened == []
    form.browser.open_browser()
    assert len(opened) == 1


def test_without_a_browser_the_wait_continues_with_the_link(qtbot, shared):
    form = ConnectionFormViewModel(shared, FORGE, open_url=lambda _: False)
    form.load()
    qtbot.waitUntil(lambda: bool(form.fields))
    form.set_value("clientId", "abc")

    form.submit()
    qtbot.waitUntil(lambda: form.state is FormState.WAITING)

    assert form.browser.opened is False


@pytest.fixture
def renewal(qtbot, shared, backend, opened):
    backend.connections["con-forge"] = Connection(
        id=ConnectionId("con-forge"),
        app_key=AppKey("forge"),
        screen_name="Ada",
        health=ConnectionHealth.NEEDS_ATTENTION,
        formatted_data={"clientId": "abc"},
        created_at=NOW,
        updated_at=NOW,
    )
    form = ConnectionFormViewModel(
        shared, FORGE, backend.connections["con-forge"], open_url=lambda url: opened.append(url) is None
    )
    form.load()
    qtbot.waitUntil(lambda: bool(form.fields))
    backend.other_account = "grace@example.org"
    form.submit()
    qtbot.waitUntil(lambda: form.state is FormState.WAITING)
    return form


def test_another_account_is_asked_about_before_anything_changes(qtbot, renewal, backend, on_loop):
    on_loop(backend.come_back, renewal.browser.pending_sign_in.id)
    qtbot.waitUntil(lambda: renewal.state is FormState.CONFIRMING_ACCOUNT)
    assert (renewal.other_account.before, renewal.other_account.now) == ("Ada", "grace@example.org")
    assert backend.connections["con-forge"].health is ConnectionHealth.NEEDS_ATTENTION

    with qtbot.waitSignal(renewal.finished):
        renewal.accept_other_account()

    assert backend.connections["con-forge"].health is ConnectionHealth.VALID


def test_keeping_the_account_gives_the_sign_in_up(qtbot, renewal, backend, on_loop):
    on_loop(backend.come_back, renewal.browser.pending_sign_in.id)
    qtbot.waitUntil(lambda: renewal.state is FormState.CONFIRMING_ACCOUNT)

    renewal.cancel()

    qtbot.waitUntil(lambda: renewal.state is FormState.EDITING and not backend.sign_ins)
    assert backend.connections["con-forge"].health is ConnectionHealth.NEEDS_ATTENTION
