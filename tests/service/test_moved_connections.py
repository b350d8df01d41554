"""Stored secrets are only sent where they were entered for."""

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import httpx
import pytest
from tests.support.app_calls import built_in, built_in_app
from tests.support.certificates import authority
from tests.support.counterparty import GOOD_KEY, Counterparty
from tests.support.eavesdropper import eavesdropper
from tests.support.forms import long_form
from tests.support.kept_connection import add_words
from tests.support.processes import Interface, Service
from tests.support.workspace import open_runtime

from patchbay.domain.connections import changed_destinations, normalised
from patchbay.domain.errors import AppError, ValidationFailed
from patchbay.domain.fields import (
    CA_CERTIFICATE,
    MAX_SECRET_LENGTH,
    TRUSTED_CERTIFICATE,
    AuthField,
    is_visible,
)
from patchbay.integration.app_definition import App
from patchbay.integration.credential_destinations import auth_fields, known_addresses
from patchbay.service.verification import merge_form_values

SECRET = "planted-secret-7f31c0"
OLD = "https://old.example"
MAIL = {"screenName": "M", "host": "mail.old.example", "username": "ann@old.example", "password": SECRET}
SQL = {
    "screenName": "D",
    "host": "db.old.example",
    "port": "5432",
    "enableSsl": "false",
    "database": "shop",
    "user": "ann",
    "password": SECRET,
}
HTTP = {"screenName": "H", "baseUrl": OLD, "checkUrl": "/me"}
OAUTH = {
    **HTTP,
    "kind": "oauth2",
    "authorizeUrl": f"{OLD}/authorize",
    "tokenUrl": f"{OLD}/token",
    "clientId": "c",
    "clientSecret": SECRET,
    "accessToken": f"{SECRET}-a",
    "refreshToken": f"{SECRET}-r",
}

STORED: dict[str, tuple[str, dict[str, Any], str]] = {
    "changedetection": (
        "changedetection",
        {"screenName": "C", "instanceUrl": OLD, "apiKey": SECRET},
        "instanceUrl",
    ),
    "redmine": ("redmine", {"screenName": "R", "instanceUrl": OLD, "apiKey": SECRET}, "instanceUrl"),
    "bearer": ("http", {**HTTP, "kind": "bearer", "token": SECRET}, "baseUrl"),
    "header": ("http", {**HTTP, "kind": "header", "headerName": "X-Key", "apiKey": SECRET}, "baseUrl"),
    "query": ("http", {**HTTP, "kind": "query", "queryName": "key", "apiKey": SECRET}, "baseUrl"),
    "basic": ("http", {**HTTP, "kind": "basic", "username": "ann", "password": SECRET}, "baseUrl"),
    "caldav": (
        "caldav",
        {
            "screenName": "K",
            "serverUrl": OLD,
            "username": "ann",
            "password": SECRET,
            "calendarHome": f"{OLD}/ann/",
        },
        "serverUrl",
    ),
    "smtp": ("smtp", {**MAIL, "useTls": False, "port": "25"}, "host"),
    "imap": ("imap", {**MAIL, "useTls": False, "port": "143"}, "host"),
    "postgresql": ("postgresql", SQL, "host"),
    "mysql": ("mysql", SQL, "host"),
}

CERTIFICATES = {
    CA_CERTIFICATE: authority("Old"),
    TRUSTED_CERTIFICATE: f"old.example {'a' * 64}",
}


@pytest.fixture
async def desk(tmp_path):
    runtime = await open_runtime(tmp_path, more_apps=built_in().all())
    yield runtime
    await runtime.close()


async def stored(runtime, app_key: str, data: dict[str, Any]):
    """A connection as it is after it was verified, without asking anybody."""
    return await runtime.backend._connections.add_verified(built_in_app(app_key), data)


def moved_to(ears, key: str) -> dict[str, Any]:
    """Only the address, as an attacker would send it."""
    return {"host": "127.0.0.1", "port": str(ears.port)} if key == "host" else {key: ears.url}


@pytest.mark.parametrize("kind", STORED)
async def test_reconnecting_with_another_address_alone_sends_nothing_there(desk, kind):
    app_key, data, key = STORED[kind]
    connection = await stored(desk, app_key, data)

    async with eavesdropper() as ears:
        for accept in (False, True):
            with pytest.raises(ValidationFailed) as refused:
                await desk.backend.reconnect(connection.id, moved_to(ears, key), accept_other_account=accept)

        assert (ears.calls, bytes(ears.heard)) == (0, b"")
    assert all("again" in words[0] for words in refused.value.by_field.values())
    assert SECRET not in str(refused.value.extra())
    assert (await desk.credentials.load(connection.id)) == data


@pytest.mark.parametrize("kind", STORED)
async def test_a_copy_of_a_connection_gives_its_secrets_to_no_other_address_either(desk, kind):
    app_key, data, key = STORED[kind]
    connection = await stored(desk, app_key, data)
    copy = await desk.backend.duplicate_connection(connection.id, "Copy")

    async with eavesdropper() as ears:
        with pytest.raises(ValidationFailed):
            await desk.backend.reconnect(copy.id, moved_to(ears, key))

        assert ears.calls == 0


@pytest.mark.parametrize("key", ["authorizeUrl", "tokenUrl", "baseUrl", "clientId", "issuer", "clientAuth"])
async def test_signing_in_again_at_another_address_wants_the_client_secret(desk, key):
    connection = await stored(desk, "http", OAUTH)

    async with eavesdropper() as ears:
        values = {key: ears.url if key.endswith("Url") else "basic"}
        with pytest.raises(ValidationFailed) as refused:
            await desk.backend.begin_sign_in("http", values, connection.id)

        assert ears.calls == 0
    assert list(refused.value.by_field) == ["clientSecret"]


async def test_tokens_of_a_sign_in_never_stay_when_the_kind_of_credentials_changes(desk):
    connection = await stored(desk, "http", OAUTH)

    async with eavesdropper() as ears:
        values = {"kind": "bearer", "baseUrl": ears.url, "token": "mine"}
        with pytest.raises(AppError):
            await desk.backend.reconnect(connection.id, values)

        assert SECRET.encode() not in ears.heard


async def test_secrets_that_are_entered_again_go_to_the_new_address(desk):
    with Counterparty() as old, Counterparty(key="another-key-123456") as new:
        values = {"screenName": "C", "instanceUrl": old.address, "apiKey": GOOD_KEY}
        connection = await desk.backend.add_connection("changedetection", values)

        moved = {"instanceUrl": new.address, "apiKey": "another-key-123456"}
        await desk.backend.reconnect(connection.id, moved)

        assert all(call.headers["x-api-key"] == "another-key-123456" for call in new.seen)
        assert len(new.seen) == 1


async def test_another_spelling_of_the_same_address_keeps_the_secret(desk):
    with Counterparty() as party:
        values = {"screenName": "C", "instanceUrl": party.address, "apiKey": GOOD_KEY}
        connection = await desk.backend.add_connection("changedetection", values)

        again = await desk.backend.reconnect(connection.id, {"instanceUrl": f" {party.address}/ "})

    assert again.verified


async def test_an_optional_secret_may_be_removed_with_the_change(desk):
    connection = await stored(desk, *STORED["smtp"][:2])

    async with eavesdropper() as ears:
        values = {**moved_to(ears, "host"), "username": "", "password": ""}
        with pytest.raises(AppError):  # it is no mail server
            await desk.backend.reconnect(connection.id, values)

        assert (ears.calls, SECRET.encode() in ears.heard) == (1, False)


def test_what_counts_as_the_same_address():
    assert normalised("HTTPS://Desk.Example:443/") == normalised("https://desk.example")
    assert normalised("https://desk.example/a") != normalised("https://desk.example/b")
    assert normalised("https://desk.example") != normalised("http://desk.example")
    assert normalised("https://desk.example:444") != normalised("https://desk.example")
    assert normalised("https://desk.example@evil.example") != normalised("https://desk.example")
    assert normalised("Mail.Example") == normalised("mail.example")
    assert normalised(True) == normalised("true")
    assert normalised(None) == normalised("")


def forms(app: App) -> Iterator[dict[str, Any]]:
    """The app's form filled in, once for each choice of a field on which others depend."""
    fields = app.auth.fields
    deciding = {key for field in fields for key in field.visible_if}
    choices = [field for field in fields if field.key in deciding]
    for values in [{}] if not choices else [{one.key: o.value} for one in choices for o in one.options]:
        data = dict(values)
        for field in fields:
            if field.key not in data and is_visible(field, data | values):
                data[field.key] = _sample(field)
        yield data


def _sample(field: AuthField) -> Any:
    if field.is_secret:
        return f"{SECRET}-{field.key}"
    if field.key in CERTIFICATES:
        return CERTIFICATES[field.key]
    if field.options:
        return field.options[0].value
    return OLD if "url" in field.key.lower() else f"a-{field.key}"


def _other(field: AuthField, before: Any) -> Any:
    if field.key in CERTIFICATES:
        return {CA_CERTIFICATE: authority("Other"), TRUSTED_CERTIFICATE: f"evil.example {'b' * 64}"}[
            field.key
        ]
    if field.options:
        return next(option.value for option in field.options if option.value != before)
    return "https://evil.example" if "url" in field.key.lower() else "evil"


@pytest.mark.parametrize("app", [app for app in built_in().all() if app.auth], ids=lambda app: app.key)
def test_no_field_of_any_app_changes_where_stored_secrets_go(app):
    """Each field alone: either no secret is left, or all addresses are those of before."""
    for kept in forms(app):
        secrets = {kept[field.key] for field in app.auth.fields if field.is_secret and field.key in kept}
        for field in app.auth.fields:
            if field.is_secret or field.read_only or field.key not in kept:
                continue
            try:
                data = merge_form_values(app, {field.key: _other(field, kept[field.key])}, kept)
            except ValidationFailed:
                continue
            if secrets & set(map(str, data.values())):
                assert not changed_destinations(auth_fields(app), kept, data)
                assert list(known_addresses(app, kept)) == list(known_addresses(app, data))
                leads = ("host", "port", "useTls", "enableSsl", *CERTIFICATES, "headerName", "kind")
                assert field.key not in leads or app.key == "signing-secret"


@long_form
def test_over_the_interface_a_changed_address_gets_no_key(tmp_path):
    passphrase = tmp_path / "passphrase"
    passphrase.write_text("correct horse battery staple")
    passphrase.chmod(0o600)
    words = ("--passphrase-file", str(passphrase))
    with Counterparty() as party, Counterparty() as evil, Service(tmp_path / "data", *words) as service:
        added = service.command(*add_words(party), stdin=f"{party.key}\n")
        path = f"/v1/connections/{added.json['id']}/verify"

        with closing(Interface(service)) as interface:
            answer = interface.http.post(path, json={"formattedData": {"instanceUrl": evil.address}})

        assert answer.status_code == httpx.codes.UNPROCESSABLE_ENTITY
        assert list(answer.json()["errors"]) == ["apiKey"]
        assert evil.seen == []


def test_a_secret_becomes_text_so_that_it_is_recognised():
    values: dict[str, Any] = {**HTTP, "kind": "bearer", "token": 918273645564}

    assert merge_form_values(built_in_app("http"), values)["token"] == "918273645564"
    with pytest.raises(ValidationFailed, match="must be text"):
        merge_form_values(built_in_app("http"), {**values, "token": {"a": SECRET}})


@pytest.mark.parametrize("address", ["http://joe:hunter2@host.example", "https://joe@host.example/x"])
def test_an_address_holds_no_credentials(address):
    with pytest.raises(ValidationFailed) as refused:
        merge_form_values(
            built_in_app("changedetection"), {**STORED["changedetection"][1], "instanceUrl": address}
        )

    assert refused.value.by_field == {
        "instanceUrl": [
            "Remove the user name and password from Instance URL. It isn't secret and is shown to others."
        ]
    }


def test_a_secret_has_a_limited_length():
    values = {**HTTP, "kind": "bearer", "token": "x" * MAX_SECRET_LENGTH}

    assert merge_form_values(built_in_app("http"), values)["token"] == values["token"]
    with pytest.raises(ValidationFailed, match="Token is longer than 16,384 characters"):
        merge_form_values(built_in_app("http"), {**values, "token": "x" * (MAX_SECRET_LENGTH + 1)})


def test_only_offered_options_are_accepted():
    with pytest.raises(ValidationFailed, match="one of the options"):
        merge_form_values(built_in_app("http"), {**HTTP, "kind": "nonsense"})
