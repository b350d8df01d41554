"""The `Backend` protocol: everything the window, the service and the command line can ask of a workspace."""

from collections.abc import AsyncIterator, Mapping
from enum import StrEnum
from typing import Literal, Protocol

from patchbay.domain.access import Scope
from patchbay.domain.apps import AppInfo
from patchbay.domain.backend_admin import AdminBackend
from patchbay.domain.backend_flows import FlowBackend
from patchbay.domain.backend_runs import RunBackend
from patchbay.domain.base import (
    AppKey,
    ConnectionId,
    EpochMs,
    FlowId,
    FolderId,
    JsonObject,
    Model,
    TemplateId,
    UserId,
)
from patchbay.domain.changes import Change
from patchbay.domain.connections import Connection, SignIn
from patchbay.domain.engine import EngineHealth, RateLimit
from patchbay.domain.flows import Flow
from patchbay.domain.operation_rules import Audience, requires_scope
from patchbay.domain.organise import Folder, FolderStats, Template
from patchbay.domain.secrets import SecretsState, SecretsStorage


class Feature(StrEnum):
    """What a workspace may be unable to do."""

    CONNECTIONS = "connections"
    EDIT_FLOWS = "edit_flows"
    RUN_FLOWS = "run_flows"
    STEP_RESULTS = "step_results"
    STATISTICS = "statistics"
    LIVE_UPDATES = "live_updates"
    RUN_CONTROL = "run_control"
    ENGINE = "engine"
    FILTERS = "filters"
    """Filtering executions beyond the flow's name, success or failure, and time."""
    SEARCH = "search"
    ACCESS = "access"
    """API keys and the audit log."""
    PEOPLE = "people"
    """Changing people and their roles; inviting is part of the interface."""
    ADDRESS = "address"
    """The public address and how invitations are mailed."""
    TEMPLATES = "templates"
    CHANGES = "changes"
    """Changing anything at all; missing where the key may only look at things."""


class Capabilities(Model):
    """What this workspace cannot do, each with the reason to show beside the disabled control."""

    unavailable: Mapping[Feature, str] = {}

    def reason(self, feature: Feature) -> str | None:
        """Why the feature is missing; None when it is there."""
        return self.unavailable.get(feature)


class WorkspaceInfo(Model):
    """What the window says about where it is."""

    kind: Literal["demo", "local", "remote"]
    name: str
    address: str | None = None
    """Base address of the HTTP interface, None while nothing listens."""
    webhook_address: str | None = None
    """Base address of webhooks and of the redirect address, as others are told it."""
    offline_since: EpochMs | None = None
    """Since when the service has not answered; what is shown is from before. None: it answers."""
    secrets_kept: str = ""
    """One sentence: where credentials are kept, for forms and the status bar."""
    secrets_name: str = ""
    """The same in two words ("system keyring"), for the status bar."""
    secrets_problem: str | None = None
    """Why credentials cannot be used now, in words; None when all is well."""
    secrets_waiting: bool = False
    """Whether the place that keeps the key has been asked and has not answered: it may ask for a password."""
    version: str = ""


class Backend(FlowBackend, RunBackend, AdminBackend, Protocol):
    """One workspace. Every method raises only `AppError` kinds; writes are announced through `changes`."""

    capabilities: Capabilities

    # Workspace
    @requires_scope(Scope.READ, Audience.PUBLIC)
    async def info(self) -> WorkspaceInfo: ...
    @requires_scope(Scope.READ, Audience.OWNED)
    async def health(self) -> EngineHealth: ...
    @requires_scope(Scope.READ, Audience.OWNED)
    def changes(self) -> AsyncIterator[Change]:
        """Changes from now on, by anybody; ends when the workspace is closed."""
        ...

    @requires_scope(Scope.ADMIN, Audience.ADMIN_ONLY)
    async def close(self) -> None: ...

    # Apps
    @requires_scope(Scope.READ, Audience.OWNED)
    async def list_apps(self) -> tuple[AppInfo, ...]:
        """All apps by name, without auth, triggers and actions."""
        ...

    @requires_scope(Scope.READ, Audience.OWNED)
    async def get_app(self, key: AppKey) -> AppInfo:
        """One app with its auth fields, triggers and actions."""
        ...

    # Connections
    @requires_scope(Scope.READ, Audience.OWNED)
    async def list_connections(self, app_key: AppKey | None = None) -> tuple[Connection, ...]: ...
    @requires_scope(Scope.READ, Audience.OWNED)
    async def get_connection(self, connection_id: ConnectionId) -> Connection: ...
    @requires_scope(Scope.OPERATE, Audience.PUBLIC)
    async def add_connection(self, app_key: AppKey, values: JsonObject) -> Connection:
        """Verify the values with the third party, then store. Stores nothing when refused.

        Raises `ValidationFailed` for missing fields, `ThirdPartyError` with the service's own words,
        `NotSupported` when the app is connected in the browser (`begin_sign_in`).
        """
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def reconnect(
        self, connection_id: ConnectionId, values: JsonObject, *, accept_other_account: bool = False
    ) -> Connection:
        """Verify new values on the side and swap them in on success; the old ones work until then.

        Values left out (secrets the form does not show again) keep what is stored. Raises
        `DifferentAccount` when they belong to another account and that was not accepted.
        """
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def begin_sign_in(
        self, app_key: AppKey, values: JsonObject, connection_id: ConnectionId | None = None
    ) -> SignIn:
        """Prepare signing in at the third party, for a new connection or to reconnect the given one.

        Nothing is changed until `finish_sign_in`. Raises `ValidationFailed` for missing fields,
        `NotSupported` for apps that are connected without the browser.
        """
        ...

    @requires_scope(Scope.OPERATE, Audience.PUBLIC)
    async def finish_sign_in(self, sign_in_id: str, *, accept_other_account: bool = False) -> Connection:
        """Wait until the third party called back and the app has verified it; then store.

        May be cancelled and called again. Raises `ThirdPartyError` with the third party's words,
        `TimedOut` when nobody came back, `DifferentAccount` (call again and accept to go on),
        `NotFound` when the sign-in was cancelled or is unknown.
        """
        ...

    @requires_scope(Scope.OPERATE, Audience.PUBLIC)
    async def submit_callback(self, sign_in_id: str, address: str) -> None:
        """Hand in the address the browser ended at, when it could not come back by itself."""
        ...

    @requires_scope(Scope.OPERATE, Audience.PUBLIC)
    async def cancel_sign_in(self, sign_in_id: str) -> None:
        """Give a sign-in up; whoever waits for it gets `NotFound`. Nothing happens when it is unknown."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def duplicate_connection(self, connection_id: ConnectionId, screen_name: str) -> Connection:
        """A second connection with the same credentials.

        Raises `NotSupported` where they renew themselves: two holders of one renewal would end both.
        """
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def test_connection(self, connection_id: ConnectionId) -> Connection:
        """Ask the third party whether the credentials still hold; the answer is stored, never raised."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def rename_connection(self, connection_id: ConnectionId, screen_name: str) -> Connection: ...
    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def set_connection_rate_limit(
        self, connection_id: ConnectionId, limit: RateLimit | None
    ) -> Connection:
        """How many calls a time all flows together may make with it; None: what its app asks for."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def delete_connection(self, connection_id: ConnectionId) -> Change: ...
    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def restore_connection(self, connection_id: ConnectionId) -> Connection: ...

    # Where their secrets are
    @requires_scope(Scope.READ, Audience.OWNED)
    async def secrets_state(self) -> SecretsState: ...
    @requires_scope(Scope.ADMIN, Audience.ADMIN_ONLY)
    async def move_secrets(self, home: SecretsStorage) -> SecretsState:
        """Bring all secrets to the other home; each is read back there before the old ones are deleted."""
        ...

    @requires_scope(Scope.ADMIN, Audience.ADMIN_ONLY)
    async def change_secrets_key(self) -> int:
        """Encrypt all secrets under a new key and delete the old one; returns how many."""
        ...

    @requires_scope(Scope.ADMIN, Audience.ADMIN_ONLY)
    async def discard_lost_secrets(self) -> int:
        """Forget secrets whose key is lost, so that connections can be made anew; returns how many.

        Nothing happens while they can be opened. Cannot be undone.
        """
        ...

    # Folders and templates
    @requires_scope(Scope.READ, Audience.OWNED)
    async def list_folders(self, user_id: UserId | None = None) -> tuple[Folder, ...]: ...
    @requires_scope(Scope.READ, Audience.OWNED)
    async def folder_stats(self, user_id: UserId | None = None) -> tuple[FolderStats, ...]:
        """Of the folders and flows of this person; of everybody without one. Uncategorised flows last."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def create_folder(self, name: str, user_id: UserId | None = None) -> Folder: ...
    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def rename_folder(
        self, folder_id: FolderId, name: str, user_id: UserId | None = None
    ) -> Folder: ...
    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def delete_folder(self, folder_id: FolderId, user_id: UserId | None = None) -> Change:
        """Its flows become uncategorised and go on running."""
        ...

    @requires_scope(Scope.READ, Audience.PUBLIC)
    async def list_templates(self) -> tuple[Template, ...]:
        """Oldest first. Large parameters are shortened; `get_template` has all of them."""
        ...

    @requires_scope(Scope.READ, Audience.PUBLIC)
    async def get_template(self, template_id: TemplateId) -> Template: ...
    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def create_template(self, name: str, flow_id: FlowId) -> Template: ...
    @requires_scope(Scope.OPERATE, Audience.PUBLIC)
    async def delete_template(self, template_id: TemplateId) -> Change: ...
    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def use_template(self, template_id: TemplateId, user_id: UserId | None = None) -> Flow: ...
