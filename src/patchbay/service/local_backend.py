"""`LocalBackend`: a workspace whose database and engine are in this process."""

from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence

from patchbay import __version__
from patchbay.domain.access import ApiKey, NewApiKey, Scope
from patchbay.domain.apps import AppInfo
from patchbay.domain.audit_log import Actor, AuditEntry, AuditFilter
from patchbay.domain.backend import Backend, Capabilities, ImportedFlow, StepTest, WorkspaceInfo
from patchbay.domain.base import (
    AppKey,
    ConnectionId,
    EpochMs,
    ExecutionId,
    FlowId,
    FolderId,
    Json,
    JsonObject,
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
from patchbay.domain.ports import Credentials
from patchbay.domain.schedules import SchedulePreview
from patchbay.domain.tools import Tool, ToolResult
from patchbay.integration.http_factory import HttpFactory
from patchbay.integration.registry import AppRegistry
from patchbay.integration.workers import Workers
from patchbay.service.addresses import Workspace
from patchbay.service.api_key_manager import ApiKeyManager
from patchbay.service.api_keys import StoredApiKeys
from patchbay.service.apps import Apps
from patchbay.service.audit_log import AuditLog
from patchbay.service.changes import ChangeBroadcaster
from patchbay.service.connections import Connections
from patchbay.service.engine_settings import EngineControl
from patchbay.service.executions import ExecutionControl, ExecutionHistory
from patchbay.service.flow_export import FlowTransfer, Templates
from patchbay.service.flows import Flows
from patchbay.service.folders import Folders
from patchbay.service.import_publisher import ImportPublisher
from patchbay.service.invitations import Invitations
from patchbay.service.mail import InvitationMailer
from patchbay.service.people import People
from patchbay.service.publishing import Publishing
from patchbay.service.secret_store import SecretStore
from patchbay.service.secrets import SecretSettings
from patchbay.service.service_context import PROGRAM, Engine, ServiceContext
from patchbay.service.service_settings import ServiceSettingsManager
from patchbay.service.sign_in import SignIns
from patchbay.service.sign_out import SignOuts
from patchbay.service.step_tests import StepTests
from patchbay.service.steps import StepEditor
from patchbay.service.tools import Tools
from patchbay.service.trigger_registrar import TriggerRegistrar
from patchbay.storage.database import Database


class LocalBackend(Backend):
    """All operations of a local workspace; each is delegated to the part that implements it.

    `changes` is shared with the engine (its `on_change`) and with `StoredCredentials`, so that all writes
    reach all listeners. Database, engine and HTTP clients are closed by their creator. `keys` are the API
    keys, when they aren't in the same database; `actor` is who acts outside requests.
    """

    def __init__(
        self,
        *,
        db: Database,
        apps: AppRegistry,
        engine: Engine,
        secrets: SecretStore,
        credentials: Credentials,
        http: HttpFactory,
        changes: ChangeBroadcaster,
        clock: Callable[[], EpochMs],
        workspace: Workspace,
        owner: UserId,
        keys: StoredApiKeys | None = None,
        workers: Workers | None = None,
        actor: Actor = PROGRAM,
        built_in_templates: Callable[[], tuple[Template, ...]] = tuple,
    ) -> None:
        pool = Workers() if workers is None else workers
        self._owned_workers = pool if workers is None else None
        self._context = context = ServiceContext(
            db=db,
            apps=apps,
            engine=engine,
            secrets=secrets,
            credentials=credentials,
            http=http,
            workers=pool,
            changes=changes,
            clock=clock,
            workspace=workspace,
            workspace_owner=owner,
            keys=keys or StoredApiKeys(db, clock),
            default_actor=actor,
        )
        self._apps = Apps(context)
        self._folders = Folders(context)
        self._engine_control = EngineControl(context)
        self._secret_settings = SecretSettings(context)
        self._service_settings = ServiceSettingsManager(context)
        self._api_keys = ApiKeyManager(context)
        self._audit_log = AuditLog(context)
        self._history = ExecutionHistory(context)
        self._execution_control = ExecutionControl(context)
        self._connections = Connections(context)
        self._sign_ins = SignIns(context, self._connections)
        self._sign_outs = SignOuts(context, self._connections)
        self._flows = Flows(context)
        self._tools = Tools(context)
        self._publishing = Publishing(context, self._flows, TriggerRegistrar(context))
        self._step_editor = StepEditor(context, self._flows)
        self._step_tests = StepTests(context, self._flows, self._step_editor)
        self._transfer = FlowTransfer(context, self._flows)
        self._import_publisher = ImportPublisher(context, self._flows, self._step_tests, self._publishing)
        self._templates = Templates(context, self._transfer, built_in_templates)
        self._people = People(context, self._publishing, self._api_keys)
        self._invitations = Invitations(context, self._api_keys, InvitationMailer(context))

    @property
    def capabilities(self) -> Capabilities:
        """A local workspace supports everything."""
        return Capabilities()

    # Workspace

    async def info(self) -> WorkspaceInfo:
        workspace, secrets = self._context.workspace, self._context.secrets
        problem = secrets.problem
        return WorkspaceInfo(
            kind=workspace.kind,
            name=workspace.name,
            address=workspace.address(),
            webhook_address=workspace.external_address(),
            version=__version__,
            user_id=self._context.owner_id,
            secrets_kept=secrets.place,
            secrets_name=secrets.kind.value,
            secrets_problem=problem.text() if problem else None,
            secrets_waiting=secrets.waiting,
            activity=workspace.activity,
        )

    def changes(self) -> AsyncIterator[Change]:
        """Return the changes from now on; the iterator ends when the workspace is closed."""
        return self._context.changes.listen()

    async def close(self) -> None:
        """Cancel pending sign-ins and bulk retries, and end all `changes` iterators."""
        self._sign_ins.close()
        await self._sign_outs.close()
        self._execution_control.close()
        self._context.changes.close()
        if self._owned_workers is not None:
            await self._owned_workers.close()

    # Flows

    async def list_flows(self, where: FlowFilter, page: PageRequest) -> Page[Flow]:
        return await self._flows.list_flows(where, page)

    async def get_flow(self, flow_id: FlowId) -> Flow:
        return await self._flows.get_flow(flow_id)

    async def flow_activity(self, flow_ids: Sequence[FlowId]) -> tuple[FlowActivity, ...]:
        return await self._history.flow_activity(flow_ids)

    async def create_flow(
        self, name: str | None = None, folder_id: FolderId | None = None, user_id: UserId | None = None
    ) -> Flow:
        return await self._flows.create_flow(name, folder_id, user_id)

    async def update_flow(
        self, flow_id: FlowId, *, name: str | None = None, execution_interval: int | None = None
    ) -> Flow:
        return await self._flows.update_flow(flow_id, name=name, execution_interval=execution_interval)

    async def change_flow_settings(self, flow_id: FlowId, settings: FlowSettings) -> Flow:
        return await self._flows.change_flow_settings(flow_id, settings)

    async def pause_flow(self, flow_id: FlowId) -> Flow:
        return await self._flows.pause_flow(flow_id)

    async def resume_flow(self, flow_id: FlowId) -> Flow:
        return await self._flows.resume_flow(flow_id)

    async def move_flow(self, flow_id: FlowId, folder_id: FolderId | None) -> Flow:
        return await self._flows.move_flow(flow_id, folder_id)

    async def duplicate_flow(self, flow_id: FlowId) -> Flow:
        return await self._transfer.duplicate_flow(flow_id)

    async def delete_flow(self, flow_id: FlowId) -> Change:
        return await self._publishing.delete_flow(flow_id)

    async def restore_flow(self, flow_id: FlowId) -> Flow:
        return await self._flows.restore_flow(flow_id)

    async def import_flow(self, export: FlowExport) -> Flow:
        return await self._transfer.import_flow(export)

    async def import_and_publish_flow(self, export: FlowExport) -> ImportedFlow:
        return await self._import_publisher.import_and_publish_flow(export)

    async def import_and_publish_flows(
        self, exports: Sequence[FlowExport], *, use_accounts: bool = False, copy: bool = False
    ) -> tuple[Flow, ...]:
        return await self._import_publisher.import_and_publish_flows(
            exports, use_accounts=use_accounts, copy=copy
        )

    async def export_flow(self, flow_id: FlowId) -> FlowExport:
        return await self._transfer.export_flow(flow_id)

    async def publish_flow(self, flow_id: FlowId, *, seen: EpochMs | None = None) -> Flow:
        return await self._publishing.publish_flow(flow_id, seen=seen)

    async def unpublish_flow(self, flow_id: FlowId) -> Flow:
        return await self._publishing.unpublish_flow(flow_id)

    async def run_flow(self, flow_id: FlowId, item: Json = None) -> ExecutionId:
        return await self._flows.run_flow(flow_id, item)

    async def list_tools(self) -> tuple[Tool, ...]:
        return await self._tools.list_tools()

    async def call_tool(self, flow_id: FlowId, arguments: JsonObject) -> ToolResult:
        return await self._tools.call_tool(flow_id, arguments)

    # Steps

    async def add_step(
        self,
        flow_id: FlowId,
        after: StepId | None = None,
        *,
        inside: StepId | None = None,
        kind: StructuralType = StructuralType.SINGLE,
    ) -> Flow:
        return await self._step_editor.add_step(flow_id, after, inside=inside, kind=kind)

    async def update_step(self, step_id: StepId, change: StepChange) -> Flow:
        return await self._step_editor.update_step(step_id, change)

    async def move_step(self, step_id: StepId, position: int, *, inside: StepId | None = None) -> Flow:
        return await self._step_editor.move_step(step_id, position, inside=inside)

    async def delete_step(self, step_id: StepId) -> Flow:
        return await self._step_editor.delete_step(step_id)

    async def restore_step(self, step_id: StepId) -> Flow:
        return await self._step_editor.restore_step(step_id)

    async def test_step(self, step_id: StepId) -> StepTest:
        return await self._step_tests.test_step(step_id)

    async def skip_step_test(self, step_id: StepId) -> Flow:
        return await self._step_tests.skip_step_test(step_id)

    async def step_samples(self, flow_id: FlowId) -> tuple[ExecutionStep, ...]:
        return await self._step_tests.step_samples(flow_id)

    async def preview_schedule(
        self, flow_id: FlowId, app_key: AppKey, key: str, parameters: JsonObject
    ) -> SchedulePreview:
        return await self._step_tests.preview_schedule(flow_id, app_key, key, parameters)

    async def dynamic_options(
        self, step_id: StepId, loader: str, parameters: JsonObject
    ) -> tuple[Option, ...]:
        return await self._step_tests.dynamic_options(step_id, loader, parameters)

    async def dynamic_fields(
        self, step_id: StepId, loader: str, parameters: JsonObject
    ) -> tuple[Argument, ...]:
        return await self._step_tests.dynamic_fields(step_id, loader, parameters)

    # Executions

    async def list_executions(self, where: ExecutionFilter, page: PageRequest) -> Page[Execution]:
        return await self._history.list_executions(where, page)

    async def search_executions(
        self, text: str, where: ExecutionFilter, cursor: str | None = None
    ) -> SearchPage:
        return await self._history.search_executions(text, where, cursor)

    async def history_copy(self) -> HistoryCopy:
        return await self._history.history_copy()

    async def start_history_download(self) -> HistoryCopy:
        return await self._history.start_history_download()

    async def stop_history_download(self) -> HistoryCopy:
        return await self._history.stop_history_download()

    async def get_execution(self, execution_id: ExecutionId) -> Execution:
        return await self._history.get_execution(execution_id)

    async def execution_steps(self, execution_id: ExecutionId) -> tuple[ExecutionStep, ...]:
        return await self._history.execution_steps(execution_id)

    async def cancel_execution(self, execution_id: ExecutionId) -> Execution:
        return await self._execution_control.cancel_execution(execution_id)

    async def resume_execution(self, execution_id: ExecutionId) -> Execution:
        return await self._execution_control.resume_execution(execution_id)

    async def retry_execution(self, execution_id: ExecutionId) -> ExecutionId:
        return await self._execution_control.retry_execution(execution_id)

    async def continue_execution(self, execution_id: ExecutionId) -> ExecutionId:
        return await self._execution_control.continue_execution(execution_id)

    async def replay_execution(
        self, execution_id: ExecutionId, *, item: Json = None, on: ReplayOn = ReplayOn.ORIGINAL
    ) -> ExecutionId:
        return await self._execution_control.replay_execution(execution_id, item=item, on=on)

    async def retry_executions(self, where: ExecutionFilter) -> BulkRetry:
        return await self._execution_control.retry_executions(where)

    async def bulk_retry(self, job_id: str) -> BulkRetry:
        return await self._execution_control.bulk_retry(job_id)

    async def cancel_bulk_retry(self, job_id: str) -> BulkRetry:
        return await self._execution_control.cancel_bulk_retry(job_id)

    async def histogram(self, where: ExecutionFilter, start: EpochMs, end: EpochMs, bars: int) -> Histogram:
        return await self._history.histogram(where, start, end, bars)

    async def count_executions(self, where: ExecutionFilter) -> ExecutionCounts:
        return await self._history.count_executions(where)

    # Engine

    async def pause_runs(self) -> EngineHealth:
        return await self._engine_control.pause_runs()

    async def resume_runs(self) -> EngineHealth:
        return await self._engine_control.resume_runs()

    async def engine_settings(self) -> EngineSettings:
        return await self._engine_control.engine_settings()

    async def change_engine_settings(
        self, settings: EngineSettings, fields: Collection[str] | None = None
    ) -> EngineSettings:
        return await self._engine_control.change_engine_settings(settings, fields)

    async def storage_usage(self) -> StorageUsage:
        return await self._engine_control.storage_usage()

    async def clean_up_history(self) -> CleanupResult:
        return await self._engine_control.clean_up_history()

    # People

    async def list_users(self) -> tuple[User, ...]:
        return await self._people.list_users()

    async def list_roles(self) -> tuple[Role, ...]:
        return await self._people.list_roles()

    async def create_user(self, full_name: str, email: str, role_id: str | None = None) -> User:
        return await self._people.create_user(full_name, email, role_id)

    async def update_user(
        self, user_id: UserId, *, full_name: str | None = None, role_id: str | None = None
    ) -> User:
        return await self._people.update_user(user_id, full_name=full_name, role_id=role_id)

    async def delete_user(self, user_id: UserId) -> Change:
        return await self._people.delete_user(user_id)

    async def list_invitations(self) -> tuple[Invitation, ...]:
        return await self._invitations.list_invitations()

    async def invite(self, full_name: str, email: str, role_id: str) -> Invitation:
        return await self._invitations.invite(full_name, email, role_id)

    async def revoke_invitation(self, user_id: UserId) -> Change:
        return await self._invitations.revoke_invitation(user_id)

    # API keys and the audit log

    async def list_api_keys(self) -> tuple[ApiKey, ...]:
        return await self._api_keys.list_api_keys()

    async def create_api_key(
        self, name: str, scope: Scope = Scope.ADMIN, user_id: UserId | None = None
    ) -> NewApiKey:
        return await self._api_keys.create_api_key(name, scope, user_id)

    async def revoke_api_key(self, key_id: str) -> Change:
        return await self._api_keys.revoke_api_key(key_id)

    async def audit_log(self, where: AuditFilter, page: PageRequest) -> Page[AuditEntry]:
        return await self._audit_log.audit_log(where, page)

    # Service settings

    async def service_settings(self) -> ServiceSettings:
        return await self._service_settings.service_settings()

    async def change_service_settings(self, settings: ServiceSettings) -> ServiceSettings:
        return await self._service_settings.change_service_settings(settings)

    async def test_public_address(self, address: str | None = None) -> AddressTest:
        return await self._service_settings.test_public_address(address)

    async def health(self) -> EngineHealth:
        return await self._history.health()

    # Apps

    async def list_apps(self) -> tuple[AppInfo, ...]:
        return await self._apps.list_apps()

    async def get_app(self, key: AppKey) -> AppInfo:
        return await self._apps.get_app(key)

    # Connections

    async def list_connections(self, app_key: AppKey | None = None) -> tuple[Connection, ...]:
        return await self._connections.list_connections(app_key)

    async def get_connection(self, connection_id: ConnectionId) -> Connection:
        return await self._connections.get_connection(connection_id)

    async def add_connection(self, app_key: AppKey, values: JsonObject) -> Connection:
        return await self._connections.add_connection(app_key, values)

    async def reconnect(
        self, connection_id: ConnectionId, values: JsonObject, *, accept_other_account: bool = False
    ) -> Connection:
        return await self._connections.reconnect(
            connection_id, values, accept_other_account=accept_other_account
        )

    async def begin_sign_in(
        self, app_key: AppKey, values: JsonObject, connection_id: ConnectionId | None = None
    ) -> SignIn:
        return await self._sign_ins.begin_sign_in(app_key, values, connection_id)

    async def finish_sign_in(self, sign_in_id: str, *, accept_other_account: bool = False) -> Connection:
        return await self._sign_ins.finish_sign_in(sign_in_id, accept_other_account=accept_other_account)

    async def submit_callback(self, sign_in_id: str, address: str) -> None:
        await self._sign_ins.submit_callback(sign_in_id, address)

    async def cancel_sign_in(self, sign_in_id: str) -> None:
        await self._sign_ins.cancel_sign_in(sign_in_id)

    async def duplicate_connection(self, connection_id: ConnectionId, screen_name: str) -> Connection:
        return await self._connections.duplicate_connection(connection_id, screen_name)

    async def test_connection(self, connection_id: ConnectionId) -> Connection:
        return await self._connections.test_connection(connection_id)

    async def rename_connection(self, connection_id: ConnectionId, screen_name: str) -> Connection:
        return await self._connections.rename_connection(connection_id, screen_name)

    async def set_connection_rate_limit(
        self, connection_id: ConnectionId, limit: RateLimit | None
    ) -> Connection:
        return await self._connections.set_connection_rate_limit(connection_id, limit)

    async def delete_connection(self, connection_id: ConnectionId) -> Change:
        change = await self._connections.delete_connection(connection_id)
        self._sign_outs.schedule()
        return change

    async def restore_connection(self, connection_id: ConnectionId) -> Connection:
        return await self._connections.restore_connection(connection_id)

    # Secrets

    async def secrets_state(self) -> SecretsState:
        return await self._secret_settings.secrets_state()

    async def move_secrets(self, home: SecretsStorage) -> SecretsState:
        return await self._secret_settings.move_secrets(home)

    async def change_secrets_key(self) -> int:
        return await self._secret_settings.change_secrets_key()

    async def discard_lost_secrets(self) -> int:
        return await self._secret_settings.discard_lost_secrets()

    # Folders and templates

    async def list_folders(self, user_id: UserId | None = None) -> tuple[Folder, ...]:
        return await self._folders.list_folders(user_id)

    async def folder_stats(self, user_id: UserId | None = None) -> tuple[FolderStats, ...]:
        return await self._history.folder_stats(user_id)

    async def create_folder(self, name: str, user_id: UserId | None = None) -> Folder:
        return await self._folders.create_folder(name, user_id)

    async def rename_folder(self, folder_id: FolderId, name: str, user_id: UserId | None = None) -> Folder:
        return await self._folders.rename_folder(folder_id, name, user_id)

    async def delete_folder(self, folder_id: FolderId, user_id: UserId | None = None) -> Change:
        return await self._folders.delete_folder(folder_id, user_id)

    async def list_templates(self) -> tuple[Template, ...]:
        return await self._templates.list_templates()

    async def get_template(self, template_id: TemplateId) -> Template:
        return await self._templates.get_template(template_id)

    async def create_template(self, name: str, flow_id: FlowId) -> Template:
        return await self._templates.create_template(name, flow_id)

    async def delete_template(self, template_id: TemplateId) -> Change:
        return await self._templates.delete_template(template_id)

    async def use_template(self, template_id: TemplateId, user_id: UserId | None = None) -> Flow:
        return await self._templates.use_template(template_id, user_id)

    # For the listeners and the runtime of this workspace; not part of `Backend`

    @property
    def api_keys(self) -> StoredApiKeys:
        """The stored API keys, for authentication."""
        return self._context.keys

    async def handle_redirect(self, query: Mapping[str, str]) -> bool:
        """Handle the query of a sign-in's redirect. Returns False if no sign-in is waiting for it."""
        return await self._sign_ins.handle_redirect(query)

    async def invitation(self, token: str) -> Invitation:
        """Return the open invitation of this token. Raises `NotFound`."""
        return await self._invitations.invitation(token)

    async def join(self, token: str) -> NewApiKey:
        """Accept an invitation and return the new user's first API key. Raises `NotFound`."""
        return await self._invitations.join(token)

    def proof(self, nonce: str) -> str | None:
        """Return the proof for a test call of the public address, None when no such test is running."""
        return self._service_settings.proof(nonce)

    async def test_connection_in_background(self, connection_id: ConnectionId) -> Connection:
        """Test a connection without an audit log entry. Raises errors that say nothing about the account."""
        return await self._connections.test_connection_in_background(connection_id)

    async def delete_old_drafts(self) -> None:
        """Delete the drafts of sign-ins that weren't finished within a day. Called every hour."""
        await self._sign_ins.delete_old_drafts()

    async def sign_out_deleted(self) -> None:
        """End the sign-ins of connections that were deleted. Called every hour."""
        await self._sign_outs.sign_out_deleted()

    async def trim_audit_log(self) -> None:
        """Delete the oldest audit log entries over the limit. Called every hour."""
        await self._audit_log.trim_audit_log()
