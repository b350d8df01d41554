"""What `serve`, `doctor`, and `engine status` print about a passphrase vault and about programs."""

import asyncio

import pytest
from tests.support.forms import long_form
from tests.support.processes import Service, program, run, until

from patchbay.bootstrap.local import open_local
from patchbay.domain.base import ConnectionId
from patchbay.platform.paths import AppPaths
from patchbay.platform.settings import Settings, SettingsFile

PASSPHRASE = "correct horse battery staple"


def passphrase_file(folder, text=PASSPHRASE):
    file = folder / "passphrase"
    file.touch(mode=0o600)
    file.write_text(text)
    return str(file)


@pytest.fixture
def data(tmp_path):
    """A data folder whose passphrase vault holds the key of a stored secret."""
    folder = tmp_path / "data"

    async def furnish():
        opened = await open_local(AppPaths.choose(str(folder)), Settings(), passphrase=PASSPHRASE)
        await opened.runtime.secret_store.seal(ConnectionId("connection"), {"key": "value"})
        await opened.close()

    asyncio.run(furnish())
    return folder


def doctor(data, *words):
    return run(program(*words, "doctor", "--json", data=data))


def test_doctor_opens_the_vault_with_the_passphrase_and_names_it(tmp_path, data):
    given = doctor(data, "--passphrase-file", passphrase_file(tmp_path))
    locked = doctor(data)

    assert (given.code, given.json["secrets"], given.json["secretsHome"]) == (0, "ok", "passphrase vault")
    assert "vault.json" in given.json["keyring"]
    assert (locked.code, locked.json["secrets"]) == (0, "locked")
    assert "--passphrase-file" in locked.json["secretsProblem"]
    assert "There is no system keyring" not in given.out + locked.out


@pytest.mark.parametrize("cause", ["wrong passphrase", "damaged file"])
def test_a_vault_that_cannot_be_opened_is_reported_by_serve_and_doctor(tmp_path, data, cause):
    text, words = PASSPHRASE, "damaged"
    if cause == "wrong passphrase":
        text, words = "something else", "passphrase is wrong"
    else:
        (data / "vault.json").write_text("{")
    option = ("--passphrase-file", passphrase_file(tmp_path, text))

    alone = doctor(data, *option)
    with Service(data, *option) as service:
        until(lambda: words in service.process.said)
        beside = service.command(*option, "doctor", "--json")
        service.process.stop(quiet=False)

    for done in (alone, beside):
        assert done.code == 1
        assert words in done.json["secretsProblem"]
        assert done.json["secretsHome"] == "passphrase vault"


@long_form
def test_doctor_finds_a_damaged_vault_without_its_passphrase(data):
    (data / "vault.json").write_text("{")

    done = doctor(data)

    assert (done.code, "damaged" in done.json["secretsProblem"]) == (1, True)


@long_form
def test_the_status_of_a_stopped_engine_reports_the_same_isolation_as_doctor(data):
    done = run(program("engine", "status", data=data))

    assert (done.code, f"programs: {doctor(data).json['programs']}" in done.out) == (0, True)


def test_serve_creates_the_vault_so_that_another_passphrase_is_refused_before_anything_is_stored(tmp_path):
    folder = tmp_path / "data"
    with Service(folder, "--passphrase-file", passphrase_file(tmp_path)) as service:
        until((folder / "vault.json").exists)
        service.process.stop(quiet=False)

    wrong = doctor(folder, "--passphrase-file", passphrase_file(tmp_path, "something else"))
    right = doctor(folder, "--passphrase-file", passphrase_file(tmp_path))

    assert (wrong.code, "passphrase is wrong" in wrong.json["secretsProblem"]) == (1, True)
    assert (right.code, right.json["secrets"]) == (0, "empty")
    assert doctor(folder).json["secrets"] == "locked"


@long_form
def test_a_chosen_vault_without_a_file_is_no_failure_and_doctor_creates_none(tmp_path):
    folder = tmp_path / "data"
    with Service(folder) as service:
        service.process.stop(quiet=False)
    settings = SettingsFile(AppPaths.choose(str(folder)).settings)
    settings.value.secrets.home = "passphrase"
    settings.save()

    without, given = doctor(folder), doctor(folder, "--passphrase-file", passphrase_file(tmp_path))

    assert (without.code, without.json["secrets"]) == (0, "not_created")
    assert "hasn't been created yet" in without.json["secretsProblem"]
    assert (given.code, given.json["secrets"]) == (0, "empty")
    assert not (folder / "vault.json").exists()
