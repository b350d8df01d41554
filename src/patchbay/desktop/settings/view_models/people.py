"""People of a workspace: their roles, invitations, and the effects of removing them."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

from PySide6.QtCore import QObject

from patchbay.desktop.core.language import tr, tr_count
from patchbay.desktop.core.services import Services
from patchbay.desktop.settings.view_models.access_list import AccessListViewModel
from patchbay.desktop.settings.view_models.dialog_form import DialogForm
from patchbay.desktop.settings.view_models.role_labels import role_phrase
from patchbay.desktop.tasks.task import Work
from patchbay.domain.access import ApiKey
from patchbay.domain.backend import Backend, Feature
from patchbay.domain.base import EpochMs
from patchbay.domain.changes import Change
from patchbay.domain.clock import DAY_MS, HOUR_MS
from patchbay.domain.errors import AppError, Forbidden, NotSupported
from patchbay.domain.people import Invitation, Role, User

T = TypeVar("T")


_REMOVAL_NOTE = tr(
    "Their flows are unpublished and don't run any more. Their data is kept, and admins can view it. "
    "This can't be undone."
)
_REMOVAL_NOTE_ELSEWHERE = tr(
    "This server decides what happens to their data: Automatisch deletes their flows, connections, and "
    "folders, and erases them after 30 days. This can't be undone."
)
_WITHDRAWAL_NOTE_ELSEWHERE = tr(
    "The email address may stay reserved: on Automatisch, it can't be invited again."
)

PeopleData = tuple[tuple[User, ...], tuple[Role, ...], tuple[Invitation, ...] | None, tuple[ApiKey, ...]]


class PeopleViewModel(AccessListViewModel):
    """People and invitations, with live updates. `busy` has the IDs of those being changed."""

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(services, parent)
        self.people: tuple[User, ...] | None = None
        self.roles: tuple[Role, ...] = ()
        self.invitations: tuple[Invitation, ...] = ()
        self.keys: tuple[ApiKey, ...] = ()
        self.can_manage = False
        """Whether people can be invited and removed, even if changing roles is unavailable."""
        self.busy: frozenset[str] = frozenset()

    @property
    def unavailable_reason(self) -> str | None:
        """Why people and their roles can't be changed here; None if they can."""
        return self._backend.capabilities.reason(Feature.PEOPLE)

    @property
    def removal_note(self) -> str:
        """What happens to the flows of a person who is removed."""
        return _REMOVAL_NOTE if self.unavailable_reason is None else _REMOVAL_NOTE_ELSEWHERE

    @property
    def withdrawal_note(self) -> str:
        """Whether someone can be invited again after their invitation was revoked."""
        return (
            tr("You can invite them again.")
            if self.unavailable_reason is None
            else _WITHDRAWAL_NOTE_ELSEWHERE
        )

    @property
    def is_alone(self) -> bool:
        """Whether there is only one user and no open invitation."""
        return self.people is not None and len(self.people) < 2 and not self.invitations

    def is_last_admin(self, person: User) -> bool:
        """Whether this is the only admin, as far as roles are known."""
        admins = [each.id for each in self.people or () if each.role is not None and each.role.is_admin]
        return admins == [person.id]

    def _read(self) -> None:
        with_keys = self._backend.capabilities.reason(Feature.ACCESS) is None
        self._load_request.run(
            _read(self._backend, with_keys), done=self._on_loaded, failed=self._on_load_failed
        )

    def change_role(self, person: User, role: Role) -> None:
        """Change a role. The list shows the new one immediately, and the old one again if that fails."""
        if person.role is None or role.id != person.role.id:
            changed = person.model_copy(update={"role": role})
            self.people = tuple(changed if each.id == person.id else each for each in self.people or ())
            message = tr("{name}'s role is now {role}.", name=person.full_name, role=role_phrase(role))
            self._run_command(person, self._backend.update_user(person.id, role_id=role.id), message)

    def remove(self, person: User) -> None:
        """Remove a person. Their keys are revoked and their flows stop. This can't be undone."""
        self._run_command(
            person, self._backend.delete_user(person.id), tr("{name} removed.", name=person.full_name)
        )

    def revoke_invitation(self, invitation: Invitation) -> None:
        """Revoke an invitation, so that its link no longer works."""
        work = self._backend.revoke_invitation(invitation.id)
        message = tr("Invitation for {name} revoked.", name=invitation.full_name)
        self._run_command(invitation, work, message)

    def keys_of(self, person: User) -> tuple[ApiKey, ...]:
        """The keys that are revoked when this person is removed."""
        return tuple(key for key in self.keys if key.user_id == person.id)

    def _run_command(self, person: User, work: Work, message: str) -> None:
        def done(result: object) -> None:
            if isinstance(result, Change):  # the person or invitation no longer exists
                self.people = tuple(each for each in self.people or () if each.id != person.id)
                self.invitations = tuple(each for each in self.invitations if each.id != person.id)
            self.success_message = message
            self._on_ended(person)

        self.busy = self.busy | {person.id}
        self.command_error = None
        self.success_message = ""
        self.services.tasks.run(self, work, done=done, failed=partial(self._on_failed, person))
        self.changed.emit()

    def _on_failed(self, person: User, error: AppError) -> None:
        self.command_error = error
        self._on_ended(person)

    def _on_ended(self, person: User) -> None:
        self.busy -= {person.id}
        self.refresh()
        self.changed.emit()

    def _on_loaded(self, result: PeopleData) -> None:
        self.people, self.roles, invitations, self.keys = result
        self.invitations, self.can_manage = invitations or (), invitations is not None and bool(self.roles)
        self.loaded, self.error = True, None
        self.changed.emit()


class InviteForm(DialogForm):
    """Invites someone. `done` carries the `Invitation` with its link, which isn't stored."""

    fields = ("fullName", "email", "roleId")

    def submit(self, full_name: str, email: str, role_id: str | None) -> None:
        """Create the invitation, or show what is missing."""
        full_name, email = full_name.strip(), email.strip()
        field_errors = {
            "fullName": "" if full_name else tr("Enter the name of the person."),
            "email": "" if _is_email(email) else tr("Enter an email address such as dana@example.org."),
            "roleId": "" if role_id else tr("Choose a role."),
        }
        if not self._show_field_errors({key: message for key, message in field_errors.items() if message}):
            self._submit(self._backend.invite(full_name, email, role_id or ""))


def _is_email(text: str) -> bool:
    name, _, host = text.rpartition("@")
    return bool(name and host) and not any(char.isspace() for char in text)


def expiry_text(invitation: Invitation, now: EpochMs) -> str:
    """The text about when an invitation expires."""
    if invitation.expires_at is None:
        return tr("Invited")
    left = invitation.expires_at - now
    if left <= 0:
        return tr("Expired")
    if left < HOUR_MS:
        return tr("Expires in less than 1 hour")
    if left >= 2 * DAY_MS:
        return tr_count(left // DAY_MS, "Expires in {n} day", "Expires in {n} days")
    return tr_count(left // HOUR_MS, "Expires in {n} hour", "Expires in {n} hours")


async def _read(backend: Backend, with_keys: bool) -> PeopleData:
    """Load people, roles, invitations, and keys; None for invitations if they can't be listed."""
    people, roles, invitations, keys = await asyncio.gather(
        backend.list_users(),
        _if_allowed(backend.list_roles),
        _if_allowed(backend.list_invitations),
        _if_allowed(backend.list_api_keys) if with_keys else _no_result(),
    )
    return people, roles or (), invitations, keys or ()


async def _if_allowed(fetch: Callable[[], Awaitable[tuple[T, ...]]]) -> tuple[T, ...] | None:
    """The result; None if the server doesn't offer it or denies access."""
    try:
        return await fetch()
    except (NotSupported, Forbidden):
        return None


async def _no_result() -> None:
    return None
