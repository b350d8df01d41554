"""The part of the `Backend` protocol about people, keys, the audit log and how a workspace is reached."""

from typing import Protocol

from patchbay.domain.access import ApiKey, NewApiKey, Scope
from patchbay.domain.audit import AuditEntry, AuditFilter
from patchbay.domain.base import UserId
from patchbay.domain.changes import Change
from patchbay.domain.hosting import AddressTest, ServiceSettings
from patchbay.domain.operation_rules import Audience, requires_scope
from patchbay.domain.organise import Invitation, Role, User
from patchbay.domain.paging import Page, PageRequest


class AdminBackend(Protocol):
    """Who may come in, and who did what. Every method raises only `AppError` kinds; writes are announced."""

    # People
    @requires_scope(Scope.READ, Audience.OWNED)
    async def list_users(self) -> tuple[User, ...]:
        """Active people, by name."""
        ...

    @requires_scope(Scope.READ, Audience.PUBLIC)
    async def list_roles(self) -> tuple[Role, ...]:
        """From the one that may most to the one that may least."""
        ...

    @requires_scope(Scope.ADMIN, Audience.ADMIN_ONLY)
    async def create_user(self, full_name: str, email: str, role_id: str | None = None) -> User:
        """A person who is in at once, without an invitation; without a role, an editor.

        Raises `AlreadyTaken` for an e-mail address that is known, `ValidationFailed`.
        """
        ...

    @requires_scope(Scope.ADMIN, Audience.ADMIN_ONLY)
    async def update_user(
        self, user_id: UserId, *, full_name: str | None = None, role_id: str | None = None
    ) -> User:
        """Raises `Conflict` when the last admin would be none any more."""
        ...

    @requires_scope(Scope.ADMIN, Audience.ADMIN_ONLY)
    async def delete_user(self, user_id: UserId) -> Change:
        """Their keys end and their flows are unpublished; what they made stays and can be read.

        Raises `Conflict` for the owner of the workspace and for the last admin.
        """
        ...

    @requires_scope(Scope.ADMIN, Audience.ADMIN_ONLY)
    async def list_invitations(self) -> tuple[Invitation, ...]:
        """People who have been invited and have not come yet, by name."""
        ...

    @requires_scope(Scope.ADMIN, Audience.ADMIN_ONLY)
    async def invite(self, full_name: str, email: str, role_id: str) -> Invitation:
        """Invite for 72 hours; the link is in the answer this once, and mailed when mail is set up.

        Raises `AlreadyTaken` for the e-mail address of an active person, `ValidationFailed`. Somebody who was
        invited before gets a new link; the old one ends.
        """
        ...

    @requires_scope(Scope.ADMIN, Audience.ADMIN_ONLY)
    async def revoke_invitation(self, user_id: UserId) -> Change:
        """Raises `NotFound` for people who are in already."""
        ...

    # Keys and the audit log
    @requires_scope(Scope.ADMIN, Audience.ADMIN_ONLY)
    async def list_api_keys(self) -> tuple[ApiKey, ...]:
        """Oldest first, without their values."""
        ...

    @requires_scope(Scope.ADMIN, Audience.ADMIN_ONLY)
    async def create_api_key(
        self, name: str, scope: Scope = Scope.ADMIN, user_id: UserId | None = None
    ) -> NewApiKey:
        """Raises `ValidationFailed`, `NotFound` for a person who is not there."""
        ...

    @requires_scope(Scope.ADMIN, Audience.ADMIN_ONLY)
    async def revoke_api_key(self, key_id: str) -> Change: ...
    @requires_scope(Scope.ADMIN, Audience.ADMIN_ONLY)
    async def audit_log(self, where: AuditFilter, page: PageRequest) -> Page[AuditEntry]:
        """Newest first."""
        ...

    # How it is reached
    @requires_scope(Scope.ADMIN, Audience.ADMIN_ONLY)
    async def service_settings(self) -> ServiceSettings: ...
    @requires_scope(Scope.ADMIN, Audience.ADMIN_ONLY)
    async def change_service_settings(self, settings: ServiceSettings) -> ServiceSettings:
        """Takes effect at once. Raises `ValidationFailed` for an address that is none."""
        ...

    @requires_scope(Scope.ADMIN, Audience.ADMIN_ONLY)
    async def test_public_address(self, address: str | None = None) -> AddressTest:
        """Call the address (None: the one that holds now) from here and see whether the calls arrive."""
        ...
