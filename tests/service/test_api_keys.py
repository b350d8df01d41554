import hashlib

import pytest
from tests.support.workspace import Clock

from patchbay.domain.errors import NotFound, ValidationFailed
from patchbay.service.api_keys import USED_EVERY_MS, StoredApiKeys
from patchbay.storage.database import Database


@pytest.fixture
async def db(tmp_path):
    database = await Database.open(tmp_path / "patchbay.db")
    yield database
    await database.close()


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def keys(db, clock):
    return StoredApiKeys(db, clock, user_id="u1")


async def test_value_is_96_hex_characters_and_the_hint_shows_both_ends(keys):
    key, value = await keys.create("Laptop")

    assert len(bytes.fromhex(value)) == 48
    assert key.hint == f"{value[:4]}...{value[-4:]}"
    assert await keys.list() == (key,)


async def test_only_the_hash_is_stored(keys, db, tmp_path):
    _, value = await keys.create("Laptop")
    await db.close()

    content = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert value.encode() not in content
    assert hashlib.sha256(value.encode()).hexdigest().encode() in content


async def test_right_value_is_recognised_and_others_are_not(keys):
    await keys.create("Other")
    key, value = await keys.create("Laptop")

    found = await keys.check(value)

    assert (found.id, found.user_id) == (key.id, "u1")
    assert await keys.check(value[:-1]) is None
    assert await keys.check("") is None
    assert await keys.check("ключ") is None


async def test_last_use_is_noted_at_most_once_a_minute(keys, db, clock):
    _, value = await keys.create("Laptop")

    first = await keys.check(value)
    commits = db.commits
    again = await keys.check(value)
    unwritten = db.commits
    clock.now += USED_EVERY_MS
    later = await keys.check(value)

    assert again.last_used_at == first.last_used_at
    assert unwritten == commits
    assert later.last_used_at >= first.last_used_at + USED_EVERY_MS
    assert (await keys.list())[0].last_used_at == later.last_used_at


async def test_revoked_key_opens_nothing(keys):
    key, value = await keys.create("Laptop")

    await keys.revoke(key.id)

    assert await keys.check(value) is None
    with pytest.raises(NotFound):
        await keys.revoke(key.id)


async def test_key_needs_a_name(keys):
    with pytest.raises(ValidationFailed):
        await keys.create("  ")
