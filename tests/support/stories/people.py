"""People, their roles, and how they are asked in."""

from uuid import uuid4

from tests.support.operation_recorder import OperationRecorder
from tests.support.stories import story

from patchbay.domain.errors import AlreadyTaken, Conflict, NotFound, ValidationFailed
from patchbay.domain.people import ADMIN, EDITOR, ROLES, VIEWER, Invitation


async def _invite(call: OperationRecorder, *words: str) -> Invitation:
    """An invitation, written down without the token of its link, which is another one each time."""
    made = await call.workspace.backend.invite(*words)
    link, _, token = (made.accept_invitation_url or "").partition("?token=")
    assert len(token) == 64
    call.note("invite", made.model_copy(update={"accept_invitation_url": link}))
    return made


@story("list_roles", "create_user", "list_users", "update_user", "delete_user")
async def a_person_is_made_changed_and_removed(call: OperationRecorder) -> None:
    assert await call("list_roles") == ROLES
    dana = await call("create_user", "Dana Mori", "Dana@example.org")
    eve = await call("create_user", "Eve", "eve@example.org", ADMIN.id)
    assert (dana.role, eve.role) == (EDITOR, ADMIN)
    assert [person.full_name for person in await call("list_users")] == ["Dana Mori", "Eve", "Owner"]

    assert (await call("update_user", dana.id, full_name="Dana Moor")).full_name == "Dana Moor"
    assert (await call("update_user", dana.id, role_id=VIEWER.id)).role == VIEWER
    assert isinstance(await call.refused("update_user", dana.id, full_name=" "), ValidationFailed)
    assert isinstance(await call.refused("update_user", dana.id, role_id=str(uuid4())), ValidationFailed)
    assert isinstance(await call.refused("update_user", str(uuid4()), full_name="X"), NotFound)
    assert isinstance(await call.refused("create_user", "", "x@example.org"), ValidationFailed)
    assert isinstance(await call.refused("create_user", "X", "nonsense"), ValidationFailed)
    assert isinstance(await call.refused("create_user", "X", "EVE@example.org"), AlreadyTaken)

    assert (await call("delete_user", dana.id)).ids == (dana.id,)
    assert isinstance(await call.refused("delete_user", dana.id), NotFound)
    assert [person.full_name for person in await call("list_users")] == ["Eve", "Owner"]


@story("list_users", "update_user", "delete_user")
async def the_owner_and_the_last_admin_stay(call: OperationRecorder) -> None:
    (owner,) = await call("list_users")
    assert isinstance(await call.refused("delete_user", owner.id), Conflict)
    assert isinstance(await call.refused("update_user", owner.id, role_id=EDITOR.id), Conflict)


@story("invite", "list_invitations", "revoke_invitation", "create_user", "list_users")
async def somebody_is_invited_again_and_not_any_more(call: OperationRecorder) -> None:
    first = await _invite(call, "Eve", "Eve@example.org", VIEWER.id)
    again = await _invite(call, "Eve Adams", "eve@example.org", EDITOR.id)
    await _invite(call, "Dana", "dana@example.org", VIEWER.id)
    assert again.id == first.id
    waiting = await call("list_invitations")
    assert [(item.full_name, item.role) for item in waiting] == [("Dana", VIEWER), ("Eve Adams", EDITOR)]
    assert len(await call("list_users")) == 1

    assert isinstance(await call.refused("invite", "X", "x@example.org", str(uuid4())), ValidationFailed)
    assert isinstance(await call.refused("invite", "X", "no address", VIEWER.id), ValidationFailed)
    assert isinstance(await call.refused("invite", "X", "owner@localhost", VIEWER.id), AlreadyTaken)
    assert isinstance(await call.refused("create_user", "X", "eve@example.org"), AlreadyTaken)
    assert (await call("revoke_invitation", first.id)).ids == (first.id,)
    assert isinstance(await call.refused("revoke_invitation", first.id), NotFound)
    assert (await call("create_user", "Eve", "eve@example.org")).email == "eve@example.org"
