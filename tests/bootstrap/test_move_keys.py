"""A workspace moves to a server with a data key and back, and its secrets change their keys with it."""

import asyncio
import json
import re
from dataclasses import replace

import pytest
from tests.support.forms import long_form

from patchbay.bootstrap import move, workspace_location
from patchbay.bootstrap.data_key import create_data_key
from patchbay.bootstrap.local import open_local, open_worker
from patchbay.bootstrap.workspace_location import record_server
from patchbay.cli.main import main
from patchbay.cli.serve import require_secrets
from patchbay.cli.worker import require_ready
from patchbay.domain.base import AppKey
from patchbay.domain.errors import Conflict, SecretsUnavailable, StorageFault
from patchbay.domain.peers import WorkFilter
from patchbay.platform.paths import AppPaths
from patchbay.platform.settings import Settings
from patchbay.service.secret_reencryption import SecretReencryption
from patchbay.storage.moving.workspace_move import WorkspaceMove
from patchbay.storage.repositories import secrets

PASSWORD = "pw-93b1c"
SENDER = {"screenName": "Sender", "scheme": "basic", "username": "ada", "password": PASSWORD}


class Stopped(BaseException):
    """As a signal would, not an error that is handled."""


@pytest.fixture
def folder(tmp_path, postgres_databases, monkeypatch):
    """A folder with files for a move to a new database, which a workspace with a vault and a secret is in."""
    monkeypatch.setenv("PATCHBAY_DATA_DIR", str(tmp_path / "unused"))
    made = MovingFolder(tmp_path, postgres_databases.create_empty())
    asyncio.run(made.fill())
    return made


class MovingFolder:
    def __init__(self, root, server):
        self.root, self.server = root, server
        self.source = self.paths("source")
        for name, text in (("password", server.password), ("passphrase", "correct horse")):
            (root / name).touch(0o600)
            (root / name).write_text(text)
        for name in ("key", "wrong"):
            create_data_key(root / name)

    def paths(self, name, key=None):
        paths = AppPaths.choose(str(self.root / name))
        return replace(paths, data_key=self.root / key) if key else paths

    def open(self, paths, database=None):
        file = None if paths.data_key else str(self.root / "passphrase")
        return open_local(paths, Settings(), passphrase_file=file, database=database)

    async def fill(self):
        opened = await self.open(self.source)
        await opened.backend.add_connection(AppKey("signing-secret"), SENDER)
        await opened.close()

    async def read(self, paths, database=None):
        """The passwords of all connections."""
        opened = await self.open(paths, database)
        try:
            await require_secrets(opened.runtime)
            rows = await opened.runtime.db.read(secrets.find_all)
            return [(await opened.runtime.secret_store.unseal(row))["password"] for row in rows]
        finally:
            await opened.close()

    def move(self, source, target, *further, key="key"):
        files = (("database-password-file", "password"), ("passphrase-file", "passphrase"))
        given = (*files, *((("data-key-file", key),) if key else ()))
        options = [word for name, file in given for word in (f"--{name}", str(self.root / file))]
        return main([*options, "move", "--from", str(source), "--to", str(target), *further])


def test_secrets_move_to_the_data_key_and_back_to_a_vault(folder, capsys):
    """Programs with the same data key and other folders read them; others don't start."""
    before = folder.source.database.read_bytes()

    assert folder.move(folder.source.data, folder.server, "--dry-run", "--json") == 0
    assert json.loads(capsys.readouterr().out)["secrets"] == {"connections": 1, "webhooks": 0}
    assert folder.move(folder.source.data, folder.server) == 0

    assert "each was decrypted again: 1 of connections, 0 of webhooks" in capsys.readouterr().out
    assert folder.source.database.read_bytes() == before

    async def use():
        one, two = folder.paths("one", "key"), folder.paths("two", "key")
        assert await folder.read(one, folder.server) == await folder.read(two, folder.server) == [PASSWORD]
        for other in (folder.paths("three", "wrong"), folder.source):
            with pytest.raises(SecretsUnavailable, match="data key"):
                await folder.read(other, folder.server)
        await _start_worker(two, folder.server)
        with pytest.raises(SecretsUnavailable, match="isn't the data key of this database"):
            await _start_worker(folder.paths("three", "wrong"), folder.server)

    asyncio.run(use())
    back = folder.paths("back")
    assert folder.move(folder.server, back.data, key="wrong") == 1
    assert "isn't the data key of this database" in capsys.readouterr().err
    assert folder.move(folder.server, back.data) == 0
    assert asyncio.run(folder.read(back)) == [PASSWORD]
    assert (back.data / "vault.json").exists()
    said = capsys.readouterr()
    files = (file.read_bytes() for file in folder.root.rglob("*") if file.is_file())
    assert not any(PASSWORD.encode() in content for content in (*files, (said.out + said.err).encode()))


async def _start_worker(paths, database):
    opened = await open_worker(paths, Settings(), database=database, work_filter=WorkFilter())
    try:
        await require_ready(opened.runtime, WorkFilter())
    finally:
        await opened.close()


@long_form
@pytest.mark.parametrize("to_server", [True, False])
def test_stopped_while_secrets_are_encrypted_again_it_continues(folder, monkeypatch, to_server):
    source, target, paths = folder.source.data, folder.server, folder.paths("one", "key")
    if not to_server:
        assert folder.move(source, target) == 0
        source, target, paths = folder.server, folder.root / "back", folder.paths("back")
    reencrypt = SecretReencryption.reencrypt

    def stop(self, tx):
        reencrypt(self, tx)
        raise Stopped

    monkeypatch.setattr(SecretReencryption, "reencrypt", stop)
    with pytest.raises(Stopped):
        folder.move(source, target)
    monkeypatch.setattr(SecretReencryption, "reencrypt", reencrypt)
    if to_server:
        assert asyncio.run(folder.read(folder.source)) == [PASSWORD]

    assert folder.move(source, target) == 0

    assert asyncio.run(folder.read(paths, folder.server if to_server else None)) == [PASSWORD]


def test_killed_right_after_the_commit_the_folder_does_not_open_and_the_next_run_completes_it(
    folder, monkeypatch, capsys
):
    """It also verifies the secrets in the target."""
    finish = WorkspaceMove.finish

    def stop(self, change):
        finish(self, change)
        raise Stopped

    monkeypatch.setattr(WorkspaceMove, "finish", stop)
    with pytest.raises(Stopped):
        folder.move(folder.source.data, folder.server)
    with pytest.raises(Conflict, match="was stopped at its end, perhaps after it was completed"):
        asyncio.run(folder.read(folder.source))

    assert folder.move(folder.source.data, folder.server, key="wrong") == 1
    assert folder.move(folder.source.data, folder.server, "--json") == 0

    result = json.loads(capsys.readouterr().out)
    assert (result["wasFinished"], result["secrets"]) == (True, {"connections": 1, "webhooks": 0})
    with pytest.raises(Conflict, match="This workspace was moved to postgresql://"):
        asyncio.run(folder.read(folder.source))


def test_a_move_that_fails_in_its_commit_leaves_the_folder_as_it_was(folder, monkeypatch):
    def fail(paths, target):
        workspace_location.mark_finishing(paths, target)
        raise StorageFault("The disk is full.")

    monkeypatch.setattr(move, "mark_finishing", fail)
    assert folder.move(folder.source.data, folder.server) == 1

    assert not folder.source.moved.exists()
    assert asyncio.run(folder.read(folder.source)) == [PASSWORD]


def test_killed_right_after_the_commit_of_the_way_back_the_folder_opens_its_own_workspace(
    folder, monkeypatch
):
    """Also if the folder was that of a server before."""
    assert folder.move(folder.source.data, folder.server) == 0
    record_server(folder.source, folder.server)
    folder.source.database.unlink()
    finish = WorkspaceMove.finish

    def stop(self, change):
        finish(self, change)
        raise Stopped

    monkeypatch.setattr(WorkspaceMove, "finish", stop)
    with pytest.raises(Stopped):
        folder.move(folder.server, folder.source.data)

    assert asyncio.run(folder.read(folder.source)) == [PASSWORD]


@long_form
def test_a_locked_or_wrong_vault_is_reported_before_anything_is_moved(folder, capsys):
    (folder.root / "passphrase").write_text("wrong")
    assert folder.move(folder.source.data, folder.server) == 1
    wrong = capsys.readouterr().err
    password = ("--database-password-file", str(folder.root / "password"))
    key = ("--data-key-file", str(folder.root / "key"))
    words = ("move", "--from", str(folder.source.data), "--to", str(folder.server))
    assert main([*password, *key, *words]) == 1
    locked = capsys.readouterr().err

    assert "the passphrase is wrong. Nothing was moved. Unlock the keyring, or give the passphrase" in wrong
    assert "The passphrase vault is locked. Nothing was moved. Unlock the keyring, or give" in locked
    (folder.root / "passphrase").write_text("correct horse")
    assert asyncio.run(folder.read(folder.source)) == [PASSWORD]


@long_form
def test_moved_back_without_the_data_key_the_report_names_the_key_that_is_needed(folder, capsys):
    assert folder.move(folder.source.data, folder.server) == 0
    fingerprint = read_fingerprint(capsys.readouterr().out)

    assert folder.move(folder.server, folder.root / "back", key=None) == 0

    said = capsys.readouterr().out
    assert "Secrets stay encrypted with the data key. Start with the data key that has the" in said
    assert f"fingerprint {fingerprint}" in said
    assert "vault.json" not in said
    assert asyncio.run(folder.read(folder.paths("back", "key"))) == [PASSWORD]


def read_fingerprint(said):
    return re.findall(r"fingerprint (\w{32})", said)[0]


@long_form
def test_without_a_data_key_secrets_keep_their_keys(folder, capsys):
    assert folder.move(folder.source.data, folder.server, key=None) == 0

    assert "Secrets stay encrypted with the same key" in capsys.readouterr().out
    assert asyncio.run(folder.read(folder.source, folder.server)) == [PASSWORD]
    with pytest.raises(SecretsUnavailable, match="aren't encrypted with a data key"):
        asyncio.run(folder.read(folder.paths("one", "key"), folder.server))
    (folder.source.vault).unlink()
    with pytest.raises(SecretsUnavailable, match="encryption key is missing"):
        asyncio.run(folder.read(folder.source, folder.server))


@long_form
def test_a_data_key_is_applied_to_a_database_only_while_nothing_else_uses_it(folder, capsys):
    assert folder.move(folder.source.data, folder.server) == 0
    options = (
        *("--database-password-file", str(folder.root / "password"), "--database", str(folder.server)),
        *("--data-key-file", str(folder.root / "wrong"), "--data-dir", str(folder.root / "one")),
    )
    command = [*options, "data-key", "apply", "--old-data-key-file", str(folder.root / "key")]

    async def while_another_program_uses_it():
        opened = await folder.open(folder.paths("two", "key"), folder.server)
        code = await asyncio.to_thread(main, command)
        await opened.close()
        return code

    assert asyncio.run(while_another_program_uses_it()) == 1
    assert "Another Patchbay program is using this workspace" in capsys.readouterr().err
    assert main(command) == 0
    assert asyncio.run(folder.read(folder.paths("two", "wrong"), folder.server)) == [PASSWORD]
