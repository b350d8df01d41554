"""The `Backend` protocol: all operations of a workspace, for the window, the server, and the command line."""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, Protocol

from patchbay.domain.access import (
    ApiKey,
    Audience,
    NewApiKey,
    OperationRule,
    Scope,
    collect_operation_rules,
    requires_scope,
)
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
from patchbay.domain.errors import AppError
from patchbay.domain.executions import (
    BulkRetry,
    Execution,
    ExecutionCounts,
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
from patchbay.domain.schedules import SchedulePreview
from patchbay.domain.tools import ToolBackend


class StepTest(Model):
    """The result of testing a step: the updated flow, and the step's input, output, and error."""

    flow: Flow
    execution_id: ExecutionId
    result: ExecutionStep


@dataclass(frozen=True)
class ImportedFlow:
    """The result of importing and publishing a flow. `error` says why it couldn't be published."""

    flow: Flow
    error: AppError | None = None


class FlowBackend(Protocol):
    """Flows and the steps of their drafts. See `Backend`."""

    # Flows
    @requires_scope(Scope.READ, Audience.OWNED)
    async def list_flows(self, where: FlowFilter, page: PageRequest) -> Page[Flow]:
        """List flows, published ones first, then the most recently updated."""
        ...

    @requires_scope(Scope.READ, Audience.OWNED)
    async def get_flow(self, flow_id: FlowId) -> Flow:
        """Return a flow. Raises `NotFound`."""
        ...

    @requires_scope(Scope.READ, Audience.OWNED)
    async def flow_activity(self, flow_ids: Sequence[FlowId]) -> tuple[FlowActivity, ...]:
        """Return the latest runs and the next start of flows."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def create_flow(
        self, name: str | None = None, folder_id: FolderId | None = None, user_id: UserId | None = None
    ) -> Flow:
        """Create a flow with an empty trigger and action, for `user_id`, by default the current user."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def update_flow(
        self, flow_id: FlowId, *, name: str | None = None, execution_interval: int | None = None
    ) -> Flow:
        """Change the name or the polling interval (minutes)."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def change_flow_settings(self, flow_id: FlowId, settings: FlowSettings) -> Flow:
        """Change settings, which take effect at once. Raises `ValidationFailed` for an unknown time zone."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def pause_flow(self, flow_id: FlowId) -> Flow:
        """Pause a published flow: events are queued, nothing runs. Raises `Conflict` for a draft."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED, starts_runs=True)
    async def resume_flow(self, flow_id: FlowId) -> Flow:
        """Resume a paused flow and run what was queued meanwhile. Has no effect on other flows."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def move_flow(self, flow_id: FlowId, folder_id: FolderId | None) -> Flow:
        """Move a flow to a folder; None for no folder."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def duplicate_flow(self, flow_id: FlowId) -> Flow:
        """Copy a flow as a draft."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def delete_flow(self, flow_id: FlowId) -> Change:
        """Unpublish and delete a flow; `restore_flow` restores it as a draft."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def restore_flow(self, flow_id: FlowId) -> Flow:
        """Restore a deleted flow as a draft; does nothing if it isn't deleted."""
        ...

    @requires_scope(Scope.OPERATE, Audience.SHARED)
    async def import_flow(self, export: FlowExport) -> Flow:
        """Create a draft from an exported flow."""
        ...

    @requires_scope(Scope.OPERATE, Audience.SHARED, starts_runs=True)
    async def import_and_publish_flow(self, export: FlowExport) -> ImportedFlow:
        """Import a flow, skip the tests of its steps, and publish it, all at once.

        Needs what `import_flow` and `publish_flow` need; the new flow belongs to the importing user. If it
        can't be published, it is imported as a draft, and the result has the error (`FlowNotReady` with
        blockers).
        """
        ...

    @requires_scope(Scope.OPERATE, Audience.SHARED, starts_runs=True)
    async def import_and_publish_flows(
        self, exports: Sequence[FlowExport], *, use_accounts: bool = False, copy: bool = False
    ) -> tuple[Flow, ...]:
        """Import flows, skip the tests of their steps, and publish them: all of them, or none.

        With `use_accounts`, each step gets the connection of its app if there is exactly one. Unless `copy`
        is set, a flow that the same user imported before isn't imported again: if it is a draft, the draft is
        published, unless it was changed since. Returns one flow per export. Raises `ValidationFailed` with
        the problems of all flows that can't be published; nothing is changed then.
        """
        ...

    @requires_scope(Scope.READ, Audience.OWNED)
    async def export_flow(self, flow_id: FlowId) -> FlowExport:
        """Return a flow as a portable file, without credentials."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED, starts_runs=True)
    async def publish_flow(self, flow_id: FlowId, *, seen: EpochMs | None = None) -> Flow:
        """Publish the draft as a new version. Raises `FlowNotReady` with blockers.

        `seen` is `updated_at` of the flow that the caller reviewed: raises `Conflict` if it was changed
        since, so that no unreviewed change is published. A flow that was paused because of failures is
        resumed; one that a person paused stays paused.
        """
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def unpublish_flow(self, flow_id: FlowId) -> Flow:
        """Turn a published flow into a draft. Running executions continue.

        Events queued by a pause are cancelled.
        """
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED, starts_runs=True)
    async def run_flow(self, flow_id: FlowId, item: Json = None) -> ExecutionId:
        """Run the published version now, or the draft as a test if it isn't published.

        `item` is the trigger's output; None fetches one from the trigger. Returns once the run is queued.
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
        """Add a step after `after` (and all steps inside it), or as the first one `inside` a branch or loop.

        With neither, it is added at the end of the flow. A new branches step has two branches, the second of
        which is the default branch. A new branch is added at the end of the branches step it is `inside`, but
        before the default branch. Raises `ValidationFailed` if such a step isn't allowed there.
        """
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def update_step(self, step_id: StepId, change: StepChange) -> Flow:
        """Edit a step, which makes it incomplete again."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def move_step(self, step_id: StepId, position: int, *, inside: StepId | None = None) -> Flow:
        """Move a step and all steps inside it to a position; 1 is the trigger's.

        Positions are counted without the moved steps. `inside` is the step that then contains it; None: none.
        """
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def delete_step(self, step_id: StepId) -> Flow:
        """Delete a step with the steps in it."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def restore_step(self, step_id: StepId) -> Flow:
        """Restore a deleted step with the steps in it."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED, starts_runs=True)
    async def test_step(self, step_id: StepId) -> StepTest:
        """Run one step with the newest data of the steps before it.

        It is completed only if the test passes.
        """
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def skip_step_test(self, step_id: StepId) -> Flow:
        """Mark a step as tested without running it."""
        ...

    @requires_scope(Scope.READ, Audience.OWNED)
    async def step_samples(self, flow_id: FlowId) -> tuple[ExecutionStep, ...]:
        """The newest successful result of each step, for choosing variables."""
        ...

    @requires_scope(Scope.READ, Audience.OWNED)
    async def preview_schedule(
        self, flow_id: FlowId, app_key: AppKey, key: str, parameters: JsonObject
    ) -> SchedulePreview:
        """When a schedule trigger would start this flow. Raises `ValidationFailed` and `NotSupported`."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def dynamic_options(
        self, step_id: StepId, loader: str, parameters: JsonObject
    ) -> tuple[Option, ...]:
        """Load the options of a field from the app."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def dynamic_fields(
        self, step_id: StepId, loader: str, parameters: JsonObject
    ) -> tuple[Argument, ...]:
        """Load the fields that depend on other fields from the app."""
        ...


class RunBackend(Protocol):
    """Executions, and the engine that runs them. See `Backend`."""

    # Executions
    @requires_scope(Scope.READ, Audience.OWNED)
    async def list_executions(self, where: ExecutionFilter, page: PageRequest) -> Page[Execution]:
        """List executions, newest first."""
        ...

    @requires_scope(Scope.READ, Audience.OWNED)
    async def search_executions(
        self, text: str, where: ExecutionFilter, cursor: str | None = None
    ) -> SearchPage:
        """Search the input, output, and errors of steps for a text, one time-limited batch of executions per
        call.

        The search ignores case and goes backwards from the newest execution, or from `cursor`.
        """
        ...

    @requires_scope(Scope.READ, Audience.SHARED)
    async def history_copy(self) -> HistoryCopy:
        """The progress of the local copy of a remote history."""
        ...

    @requires_scope(Scope.OPERATE, Audience.SHARED)
    async def start_history_download(self) -> HistoryCopy:
        """Download the remote history in the background. Has no effect if no copy is needed."""
        ...

    @requires_scope(Scope.OPERATE, Audience.SHARED)
    async def stop_history_download(self) -> HistoryCopy:
        """Stop the download and keep what has been downloaded."""
        ...

    @requires_scope(Scope.READ, Audience.OWNED)
    async def get_execution(self, execution_id: ExecutionId) -> Execution:
        """Return an execution. Raises `NotFound`."""
        ...

    @requires_scope(Scope.READ, Audience.OWNED)
    async def execution_steps(self, execution_id: ExecutionId) -> tuple[ExecutionStep, ...]:
        """Every attempt of every step, in the order they ran."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def cancel_execution(self, execution_id: ExecutionId) -> Execution:
        """Cancel an unfinished run now. A running step is interrupted, and its outcome is unknown.

        Flows that it called and waits for are cancelled too. Raises `Conflict` if it has finished.
        """
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED, starts_runs=True)
    async def resume_execution(self, execution_id: ExecutionId) -> Execution:
        """End the wait for a retry, or for a host or connection whose rate limit was exceeded (429).

        All runs that wait for the same host or connection are resumed. Raises `Conflict` for other waits.
        """
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED, starts_runs=True)
    async def retry_execution(self, execution_id: ExecutionId) -> ExecutionId:
        """Start a new execution from the failed step on, with the output of the steps before it.

        Raises `Conflict` for executions that didn't fail.
        """
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED, starts_runs=True)
    async def continue_execution(self, execution_id: ExecutionId) -> ExecutionId:
        """Start a new execution after the interrupted step that ended this one, and count that step as done.

        Raises `Conflict` for executions that ended for another reason.
        """
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED, starts_runs=True)
    async def replay_execution(
        self, execution_id: ExecutionId, *, item: Json = None, on: ReplayOn = ReplayOn.ORIGINAL
    ) -> ExecutionId:
        """Start a new execution from the beginning, with the original output of the trigger or with
        `item`.
        """
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED, starts_runs=True)
    async def retry_executions(self, where: ExecutionFilter) -> BulkRetry:
        """Start retrying every failed execution that matches; `bulk_retry` returns the progress."""
        ...

    @requires_scope(Scope.READ, Audience.SHARED)
    async def bulk_retry(self, job_id: str) -> BulkRetry:
        """Return the progress of a bulk retry."""
        ...

    @requires_scope(Scope.OPERATE, Audience.SHARED)
    async def cancel_bulk_retry(self, job_id: str) -> BulkRetry:
        """Stop retrying more of them. Retries that have started continue."""
        ...

    @requires_scope(Scope.READ, Audience.OWNED)
    async def histogram(self, where: ExecutionFilter, start: EpochMs, end: EpochMs, bars: int) -> Histogram:
        """Count executions in [start, end) in `bars` equal spans, ignoring the time conditions of `where`."""
        ...

    @requires_scope(Scope.READ, Audience.OWNED)
    async def count_executions(self, where: ExecutionFilter) -> ExecutionCounts:
        """Count the executions that match, by outcome, and all executions (of `where.user_id`, if given)."""
        ...

    # The engine
    @requires_scope(Scope.ADMIN, Audience.ADMIN)
    async def pause_runs(self) -> EngineHealth:
        """Pause all runs, polls, and schedules until `resume_runs`, even after a restart.

        Webhooks are queued.
        """
        ...

    @requires_scope(Scope.ADMIN, Audience.ADMIN, starts_runs=True)
    async def resume_runs(self) -> EngineHealth:
        """Continue after `pause_runs`."""
        ...

    @requires_scope(Scope.ADMIN, Audience.ADMIN)
    async def engine_settings(self) -> EngineSettings:
        """Return the settings of the engine."""
        ...

    @requires_scope(Scope.ADMIN, Audience.ADMIN)
    async def change_engine_settings(
        self, settings: EngineSettings, fields: Collection[str] | None = None
    ) -> EngineSettings:
        """Store these fields of `settings`, or all of them; the others keep their stored values.

        Name only the fields that changed, so that concurrent changes of others aren't overwritten.
        """
        ...

    @requires_scope(Scope.ADMIN, Audience.ADMIN)
    async def storage_usage(self) -> StorageUsage:
        """Return how much disk space the workspace uses."""
        ...

    @requires_scope(Scope.ADMIN, Audience.ADMIN)
    async def clean_up_history(self) -> CleanupResult:
        """Apply the retention settings now, and free the disk space."""
        ...


class AdminBackend(Protocol):
    """People, API keys, the audit log, and how the workspace is reached. See `Backend`."""

    # People
    @requires_scope(Scope.READ, Audience.OWNED)
    async def list_users(self) -> tuple[User, ...]:
        """List active people, by name."""
        ...

    @requires_scope(Scope.READ, Audience.SHARED)
    async def list_roles(self) -> tuple[Role, ...]:
        """List roles, the one with the most permissions first."""
        ...

    @requires_scope(Scope.ADMIN, Audience.ADMIN)
    async def create_user(self, full_name: str, email: str, role_id: str | None = None) -> User:
        """Add a person without an invitation; the default role is editor.

        Raises `AlreadyTaken` for the email address of another person, `ValidationFailed`.
        """
        ...

    @requires_scope(Scope.ADMIN, Audience.ADMIN)
    async def update_user(
        self, user_id: UserId, *, full_name: str | None = None, role_id: str | None = None
    ) -> User:
        """Change name or role. Raises `Conflict` if no admin would be left."""
        ...

    @requires_scope(Scope.ADMIN, Audience.ADMIN)
    async def delete_user(self, user_id: UserId) -> Change:
        """Remove a person: their API keys are revoked and their flows unpublished, but nothing else is
        deleted.

        Raises `Conflict` for the owner of the workspace and for the last admin.
        """
        ...

    @requires_scope(Scope.ADMIN, Audience.ADMIN)
    async def list_invitations(self) -> tuple[Invitation, ...]:
        """List pending invitations, by name."""
        ...

    @requires_scope(Scope.ADMIN, Audience.ADMIN)
    async def invite(self, full_name: str, email: str, role_id: str) -> Invitation:
        """Invite a person.

        The link is only in this response, expires in 72 hours, and is mailed if mail is set up.

        Raises `AlreadyTaken` for the email address of an active person, `ValidationFailed`. Inviting someone
        again replaces the link.
        """
        ...

    @requires_scope(Scope.ADMIN, Audience.ADMIN)
    async def revoke_invitation(self, user_id: UserId) -> Change:
        """Revoke a pending invitation. Raises `NotFound` if it was accepted already."""
        ...

    # Keys and the audit log
    @requires_scope(Scope.ADMIN, Audience.ADMIN)
    async def list_api_keys(self) -> tuple[ApiKey, ...]:
        """List API keys without their values, oldest first."""
        ...

    @requires_scope(Scope.ADMIN, Audience.ADMIN)
    async def create_api_key(
        self, name: str, scope: Scope = Scope.ADMIN, user_id: UserId | None = None
    ) -> NewApiKey:
        """Create an API key. Raises `ValidationFailed`, and `NotFound` for an unknown person."""
        ...

    @requires_scope(Scope.ADMIN, Audience.ADMIN)
    async def revoke_api_key(self, key_id: str) -> Change:
        """Revoke an API key; requests with it fail from now on."""
        ...

    @requires_scope(Scope.ADMIN, Audience.ADMIN)
    async def audit_log(self, where: AuditFilter, page: PageRequest) -> Page[AuditEntry]:
        """List entries of the audit log, newest first."""
        ...

    # How it is reached
    @requires_scope(Scope.ADMIN, Audience.ADMIN)
    async def service_settings(self) -> ServiceSettings:
        """Return the public address, the mail connection, and the outgoing rules."""
        ...

    @requires_scope(Scope.ADMIN, Audience.ADMIN)
    async def change_service_settings(self, settings: ServiceSettings) -> ServiceSettings:
        """Change settings, which take effect at once. Raises `ValidationFailed` for an invalid address."""
        ...

    @requires_scope(Scope.ADMIN, Audience.ADMIN)
    async def test_public_address(self, address: str | None = None) -> AddressTest:
        """Send requests to the address (None: the current public address) and check whether they arrive
        here.
        """
        ...


class Feature(StrEnum):
    """Features that not every workspace supports."""

    CONNECTIONS = "connections"
    EDIT_FLOWS = "edit_flows"
    RUN_FLOWS = "run_flows"
    STEP_RESULTS = "step_results"
    STATISTICS = "statistics"
    LIVE_UPDATES = "live_updates"
    RUN_CONTROL = "run_control"
    ENGINE = "engine"
    FILTERS = "filters"
    """Filtering executions by more than flow name, outcome, and time."""
    SEARCH = "search"
    ACCESS = "access"
    """API keys and the audit log."""
    PEOPLE = "people"
    """Changing people and their roles. Every server supports invitations."""
    ADDRESS = "address"
    """The public address and how invitations are mailed."""
    TEMPLATES = "templates"
    CHANGES = "changes"
    """Changing anything at all; missing with a read-only API key."""


class Capabilities(Model):
    """The features that the workspace doesn't support, each with the reason to show next to disabled
    controls.
    """

    unavailable: Mapping[Feature, str] = {}

    def reason(self, feature: Feature) -> str | None:
        """Why the feature is unavailable; None if it is available."""
        return self.unavailable.get(feature)


class WorkspaceInfo(Model):
    """The identity and connection status of a workspace, as shown in the window."""

    kind: Literal["demo", "local", "remote"]
    name: str
    address: str | None = None
    """Base URL of the HTTP API; None while no server is running."""
    webhook_address: str | None = None
    """Public base URL of webhooks and of the redirect URL."""
    offline_since: EpochMs | None = None
    """Since when the server has been offline, so that cached data is shown; None while online."""
    secrets_kept: str = ""
    """Where credentials are stored, as a sentence, for forms and the status bar."""
    secrets_name: str = ""
    """The short name of where credentials are stored ("system keyring"), for the status bar."""
    secrets_problem: str | None = None
    """Why credentials can't be used, as a sentence; None if they can."""
    secrets_waiting: bool = False
    """Whether the keyring hasn't responded yet; it may be asking for a password."""
    activity: str = ""
    """What the workspace does before it is complete, such as adding sample data; empty once it is."""
    version: str = ""
    user_id: UserId | None = None
    """The owner of what this client creates; None if the server doesn't report it."""


class Backend(FlowBackend, RunBackend, AdminBackend, ToolBackend, Protocol):
    """A workspace, local or remote. Every method raises only `AppError`s.

    Writes are announced by `changes`.
    """

    @property
    def capabilities(self) -> Capabilities:
        """What this workspace supports, and why it doesn't support the rest."""
        ...

    # Workspace
    @requires_scope(Scope.READ, Audience.SHARED)
    async def info(self) -> WorkspaceInfo:
        """Return the name, version, and addresses of the workspace."""
        ...

    @requires_scope(Scope.READ, Audience.OWNED)
    async def health(self) -> EngineHealth:
        """Return the state of the engine, with today's figures."""
        ...

    @requires_scope(Scope.READ, Audience.OWNED)
    def changes(self) -> AsyncIterator[Change]:
        """Yield every change from now on, made by any user, until the workspace is closed."""
        ...

    @requires_scope(Scope.ADMIN, Audience.ADMIN)
    async def close(self) -> None: ...

    # Apps
    @requires_scope(Scope.READ, Audience.OWNED)
    async def list_apps(self) -> tuple[AppInfo, ...]:
        """All apps by name, without auth, triggers and actions."""
        ...

    @requires_scope(Scope.READ, Audience.OWNED)
    async def get_app(self, key: AppKey) -> AppInfo:
        """Load an app with its auth fields, triggers, and actions."""
        ...

    # Connections
    @requires_scope(Scope.READ, Audience.OWNED)
    async def list_connections(self, app_key: AppKey | None = None) -> tuple[Connection, ...]:
        """Return all connections, or those of an app."""
        ...

    @requires_scope(Scope.READ, Audience.OWNED)
    async def get_connection(self, connection_id: ConnectionId) -> Connection:
        """Return a connection. Raises `NotFound`."""
        ...

    @requires_scope(Scope.OPERATE, Audience.SHARED)
    async def add_connection(self, app_key: AppKey, values: JsonObject) -> Connection:
        """Verify credentials with the third party and store the connection if they are valid.

        Raises `ValidationFailed` for missing fields, `ThirdPartyError` with the service's message, and
        `NotSupported` for apps with a sign-in in the browser (`begin_sign_in`).
        """
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def reconnect(
        self, connection_id: ConnectionId, values: JsonObject, *, accept_other_account: bool = False
    ) -> Connection:
        """Verify new credentials and replace the old ones if they are valid.

        Secrets that are missing from `values` keep their stored values. Raises `DifferentAccount` if the
        credentials belong to another account, unless that is accepted.
        """
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def begin_sign_in(
        self, app_key: AppKey, values: JsonObject, connection_id: ConnectionId | None = None
    ) -> SignIn:
        """Start a sign-in in the browser, for a new connection or to reconnect the given one.

        Nothing changes until `finish_sign_in`. Raises `ValidationFailed` for missing fields, and
        `NotSupported` for apps without a sign-in in the browser.
        """
        ...

    @requires_scope(Scope.OPERATE, Audience.SHARED)
    async def finish_sign_in(self, sign_in_id: str, *, accept_other_account: bool = False) -> Connection:
        """Wait until the sign-in is completed and verified, and store the connection.

        The call can be cancelled and repeated. Raises `ThirdPartyError` with the service's message,
        `TimedOut` if the browser didn't return, `DifferentAccount` (call again and accept to continue), and
        `NotFound` if the sign-in is unknown or was cancelled.
        """
        ...

    @requires_scope(Scope.OPERATE, Audience.SHARED)
    async def submit_callback(self, sign_in_id: str, address: str) -> None:
        """Complete a sign-in with the URL from the browser's address bar, if the redirect didn't work."""
        ...

    @requires_scope(Scope.OPERATE, Audience.SHARED)
    async def cancel_sign_in(self, sign_in_id: str) -> None:
        """Cancel a sign-in, so that waiting calls raise `NotFound`. Has no effect if it is unknown."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def duplicate_connection(self, connection_id: ConnectionId, screen_name: str) -> Connection:
        """Create a second connection with the same credentials.

        Raises `NotSupported` for credentials that are renewed, since a renewal by one would invalidate the
        other.
        """
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def test_connection(self, connection_id: ConnectionId) -> Connection:
        """Verify the credentials with the third party and store the result. A failed test raises nothing."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def rename_connection(self, connection_id: ConnectionId, screen_name: str) -> Connection:
        """Change the name of a connection."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def set_connection_rate_limit(
        self, connection_id: ConnectionId, limit: RateLimit | None
    ) -> Connection:
        """Set the rate limit for all flows together; None means the limit of the app."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def delete_connection(self, connection_id: ConnectionId) -> Change:
        """Delete a connection; it can be restored."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def restore_connection(self, connection_id: ConnectionId) -> Connection:
        """Restore a deleted connection."""
        ...

    # Secrets of connections
    @requires_scope(Scope.READ, Audience.OWNED)
    async def secrets_state(self) -> SecretsState:
        """Return where secrets are stored, and whether they can be read."""
        ...

    @requires_scope(Scope.ADMIN, Audience.ADMIN)
    async def move_secrets(self, home: SecretsStorage) -> SecretsState:
        """Move all secrets to the other storage. Each is read back there before the old ones are deleted."""
        ...

    @requires_scope(Scope.ADMIN, Audience.ADMIN)
    async def change_secrets_key(self) -> int:
        """Re-encrypt all secrets with a new key and delete the old key. Returns how many."""
        ...

    @requires_scope(Scope.ADMIN, Audience.ADMIN)
    async def discard_lost_secrets(self) -> int:
        """Delete secrets whose key is lost, so that connections can be reconnected. Returns how many.

        This can't be undone. Has no effect while secrets can be decrypted.
        """
        ...

    # Folders and templates
    @requires_scope(Scope.READ, Audience.OWNED)
    async def list_folders(self, user_id: UserId | None = None) -> tuple[Folder, ...]:
        """Return the folders of this person, or of everyone."""
        ...

    @requires_scope(Scope.READ, Audience.OWNED)
    async def folder_stats(self, user_id: UserId | None = None) -> tuple[FolderStats, ...]:
        """Statistics of the folders of this person, or of everyone. Uncategorised flows come last."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def create_folder(self, name: str, user_id: UserId | None = None) -> Folder:
        """Create a folder for this person; None: for the caller."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def rename_folder(self, folder_id: FolderId, name: str, user_id: UserId | None = None) -> Folder:
        """Rename a folder."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def delete_folder(self, folder_id: FolderId, user_id: UserId | None = None) -> Change:
        """Delete a folder. Its flows become uncategorised and keep running."""
        ...

    @requires_scope(Scope.READ, Audience.SHARED)
    async def list_templates(self) -> tuple[Template, ...]:
        """List templates, built-in ones first, then oldest first, with large parameters truncated.

        `get_template` returns them in full.
        """
        ...

    @requires_scope(Scope.READ, Audience.SHARED)
    async def get_template(self, template_id: TemplateId) -> Template:
        """Return a template. Raises `NotFound`."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def create_template(self, name: str, flow_id: FlowId) -> Template:
        """Save a flow as a template."""
        ...

    @requires_scope(Scope.OPERATE, Audience.SHARED)
    async def delete_template(self, template_id: TemplateId) -> Change:
        """Delete a template, also one that others saved. Raises `Forbidden` for a built-in one."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def use_template(self, template_id: TemplateId, user_id: UserId | None = None) -> Flow:
        """Create a draft from a template."""
        ...


OPERATION_RULES: Mapping[str, OperationRule] = collect_operation_rules(Backend)
"""The rule of each operation. One without a rule makes this import fail, so the program doesn't start."""
