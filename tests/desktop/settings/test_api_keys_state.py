"""API keys without a widget."""

import asyncio

import pytest
from tests.support.patience import PATIENCE

from patchbay.desktop.settings.view_models.api_keys import (
    ApiKeysViewModel,
    NewKeyForm,
    curl_command,
    scope_limit_text,
)
from patchbay.domain.access import Scope
from patchbay.domain.backend import Capabilities, Feature
from patchbay.domain.base import UserId
from patchbay.domain.changes import ResourceType
from patchbay.domain.errors import StorageFault, ValidationFailed


@pytest.fixture
def keys(qtbot, around):
    made = ApiKeysViewModel(around)
    made.load()
    qtbot.waitUntil(lambda: made.keys is not None)
    return made


def test_keys_are_listed_with_whose_they_are(keys):
    assert {key.name: keys.owner(key) for key in keys.keys} == {
        "Nightly export": "",
        "Anna’s laptop": "Anna Lindqvist",
        "Build server": "Bora Aydın",
    }
    assert keys.address == "http://127.0.0.1:8787"


def test_a_revoked_key_is_removed_and_a_message_confirms_it(qtbot, keys, backend):
    keys.revoke(next(key for key in keys.keys if key.id == "key-3"))
    assert keys.revoking == {"key-3"}

    qtbot.waitUntil(lambda: bool(keys.success_message))

    assert "key-3" not in backend.api_keys
    assert keys.success_message == "“Build server” revoked."
    assert [key.id for key in keys.keys if key.id == "key-3"] == []
    assert keys.revoking == frozenset()


def test_a_key_that_could_not_be_revoked_stays_and_says_why(qtbot, keys, backend):
    backend.failing["revoke_api_key"] = StorageFault("The disk is full.")

    keys.revoke(keys.keys[0])

    qtbot.waitUntil(lambda: keys.command_error is not None)
    assert keys.command_error.happened == "The disk is full."
    assert len(keys.keys) == 3


def test_keys_that_others_make_appear(qtbot, keys, backend, loop_thread):
    backend.api_keys["key-9"] = backend.api_keys["key-1"].model_copy(update={"id": "key-9", "name": "New"})
    loop_thread.loop.call_soon_threadsafe(backend.announce, ResourceType.API_KEY, "key-9")

    qtbot.waitUntil(lambda: len(keys.keys) == 4)


def test_the_value_of_a_new_key_goes_to_who_asked_and_is_kept_nowhere(qtbot, around, keys):
    form = NewKeyForm(around)

    with qtbot.waitSignal(form.done) as told:
        form.submit("  Backup ", Scope.READ, UserId("user-2"))

    made = told.args[0]
    assert (made.key.name, made.key.scope, made.key.user_id) == ("Backup", Scope.READ, "user-2")
    qtbot.waitUntil(lambda: len(keys.keys) == 4)
    for model in (form, keys):
        assert made.value not in repr(vars(model))


def test_a_key_needs_a_name(around, backend):
    form = NewKeyForm(around)

    form.submit("  ", Scope.READ, None)

    assert "what the key is for" in form.field_errors["name"]
    assert not [name for name, _ in backend.calls if name == "create_api_key"]


def test_what_the_workspace_refuses_goes_under_its_field(qtbot, around, backend):
    form = NewKeyForm(around)
    backend.failing["create_api_key"] = ValidationFailed({"name": ["is too long"]})
    form.submit("x", Scope.READ, None)
    qtbot.waitUntil(lambda: bool(form.field_errors))
    assert (form.field_errors, form.error, form.busy) == ({"name": "Is too long."}, None, False)

    backend.failing["create_api_key"] = StorageFault("The disk is full.")
    form.submit("x", Scope.READ, None)
    qtbot.waitUntil(lambda: form.error is not None)
    assert form.field_errors == {}


def test_a_key_with_more_scope_than_its_users_role_is_explained(backend):
    anna, bora, chidi = (backend.users[f"user-{number}"] for number in (1, 2, 3))

    assert scope_limit_text(Scope.ADMIN, None) == scope_limit_text(Scope.ADMIN, anna) == ""
    assert scope_limit_text(Scope.OPERATE, bora) == "Limited to what Bora Aydın can see."
    assert scope_limit_text(Scope.OPERATE, chidi).endswith("A viewer's role limits the key to “read-only”.")


def test_how_to_use_a_key_can_be_copied():
    assert curl_command("http://127.0.0.1:8787/") == (
        "curl -H 'x-api-token: YOUR_KEY' http://127.0.0.1:8787/v1/flows"
    )


def test_keys_are_not_requested_where_there_are_none(around, backend, loop_thread):
    backend.capabilities = Capabilities(unavailable={Feature.ACCESS: "Made on its own page."})
    keys = ApiKeysViewModel(around)

    keys.load()
    asyncio.run_coroutine_threadsafe(backend.engine_settings(), loop_thread.loop).result(PATIENCE)

    assert keys.unavailable_reason == "Made on its own page."
    asked = [name for name, _ in backend.calls]
    assert "engine_settings" in asked
    assert "list_api_keys" not in asked


def test_a_key_reaches_no_further_than_the_role_of_its_person(keys, backend):
    key = backend.api_keys["key-2"]

    assert keys.reach(key) is Scope.ADMIN
    assert keys.reach(key.model_copy(update={"user_id": "user-3"})) is Scope.READ
    assert keys.reach(key.model_copy(update={"user_id": None})) is Scope.ADMIN
