"""Accounts connected from the terminal, over a running service and a third party that wants an API key."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.counterparty import GOOD_KEY, REFUSAL, Counterparty
from tests.support.forms import long_form
from tests.support.keyring_session import keyring_session, needs_gnome_keyring
from tests.support.processes import Done, Service, at_once, program, run


@pytest.fixture(scope="module")
def keyring(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    with keyring_session(tmp_path_factory.mktemp("session")) as environment:
        yield environment


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, keyring: dict[str, str]) -> Iterator[Service]:
    with Service(tmp_path_factory.mktemp("kept") / "data", env=keyring) as running:
        yield running


@pytest.fixture
def passphrase(tmp_path: Path) -> Path:
    file = tmp_path / "passphrase"
    file.write_text("correct horse\n")
    file.chmod(0o600)
    return file


def add(party: Counterparty, name: str) -> list[str]:
    """The words that connect the third party; its key is read from standard input."""
    fields = ["--field", f"screenName={name}", "--field", f"instanceUrl={party.address}"]
    return ["connection", "add", "--app", "changedetection", *fields, "--secret-stdin", "apiKey", "--json"]


def listed(service: Service, name: str) -> list[dict[str, Any]]:
    return [
        item for item in service.command("connection", "list", "--json").json if item["screenName"] == name
    ]


@needs_gnome_keyring
def test_a_good_key_is_checked_with_the_service_kept_and_listed_as_valid(service, party):
    added = service.command(*add(party, "Good"), stdin=f"{GOOD_KEY}\n")

    assert (added.code, added.err) == (0, "")
    [connection] = listed(service, "Good")
    assert connection["id"] == added.json["id"]
    assert {key: connection[key] for key in ("key", "screenName", "verified", "health")} == {
        "key": "changedetection",
        "screenName": "Good",
        "verified": True,
        "health": "valid",
    }
    assert "/api/v1/systeminfo" in party.paths()


@needs_gnome_keyring
def test_a_wrong_key_is_reported_in_the_services_words_and_leaves_nothing_behind(service, party):
    refused = service.command(*add(party, "Wrong"), stdin="not-the-key-987654\n")

    assert (refused.code, refused.out) == (1, "")
    assert REFUSAL in refused.err
    assert "403" in refused.err
    assert "not-the-key" not in refused.err
    assert listed(service, "Wrong") == []


@long_form
@needs_gnome_keyring
def test_a_key_that_was_withdrawn_is_noticed_by_the_test_and_the_connection_can_be_removed(service, party):
    made = service.command(*add(party, "Withdrawn"), stdin=f"{GOOD_KEY}\n").json["id"]
    still = service.command("connection", "test", made, "--json")
    party.key = "another-key-1234567890"
    try:
        gone = service.command("connection", "test", made, "--json")
    finally:
        party.key = GOOD_KEY
    removed = service.command("connection", "remove", made, "--json")

    assert (still.code, still.json["health"]) == (0, "valid")
    assert (gone.code, gone.json["health"], gone.json["verified"]) == (1, "needs_attention", False)
    assert REFUSAL in gone.json["reason"]
    assert REFUSAL in gone.err
    assert removed.code == 0
    assert listed(service, "Withdrawn") == []


@long_form
@needs_gnome_keyring
def test_the_keyring_still_has_the_key_when_the_next_program_opens_the_folder(tmp_path, keyring, party):
    data = tmp_path / "data"
    made = run(program(*add(party, "Kept"), data=data), stdin=f"{GOOD_KEY}\n", env=keyring)

    again = run(program("connection", "test", made.json["id"], "--json", data=data), env=keyring)

    assert (again.code, again.json["health"]) == (0, "valid")


@long_form
def test_a_passphrase_vault_opens_with_its_passphrase_only(tmp_path, passphrase, party):
    data, vault = tmp_path / "data", ["--passphrase-file", str(passphrase)]
    made = run(program(*vault, *add(party, "Vault"), data=data), stdin=f"{GOOD_KEY}\n").json["id"]
    wrong = tmp_path / "wrong"
    wrong.write_text("battery staple")
    wrong.chmod(0o600)
    test = ["connection", "test", made, "--json"]

    right = run(program(*vault, *test, data=data))
    other = run(program("--passphrase-file", wrong, *test, data=data))
    none = run(program(*test, data=data))

    assert (right.code, right.json["health"]) == (0, "valid")
    assert other.code == 1
    assert "passphrase is wrong" in other.err
    assert none.code == 1
    assert "--passphrase-file" in none.err


def test_a_passphrase_that_others_can_read_is_not_used(tmp_path, passphrase, party):
    passphrase.chmod(0o644)

    refused = run(
        program("--passphrase-file", passphrase, *add(party, "Open"), data=tmp_path / "data"),
        stdin=f"{GOOD_KEY}\n",
    )

    assert refused.code == 1
    assert "chmod 600" in refused.err


def test_without_keyring_and_vault_nothing_is_stored_and_the_words_say_what_helps(tmp_path, party):
    data = tmp_path / "data"

    refused = run(program(*add(party, "Nowhere"), data=data), stdin=f"{GOOD_KEY}\n")

    assert (refused.code, refused.out) == (1, "")
    assert "no system keyring" in refused.err
    assert "passphrase vault" in refused.err
    assert run(program("connection", "list", "--json", data=data)).json == []


def test_a_secret_among_the_arguments_is_refused_and_not_repeated(tmp_path, party):
    words = add(party, "Seen")[:-3]
    said: dict[str, Done] = at_once(
        {
            "secret": program(*words, "--field", "apiKey=planted-secret-1", data=tmp_path / "one"),
            "misspelled": program(*words, "--field", "apikey=planted-secret-1", data=tmp_path / "two"),
            "missing": program(*words, data=tmp_path / "three"),
        }
    )

    assert (said["secret"].code, said["misspelled"].code, said["missing"].code) == (1, 2, 2)
    assert "--secret-stdin apiKey" in said["secret"].err
    assert "API Key" in said["missing"].err
    assert not any("planted-secret" in done.out + done.err for done in said.values())
