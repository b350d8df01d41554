"""A `Backend` that forwards every operation to another one; subclasses override what they change."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from typing import Any

from patchbay.domain.access import ApiKey, NewApiKey, Scope
from patchbay.domain.apps import AppInfo
from patchbay.domain.audit_log import AuditEntry, AuditFilter
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
from patchbay.domain.schedules import SchedulePreview
from patchbay.domain.tools import Tool, ToolResult


class ForwardingBackend(ABC):
    """Forwards each operation of the `Backend` protocol by an explicit method.

    A new operation without a forwarder is a type error wherever a subclass is used as a `Backend`.
    """

    @property
    @abstractmethod
    def capabilities(self) -> Capabilities:
        """What the workspace can't do."""

    @abstractmethod
    async def _target(self, operation: Callable[..., Any]) -> Backend:
        """The backend to call for this method of the protocol. May wait, or raise an `AppError`."""

    @abstractmethod
    def changes(self) -> AsyncIterator[Change]:
        """Changes from now on. Not forwarded: a subclass decides when to subscribe."""

    # The workspace, apps, connections, folders, and templates
    async def info(self) -> WorkspaceInfo:
        return await (await self._target(Backend.info)).info()

    async def health(self) -> EngineHealth:
        return await (await self._target(Backend.health)).health()

    async def close(self) -> None:
        await (await self._target(Backend.close)).close()

    async def list_apps(self) -> tuple[AppInfo, ...]:
        return await (await self._target(Backend.list_apps)).list_apps()

    async def get_app(self, key: AppKey) -> AppInfo:
        return await (await self._target(Backend.get_app)).get_app(key)

    async def list_connections(self, app_key: AppKey | None = None) -> tuple[Connection, ...]:
        return await (await self._target(Backend.list_connections)).list_connections(app_key)

    async def get_connection(self, connection_id: ConnectionId) -> Connection:
        return await (await self._target(Backend.get_connection)).get_connection(connection_id)

    async def add_connection(self, app_key: AppKey, values: JsonObject) -> Connection:
        return await (await self._target(Backend.add_connection)).add_connection(app_key, values)

    async def reconnect(
        self, connection_id: ConnectionId, values: JsonObject, *, accept_other_account: bool = False
    ) -> Connection:
        return await (await self._target(Backend.reconnect)).reconnect(
            connection_id, values, accept_other_account=accept_other_account
        )

    async def begin_sign_in(
        self, app_key: AppKey, values: JsonObject, connection_id: ConnectionId | None = None
    ) -> SignIn:
        return await (await self._target(Backend.begin_sign_in)).begin_sign_in(app_key, values, connection_id)

    async def finish_sign_in(self, sign_in_id: str, *, accept_other_account: bool = False) -> Connection:
        return await (await self._target(Backend.finish_sign_in)).finish_sign_in(
            sign_in_id, accept_other_account=accept_other_account
        )

    async def submit_callback(self, sign_in_id: str, address: str) -> None:
        await (await self._target(Backend.submit_callback)).submit_callback(sign_in_id, address)

    async def cancel_sign_in(self, sign_in_id: str) -> None:
        await (await self._target(Backend.cancel_sign_in)).cancel_sign_in(sign_in_id)

    async def duplicate_connection(self, connection_id: ConnectionId, screen_name: str) -> Connection:
        return await (await self._target(Backend.duplicate_connection)).duplicate_connection(
            connection_id, screen_name
        )

    async def test_connection(self, connection_id: ConnectionId) -> Connection:
        return await (await self._target(Backend.test_connection)).test_connection(connection_id)

    async def rename_connection(self, connection_id: ConnectionId, screen_name: str) -> Connection:
        return await (await self._target(Backend.rename_connection)).rename_connection(
            connection_id, screen_name
        )

    async def set_connection_rate_limit(
        self, connection_id: ConnectionId, limit: RateLimit | None
    ) -> Connection:
        return await (await self._target(Backend.set_connection_rate_limit)).set_connection_rate_limit(
            connection_id, limit
        )

    async def delete_connection(self, connection_id: ConnectionId) -> Change:
        return await (await self._target(Backend.delete_connection)).delete_connection(connection_id)

    async def restore_connection(self, connection_id: ConnectionId) -> Connection:
        return await (await self._target(Backend.restore_connection)).restore_connection(connection_id)

    async def secrets_state(self) -> SecretsState:
        return await (await self._target(Backend.secrets_state)).secrets_state()

    async def move_secrets(self, home: SecretsStorage) -> SecretsState:
        return await (await self._target(Backend.move_secrets)).move_secrets(home)

    async def change_secrets_key(self) -> int:
        return await (await self._target(Backend.change_secrets_key)).change_secrets_key()

    async def discard_lost_secrets(self) -> int:
        return await (await self._target(Backend.discard_lost_secrets)).discard_lost_secrets()

    async def list_folders(self, user_id: UserId | None = None) -> tuple[Folder, ...]:
        return await (await self._target(Backend.list_folders)).list_folders(user_id)

    async def folder_stats(self, user_id: UserId | None = None) -> tuple[FolderStats, ...]:
        return await (await self._target(Backend.folder_stats)).folder_stats(user_id)

    async def create_folder(self, name: str, user_id: UserId | None = None) -> Folder:
        return await (await self._target(Backend.create_folder)).create_folder(name, user_id)

    async def rename_folder(self, folder_id: FolderId, name: str, user_id: UserId | None = None) -> Folder:
        return await (await self._target(Backend.rename_folder)).rename_folder(folder_id, name, user_id)

    async def delete_folder(self, folder_id: FolderId, user_id: UserId | None = None) -> Change:
        return await (await self._target(Backend.delete_folder)).delete_folder(folder_id, user_id)

    async def list_templates(self) -> tuple[Template, ...]:
        return await (await self._target(Backend.list_templates)).list_templates()

    async def get_template(self, template_id: TemplateId) -> Template:
        return await (await self._target(Backend.get_template)).get_template(template_id)

    async def create_template(self, name: str, flow_id: FlowId) -> Template:
        return await (await self._target(Backend.create_template)).create_template(name, flow_id)

    async def delete_template(self, template_id: TemplateId) -> Change:
        return await (await self._target(Backend.delete_template)).delete_template(template_id)

    async def use_template(self, template_id: TemplateId, user_id: UserId | None = None) -> Flow:
        return await (await self._target(Backend.use_template)).use_template(template_id, user_id)

    # Flows and their steps
    async def list_flows(self, where: FlowFilter, page: PageRequest) -> Page[Flow]:
        return await (await self._target(Backend.list_flows)).list_flows(where, page)

    async def get_flow(self, flow_id: FlowId) -> Flow:
        return await (await self._target(Backend.get_flow)).get_flow(flow_id)

    async def flow_activity(self, flow_ids: Sequence[FlowId]) -> tuple[FlowActivity, ...]:
        return await (await self._target(Backend.flow_activity)).flow_activity(flow_ids)

    async def create_flow(
        self, name: str | None = None, folder_id: FolderId | None = None, user_id: UserId | None = None
    ) -> Flow:
        return await (await self._target(Backend.create_flow)).create_flow(name, folder_id, user_id)

    async def update_flow(
        self, flow_id: FlowId, *, name: str | None = None, execution_interval: int | None = None
    ) -> Flow:
        return await (await self._target(Backend.update_flow)).update_flow(
            flow_id, name=name, execution_interval=execution_interval
        )

    async def change_flow_settings(self, flow_id: FlowId, settings: FlowSettings) -> Flow:
        return await (await self._target(Backend.change_flow_settings)).change_flow_settings(
            flow_id, settings
        )

    async def pause_flow(self, flow_id: FlowId) -> Flow:
        return await (await self._target(Backend.pause_flow)).pause_flow(flow_id)

    async def resume_flow(self, flow_id: FlowId) -> Flow:
        return await (await self._target(Backend.resume_flow)).resume_flow(flow_id)

    async def move_flow(self, flow_id: FlowId, folder_id: FolderId | None) -> Flow:
        return await (await self._target(Backend.move_flow)).move_flow(flow_id, folder_id)

    async def duplicate_flow(self, flow_id: FlowId) -> Flow:
        return await (await self._target(Backend.duplicate_flow)).duplicate_flow(flow_id)

    async def delete_flow(self, flow_id: FlowId) -> Change:
        return await (await self._target(Backend.delete_flow)).delete_flow(flow_id)

    async def restore_flow(self, flow_id: FlowId) -> Flow:
        return await (await self._target(Backend.restore_flow)).restore_flow(flow_id)

    async def import_flow(self, export: FlowExport) -> Flow:
        return await (await self._target(Backend.import_flow)).import_flow(export)

    async def import_and_publish_flow(self, export: FlowExport) -> ImportedFlow:
        target = await self._target(Backend.import_and_publish_flow)
        return await target.import_and_publish_flow(export)

    async def import_and_publish_flows(
        self, exports: Sequence[FlowExport], *, use_accounts: bool = False, copy: bool = False
    ) -> tuple[Flow, ...]:
        target = await self._target(Backend.import_and_publish_flows)
        return await target.import_and_publish_flows(exports, use_accounts=use_accounts, copy=copy)

    async def export_flow(self, flow_id: FlowId) -> FlowExport:
        return await (await self._target(Backend.export_flow)).export_flow(flow_id)

    async def publish_flow(self, flow_id: FlowId, *, seen: EpochMs | None = None) -> Flow:
        return await (await self._target(Backend.publish_flow)).publish_flow(flow_id, seen=seen)

    async def unpublish_flow(self, flow_id: FlowId) -> Flow:
        return await (await self._target(Backend.unpublish_flow)).unpublish_flow(flow_id)

    async def run_flow(self, flow_id: FlowId, item: Json = None) -> ExecutionId:
        return await (await self._target(Backend.run_flow)).run_flow(flow_id, item)

    async def list_tools(self) -> tuple[Tool, ...]:
        return await (await self._target(Backend.list_tools)).list_tools()

    async def call_tool(self, flow_id: FlowId, arguments: JsonObject) -> ToolResult:
        return await (await self._target(Backend.call_tool)).call_tool(flow_id, arguments)

    async def add_step(
        self,
        flow_id: FlowId,
        after: StepId | None = None,
        *,
        inside: StepId | None = None,
        kind: StructuralType = StructuralType.SINGLE,
    ) -> Flow:
        return await (await self._target(Backend.add_step)).add_step(flow_id, after, inside=inside, kind=kind)

    async def update_step(self, step_id: StepId, change: StepChange) -> Flow:
        return await (await self._target(Backend.update_step)).update_step(step_id, change)

    async def move_step(self, step_id: StepId, position: int, *, inside: StepId | None = None) -> Flow:
        return await (await self._target(Backend.move_step)).move_step(step_id, position, inside=inside)

    async def delete_step(self, step_id: StepId) -> Flow:
        return await (await self._target(Backend.delete_step)).delete_step(step_id)

    async def restore_step(self, step_id: StepId) -> Flow:
        return await (await self._target(Backend.restore_step)).restore_step(step_id)

    async def test_step(self, step_id: StepId) -> StepTest:
        return await (await self._target(Backend.test_step)).test_step(step_id)

    async def skip_step_test(self, step_id: StepId) -> Flow:
        return await (await self._target(Backend.skip_step_test)).skip_step_test(step_id)

    async def step_samples(self, flow_id: FlowId) -> tuple[ExecutionStep, ...]:
        return await (await self._target(Backend.step_samples)).step_samples(flow_id)

    async def preview_schedule(
        self, flow_id: FlowId, app_key: AppKey, key: str, parameters: JsonObject
    ) -> SchedulePreview:
        return await (await self._target(Backend.preview_schedule)).preview_schedule(
            flow_id, app_key, key, parameters
        )

    async def dynamic_options(
        self, step_id: StepId, loader: str, parameters: JsonObject
    ) -> tuple[Option, ...]:
        return await (await self._target(Backend.dynamic_options)).dynamic_options(
            step_id, loader, parameters
        )

    async def dynamic_fields(
        self, step_id: StepId, loader: str, parameters: JsonObject
    ) -> tuple[Argument, ...]:
        return await (await self._target(Backend.dynamic_fields)).dynamic_fields(step_id, loader, parameters)

    # Executions and the engine
    async def list_executions(self, where: ExecutionFilter, page: PageRequest) -> Page[Execution]:
        return await (await self._target(Backend.list_executions)).list_executions(where, page)

    async def search_executions(
        self, text: str, where: ExecutionFilter, cursor: str | None = None
    ) -> SearchPage:
        return await (await self._target(Backend.search_executions)).search_executions(text, where, cursor)

    async def history_copy(self) -> HistoryCopy:
        return await (await self._target(Backend.history_copy)).history_copy()

    async def start_history_download(self) -> HistoryCopy:
        return await (await self._target(Backend.start_history_download)).start_history_download()

    async def stop_history_download(self) -> HistoryCopy:
        return await (await self._target(Backend.stop_history_download)).stop_history_download()

    async def get_execution(self, execution_id: ExecutionId) -> Execution:
        return await (await self._target(Backend.get_execution)).get_execution(execution_id)

    async def execution_steps(self, execution_id: ExecutionId) -> tuple[ExecutionStep, ...]:
        return await (await self._target(Backend.execution_steps)).execution_steps(execution_id)

    async def cancel_execution(self, execution_id: ExecutionId) -> Execution:
        return await (await self._target(Backend.cancel_execution)).cancel_execution(execution_id)

    async def resume_execution(self, execution_id: ExecutionId) -> Execution:
        return await (await self._target(Backend.resume_execution)).resume_execution(execution_id)

    async def retry_execution(self, execution_id: ExecutionId) -> ExecutionId:
        return await (await self._target(Backend.retry_execution)).retry_execution(execution_id)

    async def continue_execution(self, execution_id: ExecutionId) -> ExecutionId:
        return await (await self._target(Backend.continue_execution)).continue_execution(execution_id)

    async def replay_execution(
        self, execution_id: ExecutionId, *, item: Json = None, on: ReplayOn = ReplayOn.ORIGINAL
    ) -> ExecutionId:
        return await (await self._target(Backend.replay_execution)).replay_execution(
            execution_id, item=item, on=on
        )

    async def retry_executions(self, where: ExecutionFilter) -> BulkRetry:
        return await (await self._target(Backend.retry_executions)).retry_executions(where)

    async def bulk_retry(self, job_id: str) -> BulkRetry:
        return await (await self._target(Backend.bulk_retry)).bulk_retry(job_id)

    async def cancel_bulk_retry(self, job_id: str) -> BulkRetry:
        return await (await self._target(Backend.cancel_bulk_retry)).cancel_bulk_retry(job_id)

    async def histogram(self, where: ExecutionFilter, start: EpochMs, end: EpochMs, bars: int) -> Histogram:
        return await (await self._target(Backend.histogram)).histogram(where, start, end, bars)

    async def count_executions(self, where: ExecutionFilter) -> ExecutionCounts:
        return await (await self._target(Backend.count_executions)).count_executions(where)

    async def pause_runs(self) -> EngineHealth:
        return await (await self._target(Backend.pause_runs)).pause_runs()

    async def resume_runs(self) -> EngineHealth:
        return await (await self._target(Backend.resume_runs)).resume_runs()

    async def engine_settings(self) -> EngineSettings:
        return await (await self._target(Backend.engine_settings)).engine_settings()

    async def change_engine_settings(
        self, settings: EngineSettings, fields: Collection[str] | None = None
    ) -> EngineSettings:
        return await (await self._target(Backend.change_engine_settings)).change_engine_settings(
            settings, fields
        )

    async def storage_usage(self) -> StorageUsage:
        return await (await self._target(Backend.storage_usage)).storage_usage()

    async def clean_up_history(self) -> CleanupResult:
        return await (await self._target(Backend.clean_up_history)).clean_up_history()

    # People, API keys, and how the workspace is reached
    async def list_users(self) -> tuple[User, ...]:
        return await (await self._target(Backend.list_users)).list_users()

    async def list_roles(self) -> tuple[Role, ...]:
        return await (await self._target(Backend.list_roles)).list_roles()

    async def create_user(self, full_name: str, email: str, role_id: str | None = None) -> User:
        return await (await self._target(Backend.create_user)).create_user(full_name, email, role_id)

    async def update_user(
        self, user_id: UserId, *, full_name: str | None = None, role_id: str | None = None
    ) -> User:
        return await (await self._target(Backend.update_user)).update_user(
            user_id, full_name=full_name, role_id=role_id
        )

    async def delete_user(self, user_id: UserId) -> Change:
        return await (await self._target(Backend.delete_user)).delete_user(user_id)

    async def list_invitations(self) -> tuple[Invitation, ...]:
        return await (await self._target(Backend.list_invitations)).list_invitations()

    async def invite(self, full_name: str, email: str, role_id: str) -> Invitation:
        return await (await self._target(Backend.invite)).invite(full_name, email, role_id)

    async def revoke_invitation(self, user_id: UserId) -> Change:
        return await (await self._target(Backend.revoke_invitation)).revoke_invitation(user_id)

    async def list_api_keys(self) -> tuple[ApiKey, ...]:
        return await (await self._target(Backend.list_api_keys)).list_api_keys()

    async def create_api_key(
        self, name: str, scope: Scope = Scope.ADMIN, user_id: UserId | None = None
    ) -> NewApiKey:
        return await (await self._target(Backend.create_api_key)).create_api_key(name, scope, user_id)

    async def revoke_api_key(self, key_id: str) -> Change:
        return await (await self._target(Backend.revoke_api_key)).revoke_api_key(key_id)

    async def audit_log(self, where: AuditFilter, page: PageRequest) -> Page[AuditEntry]:
        return await (await self._target(Backend.audit_log)).audit_log(where, page)

    async def service_settings(self) -> ServiceSettings:
        return await (await self._target(Backend.service_settings)).service_settings()

    async def change_service_settings(self, settings: ServiceSettings) -> ServiceSettings:
        return await (await self._target(Backend.change_service_settings)).change_service_settings(settings)

    async def test_public_address(self, address: str | None = None) -> AddressTest:
        return await (await self._target(Backend.test_public_address)).test_public_address(address)
