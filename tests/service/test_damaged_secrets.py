"""Damaged vaults, keys and backups get words, take no memory, and are left as they are."""

import json
import time

import pytest
from tests.support.damaged import VAULTS
from tests.support.workspace import Clock

from patchbay.domain.base import ConnectionId
from patchbay.domain.errors import SecretsUnavailable, ValidationFailed
from patchbay.service import backup_archive
from patchbay.service.key_stores import InvalidKdfParameters, MemoryKeyStore, PassphraseKeyStore, derive_key
from patchbay.service.secret_encryption import EncryptionKey, SecretEncryption
from patchbay.service.secret_store import SecretStore
from patchbay.storage.database import Database
from patchbay.storage.repositories.secrets import ITEM_FORMAT, Sealed

CONNECTION = ConnectionId("c1")

PASSPHRASE = "correct horse"


@pytest.mark.parametrize("name", VAULTS)
async def test_a_damaged_vault_is_reported_and_never_written(tmp_path, name):
    path = tmp_path / "vault.json"
    path.write_bytes(VAULTS[name])
    home = PassphraseKeyStore(path, PASSPHRASE)
    began = time.monotonic()

    for work in (home.get("dek:p:k"), home.set("dek:p:new", "value")):
        with pytest.raises(SecretsUnavailable) as refusal:
            await work
        assert "vault.json is damaged" in refusal.value.happened
        assert "Restore vault.json" in refusal.value.todo

    assert path.read_bytes() == VAULTS[name]
    assert time.monotonic() - began < 20


async def test_a_vault_keeps_its_form(tmp_path):
    home = PassphraseKeyStore(tmp_path / "vault.json", PASSPHRASE)
    await home.set("dek:p:k", "value")
    written = json.loads((tmp_path / "vault.json").read_text())

    assert await PassphraseKeyStore(tmp_path / "vault.json", PASSPHRASE).get("dek:p:k") == "value"
    assert set(written) == {"format", "kdf", "items", "check"}
    assert set(written["kdf"]) == {"name", "salt", "memoryKib", "iterations", "lanes"}


@pytest.mark.parametrize(
    ("memory_kib", "iterations", "lanes"),
    [(1 << 32, 1, 1), (1 << 19, 32, 1), (64, 1, 9), (0, 1, 1), (64, 0, 1)],
)
def test_absurd_parameters_are_refused_before_any_memory_is_taken(memory_kib, iterations, lanes):
    with pytest.raises(InvalidKdfParameters):
        derive_key(PASSPHRASE, b"s" * 16, memory_kib=memory_kib, iterations=iterations, lanes=lanes)


@pytest.mark.parametrize(
    ("nonce", "text"), [(b"", b"x" * 32), (b"n" * 12, b""), ("text", b"x"), (b"n" * 200, b"x")]
)
async def test_a_damaged_row_is_reported(tmp_path, nonce, text):
    db = await Database.open(tmp_path / "patchbay.db")
    vault = SecretEncryption(db, MemoryKeyStore(), Clock())
    good = await vault.seal(CONNECTION, {"apiKey": "x"})

    with pytest.raises(SecretsUnavailable):
        await vault.unseal(Sealed(CONNECTION, good.format, good.key_id, nonce, text))
    await db.close()


@pytest.mark.parametrize("text", ["not json", "[]", "1", ""])
async def test_a_changed_keyring_item_is_reported(tmp_path, text):
    db, home = await Database.open(tmp_path / "patchbay.db"), MemoryKeyStore()
    await home.set("connection:i1", text)
    store = SecretStore(db, SecretEncryption(db, home, Clock()), home, Clock())

    with pytest.raises(SecretsUnavailable):
        await store.unseal(Sealed(CONNECTION, ITEM_FORMAT, "i1", b"", b""))
    await db.close()


KEYS = [
    "[]",
    "1",
    "null",
    '{"dek:a": 1}',
    '{"dek:a": null}',
    '{"other": "x"}',
    "not json",
    "[" * 100_000,
    '{"a":' * 9_000,
]


@pytest.mark.parametrize("content", KEYS)
def test_a_backup_with_other_keys_is_refused(tmp_path, monkeypatch, content):
    monkeypatch.setattr(backup_archive, "MEMORY_KIB", 64)
    monkeypatch.setattr("json.dumps", lambda _: content)
    (tmp_path / "some.db").write_bytes(b"x")
    (tmp_path / "out").mkdir()
    with (tmp_path / "file").open("wb") as file:
        backup_archive.write_backup(file, PASSPHRASE, tmp_path / "some.db", tmp_path / "none", {})
    monkeypatch.undo()

    with (
        (tmp_path / "file").open("rb") as file,
        pytest.raises(ValidationFailed, match="damaged or incomplete"),
    ):
        backup_archive.read_backup(file, PASSPHRASE, tmp_path / "out")


def test_a_key_of_the_wrong_length_is_no_key():
    with pytest.raises(ValueError, match="key"):
        EncryptionKey("p", "k", b"short")
