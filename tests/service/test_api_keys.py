import hashlib
from dataclasses import replace

import pytest
from tests.support.workspace import Clock, open_runtime

from patchbay.domain.access import Scope
from patchbay.domain.audit_log import AuditAction, AuditFilter
from patchbay.domain.base import UserId
from patchbay.domain.errors import NotFound, ValidationFailed
from patchbay.domain.paging import PageRequest
from patchbay.domain.people import ADMIN, EDITOR, VIEWER, Role, User
from patchbay.domain.ports import OwnedResource
from patchbay.service.api_key_manager import ApiKeyManager
from patchbay.service.api_keys import LAST_USED_PRECISION_MS, StoredApiKeys
from patchbay.storage.database import Database
from patchbay.storage.repositories import users


@pytest.fixture
async def db(tmp_path):
    database = await Database.open(tmp_path / "keys.db")
    yield database
    await database.close()


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def keys(db, clock):
    return StoredApiKeys(db, clock)


async def _person(db: Database, role: Role) -> str:
    person = User(
        id=UserId(f"of-{role.key}"), full_name=role.name, email=f"{role.key}@example.org", role=role
    )
    await db.write(lambda tx: users.add(tx, person))
    return person.id


async def test_value_is_96_hex_characters_and_the_hint_shows_both_ends(keys):
    made = await keys.create("Laptop")

    assert len(bytes.fromhex(made.value)) == 48
    assert made.key.hint == f"{made.value[:4]}...{made.value[-4:]}"
    assert made.value not in repr(made)
    assert await keys.list() == (made.key,)


async def test_only_the_hash_is_stored(keys, db, tmp_path):
    value = (await keys.create("Laptop")).value
    await db.close()

    content = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert value.encode() not in content
    assert hashlib.sha256(value.encode()).hexdigest().encode() in content


async def test_right_value_is_recognised_and_others_are_not(keys):
    await keys.create("Other")
    made = await keys.create("Laptop")

    found = await keys.check(made.value)

    assert (found.key.id, found.scope, found.person) == (made.key.id, Scope.ADMIN, None)
    assert await keys.check(made.value[:-1]) is None
    assert await keys.check("") is None
    assert await keys.check("ключ") is None


async def test_last_use_is_noted_at_most_once_a_minute(keys, db, clock):
    access = await keys.check((await keys.create("Laptop")).value)

    await keys.used(access)
    (first,) = await keys.list()
    commits = db.commits
    await keys.used(access)
    unwritten = db.commits
    clock.now += LAST_USED_PRECISION_MS
    await keys.used(access)
    (later,) = await keys.list()

    assert unwritten == commits
    assert later.last_used_at >= first.last_used_at + LAST_USED_PRECISION_MS
    assert (await StoredApiKeys(db, clock).list())[0].last_used_at == later.last_used_at


async def test_looking_at_a_value_writes_nothing(keys, db):
    value = (await keys.create("Laptop")).value
    commits = db.commits

    await keys.check(value)
    await keys.check("wrong")

    assert db.commits == commits


async def test_revoked_key_opens_nothing_at_once(keys):
    made = await keys.create("Laptop")
    assert await keys.check(made.value)

    await keys.revoke(made.key.id)

    assert await keys.check(made.value) is None
    with pytest.raises(NotFound):
        await keys.revoke(made.key.id)


async def test_key_needs_a_name(keys):
    with pytest.raises(ValidationFailed):
        await keys.create("  ")


@pytest.mark.parametrize(
    ("scope", "role", "reach", "own_only"),
    [
        (Scope.ADMIN, ADMIN, Scope.ADMIN, False),
        (Scope.READ, ADMIN, Scope.READ, False),
        (Scope.ADMIN, EDITOR, Scope.OPERATE, True),
        (Scope.READ, EDITOR, Scope.READ, True),
        (Scope.OPERATE, VIEWER, Scope.READ, True),
    ],
)
async def test_a_key_reaches_no_further_than_its_person(keys, db, scope, role, reach, own_only):
    person = await _person(db, role)
    made = await keys.create("Laptop", scope, person)

    found = await keys.check(made.value)

    assert (found.scope, found.person) == (reach, person if own_only else None)
    assert (await keys.list())[0].scope is scope


async def test_a_change_of_role_counts_at_once_and_keys_of_who_left_open_nothing(tmp_path):
    runtime = await open_runtime(tmp_path)
    keys, backend = runtime.backend.api_keys, runtime.backend
    try:
        person = await backend.create_user("Eve", "eve@example.org", ADMIN.id)
        value = (await backend.create_api_key("Laptop", user_id=person.id)).value
        before = await keys.check(value)

        await backend.update_user(person.id, role_id=VIEWER.id)
        after = await keys.check(value)
        await backend.delete_user(person.id)

        assert (before.scope, after.scope) == (Scope.ADMIN, Scope.READ)
        assert await keys.check(value) is None
    finally:
        await runtime.close()


async def test_no_key_is_created_for_an_unknown_user(runtime):
    with pytest.raises(NotFound):
        await runtime.backend.create_api_key("Laptop", user_id="nobody")

    assert await runtime.backend.list_api_keys() == ()


async def test_owners_are_known_also_of_deleted_resources(runtime):
    backend = runtime.backend
    (owner,) = await backend.list_users()
    flow = await backend.create_flow("Mine")
    folder = await backend.create_folder("Mine")
    await backend.delete_flow(flow.id)

    of_flows = await backend.api_keys.find_owners(OwnedResource.FLOW, [flow.id, "nothing"])
    of_steps = await backend.api_keys.find_owners(OwnedResource.STEP, [flow.steps[0].id])
    of_folders = await backend.api_keys.find_owners(OwnedResource.FOLDER, [folder.id])

    assert of_flows == {flow.id: owner.id}
    assert of_steps == {flow.steps[0].id: owner.id}
    assert of_folders == {folder.id: owner.id}


async def test_keys_in_a_database_of_their_own_are_managed_and_noted_all_the_same(runtime, db):
    apart = StoredApiKeys(db, runtime.clock, runtime.db)
    access = ApiKeyManager(replace(runtime.backend._context, keys=apart))

    made = await access.create_api_key("Laptop")
    known = await apart.check(made.value)
    await access.revoke_api_key(made.key.id)

    assert known.key.id == made.key.id
    assert await apart.check(made.value) is None
    assert await runtime.backend.list_api_keys() == ()
    log = (await runtime.backend.audit_log(AuditFilter(), PageRequest())).items
    assert [(entry.deed, entry.subject) for entry in log] == [
        (AuditAction.DELETED, "Laptop"),
        (AuditAction.CREATED, "Laptop"),
    ]
