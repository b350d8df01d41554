"""People, their roles, and how they are asked in."""

from uuid import uuid4

from tests.support.stories import story
from tests.support.teller import Teller

from patchbay.domain.errors import AlreadyTaken, Conflict, NotFound, ValidationFailed
from patchbay.domain.people import ADMIN, EDITOR, ROLES, VIEWER, Invitation


async def _invite(tell: Teller, *words: str) -> Invitation:
    """An invitation, written down without the token of its link, which is another one each time."""
    made = await tell.home.backend.invite(*words)
    link, _, token = (made.accept_invitation_url or "").partition("?token=")
    assert len(token) == 64
    tell.note("invite", made.model_copy(update={"accept_invitation_url": link}))
    return made


@story("list_roles", "create_user", "list_users", "update_user", "delete_user")
async def a_person_is_made_changed_and_removed(tell: Teller) -> None:
    assert await tell("list_roles") == ROLES
    dana = await tell("create_user", "Dana Mori", "Dana@example.org")
    eve = await tell("create_user", "Eve", "eve@example.org", ADMIN.id)
    assert (dana.role, eve.role) == (EDITOR, ADMIN)
    assert [person.full_name for person in await tell("list_users")] == ["Dana Mori", "Eve", "Owner"]

    assert (await tell("update_user", dana.id, full_name="Dana Moor")).full_name == "Dana Moor"
    assert (await tell("update_user", dana.id, role_id=VIEWER.id)).role == VIEWER
    assert isinstance(await tell.refused("update_user", dana.id, full_name=" "), ValidationFailed)
    assert isinstance(await tell.refused("update_user", dana.id, role_id=str(uuid4())), ValidationFailed)
    assert isinstance(await tell.refused("update_user", str(uuid4()), full_name="X"), NotFound)
    assert isinstance(await tell.refused("create_user", "", "x@example.org"), ValidationFailed)
    assert isinstance(await tell.refused("create_user", "X", "nonsense"), ValidationFailed)
    assert isinstance(await tell.refused("create_user", "X", "EVE@example.org"), AlreadyTaken)

    assert (await tell("delete_user", dana.id)).ids == (dana.id,)
    assert isinstance(await tell.refused("delete_user", dana.id), NotFound)
    assert [person.full_name for person in await tell("list_users")] == ["Eve", "Owner"]


@story("list_users", "update_user", "delete_user")
async def the_owner_and_the_last_admin_stay(tell: Teller) -> None:
    (owner,) = await tell("list_users")
    assert isinstance(await tell.refused("delete_user", owner.id), Conflict)
    assert isinstance(await tell.refused("update_user", owner.id, role_id=EDITOR.id), Conflict)


@story("invite", "list_invitations", "revoke_invitation", "create_user", "list_users")
async def somebody_is_invited_again_and_not_any_more(tell: Teller) -> None:
    first = await _invite(tell, "Eve", "Eve@example.org", VIEWER.id)
    again = await _invite(tell, "Eve Adams", "eve@example.org", EDITOR.id)
    await _invite(tell, "Dana", "dana@example.org", VIEWER.id)
    assert again.id == first.id
    waiting = await tell("list_invitations")
    assert [(item.full_name, item.role) for item in waiting] == [("Dana", VIEWER), ("Eve Adams", EDITOR)]
    assert len(await tell("list_users")) == 1

    assert isinstance(await tell.refused("invite", "X", "x@example.org", str(uuid4())), ValidationFailed)
    assert isinstance(await tell.refused("invite", "X", "no address", VIEWER.id), ValidationFailed)
    assert isinstance(await tell.refused("invite", "X", "owner@localhost", VIEWER.id), AlreadyTaken)
    assert isinstance(await tell.refused("create_user", "X", "eve@example.org"), AlreadyTaken)
    assert (await tell("revoke_invitation", first.id)).ids == (first.id,)
    assert isinstance(await tell.refused("revoke_invitation", first.id), NotFound)
    assert (await tell("create_user", "Eve", "eve@example.org")).email == "eve@example.org"
