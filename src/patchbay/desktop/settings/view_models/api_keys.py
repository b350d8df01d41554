"""API keys: the list, creating, and revoking."""

import asyncio
from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QObject

from patchbay.desktop.core.language import tr
from patchbay.desktop.core.services import Services
from patchbay.desktop.settings.view_models.access_list import AccessListViewModel
from patchbay.desktop.settings.view_models.dialog_form import DialogForm
from patchbay.desktop.settings.view_models.role_labels import role_phrase
from patchbay.domain.access import ApiKey, Scope
from patchbay.domain.backend import Backend, Feature, WorkspaceInfo
from patchbay.domain.base import UserId
from patchbay.domain.errors import AppError
from patchbay.domain.people import User

HEADER = "x-api-token"

SCOPES: Mapping[Scope, tuple[str, str]] = {
    Scope.READ: (tr("Read-only"), tr("Can view flows, executions, connections, folders, and templates.")),
    Scope.OPERATE: (
        tr("Can run flows"),
        tr("Can also create, edit, publish, and run flows, retry executions, and add connections."),
    ),
    Scope.ADMIN: (
        tr("Full access"),
        tr(
            "Can also manage people, API keys, and settings, and view the audit log. Anyone with this key "
            "can do everything you can."
        ),
    ),
}
"""The label of each scope, and what it allows."""

SCOPE_PHRASES: Mapping[Scope, str] = {
    Scope.READ: tr("read-only", "scope in a sentence"),
    Scope.OPERATE: tr("can run flows", "scope in a sentence"),
    Scope.ADMIN: tr("full access", "scope in a sentence"),
}
"""The label of each scope inside a sentence."""

AccessData = tuple[tuple[ApiKey, ...], tuple[User, ...], WorkspaceInfo]


class ApiKeysViewModel(AccessListViewModel):
    """The keys, newest first, without their values, with live updates."""

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(services, parent)
        self.keys: tuple[ApiKey, ...] | None = None
        self.people: tuple[User, ...] = ()
        self.info: WorkspaceInfo | None = None
        self.revoking: frozenset[str] = frozenset()
        """Keys that are being revoked."""

    @property
    def unavailable_reason(self) -> str | None:
        """Why keys can't be managed here; None if they can."""
        return self._backend.capabilities.reason(Feature.ACCESS)

    @property
    def address(self) -> str | None:
        """The URL of the API; None while nothing listens."""
        return self.info.address if self.info else None

    @property
    def is_remote(self) -> bool:
        """Whether this window signs in with a key."""
        return self.info is not None and self.info.kind == "remote"

    def _read(self) -> None:
        if self.unavailable_reason is None:
            self._load_request.run(_read(self._backend), done=self._on_loaded, failed=self._on_load_failed)

    def owner(self, key: ApiKey) -> str:
        """The name of the key's owner; empty for a key without one, which has access to everything."""
        if key.user_id is None:
            return ""
        return next(
            (person.full_name for person in self.people if person.id == key.user_id), tr("a former member")
        )

    def reach(self, key: ApiKey) -> Scope:
        """The current scope of the key, limited by its owner's role."""
        role = next((person.role for person in self.people if person.id == key.user_id), None)
        return key.scope if role is None or role.scope.allows(key.scope) else role.scope

    def revoke(self, key: ApiKey) -> None:
        """Revoke a key. This can't be undone."""
        self.revoking = self.revoking | {key.id}
        self.command_error = None
        self.success_message = ""
        self.services.tasks.run(
            self,
            self._backend.revoke_api_key(key.id),
            done=lambda _: self._on_revoked(key),
            failed=partial(self._on_revoke_failed, key),
        )
        self.changed.emit()

    def _on_revoked(self, key: ApiKey) -> None:
        self.revoking -= {key.id}
        self.keys = tuple(other for other in self.keys or () if other.id != key.id)
        self.success_message = tr("“{name}” revoked.", name=key.name)
        self.changed.emit()

    def _on_revoke_failed(self, key: ApiKey, error: AppError) -> None:
        self.revoking -= {key.id}
        self.command_error = error
        self.refresh()
        self.changed.emit()

    def _on_loaded(self, result: AccessData) -> None:
        keys, self.people, self.info = result
        self.keys = tuple(sorted(keys, key=lambda key: key.created_at, reverse=True))
        self.loaded, self.error = True, None
        self.changed.emit()


class NewKeyForm(DialogForm):
    """Creates a key. `done` carries the `NewApiKey` with its value, which isn't stored."""

    fields = ("name", "userId", "scope")

    def submit(self, name: str, scope: Scope, user_id: UserId | None) -> None:
        """Create the key, or show what is missing."""
        name = name.strip()
        if not self._show_field_errors(
            {} if name else {"name": tr("Enter what the key is for, such as “Nightly export”.")}
        ):
            self._submit(self._backend.create_api_key(name, scope, user_id))


def scope_limit_text(scope: Scope, person: User | None) -> str:
    """The text about what limits a key below its scope; empty if nothing does."""
    role = person.role if person else None
    if person is None or role is None:
        return ""
    reach = "" if role.is_admin else tr("Limited to what {name} can see.", name=person.full_name)
    if role.scope.allows(scope):
        return reach
    name, phrase = role_phrase(role), SCOPE_PHRASES[role.scope]
    if name[:1].lower() in tuple("aeiou"):
        limit = tr("An {role}'s role limits the key to “{scope}”.", role=name, scope=phrase)
    else:
        limit = tr("A {role}'s role limits the key to “{scope}”.", role=name, scope=phrase)
    return f"{reach} {limit}".lstrip()


def curl_command(address: str, value: str = "YOUR_KEY") -> str:
    """An example request, to paste into a terminal."""
    return f"curl -H '{HEADER}: {value}' {address.rstrip('/')}/v1/flows"


async def _read(backend: Backend) -> AccessData:
    keys, people, info = await asyncio.gather(backend.list_api_keys(), backend.list_users(), backend.info())
    return keys, people, info
