import io
import tracemalloc
from typing import Any

import pytest
from tests.support.desk import DESK
from tests.support.workspace import Clock

from patchbay.domain.base import ConnectionId, FlowId
from patchbay.domain.connections import Connection, SecretsStorage
from patchbay.domain.errors import SecretsUnavailable, ValidationFailed
from patchbay.domain.flows import Flow
from patchbay.service import backup_archive
from patchbay.service.backup_archive import CHUNK_BYTES, HEAD_BYTES, EncryptedFileReader, EncryptedFileWriter
from patchbay.service.changes import ChangeBroadcaster
from patchbay.service.key_stores import MemoryKeyStore, secrets_unavailable
from patchbay.service.people import ensure_owner
from patchbay.service.secret_encryption import SecretEncryption
from patchbay.service.secret_store import SecretStore, StoredCredentials
from patchbay.storage.database import Database
from patchbay.storage.repositories import connections, flows, secrets

CONNECTION = ConnectionId("c1")
FLOW = FlowId("f1")
WEBHOOK_SECRETS = ("planted-webhook-secret-3f90",)

PASSPHRASE = "correct horse battery staple"
SECRET: dict[str, Any] = {"apiKey": "planted-secret-71c2"}
SEALED_CHUNK = CHUNK_BYTES + 16


@pytest.fixture(autouse=True)
def light_kdf(monkeypatch):
    monkeypatch.setattr(backup_archive, "MEMORY_KIB", 64)
    monkeypatch.setattr(backup_archive, "ITERATIONS", 1)


def sealed(content):
    file = io.BytesIO()
    sealing = EncryptedFileWriter(file, PASSPHRASE)
    sealing.write(content)
    sealing.finish()
    return file.getvalue()


def opened(data, passphrase=PASSPHRASE):
    return EncryptedFileReader(io.BytesIO(data), passphrase).read()


@pytest.fixture(scope="module")
def three_chunks():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backup_archive, "MEMORY_KIB", 64)
        return sealed(b"planted" * (5 * CHUNK_BYTES // 14))


@pytest.mark.parametrize("size", [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 2 * CHUNK_BYTES])
def test_what_was_sealed_opens_whatever_its_size(size):
    content = b"x" * size

    assert opened(sealed(content)) == content


def test_nothing_of_the_content_is_readable_in_the_file(three_chunks):
    assert b"planted" not in three_chunks


def test_another_passphrase_is_reported_as_such(three_chunks):
    with pytest.raises(ValidationFailed, match="passphrase doesn't open") as refusal:
        opened(three_chunks, "another")

    assert "Nothing was changed" in refusal.value.text()


@pytest.mark.parametrize(
    "length",
    [
        16,
        HEAD_BYTES - 1,
        HEAD_BYTES,
        HEAD_BYTES + 5,
        HEAD_BYTES + SEALED_CHUNK,
        HEAD_BYTES + SEALED_CHUNK + 1,
        HEAD_BYTES + 2 * SEALED_CHUNK,
        -1,
    ],
)
def test_a_file_cut_anywhere_is_refused(three_chunks, length):
    with pytest.raises(ValidationFailed, match="damaged or incomplete"):
        opened(three_chunks[:length])


@pytest.mark.parametrize(
    "place",
    [*range(0, HEAD_BYTES, 3), HEAD_BYTES, HEAD_BYTES + SEALED_CHUNK, HEAD_BYTES + 2 * SEALED_CHUNK, -1],
)
def test_a_file_with_a_changed_bit_is_refused(three_chunks, place):
    changed = bytearray(three_chunks)
    changed[place] ^= 1

    with pytest.raises(ValidationFailed, match=r"backup|passphrase"):
        opened(bytes(changed))


def test_chunks_in_another_order_are_refused(three_chunks):
    first, second = (HEAD_BYTES + number * SEALED_CHUNK for number in (0, 1))
    chunks = three_chunks[second : second + SEALED_CHUNK] + three_chunks[first:second]
    swapped = three_chunks[:HEAD_BYTES] + chunks + three_chunks[second + SEALED_CHUNK :]

    with pytest.raises(ValidationFailed, match="damaged"):
        opened(swapped)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 something else", b"PATCHBAY"])
def test_a_foreign_file_is_reported_as_such(content):
    with pytest.raises(ValidationFailed, match="isn't a Patchbay backup"):
        opened(content)


def test_a_large_database_is_never_held_in_memory(tmp_path):
    big = tmp_path / "big.db"
    with big.open("wb") as file:
        file.truncate(48 * CHUNK_BYTES)
    (tmp_path / "out").mkdir()
    tracemalloc.start()
    try:
        with (tmp_path / "backup").open("wb") as file:
            backup_archive.write_backup(file, PASSPHRASE, big, tmp_path / "none", {})
        with (tmp_path / "backup").open("rb") as file:
            unpacked = backup_archive.read_backup(file, PASSPHRASE, tmp_path / "out")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert unpacked.database.stat().st_size == 48 * CHUNK_BYTES
    assert peak < 16 * CHUNK_BYTES


async def furnished(path, home, kind):
    """A database with a connection and a webhook whose secrets are kept in this kind of home."""
    db = await Database.open(path)
    store = SecretStore(db, SecretEncryption(db, home, Clock()), home, Clock())
    await store.move(kind)
    owner = await ensure_owner(db, Clock())
    value = await store.seal(CONNECTION, SECRET)
    of_webhook = await store.seal_webhook(FLOW, WEBHOOK_SECRETS)

    def add(tx):
        connections.add(tx, Connection(id=ConnectionId("c1"), app_key=DESK), owner.id)
        secrets.put(tx, value)
        flows.add(tx, Flow(id=FLOW, name="Orders", user_id=owner.id, created_at=1, updated_at=1))
        secrets.put(tx, of_webhook)

    await db.write(add)
    await db.close()


async def secrets_in(path, home, *, items):
    db = await Database.open(path)
    store = SecretStore(db, SecretEncryption(db, home, Clock()), home if items else None, Clock())
    try:
        credentials = StoredCredentials(db, store, Clock(), ChangeBroadcaster())
        return await credentials.load(CONNECTION), await credentials.webhook_secrets(FLOW)
    finally:
        await db.close()


@pytest.mark.parametrize("kind", list(SecretsStorage))
@pytest.mark.parametrize("items", [True, False], ids=["to a keyring", "to a passphrase vault"])
async def test_secrets_open_in_another_home_after_the_round_trip(tmp_path, kind, items):
    here, there = MemoryKeyStore(), MemoryKeyStore()
    await furnished(tmp_path / "patchbay.db", here, kind)
    (tmp_path / "settings.toml").write_text("workspace = 'local'\n")
    (tmp_path / "out").mkdir()

    found = await backup_archive.inspect_database(tmp_path / "patchbay.db", here, items=True)
    with (tmp_path / "backup").open("wb") as file:
        backup_archive.write_backup(
            file, PASSPHRASE, tmp_path / "patchbay.db", tmp_path / "settings.toml", found.keys
        )
    with (tmp_path / "backup").open("rb") as file:
        unpacked = backup_archive.read_backup(file, PASSPHRASE, tmp_path / "out")
    inventory = await backup_archive.inspect_backup(unpacked)
    await backup_archive.install_keys(unpacked, there, items=items)

    assert unpacked.settings == b"workspace = 'local'\n"
    assert inventory.counts == found.counts == {"flows": 1, "connections": 1, "executions": 0}
    assert await secrets_in(unpacked.database, there, items=items) == (SECRET, WEBHOOK_SECRETS)


async def test_a_key_that_is_lost_makes_no_backup(tmp_path):
    await furnished(tmp_path / "patchbay.db", MemoryKeyStore(), SecretsStorage.SEALED)

    with pytest.raises(SecretsUnavailable, match="encryption key is missing"):
        await backup_archive.inspect_database(tmp_path / "patchbay.db", MemoryKeyStore(), items=True)


async def test_without_secrets_no_place_for_keys_is_needed(tmp_path):
    class NoHome(MemoryKeyStore):
        async def get(self, name):
            raise secrets_unavailable("no_keyring")

    await (await Database.open(tmp_path / "patchbay.db")).close()

    found = await backup_archive.inspect_database(tmp_path / "patchbay.db", NoHome(), items=True)

    assert (found.keys, found.counts["connections"]) == ({}, 0)


async def test_items_that_are_gone_are_counted_and_the_rest_is_kept(tmp_path):
    await furnished(tmp_path / "patchbay.db", MemoryKeyStore(), SecretsStorage.ITEMS)

    found = await backup_archive.inspect_database(tmp_path / "patchbay.db", MemoryKeyStore(), items=True)

    assert (found.missing_secrets, found.counts["connections"]) == (2, 1)


async def test_a_home_that_keeps_nothing_is_left_as_it_was(tmp_path):
    class Forgetful(MemoryKeyStore):
        async def set(self, name, value):
            await super().set(name, value if value == "old" else "something else")

    home = MemoryKeyStore()
    await furnished(tmp_path / "patchbay.db", home, SecretsStorage.SEALED)
    found = await backup_archive.inspect_database(tmp_path / "patchbay.db", home, items=True)
    [name] = found.keys
    target = Forgetful()
    await target.set(name, "old")

    with pytest.raises(SecretsUnavailable, match="can't be stored safely"):
        await backup_archive.install_keys(
            backup_archive.UnpackedBackup(tmp_path / "patchbay.db", None, found.keys),
            target,
            items=True,
        )

    assert await target.get(name) == "old"
