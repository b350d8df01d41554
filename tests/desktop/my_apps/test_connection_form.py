"""The connection form without widgets: which fields matter, what is sent, other accounts."""

from typing import Any

import pytest

from patchbay.desktop.my_apps.view_models.connection_form import ConnectionFormViewModel, FormState
from patchbay.domain.apps import AppInfo, AuthInfo
from patchbay.domain.base import AppKey
from patchbay.domain.connections import ConnectionHealth
from patchbay.domain.errors import ThirdPartyError
from patchbay.domain.fields import AuthField, Option

SERVICE = AppInfo(
    key=AppKey("service"),
    name="Service",
    supports_connections=True,
    auth=AuthInfo(
        uses_browser=True,
        browser_if={"way": "oauth"},
        fields=(
            AuthField(
                key="way",
                label="Sign in with",
                required=True,
                value="key",
                options=(Option(label="Key", value="key"), Option(label="OAuth", value="oauth")),
            ),
            AuthField(key="address", label="Address", required=True),
            AuthField(key="note", label="Note", decides_destination=False),
            AuthField(key="apiKey", label="API Key", required=True, visible_if={"way": "key"}),
            AuthField(key="clientId", label="Client ID", required=True, visible_if={"way": ["oauth"]}),
        ),
    ),
)


@pytest.fixture
def form(qtbot, shared, backend):
    backend.apps["service"] = SERVICE
    made = ConnectionFormViewModel(shared, SERVICE.key)
    made.load()
    qtbot.waitUntil(lambda: bool(made.fields))
    return made


def _shown(form):
    return [field.key for field in form.shown]


def test_presets_are_filled_in_and_decide_what_is_shown(form):
    assert form.values == {"way": "key"}
    assert _shown(form) == ["way", "address", "note", "apiKey"]
    assert not form.uses_browser
    assert not form.dirty


def test_a_choice_brings_other_fields_and_another_way_to_connect(qtbot, form):
    with qtbot.waitSignal(form.changed):
        form.set_value("way", "oauth")

    assert _shown(form) == ["way", "address", "note", "clientId"]
    assert form.uses_browser
    assert form.dirty


def test_hidden_fields_are_neither_requested_nor_sent(qtbot, form, backend):
    form.set_value("address", "https://x")
    form.set_value("apiKey", "a key")
    form.set_value("way", "oauth")
    form.set_value("clientId", "abc")

    form.submit()
    qtbot.waitUntil(lambda: form.state is FormState.WAITING)

    sent = next(arguments for name, arguments in backend.calls if name == "begin_sign_in")
    assert sent[1] == {"way": "oauth", "address": "https://x", "clientId": "abc"}
    form.cancel()


def test_nothing_is_said_while_typing_only_on_leaving(form):
    form.set_value("address", "")
    assert form.messages == {}

    form.check("address")

    assert form.messages == {"address": "Enter Address."}


def test_the_first_field_with_an_error_is_named(qtbot, form):
    with qtbot.waitSignal(form.focus_requested) as told:
        form.submit()

    assert told.args == ["address"]


def test_a_refused_key_is_reported_at_the_key(qtbot, form, backend):
    backend.failing["add_connection"] = ThirdPartyError(app="Service", said="Bad key", status=401)
    form.set_value("address", "https://x")
    form.set_value("apiKey", "a key")

    with qtbot.waitSignal(form.focus_requested) as told:
        form.submit()

    assert told.args == ["apiKey"]
    assert form.messages["apiKey"].startswith("Service returned “Bad key” (401).")


def test_reconnecting_sends_emptied_fields_but_keeps_secrets(qtbot, shared, backend):
    backend.apps["service"] = SERVICE
    kept = backend.connections["con-ops"].model_copy(
        update={"app_key": "service", "formatted_data": {"way": "key", "address": "https://x", "note": "old"}}
    )
    form = ConnectionFormViewModel(shared, SERVICE.key, kept)
    form.load()
    qtbot.waitUntil(lambda: bool(form.fields))
    form.set_value("note", "")

    with qtbot.waitSignal(form.finished):
        form.submit()

    sent = next(arguments for name, arguments in backend.calls if name == "reconnect")
    assert sent[1] == {"way": "key", "address": "https://x", "note": ""}


def test_with_another_address_stored_secrets_are_requested_before_anything_is_sent(qtbot, shared, backend):
    backend.apps["service"] = SERVICE
    shown = {"way": "key", "address": "https://x", "note": "old"}
    kept = backend.connections["con-ops"].model_copy(update={"app_key": "service", "formatted_data": shown})
    form = ConnectionFormViewModel(shared, SERVICE.key, kept)
    form.load()
    qtbot.waitUntil(lambda: bool(form.fields))
    form.set_value("address", "https://X/")
    assert form.destination_changes == ()

    form.set_value("address", "https://elsewhere.example")
    form.submit()

    changed: Any = form.destination_changes
    assert [field.key for field in changed] == ["address"]
    assert form.messages == {"apiKey": "Enter API Key."}
    assert "reconnect" not in [name for name, _ in backend.calls]


def test_a_key_of_another_account_is_asked_about(qtbot, shared, backend):
    backend.other_account = "ops@example.org"
    form = ConnectionFormViewModel(shared, AppKey("todoist"), backend.connections["con-anna"])
    form.load()
    qtbot.waitUntil(lambda: bool(form.fields))
    form.submit()
    qtbot.waitUntil(lambda: form.state is FormState.CONFIRMING_ACCOUNT)
    assert backend.connections["con-anna"].health is ConnectionHealth.NEEDS_ATTENTION

    with qtbot.waitSignal(form.finished):
        form.accept_other_account()

    assert backend.connections["con-anna"].health is ConnectionHealth.VALID


def test_an_app_that_cannot_be_read_says_why(qtbot, shared):
    form = ConnectionFormViewModel(shared, AppKey("gone"))

    form.load()
    qtbot.waitUntil(lambda: form.state is FormState.REJECTED)

    assert "gone" in form.error.happened
    assert form.fields == ()
