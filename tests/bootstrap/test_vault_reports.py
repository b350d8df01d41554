"""What `serve`, `doctor`, and `engine status` print about a passphrase vault and about programs."""

import asyncio

import pytest
from tests.support.processes import Service, program, run, until

from patchbay.bootstrap.local import open_local
from patchbay.domain.base import ConnectionId
from patchbay.platform.paths import AppPaths
from patchbay.platform.settings import Settings

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


def test_doctor_finds_a_damaged_vault_without_its_passphrase(data):
    (data / "vault.json").write_text("{")

    done = doctor(data)

    assert (done.code, "damaged" in done.json["secretsProblem"]) == (1, True)


def test_the_status_of_a_stopped_engine_reports_the_same_isolation_as_doctor(data):
    done = run(program("engine", "status", data=data))

    assert (done.code, f"programs: {doctor(data).json['programs']}" in done.out) == (0, True)
