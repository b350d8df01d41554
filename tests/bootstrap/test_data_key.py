"""Files with a data key: which are accepted, and what `patchbay data-key` does with them."""

import asyncio
import base64
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from patchbay.bootstrap.data_key import create_data_key, open_data_key, read_data_key
from patchbay.bootstrap.key_store import choose_key_store
from patchbay.bootstrap.local import open_local
from patchbay.cli.main import main
from patchbay.domain.audit_log import AuditAction, AuditFilter
from patchbay.domain.base import AppKey, JsonObject
from patchbay.domain.errors import Conflict, SecretsUnavailable, ValidationFailed
from patchbay.domain.paging import PageRequest
from patchbay.domain.ports import KeyStoreKind
from patchbay.platform.paths import AppPaths, find_data_key_file
from patchbay.platform.settings import Settings
from patchbay.storage.repositories import secrets

UNIX_ONLY = pytest.mark.skipif(sys.platform == "win32", reason="Windows has access lists instead of modes")
KEY = bytes(range(7, 39))
TEXT = base64.b64encode(KEY).decode()


def write(file, content, mode=0o600):
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    file.chmod(mode)
    return file


@pytest.mark.parametrize(
    "content",
    [
        TEXT,
        f"{TEXT}\n",
        f"# made on 1 March\n\n{TEXT}\r\n",
        f"PATCHBAY_DATA_KEY={TEXT}\n",
        f'OTHER=1\nPATCHBAY_DATA_KEY="{TEXT}"\nPGPASSWORD=x\n',
    ],
)
def test_a_key_is_read_alone_and_from_an_environment_file(tmp_path, content):
    assert read_data_key(write(tmp_path / "key", content)) == KEY


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "contains no data key"),
        (TEXT[:-5], "contains no data key"),
        (TEXT[:40], "contains no data key"),
        (f"{TEXT}\n{TEXT}\n", "contains no data key"),
        (f"PATCHBAY_DATA_KEY={TEXT}\nPATCHBAY_DATA_KEY={TEXT}", "contains no data key"),
        ("PATCHBAY_DATA_KEY=\n", "contains no data key"),
        (base64.b64encode(KEY + KEY), "contains no data key"),
        (KEY + b"\xff", "isn't a text file"),
        (base64.b64encode(bytes(32)), "isn't random"),
        (b"A" * 70_000, "too large"),
    ],
)
def test_what_isnt_a_key_is_reported_without_its_content(tmp_path, content, reason):
    with pytest.raises(ValidationFailed, match=reason) as raised:
        read_data_key(write(tmp_path / "key", content))

    said = raised.value.text() + repr(raised.value.__cause__)
    assert not any(part in said for part in (TEXT[:12], "AAAA"))


@UNIX_ONLY
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o666])
def test_a_key_that_others_can_read_isnt_used(tmp_path, mode):
    with pytest.raises(ValidationFailed, match="can be read by other users"):
        read_data_key(write(tmp_path / "key", TEXT, mode))


@UNIX_ONLY
def test_pipes_devices_and_folders_are_rejected_at_once_and_links_are_followed(tmp_path):
    os.mkfifo(tmp_path / "pipe", 0o600)
    (tmp_path / "link").symlink_to(write(tmp_path / "key", TEXT))
    (tmp_path / "open link").symlink_to(write(tmp_path / "open", TEXT, 0o644))
    (tmp_path / "loop").symlink_to(tmp_path / "loop")

    for file in (tmp_path / "pipe", Path("/dev/zero"), tmp_path):
        with pytest.raises(ValidationFailed, match=r"isn't a regular file|can't be read"):
            read_data_key(file)
    assert read_data_key(tmp_path / "link") == KEY
    with pytest.raises(ValidationFailed, match="can be read by other users"):
        read_data_key(tmp_path / "open link")
    with pytest.raises(ValidationFailed, match="can't be read"):
        read_data_key(tmp_path / "loop")


@UNIX_ONLY
def test_a_credential_of_systemd_is_found_and_may_have_the_mode_of_its_access_list(tmp_path, monkeypatch):
    folder = tmp_path / "credentials"
    folder.mkdir(0o700)
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(folder))
    assert find_data_key_file(None) is None

    credential = write(folder / "patchbay-data-key", TEXT, 0o440)

    assert find_data_key_file(None) == credential
    assert read_data_key(credential) == KEY
    assert read_data_key(write(folder / "other manager", TEXT, 0o600)) == KEY
    with pytest.raises(ValidationFailed, match="can be read by other users"):
        read_data_key(write(folder / "open", TEXT, 0o444))
    monkeypatch.setenv("PATCHBAY_DATA_KEY_FILE", str(tmp_path / "named"))
    assert find_data_key_file(None) == tmp_path / "named"
    assert find_data_key_file(str(tmp_path / "given")) == tmp_path / "given"


def test_a_key_in_an_environment_variable_is_rejected(tmp_path, monkeypatch):
    monkeypatch.setenv("PATCHBAY_DATA_KEY", TEXT)

    with pytest.raises(ValidationFailed, match="environment variable PATCHBAY_DATA_KEY") as raised:
        choose_key_store(AppPaths.choose(tmp_path), Settings())

    assert TEXT not in raised.value.text()


def test_a_new_key_is_private_random_and_overwrites_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATCHBAY_DATA_DIR", str(tmp_path / "data"))
    file = tmp_path / "key"

    assert main(["data-key", "create", str(file)]) == 0
    created = capsys.readouterr().out
    assert main(["data-key", "check", str(file)]) == 0
    fingerprint = capsys.readouterr().out.strip()

    assert fingerprint in created
    assert file.read_text().strip() not in created
    assert os.name == "nt" or file.stat().st_mode & 0o777 == 0o600
    assert open_data_key(file).fingerprint == fingerprint
    assert create_data_key(tmp_path / "second").fingerprint != fingerprint
    before = file.read_bytes()
    with pytest.raises(Conflict, match="already exists"):
        create_data_key(file)
    assert file.read_bytes() == before


def test_the_data_key_is_used_instead_of_a_vault_of_the_folder(tmp_path):
    paths = replace(AppPaths.choose(tmp_path), data_key=write(tmp_path / "key", TEXT))
    paths.vault.write_text("{}")

    assert choose_key_store(paths, Settings()).kind is KeyStoreKind.DATA_KEY_FILE
    with pytest.raises(ValidationFailed, match="either a data key or a passphrase vault"):
        choose_key_store(paths, Settings(), passphrase_file=str(tmp_path / "passphrase"))


async def _stored_secret(paths):
    """The password of the only connection."""
    opened = await open_local(paths, Settings())
    try:
        (row,) = await opened.runtime.db.read(secrets.find_all)
        return (await opened.runtime.secret_store.unseal(row))["password"]
    finally:
        await opened.close()


async def _newest_entry(paths):
    """The action and the subject of the newest entry of the audit log."""
    opened = await open_local(paths, Settings())
    page = await opened.backend.audit_log(AuditFilter(), PageRequest())
    await opened.close()
    return page.items[0].deed, page.items[0].subject


async def _add_secret(paths):
    opened = await open_local(paths, Settings())
    fields: JsonObject = {
        "screenName": "Sender",
        "scheme": "basic",
        "username": "ada",
        "password": "pw-93b1c",
    }
    await opened.backend.add_connection(AppKey("signing-secret"), fields)
    await opened.close()


def test_apply_encrypts_the_secrets_of_a_workspace_with_another_data_key(tmp_path, capsys):
    for name in ("old", "new"):
        create_data_key(tmp_path / name)
    data = AppPaths.choose(tmp_path / "data")
    old, new = (replace(data, data_key=tmp_path / name) for name in ("old", "new"))
    asyncio.run(_add_secret(old))
    command = ["--data-dir", str(data.data), "data-key", "apply"]

    assert main(command) == 2
    assert (
        main([*command, "--data-key-file", str(new.data_key), "--old-data-key-file", str(new.data_key)]) == 1
    )
    assert asyncio.run(_stored_secret(old)) == "pw-93b1c"
    assert "isn't the data key of this database" in capsys.readouterr().err
    assert (
        main([*command, "--data-key-file", str(new.data_key), "--old-data-key-file", str(old.data_key)]) == 0
    )

    assert "1 of connections, 0 of webhooks" in capsys.readouterr().out
    assert asyncio.run(_stored_secret(new)) == "pw-93b1c"
    assert asyncio.run(_newest_entry(new)) == (AuditAction.UPDATED, "Secrets")
    with pytest.raises(SecretsUnavailable, match="isn't the data key"):
        asyncio.run(_stored_secret(old))
