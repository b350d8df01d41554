"""All secrets of a database change their keys at once."""

import json

import pytest
from tests.support.workspace import Clock

from patchbay.domain.base import AppKey, ConnectionId
from patchbay.domain.connections import Connection, SecretsStorage
from patchbay.domain.errors import SecretsUnavailable
from patchbay.service.data_key_store import DataKeyStore
from patchbay.service.key_stores import MemoryKeyStore, PassphraseKeyStore
from patchbay.service.people import ensure_owner
from patchbay.service.secret_encryption import SecretEncryption
from patchbay.service.secret_reencryption import ReencryptedSecrets, SecretReencryption, StoredSecrets
from patchbay.service.secret_store import SecretStore
from patchbay.storage.database import Database
from patchbay.storage.repositories import connections, meta, secrets

DATA_KEY = DataKeyStore(bytes(range(32)))
SECRETS = {"c1": {"apiKey": "sk-93b1c"}, "c2": {"password": "größer"}, "c3": {"apiKey": "old"}}


class Keyring(MemoryKeyStore):
    holds_items = True


class Stopped(Exception):
    pass


@pytest.fixture
async def db(tmp_path):
    database = await Database.open(tmp_path / "patchbay.db")
    yield database
    await database.close()


@pytest.fixture
def keyring():
    return Keyring()


def store_of(db, key_store):
    items = key_store if key_store.holds_items else None
    return SecretStore(db, SecretEncryption(db, key_store, Clock()), items, Clock())


async def fill(db, key_store, home=SecretsStorage.SEALED):
    """Three connections, of which `c3` is deleted."""
    store, owner = store_of(db, key_store), await ensure_owner(db, Clock())
    for name, data in SECRETS.items():
        sealed = await store.seal(ConnectionId(name), data)

        def add(tx, sealed=sealed):
            connections.add(
                tx, Connection(id=sealed.connection_id, app_key=AppKey("desk"), screen_name="Desk"), owner.id
            )
            secrets.put(tx, sealed)

        await db.write(add)
        store.mark_committed(sealed)
    await db.write(lambda tx: connections.remove(tx, ConnectionId("c3"), 1))
    if home is SecretsStorage.ITEMS:
        await store.move(home)


async def change_keys(db, source, target, stop=None):
    reencryption = SecretReencryption(source, target, "test")
    await reencryption.prepare(await db.read(StoredSecrets.read))

    def commit(tx):
        reencryption.reencrypt(tx)
        if stop:
            raise stop

    await db.write(commit)
    return reencryption


async def read_all(db, key_store):
    """The secrets that a program with this key store can read, and the names of the others."""
    store, found, lost = store_of(db, key_store), {}, []
    for row in await db.read(secrets.find_all):
        try:
            found[row.connection_id] = await store.unseal(row)
        except SecretsUnavailable:
            lost.append(row.connection_id)
    return found, lost


@pytest.mark.parametrize("home", SecretsStorage)
async def test_secrets_of_a_keyring_are_encrypted_with_the_data_key_alone(db, keyring, home):
    await fill(db, keyring, home)
    before = dict(keyring._values)

    reencryption = await change_keys(db, keyring, DATA_KEY)

    assert reencryption.done == ReencryptedSecrets(connections=3)
    assert await read_all(db, DATA_KEY) == (SECRETS, [])
    assert (await read_all(db, keyring))[0] == {}
    await store_of(db, DATA_KEY).recover()
    assert keyring._values == before  # the source goes on using them
    names = await db.read(lambda tx: meta.names(tx, ""))
    assert not [name for name in names if name.startswith(("item:", "data_key:", "secrets_home"))]


@pytest.mark.parametrize("home", SecretsStorage)
async def test_a_stop_before_the_commit_leaves_all_secrets_under_the_old_keys(db, keyring, home):
    await fill(db, keyring, home)

    with pytest.raises(Stopped):
        await change_keys(db, keyring, DATA_KEY, stop=Stopped())

    assert await read_all(db, keyring) == (SECRETS, [])
    assert (await read_all(db, DATA_KEY))[0] == {}
    await change_keys(db, keyring, DATA_KEY)
    assert await read_all(db, DATA_KEY) == (SECRETS, [])


async def test_a_repeated_change_finds_the_key_of_an_interrupted_one(db, tmp_path):
    await fill(db, DATA_KEY)
    vault = PassphraseKeyStore(tmp_path / "vault.json", "correct horse")
    for stop in (Stopped(), None):
        try:
            await change_keys(db, DATA_KEY, vault, stop)
        except Stopped:
            assert await read_all(db, DATA_KEY) == (SECRETS, [])

    assert await read_all(db, vault) == (SECRETS, [])
    assert len(json.loads((tmp_path / "vault.json").read_text())["items"]) == 1
    assert await db.read(lambda tx: meta.get(tx, "data_key_fingerprint")) is None


async def test_a_secret_that_cannot_be_decrypted_is_named_and_nothing_changes(db, keyring):
    await fill(db, keyring, SecretsStorage.ITEMS)
    row = await db.read(lambda tx: secrets.get(tx, ConnectionId("c2")))
    await keyring.delete(f"connection:{row.key_id}")

    with pytest.raises(SecretsUnavailable, match="can't be decrypted: “Desk”"):
        await change_keys(db, keyring, DATA_KEY)

    assert await read_all(db, keyring) == ({"c1": SECRETS["c1"], "c3": SECRETS["c3"]}, ["c2"])


async def test_lost_secrets_of_deleted_connections_are_deleted(db, keyring):
    await fill(db, keyring, SecretsStorage.ITEMS)
    row = await db.read(lambda tx: secrets.get_deleted(tx, ConnectionId("c3")))
    await keyring.delete(f"connection:{row.key_id}")

    assert (await change_keys(db, keyring, DATA_KEY)).done == ReencryptedSecrets(connections=2)

    assert set((await read_all(db, DATA_KEY))[0]) == {"c1", "c2"}


async def test_another_data_key_than_that_of_the_source_is_rejected(db, keyring):
    await fill(db, DATA_KEY)

    with pytest.raises(SecretsUnavailable, match="isn't the data key of this database"):
        await change_keys(db, DataKeyStore(bytes(range(1, 33))), keyring)

    assert keyring._values == {}


async def test_without_secrets_only_the_data_key_is_recorded(db, keyring):
    assert (await change_keys(db, keyring, DATA_KEY)).done.total == 0

    assert await db.read(lambda tx: meta.get(tx, "data_key_fingerprint")) == DATA_KEY.fingerprint
    assert keyring._values == {}
