"""People, folders and invitations of other services."""

import pytest
from tests.support.recorded_client import Pair, recorded
from tests.support.recorded_service import Habits

from patchbay.domain.base import UserId
from patchbay.domain.errors import AlreadyTaken, NotFound, ServerFault, ValidationFailed


@pytest.fixture(params=["/v1", ""], ids=["with_v1", "without_v1"])
async def pair(request):
    async with recorded(Habits(people=request.param)) as opened:
        yield opened


def _people(pair: Pair) -> list[UserId]:
    return [UserId(row["id"]) for row in pair.service.state.users]


async def test_people_are_listed_over_all_pages_with_their_roles(pair: Pair):
    mara = pair.service.state.users[0]
    for number in range(19):
        row = mara | {"id": f"a3{number:06}-0b1c-4d2e-8f30-000000000001", "fullName": f"Zoe {number:02}"}
        pair.service.state.users.append(row)

    users = await pair.backend.list_users()

    assert len(users) == 22
    assert (users[2].full_name, users[2].role.name, users[2].role.is_admin) == (
        "Mara Lindqvist",
        "Admin",
        True,
    )
    assert [role.name for role in await pair.backend.list_roles()] == ["Admin", "Clerk"]


async def test_folders_are_made_renamed_and_deleted_under_their_owner(pair: Pair):
    mara, jonas, _ = _people(pair)

    made = await pair.backend.create_folder("Cranes")
    theirs = await pair.backend.create_folder("Ships", jonas)
    assert (made.user_id, theirs.user_id) == (mara, jonas)
    listed = await pair.backend.list_folders(jonas)
    assert [(folder.name, folder.user_id) for folder in listed] == [("Invoices", jonas), ("Ships", jonas)]

    renamed = await pair.backend.rename_folder(theirs.id, "Boats")
    assert (renamed.name, renamed.user_id) == ("Boats", jonas)
    assert (await pair.backend.delete_folder(theirs.id)).ids == (theirs.id,)
    assert pair.asked[-1].endswith(f"/users/{jonas}/folders/{theirs.id}")
    with pytest.raises(NotFound):
        await pair.backend.delete_folder(theirs.id)
    with pytest.raises(NotFound):
        await pair.backend.rename_folder(made.id, "Mine", jonas)
    with pytest.raises(NotFound):
        await pair.backend.list_folders(UserId("00000000-0000-4000-8000-000000000000"))


async def test_a_user_is_invited_and_the_invitation_revoked(pair: Pair):
    clerk = next(role for role in await pair.backend.list_roles() if role.name == "Clerk")

    made = await pair.backend.invite("Olu Grant", "OLU@harbour.example", clerk.id)
    assert (made.email, made.role.name) == ("olu@harbour.example", "Clerk")
    assert "/accept-invitation?token=" in made.accept_invitation_url
    waiting = await pair.backend.list_invitations()
    assert [person.full_name for person in waiting] == ["Noor Idris", "Olu Grant"]

    assert (await pair.backend.revoke_invitation(made.id)).ids == (made.id,)
    with pytest.raises(AlreadyTaken):
        await pair.backend.invite("Olu Grant", "olu@harbour.example", clerk.id)
    with pytest.raises(NotFound):
        await pair.backend.revoke_invitation(_people(pair)[0])
    with pytest.raises(ValidationFailed) as refused:
        await pair.backend.invite("Olu", "not an address", clerk.id)
    assert list(refused.value.fields()) == ["email"]
    with pytest.raises(ServerFault):
        await pair.backend.invite("Olu", "other@harbour.example", "00000000-0000-4000-8000-000000000000")


async def test_a_removed_person_leaves_their_drafts(pair: Pair):
    aiko = _people(pair)[2]

    assert (await pair.backend.delete_user(aiko)).ids == (aiko,)

    assert aiko not in {user.id for user in await pair.backend.list_users()}
    holiday = next(row for row in pair.service.state.flows if row["name"] == "Holiday calendar")
    assert (await pair.backend.get_flow(holiday["id"])).user_id is None
    with pytest.raises(NotFound):
        await pair.backend.delete_user(aiko)
