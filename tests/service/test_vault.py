import asyncio
import json
import os
import stat
from typing import Any

import pytest
from tests.support.desk import DESK
from tests.support.forms import long_form
from tests.support.workspace import Clock

from patchbay.domain.base import ConnectionId
from patchbay.domain.connections import Connection, ConnectionHealth
from patchbay.domain.errors import SecretsUnavailable
from patchbay.service.key_stores import MemoryKeyStore, PassphraseKeyStore, SecretsStatus, secrets_unavailable
from patchbay.service.people import ensure_owner
from patchbay.service.secret_encryption import RETRY_MS, SecretEncryption
from patchbay.service.secret_store import SecretStore
from patchbay.storage.database import Database
from patchbay.storage.repositories import connections, meta, secrets

CONNECTION = ConnectionId("c1")
OTHER_CONNECTION = ConnectionId("c2")

SECRET: dict[str, Any] = {"apiKey": "planted-secret-71c2"}


class ForgetfulHome(MemoryKeyStore):
    """Accepts everything and keeps nothing, like keyring's null backend."""

    async def set(self, name, value):
        pass


class ClosedHome(MemoryKeyStore):
    """Cannot be asked while it has a reason; counts how often it was."""

    reason: str | None = None
    asked = 0

    async def get(self, name):
        self.asked += 1
        if self.reason:
            raise secrets_unavailable(self.reason)
        return await super().get(name)


@pytest.fixture
async def db(tmp_path):
    database = await Database.open(tmp_path / "patchbay.db")
    yield database
    await database.close()


@pytest.fixture
def home():
    return ClosedHome()


@pytest.fixture
def vault(db, home):
    return SecretEncryption(db, home, Clock())


async def stored(db, vault, connection_id="c1", data=SECRET):
    """A sealed value in its row, as adding a connection leaves it."""
    owner = await ensure_owner(db, Clock())
    sealed = await vault.seal(connection_id, data)

    def store(tx):
        connections.add(tx, Connection(id=connection_id, app_key=DESK), owner.id)
        secrets.put(tx, sealed)

    await db.write(store)
    return sealed


async def reason_of(awaitable):
    with pytest.raises(SecretsUnavailable) as refused:
        await awaitable
    return refused.value.reason


async def test_what_is_sealed_opens_again_also_after_a_restart(db, home, vault):
    sealed = await stored(db, vault)

    later = SecretEncryption(db, home, Clock())

    assert await later.open() is SecretsStatus.OK
    assert await later.unseal(sealed) == SECRET


async def test_no_key_is_made_before_the_first_secret(db, home, vault):
    assert await vault.open() is SecretsStatus.EMPTY
    assert home._values == {}


async def test_the_key_is_32_bytes_as_44_characters_under_profile_and_key_id(db, home, vault):
    sealed = await stored(db, vault)

    profile = await db.read(lambda tx: meta.get(tx, "profile_id"))
    assert list(home._values) == [f"dek:{profile}:{sealed.key_id}"]
    assert len(next(iter(home._values.values()))) == 44


async def test_each_sealing_uses_a_fresh_nonce_of_12_bytes(vault):
    first, second = await vault.seal("c1", SECRET), await vault.seal("c1", SECRET)

    assert len(first.nonce) == 12
    assert first.nonce != second.nonce
    assert first.ciphertext != second.ciphertext


async def test_a_row_opens_only_where_it_belongs(db, vault):
    sealed = await stored(db, vault)

    moved = secrets.Sealed(OTHER_CONNECTION, sealed.format, sealed.key_id, sealed.nonce, sealed.ciphertext)
    relabelled = secrets.Sealed(CONNECTION, 2, sealed.key_id, sealed.nonce, sealed.ciphertext)

    assert await reason_of(vault.unseal(moved)) == "key_wrong"
    assert await reason_of(vault.unseal(relabelled)) == "key_wrong"


async def test_home_that_keeps_nothing_is_found_out_before_first_use(db):
    vault = SecretEncryption(db, ForgetfulHome(), Clock())

    assert await reason_of(vault.seal(CONNECTION, SECRET)) == "no_keyring"
    assert await db.read(lambda tx: meta.get(tx, "data_key_id")) is None


@pytest.mark.parametrize("reason", ["no_keyring", "locked", "timed_out"])
async def test_home_that_cannot_be_asked_is_reported_as_it_says(db, home, vault, reason):
    sealed = await stored(db, vault)
    home.reason = reason
    later = SecretEncryption(db, home, Clock())

    assert await later.open() == reason
    assert later.problem.reason == reason
    assert await reason_of(later.unseal(sealed)) == reason
    assert await reason_of(later.seal(OTHER_CONNECTION, SECRET)) == reason


async def test_missing_keyring_is_known_before_the_first_secret(db, home):
    home.reason = "no_keyring"

    assert await SecretEncryption(db, home, Clock()).open() is SecretsStatus.NO_KEYRING


async def test_no_new_key_while_any_ciphertext_exists(db, home, vault):
    await stored(db, vault)
    home._values.clear()
    later = SecretEncryption(db, home, Clock())

    assert await later.open() is SecretsStatus.KEY_NOT_FOUND
    assert await reason_of(later.seal(OTHER_CONNECTION, SECRET)) == "key_not_found"
    assert home._values == {}


async def test_no_new_key_when_the_database_forgot_its_key_but_has_ciphertext(db, home, vault):
    await stored(db, vault)
    await db.write(lambda tx: meta.remove(tx, "data_key_id"))
    later = SecretEncryption(db, home, Clock())

    assert await later.open() is SecretsStatus.KEY_NOT_FOUND
    assert await reason_of(later.seal(OTHER_CONNECTION, SECRET)) == "key_not_found"


async def test_lost_key_is_replaced_when_nothing_depends_on_it(db, home, vault):
    await vault.seal("c1", SECRET)
    home._values.clear()
    later = SecretEncryption(db, home, Clock())

    assert await later.open() is SecretsStatus.EMPTY
    sealed = await later.seal(CONNECTION, SECRET)
    assert await later.unseal(sealed) == SECRET


@pytest.mark.parametrize("text", ["bm90IHRoZSBrZXkgYnV0IDMyIGJ5dGVzIGxvbmchISE=", "not base64!", "c2hvcnQ="])
async def test_a_wrong_key_is_distinguished_from_a_missing_one(db, home, vault, text):
    await stored(db, vault)
    name = next(iter(home._values))
    home._values[name] = text
    later = SecretEncryption(db, home, Clock())

    assert await later.open() is SecretsStatus.KEY_WRONG


async def test_running_flows_do_not_ask_a_locked_home_again_and_again_but_people_do(db, home, vault):
    sealed = await stored(db, vault)
    clock, home.reason = Clock(), "locked"
    later = SecretEncryption(db, home, clock)
    await later.open()
    asked = home.asked

    assert await reason_of(later.unseal(sealed)) == "locked"
    assert home.asked == asked
    clock.now += RETRY_MS
    assert await reason_of(later.unseal(sealed)) == "locked"
    assert home.asked == asked + 1
    home.reason = None
    assert await later.open() is SecretsStatus.OK
    assert later.problem is None


async def test_two_first_secrets_at_once_share_one_key(db, home, vault):
    first, second = await asyncio.gather(vault.seal("c1", SECRET), vault.seal("c2", SECRET))

    assert first.key_id == second.key_id
    assert len(home._values) == 1


async def test_two_programs_on_one_database_end_up_with_one_key(db, home, vault):
    other = SecretEncryption(db, home, Clock())
    await vault.open()
    await other.open()

    first = await stored(db, vault, "c1")
    second = await stored(db, other, "c2")

    assert second.key_id == first.key_id
    assert await vault.unseal(second) == SECRET
    assert len(home._values) == 1


async def test_starting_over_gives_up_secrets_only_when_their_key_is_lost(db, home, vault):
    await stored(db, vault)
    assert await vault.discard_lost_secrets() == 0
    home.reason, later = "locked", SecretEncryption(db, home, Clock())
    assert await later.discard_lost_secrets() == 0
    home.reason = None
    home._values.clear()

    assert await later.discard_lost_secrets() == 1

    assert later.problem is None
    connection = await db.read(lambda tx: connections.get(tx, CONNECTION))
    assert (connection.health, connection.reason) == (
        ConnectionHealth.NEEDS_ATTENTION,
        "Its credentials were discarded. Reconnect.",
    )
    assert await later.unseal(await later.seal(CONNECTION, SECRET)) == SECRET


async def test_key_and_secret_show_nowhere_in_memory_dumps_of_names(vault):
    sealed = await vault.seal("c1", SECRET)

    assert "planted-secret" not in f"{sealed!r} {vault!r} {vault.__dict__!r}"


@pytest.fixture
def file(tmp_path):
    return tmp_path / "vault.json"


async def test_passphrase_file_keeps_keys_for_the_right_passphrase_only(file):
    await PassphraseKeyStore(file, "correct horse").set("dek:p:k", "the key")

    assert await PassphraseKeyStore(file, "correct horse").get("dek:p:k") == "the key"
    assert await PassphraseKeyStore(file, "correct horse").get("dek:p:other") is None
    assert await reason_of(PassphraseKeyStore(file, "wrong").get("dek:p:k")) == "locked"
    assert await reason_of(PassphraseKeyStore(file, "wrong").set("dek:p:2", "x")) == "locked"


async def test_passphrase_file_is_private_and_holds_neither_key_nor_passphrase(real_key_cost, file):
    await PassphraseKeyStore(file, "correct horse").set("dek:p:k", "the key")

    text = file.read_text()
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600
    assert "the key" not in text
    assert "correct horse" not in text
    assert json.loads(text)["kdf"] | {"salt": ""} == {
        "name": "argon2id",
        "salt": "",
        "memoryKib": 65536,
        "iterations": 3,
        "lanes": 4,
    }
    assert [path.name for path in file.parent.iterdir() if "vault" in path.name] == ["vault.json"]


@long_form
async def test_a_new_vault_without_items_already_refuses_another_passphrase(file):
    await PassphraseKeyStore(file, "correct horse").create()

    assert await PassphraseKeyStore(file, "correct horse").get("dek:p:k") is None
    await PassphraseKeyStore(file, "correct horse").unlock()
    assert await reason_of(PassphraseKeyStore(file, "wrong").get("dek:p:k")) == "locked"
    assert await reason_of(PassphraseKeyStore(file, "wrong").unlock()) == "locked"
    assert await reason_of(PassphraseKeyStore(file, "wrong").create()) == "locked"
    assert await reason_of(PassphraseKeyStore(file, "wrong").set("dek:p:k", "x")) == "locked"


@long_form
async def test_a_vault_without_a_check_value_gets_one_when_it_is_unlocked_and_keeps_its_items(file):
    await PassphraseKeyStore(file, "correct horse").set("dek:p:k", "the key")
    older = json.loads(file.read_text())
    del older["check"]
    file.write_text(json.dumps(older))

    assert await reason_of(PassphraseKeyStore(file, "wrong").unlock()) == "locked"
    await PassphraseKeyStore(file, "correct horse").unlock()

    later = PassphraseKeyStore(file, "correct horse")
    assert await later.get("dek:p:k") == "the key"
    await later.delete("dek:p:k")
    assert await reason_of(PassphraseKeyStore(file, "wrong").get("dek:p:k")) == "locked"


async def test_a_vault_that_does_not_exist_can_not_be_unlocked(file):
    assert await reason_of(PassphraseKeyStore(file, "correct horse").unlock()) == "not_created"
    assert not file.exists()


@long_form
async def test_deleting_from_the_passphrase_file(file):
    home = PassphraseKeyStore(file, "correct horse")
    await home.set("dek:p:k", "the key")

    await home.delete("dek:p:k")
    await home.delete("dek:p:k")

    assert await home.get("dek:p:k") is None


async def test_damaged_or_unwritable_vault_file_is_reported(file, tmp_path):
    file.write_text("{")

    assert await reason_of(PassphraseKeyStore(file, "x").get("a")) == "no_keyring"
    assert await reason_of(PassphraseKeyStore(tmp_path / "no" / "folder", "x").set("a", "b")) == "no_keyring"


async def test_vault_on_a_passphrase_file_opens_after_a_restart(db, file):
    sealed = await stored(db, SecretEncryption(db, PassphraseKeyStore(file, "correct horse"), Clock()))

    right = SecretEncryption(db, PassphraseKeyStore(file, "correct horse"), Clock())
    wrong = SecretEncryption(db, PassphraseKeyStore(file, "wrong"), Clock())

    assert await right.unseal(sealed) == SECRET
    assert await wrong.open() is SecretsStatus.LOCKED


class PromptingHome(ClosedHome):
    """A keyring that is locked until it has no reason."""

    waiting = False

    async def is_locked(self) -> bool | None:
        return self.reason == "locked"


async def test_a_locked_keyring_is_left_alone_until_something_is_stored(db: Database) -> None:
    home = PromptingHome()
    encryption = SecretEncryption(db, home, Clock())
    store = SecretStore(db, encryption, home, Clock())
    home.reason = "locked"
    assert await store.is_unused()
    assert await store.prompts_for_nothing()
    assert home.asked == 0

    home.reason = None
    assert not await store.prompts_for_nothing()
    await stored(db, encryption)
    home.reason = "locked"
    assert not await store.is_unused()
    assert not await store.prompts_for_nothing()
