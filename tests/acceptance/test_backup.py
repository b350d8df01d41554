"""A data folder becomes one encrypted file, and works on another computer without reconnecting."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.support.counterparty import GOOD_KEY, Counterparty
from tests.support.forms import in_forms, long_form
from tests.support.kept_connection import FLOW, Kept, call_hook, furnish, told
from tests.support.keyring_session import needs_gnome_keyring
from tests.support.keyring_states import environment_of, session
from tests.support.processes import Done, Interface, Service, program, run

pytestmark = [
    needs_gnome_keyring,
    pytest.mark.skipif(sys.platform != "linux", reason="the Secret Service is a thing of Linux"),
]


@dataclass
class Saved:
    """A backup, and the folder it was made of beside its running service."""

    kept: Kept
    file: Path
    done: Done
    refused: Done
    passphrase: Path


def private(file: Path, text: str) -> Path:
    file.touch(mode=0o600)
    file.write_text(text)
    return file


def made_of(short: str) -> pytest.MarkDecorator:
    """Where the secrets of the backup were kept; the other place is in the long form only."""
    return pytest.mark.parametrize("saved", in_forms(["sealed", "items"], short=[short]), indirect=True)


@pytest.fixture(scope="module")
def saved(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, party: Counterparty
) -> Saved:
    folder = tmp_path_factory.mktemp("here")
    passphrase, file = private(folder / "passphrase", "correct horse\n"), folder / "out.patchbay"
    with session(folder / "home") as here, Service(folder / "data", env=here.env) as service:
        kept = furnish(service, party)
        call_hook(service, kept)
        interface = Interface(service)
        interface.finished(FLOW, 1)
        interface.http.post("/v1/secrets/move", json={"to": request.param}).raise_for_status()
        interface.close()
        words = ["--passphrase-file", passphrase, "backup", file]
        done = service.command(*words, "--json")
        refused = service.command(*words)
    return Saved(kept, file, done, refused, passphrase)


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Another computer, with an empty keyring."""
    with session(tmp_path / "home") as there:
        yield there.env


def restored(saved: Saved, data: Path, env: dict[str, str], *words: object, file: Path | None = None) -> Done:
    options = ["--passphrase-file", saved.passphrase, "restore", file or saved.file, *words]
    return run(program(*options, data=data), env=env)


def works(saved: Saved, data: Path, env: dict[str, str], *options: object) -> tuple[int, list[str]]:
    """The outcome of a connection test, and the states of the flow's executions after one more."""
    with Service(data, *map(str, options), env=env) as service:
        tested = service.command("connection", "test", saved.kept.connection)
        call_hook(service, saved.kept)
        interface = Interface(service)
        states = [item["status"] for item in interface.finished(FLOW, 2)]
        interface.close()
    return tested.code, states


@long_form
@made_of("items")
def test_the_backup_tells_what_is_in_it_and_shows_nothing_of_it(saved):
    content = saved.file.read_bytes()

    assert saved.done.json == {
        "file": str(saved.file),
        "bytes": len(content),
        "flows": 1,
        "connections": 1,
        "executions": 1,
    }
    assert saved.file.stat().st_mode & 0o077 == 0
    assert [word for word in (GOOD_KEY, FLOW, "SQLite format", "dek:") if word.encode() in content] == []
    assert (saved.refused.code, "already exists" in saved.refused.err) == (1, True)
    assert list(saved.kept.data.glob(".backup-*")) == []


@made_of("sealed")
def test_connections_are_valid_on_another_computer_without_reconnecting(saved, elsewhere, tmp_path):
    done = restored(saved, tmp_path / "data", elsewhere, "--json")
    again = restored(saved, tmp_path / "data", elsewhere)
    seen = works(saved, tmp_path / "data", elsewhere)

    assert done.code == 0, done.err
    assert done.json["database"] == str(tmp_path / "data" / "patchbay.db")
    assert (done.json["connections"], done.json["executions"]) == (1, 1)
    assert seen == (0, ["success", "success"])
    assert (again.code, "already contains a database" in again.err) == (1, True)


@long_form
@made_of("items")
def test_without_a_keyring_the_passphrase_vault_is_offered_and_works(saved, tmp_path, monkeypatch):
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    env, data = environment_of(tmp_path / "home", ""), tmp_path / "data"

    refused = restored(saved, data, env)
    left = (data / "patchbay.db").exists()
    done = restored(saved, data, env, "--vault", "passphrase")
    seen = works(saved, data, env, "--passphrase-file", saved.passphrase)

    assert (refused.code, left) == (1, False)
    assert "--vault passphrase" in refused.err
    assert done.code == 0, done.err
    assert seen == (0, ["success", "success"])


@made_of("sealed")
def test_a_wrong_passphrase_or_a_cut_file_changes_nothing(saved, elsewhere, tmp_path):
    data, cut = tmp_path / "data", tmp_path / "cut"
    cut.write_bytes(saved.file.read_bytes()[:-100])
    other = private(tmp_path / "other", "wrong")

    wrong = run(program("--passphrase-file", other, "restore", saved.file, data=data), env=elsewhere)
    damaged = restored(saved, data, elsewhere, file=cut)
    unasked = run(program("restore", saved.file, data=data), env=elsewhere)

    assert (wrong.code, damaged.code, unasked.code) == (1, 1, 2)
    assert "passphrase doesn't open this backup" in told(wrong)
    assert "damaged or incomplete" in told(damaged)
    assert "--backup-passphrase-file" in told(unasked)
    assert [item.name for item in data.iterdir() if item.name not in ("logs", "engine.lock")] == []


@long_form
@made_of("items")
def test_a_folder_in_use_is_refused_and_force_keeps_the_old_database(saved, elsewhere, tmp_path):
    data = tmp_path / "data"
    with Service(data, env=elsewhere):
        busy = restored(saved, data, elsewhere, "--force")
    done = restored(saved, data, elsewhere, "--force")
    kept = [
        file for file in data.glob("patchbay.db.before-restore-*") if not file.name.endswith("-generation")
    ]

    assert (busy.code, "is using this data folder" in busy.err) == (1, True)
    assert done.code == 0, done.err
    assert len(kept) == 1
    assert works(saved, data, elsewhere) == (0, ["success", "success"])


@long_form
@made_of("sealed")
def test_a_folder_without_a_running_engine_is_backed_up_with_the_vault_of_the_same_passphrase(
    saved, tmp_path, monkeypatch
):
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    env = environment_of(tmp_path / "home", "")
    first = tmp_path / "first"
    second = tmp_path / "second"
    restored(saved, first, env, "--vault", "passphrase")

    words = ["--passphrase-file", saved.passphrase, "backup", tmp_path / "again"]
    done = run(program(*words, data=first), env=env)
    back = restored(saved, second, env, "--vault", "passphrase", file=tmp_path / "again")

    assert done.code == 0, done.err
    assert back.code == 0, back.err
    assert works(saved, second, env, "--passphrase-file", saved.passphrase) == (0, ["success", "success"])


@long_form
@made_of("items")
def test_the_backup_can_have_another_passphrase_than_the_vault(saved, tmp_path, monkeypatch):
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    env = environment_of(tmp_path / "home", "")
    first = tmp_path / "first"
    second = tmp_path / "second"
    mine, again = private(tmp_path / "mine", "vault of this computer"), tmp_path / "again"
    theirs = ("--backup-passphrase-file", saved.passphrase)

    words = ["--passphrase-file", mine, "restore", saved.file, *theirs, "--vault", "passphrase"]
    there = run(program(*words, data=first), env=env)
    done = run(program("--passphrase-file", mine, "backup", again, *theirs, data=first), env=env)
    back = run(program("restore", again, *theirs, "--vault", "passphrase", data=second), env=env)

    assert [step.code for step in (there, done, back)] == [0, 0, 0], [there.err, done.err, back.err]
    assert works(saved, first, env, "--passphrase-file", mine) == (0, ["success", "success"])
    assert works(saved, second, env, "--passphrase-file", saved.passphrase) == (0, ["success", "success"])
