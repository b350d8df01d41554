import pytest

from patchbay.domain.base import UserId
from patchbay.domain.errors import NotFound, ValidationFailed
from patchbay.domain.people import User
from patchbay.service.people import ensure_owner
from patchbay.storage.repositories import users


@pytest.fixture
async def other(runtime):
    person = User(id=UserId("someone-else"), full_name="Zoe", email="zoe@example.org")
    return await runtime.db.write(lambda tx: users.add(tx, person))


async def test_folders_belong_to_the_owner_and_are_listed_by_name(backend):
    shop, office = await backend.create_folder(" Shop "), await backend.create_folder("Office")

    assert await backend.list_folders() == (office, shop)
    assert shop.user_id == (await backend.list_users())[0].id


async def test_flow_moves_into_a_folder_and_out(backend):
    folder, flow = await backend.create_folder("Shop"), await backend.create_flow()

    inside = await backend.move_flow(flow.id, folder.id)
    outside = await backend.move_flow(flow.id, None)

    assert (inside.folder_id, outside.folder_id) == (folder.id, None)
    assert inside.has_unpublished_edits is False


async def test_deleting_a_folder_moves_its_flows_out_deleted_ones_too(backend):
    folder = await backend.create_folder("Shop")
    flow, deleted = [await backend.create_flow(folder_id=folder.id) for _ in range(2)]
    await backend.delete_flow(deleted.id)

    await backend.delete_folder(folder.id)

    assert await backend.list_folders() == ()
    assert (await backend.get_flow(flow.id)).folder_id is None
    assert (await backend.restore_flow(deleted.id)).folder_id is None


async def test_folder_of_another_user_is_not_found(backend, other):
    theirs = await backend.create_folder("Theirs", other.id)
    flow = await backend.create_flow()

    assert await backend.list_folders(other.id) == (theirs,)
    assert await backend.list_folders() == ()
    for attempt in (
        backend.delete_folder(theirs.id),
        backend.rename_folder(theirs.id, "Mine"),
        backend.move_flow(flow.id, theirs.id),
        backend.create_flow("New", theirs.id),
        backend.list_folders("nobody"),
        backend.create_folder("New", "nobody"),
        backend.delete_folder("no-such-folder"),
    ):
        with pytest.raises(NotFound):
            await attempt
    assert (await backend.delete_folder(theirs.id, other.id)).ids == (theirs.id,)


@pytest.mark.parametrize("name", ["", " ", "x" * 256])
async def test_folder_names_have_1_to_255_characters(backend, name):
    folder = await backend.create_folder("Shop")

    for attempt in (backend.create_folder(name), backend.rename_folder(folder.id, name)):
        with pytest.raises(ValidationFailed) as refused:
            await attempt
        assert "name" in refused.value.by_field
    assert (await backend.rename_folder(folder.id, "Store")).name == "Store"


async def test_the_owner_is_made_once(runtime):
    again = await ensure_owner(runtime.db, runtime.clock, "Another")

    assert (await runtime.backend.list_users()) == (again,)
    assert again.full_name == "Owner"
