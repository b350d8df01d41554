"""People, their roles and invitations over HTTP."""

from patchbay.client.service_adapter import ServiceAdapter
from patchbay.client.service_client import build_path
from patchbay.domain.backend import Feature
from patchbay.domain.base import UserId
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.people import Invitation, Role, User

_USERS = "/v1/users"
_USER = _USERS + "/{id}"
_INVITATIONS = "/v1/user-invitations"
_MAIL_UNKNOWN = "The server doesn't report whether it mailed the link. If it didn't, send it yourself."


class PeopleCalls:
    """Users, roles, and invitations. Automatisch servers can only list, remove, and invite people."""

    _adapter: ServiceAdapter

    async def list_users(self) -> tuple[User, ...]:
        return await self._adapter.users()

    async def list_roles(self) -> tuple[Role, ...]:
        """Automatisch servers have no list of roles, so those of their people are collected."""
        if await self._adapter.is_patchbay():
            return (await self._adapter.get("/v1/roles")).many(Role)
        people = [*await self.list_users(), *await self.list_invitations()]
        known = {person.role.id: person.role for person in people if person.role is not None}
        return tuple(sorted(known.values(), key=lambda role: (not role.is_admin, role.name.casefold())))

    async def create_user(self, full_name: str, email: str, role_id: str | None = None) -> User:
        service = await self._adapter.require(Feature.PEOPLE)
        body = {"fullName": full_name, "email": email, "roleId": role_id}
        return (await service.send("POST", _USERS, body)).one(User)

    async def update_user(
        self, user_id: UserId, *, full_name: str | None = None, role_id: str | None = None
    ) -> User:
        service = await self._adapter.require(Feature.PEOPLE)
        body = {"fullName": full_name, "roleId": role_id}
        return (await service.send("PATCH", build_path(_USER, id=user_id), body)).one(User)

    async def delete_user(self, user_id: UserId) -> Change:
        """Uses the long timeout: webhooks at third parties are deregistered first."""
        await self._adapter.send("DELETE", build_path(_USER, id=user_id), long_timeout=True)
        return Change(noun=ResourceType.USER, ids=(user_id,), action="deleted")

    async def list_invitations(self) -> tuple[Invitation, ...]:
        return await self._adapter.list_all(Invitation, _INVITATIONS)

    async def invite(self, full_name: str, email: str, role_id: str) -> Invitation:
        """Uses the long timeout: the server may mail the link. Automatisch's response has no role."""
        body = {"fullName": full_name, "email": email, "roleId": role_id}
        created = (await self._adapter.send("POST", _INVITATIONS, body, long_timeout=True)).one(Invitation)
        if await self._adapter.is_patchbay():
            return created
        role = created.role or next((role for role in await self.list_roles() if role.id == role_id), None)
        return created.model_copy(update={"role": role, "notice": _MAIL_UNKNOWN})

    async def revoke_invitation(self, user_id: UserId) -> Change:
        await self._adapter.send("DELETE", build_path(_INVITATIONS + "/{id}", id=user_id))
        return Change(noun=ResourceType.USER, ids=(user_id,), action="deleted")
