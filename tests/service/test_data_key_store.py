"""Keys that are derived from a data key, and databases that belong to one."""

import base64

import pytest
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from tests.support.workspace import Clock

from patchbay.domain.base import AppKey, ConnectionId
from patchbay.domain.connections import Connection, SecretsStorage
from patchbay.domain.errors import SecretsUnavailable
from patchbay.service.data_key_store import DataKeyStore
from patchbay.service.key_stores import MemoryKeyStore, SecretsStatus
from patchbay.service.people import ensure_owner
from patchbay.service.secret_encryption import SecretEncryption
from patchbay.service.secret_store import HOME, SecretStore
from patchbay.storage.database import Database
from patchbay.storage.repositories import connections, meta, secrets

DATA_KEY = bytes(range(32))
OTHER_DATA_KEY = bytes(range(1, 33))
SECRET = {"apiKey": "sk-93b1c"}


@pytest.fixture
async def db(tmp_path):
    database = await Database.open(tmp_path / "patchbay.db")
    yield database
    await database.close()


def program(db, data_key=DATA_KEY):
    """What one more program has that uses the database."""
    key_store = MemoryKeyStore() if data_key is None else DataKeyStore(data_key)
    return SecretEncryption(db, key_store, Clock())


async def store(db, encryption, connection_id="c1"):
    owner = await ensure_owner(db, Clock())
    sealed = await encryption.seal(connection_id, SECRET)

    def add(tx):
        connections.add(tx, Connection(id=connection_id, app_key=AppKey("desk")), owner.id)
        secrets.put(tx, sealed)

    await db.write(add)
    encryption.mark_committed(sealed)
    return sealed


async def stored(db, connection_id="c1"):
    return await db.read(lambda tx: secrets.get(tx, ConnectionId(connection_id)))


async def problem_of(encryption):
    assert not (await encryption.open()).is_usable
    return encryption.problem.text()


async def test_keys_are_derived_with_hkdf_from_their_names():
    derive = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"patchbay named key 1\0dek:p:k")

    text = await DataKeyStore(DATA_KEY).get("dek:p:k")

    assert base64.b64decode(text) == derive.derive(DATA_KEY)
    assert text != await DataKeyStore(DATA_KEY).get("dek:p:l")
    assert text != await DataKeyStore(OTHER_DATA_KEY).get("dek:p:k")


async def test_other_values_are_neither_derived_nor_stored():
    key_store = DataKeyStore(DATA_KEY)

    assert await key_store.get("backup:passphrase") is None
    with pytest.raises(SecretsUnavailable, match="can't store other keys or passwords"):
        await key_store.set("backup:passphrase", "correct horse")
    with pytest.raises(SecretsUnavailable):
        await key_store.set("dek:p:k", base64.b64encode(DATA_KEY).decode())
    await key_store.set("dek:p:k", await key_store.get("dek:p:k"))


def test_the_fingerprint_is_the_same_everywhere_and_has_nothing_of_the_key():
    fingerprint = DataKeyStore(DATA_KEY).fingerprint

    assert fingerprint == DataKeyStore(DATA_KEY).fingerprint == "f1a0b9dee99eae2bc9717415e36dc371"
    assert fingerprint != DataKeyStore(OTHER_DATA_KEY).fingerprint


async def test_programs_with_the_same_data_key_read_each_others_secrets(db):
    first, second = program(db), program(db)
    assert await second.open() is SecretsStatus.EMPTY

    await store(db, first)

    assert await second.unseal(await stored(db)) == SECRET


async def test_a_running_program_reads_secrets_after_another_one_changed_the_key(db):
    first, second = program(db), program(db)
    await store(db, first)
    await second.require()

    assert await first.rotate_key() == 1
    late = await store(db, second, "c2")

    assert await second.unseal(await stored(db)) == SECRET
    assert await first.unseal(late) == SECRET
    assert await program(db).unseal(late) == SECRET


async def test_another_data_key_is_rejected_before_the_first_secret(db):
    assert await program(db).open() is SecretsStatus.EMPTY

    other = program(db, OTHER_DATA_KEY)

    text = await problem_of(other)
    assert DataKeyStore(DATA_KEY).fingerprint in text
    assert DataKeyStore(OTHER_DATA_KEY).fingerprint in text
    with pytest.raises(SecretsUnavailable, match="isn't the data key"):
        await other.seal(ConnectionId("c1"), SECRET)


@pytest.mark.parametrize("has_secret", [False, True])
async def test_without_the_data_key_nothing_is_read_or_stored(db, has_secret):
    if has_secret:
        await store(db, program(db))
    else:
        await program(db).open()

    without = program(db, None)

    assert f"Its fingerprint is {DataKeyStore(DATA_KEY).fingerprint}" in await problem_of(without)
    with pytest.raises(SecretsUnavailable, match="encrypted with a data key"):
        await without.seal(ConnectionId("c2"), SECRET)


async def test_secrets_of_a_keyring_arent_taken_for_those_of_a_data_key(db):
    keyring = program(db, None)
    await store(db, keyring)

    assert "aren't encrypted with a data key" in await problem_of(program(db))
    assert await keyring.unseal(await stored(db)) == SECRET
    assert await db.read(lambda tx: meta.get(tx, "data_key_fingerprint")) is None


async def test_secrets_that_are_keyring_items_are_reported_too(db):
    await db.write(lambda tx: meta.put(tx, HOME, SecretsStorage.ITEMS.value))
    encryption = program(db)
    secret_store = SecretStore(db, encryption, None, Clock())

    with pytest.raises(SecretsUnavailable, match="aren't encrypted with a data key"):
        await secret_store.require_for_start()


async def test_a_data_key_takes_over_a_database_whose_secrets_are_gone(db):
    await store(db, program(db, None))
    await db.write(secrets.remove_all)

    encryption = program(db)
    await store(db, encryption, "c2")

    assert await program(db).unseal(await stored(db, "c2")) == SECRET


async def test_after_discarding_lost_secrets_another_data_key_can_be_used(db):
    await store(db, program(db))
    other = program(db, OTHER_DATA_KEY)

    assert await other.discard_lost_secrets() == 1

    await store(db, other, "c2")
    assert await program(db, OTHER_DATA_KEY).unseal(await stored(db, "c2")) == SECRET
    assert "isn't the data key" in await problem_of(program(db))
