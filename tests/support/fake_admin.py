"""The part of the fake backend that is about people, keys, the audit log and how it is reached."""

from typing import Any

from tests.support.fake_queries import found, page_of
from tests.support.fake_state import FakeState
from tests.support.fake_workspace import MINUTE, NOW

from patchbay.domain.access import ApiKey, NewApiKey, Scope
from patchbay.domain.audit_log import Actor, ActorKind, AuditAction, AuditEntry, AuditFilter
from patchbay.domain.base import UserId
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.errors import AlreadyTaken, Conflict
from patchbay.domain.hosting import AddressCheck, AddressTest, ServiceSettings
from patchbay.domain.paging import Page, PageRequest
from patchbay.domain.people import ADMIN, EDITOR, ROLES, VIEWER, Invitation, Role, User

HOUR = 60 * MINUTE
DAY = 24 * HOUR


class FakeAdmin(FakeState):
    """Part of `FakeBackend`: users, API keys, the audit log, and the public address."""

    def prepare_admin(self) -> None:
        people = (
            ("user-1", "Anna Lindqvist", "anna@example.org", ADMIN),
            ("user-2", "Bora Aydın", "bora@example.org", EDITOR),
            ("user-3", "Chidi Okafor", "chidi@example.org", VIEWER),
        )
        self.users = {
            key: User(id=UserId(key), full_name=name, email=email, role=role, created_at=NOW - 40 * DAY)
            for key, name, email, role in people
        }
        self.invitations = {
            "user-4": Invitation(
                id=UserId("user-4"),
                full_name="Dana Mori",
                email="dana@example.org",
                role=EDITOR,
                expires_at=NOW + 60 * HOUR,
                created_at=NOW - 12 * HOUR,
            )
        }
        keys = (
            ("key-1", "Nightly export", Scope.READ, None, NOW - 3 * HOUR),
            ("key-2", "Anna’s laptop", Scope.ADMIN, "user-1", NOW - 2 * MINUTE),
            ("key-3", "Build server", Scope.OPERATE, "user-2", None),
        )
        self.api_keys = {
            key: ApiKey(
                id=key,
                name=name,
                hint="5f1c...90ab",
                scope=scope,
                user_id=UserId(user),
                created_at=NOW - 30 * DAY,
                last_used_at=used,
            )
            for key, name, scope, user, used in keys
        }
        self.audit = [_entry(number) for number in range(240)]
        self.hosting = ServiceSettings()
        self.address_test: AddressTest | None = None
        """What `test_public_address` answers; None makes up a good answer."""

    # People
    async def list_users(self) -> tuple[User, ...]:
        await self._enter("list_users")
        return tuple(sorted(self.users.values(), key=lambda user: user.full_name))

    async def list_roles(self) -> tuple[Role, ...]:
        await self._enter("list_roles")
        return ROLES

    async def create_user(self, full_name: str, email: str, role_id: str | None = None) -> User:
        await self._enter("create_user", full_name, email, role_id)
        self._require_free(email)
        made = User(
            id=UserId(self._new_id("user")),
            full_name=full_name,
            email=email.lower(),
            role=_role(role_id),
            created_at=NOW,
            updated_at=NOW,
        )
        self.users[made.id] = made
        self.announce(ResourceType.USER, made.id, action="created")
        return made

    async def update_user(
        self, user_id: UserId, *, full_name: str | None = None, role_id: str | None = None
    ) -> User:
        await self._enter("update_user", user_id, full_name, role_id)
        before = found(self.users, user_id, "person")
        update: dict[str, Any] = {"full_name": full_name or before.full_name}
        if role_id:
            update["role"] = _role(role_id)
        self.users[user_id] = made = before.model_copy(update=update)
        self.announce(ResourceType.USER, user_id)
        return made

    async def delete_user(self, user_id: UserId) -> Change:
        await self._enter("delete_user", user_id)
        if user_id == "user-1":
            raise Conflict("Anna Lindqvist owns this workspace and can't be removed.")
        found(self.users, user_id, "person")
        del self.users[user_id]
        return self.announce(ResourceType.USER, user_id, action="deleted")

    async def list_invitations(self) -> tuple[Invitation, ...]:
        await self._enter("list_invitations")
        return tuple(sorted(self.invitations.values(), key=lambda item: item.full_name))

    async def invite(self, full_name: str, email: str, role_id: str) -> Invitation:
        await self._enter("invite", full_name, email, role_id)
        self._require_free(email)
        made = Invitation(
            id=UserId(self._new_id("user")),
            full_name=full_name,
            email=email.lower(),
            role=_role(role_id),
            expires_at=NOW + 72 * HOUR,
            created_at=NOW,
            mailed=self.hosting.mail_connection_id is not None,
        )
        self.invitations[made.id] = made
        self.announce(ResourceType.USER, made.id, action="created")
        link = f"http://127.0.0.1:8787/accept-invitation?token={'3f' * 32}"
        return made.model_copy(update={"accept_invitation_url": link})

    async def revoke_invitation(self, user_id: UserId) -> Change:
        await self._enter("revoke_invitation", user_id)
        found(self.invitations, user_id, "invitation")
        del self.invitations[user_id]
        return self.announce(ResourceType.USER, user_id, action="deleted")

    # Keys and the audit log
    async def list_api_keys(self) -> tuple[ApiKey, ...]:
        await self._enter("list_api_keys")
        return tuple(self.api_keys.values())

    async def create_api_key(
        self, name: str, scope: Scope = Scope.ADMIN, user_id: UserId | None = None
    ) -> NewApiKey:
        await self._enter("create_api_key", name, scope, user_id)
        made = ApiKey(
            id=self._new_id("key"),
            name=name,
            hint="c0ff...ee00",
            scope=scope,
            user_id=user_id,
            created_at=NOW,
        )
        self.api_keys[made.id] = made
        self.announce(ResourceType.API_KEY, made.id, action="created")
        return NewApiKey(key=made, value="c0ff" + "0" * 88 + "ee00")

    async def revoke_api_key(self, key_id: str) -> Change:
        await self._enter("revoke_api_key", key_id)
        found(self.api_keys, key_id, "key")
        del self.api_keys[key_id]
        return self.announce(ResourceType.API_KEY, key_id, action="deleted")

    async def audit_log(self, where: AuditFilter, page: PageRequest) -> Page[AuditEntry]:
        await self._enter("audit_log", where, page)
        return page_of([item for item in self.audit if _matches(item, where)], page)

    # How it is reached
    async def service_settings(self) -> ServiceSettings:
        await self._enter("service_settings")
        return self.hosting

    async def change_service_settings(self, settings: ServiceSettings) -> ServiceSettings:
        await self._enter("change_service_settings", settings)
        self.hosting = settings
        self.announce(ResourceType.WORKSPACE)
        return settings

    async def test_public_address(self, address: str | None = None) -> AddressTest:
        await self._enter("test_public_address", address)
        base = address or self.hosting.public_address or "http://127.0.0.1:8787"
        checks = (
            AddressCheck(name="Webhooks", url=f"{base}/webhooks/self-test", ok=True, words="Arrived here."),
            AddressCheck(name="Sign-ins", url=f"{base}/oauth/callback", ok=True, words="Arrived here."),
        )
        return self.address_test or AddressTest(address=base, checks=checks)

    def _require_free(self, email: str) -> None:
        if email.lower() in {user.email for user in self.users.values()}:
            raise AlreadyTaken({"email": ["A user with this email address already exists."]})


def _role(role_id: str | None) -> Role:
    return next((role for role in ROLES if role.id == role_id), EDITOR)


_ACTORS = (
    Actor(kind=ActorKind.WINDOW, name="This computer"),
    Actor(kind=ActorKind.KEY, name="Build server", id="key-3", user_id=UserId("user-2"), address="10.0.4.17"),
    Actor(kind=ActorKind.COMMAND, name="This computer"),
)
_DEEDS = (
    (AuditAction.PUBLISHED, ResourceType.FLOW, "flow-issues", "GitHub issue to Todoist"),
    (AuditAction.RENAMED, ResourceType.FOLDER, "folder-ops", "Operations"),
    (AuditAction.RECONNECTED, ResourceType.CONNECTION, "con-1", "anna@todoist"),
    (AuditAction.CREATED, ResourceType.API_KEY, "key-3", "Build server"),
    (AuditAction.UPDATED, ResourceType.FLOW, "flow-inventory", "Low inventory alert"),
    (AuditAction.UPDATED, ResourceType.WORKSPACE, None, ""),
    (AuditAction.DELETED, ResourceType.TEMPLATE, "tpl-9", "Old report"),
)


def _entry(number: int) -> AuditEntry:
    deed, noun, key, name = _DEEDS[number % len(_DEEDS)]
    return AuditEntry(
        id=1000 - number,
        at=NOW - number * 37 * MINUTE,
        actor=_ACTORS[number % 3],
        deed=deed,
        noun=noun,
        subject_id=key,
        subject=name,
    )


def _matches(item: AuditEntry, where: AuditFilter) -> bool:
    text = (where.text or "").casefold()
    return (
        (text in item.subject.casefold() or text in item.actor.name.casefold())
        and (where.noun is None or item.noun is where.noun)
        and (where.subject_id is None or item.subject_id == where.subject_id)
        and (where.actor_id is None or item.actor.id == where.actor_id)
        and (where.after is None or item.at >= where.after)
        and (where.before is None or item.at <= where.before)
    )
