"""People, their roles and invitations over HTTP."""

from patchbay.client.peer import Peer
from patchbay.client.service import at
from patchbay.domain.backend import Feature
from patchbay.domain.base import UserId
from patchbay.domain.changes import Change, Noun
from patchbay.domain.organise import Invitation, Role, User

_USERS = "/v1/users"
_USER = _USERS + "/{id}"
_INVITATIONS = "/v1/user-invitations"
_NOT_SAID = "The service does not say whether it mailed the link. If it did not, send it yourself."


class PeopleCalls:
    """Who is in and who is asked in. Other services of the interface list, remove and invite."""

    _peer: Peer

    async def list_users(self) -> tuple[User, ...]:
        return await self._peer.users()

    async def list_roles(self) -> tuple[Role, ...]:
        """Other services tell their roles only by the people who have them."""
        if await self._peer.is_ours():
            return (await self._peer.get("/v1/roles")).many(Role)
        people = [*await self.list_users(), *await self.list_invitations()]
        known = {person.role.id: person.role for person in people if person.role is not None}
        return tuple(sorted(known.values(), key=lambda role: (not role.is_admin, role.name.casefold())))

    async def create_user(self, full_name: str, email: str, role_id: str | None = None) -> User:
        service = await self._peer.require(Feature.PEOPLE)
        body = {"fullName": full_name, "email": email, "roleId": role_id}
        return (await service.send("POST", _USERS, body)).one(User)

    async def update_user(
        self, user_id: UserId, *, full_name: str | None = None, role_id: str | None = None
    ) -> User:
        service = await self._peer.require(Feature.PEOPLE)
        body = {"fullName": full_name, "roleId": role_id}
        return (await service.send("PATCH", at(_USER, id=user_id), body)).one(User)

    async def delete_user(self, user_id: UserId) -> Change:
        """Patient: their flows are taken back from the services that call them."""
        await self._peer.send("DELETE", at(_USER, id=user_id), patient=True)
        return Change(noun=Noun.USER, ids=(user_id,), action="deleted")

    async def list_invitations(self) -> tuple[Invitation, ...]:
        return await self._peer.everything(Invitation, _INVITATIONS)

    async def invite(self, full_name: str, email: str, role_id: str) -> Invitation:
        """Patient: the service may mail it first. The answer of other services has no role."""
        body = {"fullName": full_name, "email": email, "roleId": role_id}
        made = (await self._peer.send("POST", _INVITATIONS, body, patient=True)).one(Invitation)
        if await self._peer.is_ours():
            return made
        role = made.role or next((role for role in await self.list_roles() if role.id == role_id), None)
        return made.model_copy(update={"role": role, "notice": _NOT_SAID})

    async def withdraw_invitation(self, user_id: UserId) -> Change:
        await self._peer.send("DELETE", at(_INVITATIONS + "/{id}", id=user_id))
        return Change(noun=Noun.USER, ids=(user_id,), action="deleted")
