"""The two homes of secrets: sealed rows and keyring items."""

import pytest
from tests.support.workspace import open_runtime

from patchbay.domain.connections import SecretsStorage
from patchbay.domain.errors import Conflict, SecretsUnavailable
from patchbay.service.key_stores import MemoryKeyStore
from patchbay.storage.repositories import secrets


class Keyring(MemoryKeyStore):
    """A keyring one can look into, lock, and fill up."""

    def __init__(self, max_characters: int | None = None) -> None:
        super().__init__()
        self.max_characters = max_characters
        self.forgets = False

    @property
    def items(self) -> dict[str, str]:
        return {name: text for name, text in self._values.items() if name.startswith("connection:")}

    async def set(self, name: str, value: str) -> None:
        if not self.forgets:
            await super().set(name, value)


@pytest.fixture
def keyring():
    return Keyring()


@pytest.fixture
async def runtime(tmp_path, desk_service, keyring):
    opened = await open_runtime(tmp_path, desk_service, items=keyring)
    yield opened
    await opened.close()


async def test_items_hold_the_secret_and_the_database_does_not(runtime, desk_service, keyring, tmp_path):
    made = await runtime.connect(desk_service.good_key)

    await runtime.backend.move_secrets(SecretsStorage.ITEMS)

    assert [desk_service.good_key in text for text in keyring.items.values()] == [True]
    rows = await runtime.db.read(secrets.find_all)
    assert [(row.connection_id, row.ciphertext) for row in rows] == [(made.id, b"")]
    assert (await runtime.backend.test_connection(made.id)).verified


async def test_a_renewed_connection_leaves_one_item(runtime, desk_service, keyring):
    await runtime.backend.move_secrets(SecretsStorage.ITEMS)
    made = await runtime.connect(desk_service.good_key)
    before = set(keyring.items)
    desk_service.good_key = "dk-a-new-key-555555"

    await runtime.backend.reconnect(made.id, {"apiKey": "dk-a-new-key-555555"})

    assert len(keyring.items) == 1
    assert set(keyring.items) != before
    assert (await runtime.backend.test_connection(made.id)).verified


async def test_credentials_of_a_deleted_connection_are_not_counted(runtime, desk_service):
    await runtime.connect(desk_service.good_key)
    gone = await runtime.connect(desk_service.good_key, "Gone")
    await runtime.backend.delete_connection(gone.id)

    state = await runtime.backend.secrets_state()
    restored = await runtime.backend.restore_connection(gone.id)

    assert state.stored == 1
    assert (await runtime.backend.test_connection(restored.id)).verified
    assert (await runtime.backend.secrets_state()).stored == 2


async def test_moving_back_empties_the_keyring(runtime, desk_service, keyring):
    made = await runtime.connect(desk_service.good_key)
    await runtime.backend.move_secrets(SecretsStorage.ITEMS)

    state = await runtime.backend.move_secrets(SecretsStorage.SEALED)

    assert (state.home, state.stored) == (SecretsStorage.SEALED, 1)
    assert keyring.items == {}
    assert (await runtime.backend.test_connection(made.id)).verified


async def test_a_keyring_that_keeps_nothing_is_found_out_before_anything_is_deleted(
    runtime, desk_service, keyring
):
    made = await runtime.connect(desk_service.good_key)
    keyring.forgets = True

    with pytest.raises(SecretsUnavailable):
        await runtime.backend.move_secrets(SecretsStorage.ITEMS)

    assert (await runtime.backend.secrets_state()).home is SecretsStorage.SEALED
    assert (await runtime.backend.test_connection(made.id)).verified


async def test_secrets_too_long_for_the_keyring_stay_where_they_are(tmp_path, desk_service):
    runtime = await open_runtime(tmp_path, desk_service, items=Keyring(max_characters=20))
    made = await runtime.connect(desk_service.good_key)

    with pytest.raises(SecretsUnavailable) as refused:
        await runtime.backend.move_secrets(SecretsStorage.ITEMS)

    assert refused.value.reason == "too_large"
    assert "20 characters" in refused.value.meaning
    assert (await runtime.backend.test_connection(made.id)).verified
    await runtime.close()


async def test_the_choice_survives_a_restart(tmp_path, desk_service, keyring):
    runtime = await open_runtime(tmp_path, desk_service, items=keyring)
    made = await runtime.connect(desk_service.good_key)
    await runtime.backend.move_secrets(SecretsStorage.ITEMS)
    await runtime.close()

    again = await open_runtime(tmp_path, desk_service, items=keyring)

    assert (await again.backend.secrets_state()).home is SecretsStorage.ITEMS
    assert (await again.backend.test_connection(made.id)).verified
    await again.close()


async def test_a_home_that_is_not_there_is_barred_with_the_reason(runtime):
    runtime.secret_store._items = None

    state = await runtime.backend.secrets_state()
    with pytest.raises(Conflict):
        await runtime.backend.move_secrets(SecretsStorage.ITEMS)

    assert "system keyring" in state.barred[SecretsStorage.ITEMS]


async def test_a_new_key_takes_over_and_the_old_one_is_gone(runtime, desk_service, tmp_path):
    made = await runtime.connect(desk_service.good_key)
    before = {row.key_id for row in await runtime.db.read(secrets.find_all)}

    assert await runtime.backend.change_secrets_key() == 1

    after = {row.key_id for row in await runtime.db.read(secrets.find_all)}
    assert not before & after
    home = runtime.secret_store.encryption.key_store
    assert [name for name in home._values if before & set(name.split(":"))] == []
    assert (await runtime.backend.test_connection(made.id)).verified


async def test_a_new_key_that_is_not_kept_changes_nothing(runtime, desk_service):
    made = await runtime.connect(desk_service.good_key)
    home = runtime.secret_store.encryption.key_store
    kept = dict(home._values)

    async def forget(name: str, value: str) -> None:
        """Take it and keep nothing, as the null keyring does."""

    home.set = forget
    with pytest.raises(SecretsUnavailable):
        await runtime.backend.change_secrets_key()

    assert home._values == kept
    assert (await runtime.backend.test_connection(made.id)).verified


async def test_what_was_sealed_during_a_change_is_moved_at_the_next_start(tmp_path, desk_service):
    home = MemoryKeyStore()
    runtime = await open_runtime(tmp_path, desk_service, home=home)
    made = await runtime.connect(desk_service.good_key)
    late = await runtime.secret_store.seal(made.id, {"screenName": "Ada", "apiKey": desk_service.good_key})
    await runtime.backend.change_secrets_key()
    await runtime.db.write(lambda tx: secrets.put(tx, late))
    await runtime.close()

    again = await open_runtime(tmp_path, desk_service, home=home)
    await again.secret_store.recover()

    assert (await again.backend.test_connection(made.id)).verified
    assert len([name for name in home._values if name.startswith("dek:")]) == 1
    await again.close()


async def test_nothing_stored_needs_no_new_key(runtime):
    assert await runtime.backend.change_secrets_key() == 0
