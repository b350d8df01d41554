"""The `Backend` protocol: everything the window, the service and the command line can ask of a workspace."""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from enum import StrEnum
from typing import Literal, Protocol

from patchbay.domain.access import ApiKey, Audience, NewApiKey, Scope, requires_scope
from patchbay.domain.apps import AppInfo
from patchbay.domain.audit_log import AuditEntry, AuditFilter
from patchbay.domain.base import (
    AppKey,
    ConnectionId,
    EpochMs,
    ExecutionId,
    FlowId,
    FolderId,
    Json,
    JsonObject,
    Model,
    StepId,
    TemplateId,
    UserId,
)
from patchbay.domain.changes import Change
from patchbay.domain.connections import Connection, SecretsState, SecretsStorage, SignIn
from patchbay.domain.engine import CleanupResult, EngineHealth, EngineSettings, RateLimit, StorageUsage
from patchbay.domain.executions import (
    BulkRetry,
    Execution,
    ExecutionFilter,
    ExecutionStep,
    FlowActivity,
    Histogram,
    HistoryCopy,
    ReplayOn,
    SearchPage,
)
from patchbay.domain.fields import Argument, Option
from patchbay.domain.flows import Flow, FlowExport, FlowFilter, FlowSettings, StepChange, StructuralType
from patchbay.domain.folders import Folder, FolderStats, Template
from patchbay.domain.hosting import AddressTest, ServiceSettings
from patchbay.domain.paging import Page, PageRequest
from patchbay.domain.people import Invitation, Role, User

# MERGED: The part of the `Backend` protocol that is about flows and their steps.


class StepTest(Model):
    """The answer to testing a step: the flow as it is now and what the step did."""

    flow: Flow
    execution_id: ExecutionId
    result: ExecutionStep


class FlowBackend(Protocol):
    """Building flows. Every method raises only `AppError` kinds; writes are announced."""

    # Flows
    @requires_scope(Scope.READ, Audience.OWNED)
    async def list_flows(self, where: FlowFilter, page: PageRequest) -> Page[Flow]:
        """Published first, then last updated first."""
        ...

    @requires_scope(Scope.READ, Audience.OWNED)
    async def get_flow(self, flow_id: FlowId) -> Flow: ...
    @requires_scope(Scope.READ, Audience.OWNED)
    async def flow_activity(self, flow_ids: Sequence[FlowId]) -> tuple[FlowActivity, ...]: ...
    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def create_flow(
        self, name: str | None = None, folder_id: FolderId | None = None, user_id: UserId | None = None
    ) -> Flow:
        """A new flow with an empty trigger and an empty action, of this user or of the owner."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def update_flow(
        self, flow_id: FlowId, *, name: str | None = None, execution_interval: int | None = None
    ) -> Flow: ...
    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def change_flow_settings(self, flow_id: FlowId, settings: FlowSettings) -> Flow:
        """Takes effect at once, also for a published flow. Raises `ValidationFailed` (unknown time zone)."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def pause_flow(self, flow_id: FlowId) -> Flow:
        """Hold a published flow: events are kept, nothing of it runs. Raises `Conflict` for a draft."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED, starts_runs=True)
    async def resume_flow(self, flow_id: FlowId) -> Flow:
        """Go on, with what was kept meanwhile. Nothing happens to a flow that is not paused."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def move_flow(self, flow_id: FlowId, folder_id: FolderId | None) -> Flow: ...
    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def duplicate_flow(self, flow_id: FlowId) -> Flow: ...
    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def delete_flow(self, flow_id: FlowId) -> Change:
        """Unpublish and hide; `restore_flow` brings it back as a draft."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def restore_flow(self, flow_id: FlowId) -> Flow: ...
    @requires_scope(Scope.OPERATE, Audience.PUBLIC)
    async def import_flow(self, export: FlowExport) -> Flow: ...
    @requires_scope(Scope.READ, Audience.OWNED)
    async def export_flow(self, flow_id: FlowId) -> FlowExport: ...
    @requires_scope(Scope.OPERATE, Audience.OWNED, starts_runs=True)
    async def publish_flow(self, flow_id: FlowId, *, seen: EpochMs | None = None) -> Flow:
        """Freeze the draft as the next version and make it live. Raises `FlowNotReady` with blockers.

        `seen` is `updated_at` of the flow that whoever publishes looked at: raises `Conflict` when it was
        changed since, so that nobody approves what they didn't see.
        A flow that was paused for its failures goes on; one that a person paused stays so.
        """
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def unpublish_flow(self, flow_id: FlowId) -> Flow:
        """Back to a draft; what is under way goes on. What a paused flow kept is cancelled."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED, starts_runs=True)
    async def run_flow(self, flow_id: FlowId, item: Json = None) -> ExecutionId:
        """Start the published version now (the draft as a test run when never published).

        `item` is the trigger's output; None asks the trigger for one. Returns once accepted.
        """
        ...

    # Steps of the draft
    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def add_step(
        self,
        flow_id: FlowId,
        after: StepId | None = None,
        *,
        inside: StepId | None = None,
        kind: StructuralType = StructuralType.SINGLE,
    ) -> Flow:
        """A new step behind `after` and all it holds, or as the first one `inside` a branch or loop.

        Neither: at the end of the flow. New paths come with two branches, the second of which is taken when
        the first is not; a new branch goes to the end of the paths it is `inside`, though before that one.
        Raises `ValidationFailed` where such a step cannot be.
        """
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def update_step(self, step_id: StepId, change: StepChange) -> Flow:
        """Any edit makes the step incomplete again."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def move_step(self, step_id: StepId, position: int, *, inside: StepId | None = None) -> Flow:
        """Take the step, with all it holds, to this position; 1 is the trigger's.

        Positions are those without the moved steps. `inside` says which step holds it there, None: none.
        """
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def delete_step(self, step_id: StepId) -> Flow: ...
    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def restore_step(self, step_id: StepId) -> Flow: ...
    @requires_scope(Scope.OPERATE, Audience.OWNED, starts_runs=True)
    async def test_step(self, step_id: StepId) -> StepTest:
        """Run this one step with the newest data of the steps before it. Completed only when it passed."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def skip_step_test(self, step_id: StepId) -> Flow: ...
    @requires_scope(Scope.READ, Audience.OWNED)
    async def step_samples(self, flow_id: FlowId) -> tuple[ExecutionStep, ...]:
        """The newest successful result of each step, for value pickers; at most one per step."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def dynamic_options(
        self, step_id: StepId, loader: str, parameters: JsonObject
    ) -> tuple[Option, ...]: ...
    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def dynamic_fields(
        self, step_id: StepId, loader: str, parameters: JsonObject
    ) -> tuple[Argument, ...]: ...


# MERGED: The part of the `Backend` protocol that is about executions and the engine that runs them.


class RunBackend(Protocol):
    """What ran, and what is to become of it."""

    # Executions
    @requires_scope(Scope.READ, Audience.OWNED)
    async def list_executions(self, where: ExecutionFilter, page: PageRequest) -> Page[Execution]:
        """Newest first."""
        ...

    @requires_scope(Scope.READ, Audience.OWNED)
    async def search_executions(
        self, text: str, where: ExecutionFilter, cursor: str | None = None
    ) -> SearchPage:
        """One bounded stretch of a search for text in what steps took in and put out, and in errors.

        Upper and lower case are the same. From the newest execution or from `cursor` on backwards.
        """
        ...

    @requires_scope(Scope.READ, Audience.PUBLIC)
    async def history_copy(self) -> HistoryCopy:
        """How the copy of a remote history stands."""
        ...

    @requires_scope(Scope.OPERATE, Audience.PUBLIC)
    async def start_history_download(self) -> HistoryCopy:
        """Go on reading it in the background. Nothing happens where none is needed."""
        ...

    @requires_scope(Scope.OPERATE, Audience.PUBLIC)
    async def stop_history_download(self) -> HistoryCopy:
        """Keep what is there and read no more."""
        ...

    @requires_scope(Scope.READ, Audience.OWNED)
    async def get_execution(self, execution_id: ExecutionId) -> Execution: ...
    @requires_scope(Scope.READ, Audience.OWNED)
    async def execution_steps(self, execution_id: ExecutionId) -> tuple[ExecutionStep, ...]:
        """Every attempt of every step, in the order they ran."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def cancel_execution(self, execution_id: ExecutionId) -> Execution:
        """End an unfinished run now. A step on its way is cut off: its outcome is unknown.

        Flows it called and waits for are cancelled with it. Raises `Conflict` when it is finished.
        """
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED, starts_runs=True)
    async def resume_execution(self, execution_id: ExecutionId) -> Execution:
        """Stop waiting for a retry, or for a host or connection that asked to wait (429), and go on now.

        All runs that wait for the same host or connection go on. Raises `Conflict` for other waits.
        """
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED, starts_runs=True)
    async def retry_execution(self, execution_id: ExecutionId) -> ExecutionId:
        """A new execution that goes on from the failed step, with what the steps before it put out.

        Raises `Conflict` for executions that did not fail.
        """
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED, starts_runs=True)
    async def continue_execution(self, execution_id: ExecutionId) -> ExecutionId:
        """A new execution that goes on after the interrupted step that ended this one, which counts as done.

        Raises `Conflict` for executions that ended otherwise.
        """
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED, starts_runs=True)
    async def replay_execution(
        self, execution_id: ExecutionId, *, item: Json = None, on: ReplayOn = ReplayOn.ORIGINAL
    ) -> ExecutionId:
        """A new execution from the start, on what the trigger put out then, or on `item` in its place."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED, starts_runs=True)
    async def retry_executions(self, where: ExecutionFilter) -> BulkRetry:
        """Begin to retry every failed execution that matches; `bulk_retry` tells how far it is."""
        ...

    @requires_scope(Scope.READ, Audience.PUBLIC)
    async def bulk_retry(self, job_id: str) -> BulkRetry: ...
    @requires_scope(Scope.OPERATE, Audience.PUBLIC)
    async def cancel_bulk_retry(self, job_id: str) -> BulkRetry:
        """Retry no more of them; what was begun goes on."""
        ...

    @requires_scope(Scope.READ, Audience.OWNED)
    async def histogram(self, where: ExecutionFilter, start: EpochMs, end: EpochMs, bars: int) -> Histogram:
        """Counts over [start, end) in `bars` equal spans; the time conditions of `where` do not apply."""
        ...

    # The engine
    @requires_scope(Scope.ADMIN, Audience.ADMIN_ONLY)
    async def pause_runs(self) -> EngineHealth:
        """Start no run, poll or schedule, also after a restart, until `resume_runs`; webhooks are kept."""
        ...

    @requires_scope(Scope.ADMIN, Audience.ADMIN_ONLY, starts_runs=True)
    async def resume_runs(self) -> EngineHealth: ...
    @requires_scope(Scope.ADMIN, Audience.ADMIN_ONLY)
    async def engine_settings(self) -> EngineSettings: ...
    @requires_scope(Scope.ADMIN, Audience.ADMIN_ONLY)
    async def change_engine_settings(
        self, settings: EngineSettings, fields: Collection[str] | None = None
    ) -> EngineSettings:
        """Store these fields of `settings`, or all of them; the others keep their stored values.

        Name only the fields that changed, so that nobody else's change is overwritten.
        """
        ...

    @requires_scope(Scope.ADMIN, Audience.ADMIN_ONLY)
    async def storage_usage(self) -> StorageUsage: ...
    @requires_scope(Scope.ADMIN, Audience.ADMIN_ONLY)
    async def clean_up_history(self) -> CleanupResult:
        """Remove now what the retention does not keep, and give the space back to the disk."""
        ...


# MERGED: The part of the `Backend` protocol about people, keys, the audit log and how a workspace is
# reached.


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
