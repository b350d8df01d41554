"""What an API key allows: `AuthorizedBackend` checks its scope and hides what belongs to other people.

Another user's resource is passed on under an ID that nothing has, so the response is exactly that for a
resource that doesn't exist. Each operation of the `Backend` protocol declares the scope it needs
and its audience.
"""

from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar, cast

from patchbay.domain.access import AccessGrant, Audience, Scope
from patchbay.domain.apps import AppInfo
from patchbay.domain.backend import OPERATION_RULES, Backend, Capabilities, Feature, StepTest
from patchbay.domain.base import (
    AppKey,
    ConnectionId,
    EpochMs,
    ExecutionId,
    FlowId,
    FolderId,
    IdType,
    Json,
    JsonObject,
    StepId,
    TemplateId,
    UserId,
)
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.clock import midnight, now_ms
from patchbay.domain.connections import Connection, SecretsState, SignIn
from patchbay.domain.engine import EngineHealth, RateLimit
from patchbay.domain.errors import Forbidden
from patchbay.domain.executions import (
    BulkRetry,
    Execution,
    ExecutionCounts,
    ExecutionFilter,
    ExecutionStep,
    FlowActivity,
    Histogram,
    ReplayOn,
    SearchPage,
)
from patchbay.domain.fields import Argument, Option
from patchbay.domain.flows import Flow, FlowExport, FlowFilter, FlowSettings, StepChange, StructuralType
from patchbay.domain.folders import Folder, FolderStats, Template
from patchbay.domain.forwarding_backend import ForwardingBackend
from patchbay.domain.paging import Page, PageRequest, read_all
from patchbay.domain.people import User
from patchbay.domain.ports import ApiKeys, OwnedResource
from patchbay.domain.schedules import SchedulePreview
from patchbay.domain.tools import Tool, ToolResult

UNKNOWN_ID = "00000000-0000-0000-0000-000000000000"
"""An ID that nothing has."""

_OWNED_RESOURCES: Mapping[ResourceType, OwnedResource] = {
    ResourceType.FLOW: OwnedResource.FLOW,
    ResourceType.EXECUTION: OwnedResource.EXECUTION,
    ResourceType.CONNECTION: OwnedResource.CONNECTION,
    ResourceType.FOLDER: OwnedResource.FOLDER,
}
_OPERATE_FEATURES = (
    Feature.CHANGES,
    Feature.CONNECTIONS,
    Feature.EDIT_FLOWS,
    Feature.RUN_FLOWS,
    Feature.RUN_CONTROL,
)
_ADMIN_FEATURES = (Feature.ENGINE, Feature.ACCESS, Feature.PEOPLE, Feature.ADDRESS)
_READ_ONLY_KEY = "This workspace's API key is read-only."
_NOT_AN_ADMIN_KEY = "This workspace's API key doesn't have admin permissions."

Filter = TypeVar("Filter", ExecutionFilter, FlowFilter)
BackendClass = TypeVar("BackendClass", bound=type)


def describe_scope(access: AccessGrant) -> str:
    """The scope of a key, and its owner's role where that allows less; without a full stop."""
    if access.key.scope == access.scope:
        return f"Its scope is “{access.scope}”"
    return f"Its scope is “{access.key.scope}”, but the role of its owner allows only “{access.scope}”"


def key_capabilities(workspace: Capabilities, access: AccessGrant) -> Capabilities:
    """What the workspace can't do or the key doesn't allow, so that a window can disable it in advance."""
    missing: dict[Feature, str] = {}
    if not access.scope.allows(Scope.ADMIN):
        missing |= dict.fromkeys(_ADMIN_FEATURES, _NOT_AN_ADMIN_KEY)
    if not access.scope.allows(Scope.OPERATE):
        missing |= dict.fromkeys(_OPERATE_FEATURES, _READ_ONLY_KEY)
    return Capabilities(unavailable={**missing, **workspace.unavailable})


def require_owned_overrides(backend: BackendClass) -> BackendClass:
    """Class decorator. Raises `TypeError` for an `OWNED` operation that the class only inherits.

    Inherited, the operation would be forwarded with unchecked IDs.
    """
    missing = [
        name
        for name, rule in OPERATION_RULES.items()
        if rule.audience is Audience.OWNED and name not in vars(backend)
    ]
    if missing:
        raise TypeError(f"{backend.__name__} doesn't limit to the owner: {', '.join(sorted(missing))}")
    return backend


class OwnIds:
    """Replaces IDs of other people's resources by `UNKNOWN_ID`. Without a user, every ID stays."""

    def __init__(self, keys: ApiKeys, user_id: UserId | None) -> None:
        self._keys = keys
        self._user_id = user_id

    async def flow(self, flow_id: FlowId) -> FlowId:
        """The ID, or `UNKNOWN_ID` if it is another person's flow."""
        return await self._own(OwnedResource.FLOW, flow_id)

    async def step(self, step_id: StepId) -> StepId:
        """The ID, or `UNKNOWN_ID` if it is a step of another person's flow."""
        return await self._own(OwnedResource.STEP, step_id)

    async def optional_step(self, step_id: StepId | None) -> StepId | None:
        """Like `step`; None stays None."""
        return None if step_id is None else await self.step(step_id)

    async def execution(self, execution_id: ExecutionId) -> ExecutionId:
        """The ID, or `UNKNOWN_ID` if it is another person's execution."""
        return await self._own(OwnedResource.EXECUTION, execution_id)

    async def connection(self, connection_id: ConnectionId) -> ConnectionId:
        """The ID, or `UNKNOWN_ID` if it is another person's connection."""
        return await self._own(OwnedResource.CONNECTION, connection_id)

    async def optional_connection(self, connection_id: ConnectionId | None) -> ConnectionId | None:
        """Like `connection`; None stays None."""
        return None if connection_id is None else await self.connection(connection_id)

    async def folder(self, folder_id: FolderId) -> FolderId:
        """The ID, or `UNKNOWN_ID` if it is another person's folder."""
        return await self._own(OwnedResource.FOLDER, folder_id)

    async def optional_folder(self, folder_id: FolderId | None) -> FolderId | None:
        """Like `folder`; None stays None."""
        return None if folder_id is None else await self.folder(folder_id)

    def user(self, user_id: UserId | None) -> UserId | None:
        """The given user if it is the key's owner, the owner if none is given, otherwise `UNKNOWN_ID`."""
        if self._user_id is None or user_id == self._user_id:
            return user_id
        return self._user_id if user_id is None else UserId(UNKNOWN_ID)

    def filter(self, where: Filter) -> Filter:
        """The filter, limited to the user's flows."""
        if self._user_id is None:
            return where
        return where.model_copy(update={"user_id": self.user(where.user_id)})

    async def select(self, kind: OwnedResource, ids: Collection[IdType]) -> frozenset[IdType]:
        """Those of these IDs that are the user's."""
        if self._user_id is None:
            return frozenset(ids)
        owners = await self._keys.find_owners(kind, ids)
        return frozenset(item for item in ids if owners.get(item) == self._user_id)

    async def _own(self, kind: OwnedResource, value: IdType) -> IdType:
        return value if value in await self.select(kind, [value]) else cast(IdType, UNKNOWN_ID)


@require_owned_overrides
class AuthorizedBackend(ForwardingBackend):
    """A `Backend` for one request. Raises `Forbidden` for operations the key's scope doesn't allow.

    With a user who isn't an admin, also for `ADMIN` operations; `OWNED` ones see the user's resources
    only. Each of them is overridden here and says which of its arguments are IDs of owned resources.
    """

    def __init__(self, backend: Backend, keys: ApiKeys, access: AccessGrant) -> None:
        self._backend = backend
        self._keys = keys
        self._access = access
        self._user_id = access.person
        self._own = OwnIds(keys, access.person)
        self._usage_counts: tuple[Counter[AppKey], Counter[AppKey]] | None = None

    @property
    def capabilities(self) -> Capabilities:
        """What the workspace can't do."""
        return self._backend.capabilities

    async def _target(self, operation: Callable[..., Any]) -> Backend:
        return self._allowed(operation)

    def _allowed(self, operation: Callable[..., Any]) -> Backend:
        """The workspace, for an operation this key may call. Raises `Forbidden`."""
        rule = OPERATION_RULES[operation.__name__]
        if self._user_id is not None and rule.audience is Audience.ADMIN:
            raise Forbidden(
                "Only admins can do this.",
                meaning="This API key's owner isn't an admin.",
                todo="Ask an admin.",
            )
        if not self._access.scope.allows(rule.scope):
            raise Forbidden(
                "The API key of this request doesn't allow this.",
                meaning=f"{describe_scope(self._access)}.",
                todo="Use another key, or ask an admin for one.",
            )
        return self._backend

    # The workspace and its apps
    async def health(self) -> EngineHealth:
        """The state of the engine, with this user's failures; which flow runs next isn't shown to them."""
        if self._user_id is None:
            return await super().health()
        since = midnight(now_ms())
        failed = self._own.filter(ExecutionFilter.unresolved_failures_since(since))
        failures = (await self.list_executions(failed, PageRequest(limit=1))).total
        own: dict[str, object] = {
            "next_flow": None,
            "next_run_at": None,
            "finished": {},
            "failures_today": failures,
            "today_since": since,
        }
        return (await super().health()).model_copy(update=own)

    def changes(self) -> AsyncIterator[Change]:
        """Changes from now on, without the IDs of other people's resources."""
        changes = self._allowed(Backend.changes).changes()
        return changes if self._user_id is None else self._visible_changes(changes)

    async def list_apps(self) -> tuple[AppInfo, ...]:
        """All apps, with how much this user uses each."""
        return tuple([await self._with_own_counts(app) for app in await super().list_apps()])

    async def get_app(self, key: AppKey) -> AppInfo:
        """One app, with how much this user uses it."""
        return await self._with_own_counts(await super().get_app(key))

    # Connections
    async def list_connections(self, app_key: AppKey | None = None) -> tuple[Connection, ...]:
        found = await super().list_connections(app_key)
        return tuple(item for item in found if self._user_id in (None, item.user_id))

    async def get_connection(self, connection_id: ConnectionId) -> Connection:
        return await super().get_connection(await self._own.connection(connection_id))

    async def reconnect(
        self, connection_id: ConnectionId, values: JsonObject, *, accept_other_account: bool = False
    ) -> Connection:
        return await super().reconnect(
            await self._own.connection(connection_id), values, accept_other_account=accept_other_account
        )

    async def begin_sign_in(
        self, app_key: AppKey, values: JsonObject, connection_id: ConnectionId | None = None
    ) -> SignIn:
        return await super().begin_sign_in(
            app_key, values, await self._own.optional_connection(connection_id)
        )

    async def duplicate_connection(self, connection_id: ConnectionId, screen_name: str) -> Connection:
        return await super().duplicate_connection(await self._own.connection(connection_id), screen_name)

    async def test_connection(self, connection_id: ConnectionId) -> Connection:
        return await super().test_connection(await self._own.connection(connection_id))

    async def rename_connection(self, connection_id: ConnectionId, screen_name: str) -> Connection:
        return await super().rename_connection(await self._own.connection(connection_id), screen_name)

    async def set_connection_rate_limit(
        self, connection_id: ConnectionId, limit: RateLimit | None
    ) -> Connection:
        return await super().set_connection_rate_limit(await self._own.connection(connection_id), limit)

    async def delete_connection(self, connection_id: ConnectionId) -> Change:
        return await super().delete_connection(await self._own.connection(connection_id))

    async def restore_connection(self, connection_id: ConnectionId) -> Connection:
        return await super().restore_connection(await self._own.connection(connection_id))

    async def secrets_state(self) -> SecretsState:
        """Where secrets are stored, counting this user's connections only."""
        state = await super().secrets_state()
        if self._user_id is None:
            return state
        return state.model_copy(update={"stored": len(await self.list_connections())})

    # Folders, templates, and users
    async def list_folders(self, user_id: UserId | None = None) -> tuple[Folder, ...]:
        return await super().list_folders(self._own.user(user_id))

    async def folder_stats(self, user_id: UserId | None = None) -> tuple[FolderStats, ...]:
        return await super().folder_stats(self._own.user(user_id))

    async def create_folder(self, name: str, user_id: UserId | None = None) -> Folder:
        return await super().create_folder(name, self._own.user(user_id))

    async def rename_folder(self, folder_id: FolderId, name: str, user_id: UserId | None = None) -> Folder:
        return await super().rename_folder(await self._own.folder(folder_id), name, self._own.user(user_id))

    async def delete_folder(self, folder_id: FolderId, user_id: UserId | None = None) -> Change:
        return await super().delete_folder(await self._own.folder(folder_id), self._own.user(user_id))

    async def create_template(self, name: str, flow_id: FlowId) -> Template:
        return await super().create_template(name, await self._own.flow(flow_id))

    async def use_template(self, template_id: TemplateId, user_id: UserId | None = None) -> Flow:
        return await super().use_template(template_id, self._own.user(user_id))

    async def list_users(self) -> tuple[User, ...]:
        return tuple(user for user in await super().list_users() if self._user_id in (None, user.id))

    # Flows
    async def list_flows(self, where: FlowFilter, page: PageRequest) -> Page[Flow]:
        return await super().list_flows(self._own.filter(where), page)

    async def get_flow(self, flow_id: FlowId) -> Flow:
        return await super().get_flow(await self._own.flow(flow_id))

    async def flow_activity(self, flow_ids: Sequence[FlowId]) -> tuple[FlowActivity, ...]:
        """In the given order; empty for another user's flow, as for one that doesn't exist."""
        if self._user_id is None:
            return await super().flow_activity(flow_ids)
        own = await self._own.select(OwnedResource.FLOW, flow_ids)
        known = await super().flow_activity([flow_id for flow_id in flow_ids if flow_id in own])
        by_flow = {item.flow_id: item for item in known}
        return tuple(by_flow.get(flow_id, FlowActivity(flow_id=flow_id)) for flow_id in flow_ids)

    async def create_flow(
        self, name: str | None = None, folder_id: FolderId | None = None, user_id: UserId | None = None
    ) -> Flow:
        return await super().create_flow(
            name, await self._own.optional_folder(folder_id), self._own.user(user_id)
        )

    async def update_flow(
        self, flow_id: FlowId, *, name: str | None = None, execution_interval: int | None = None
    ) -> Flow:
        return await super().update_flow(
            await self._own.flow(flow_id), name=name, execution_interval=execution_interval
        )

    async def change_flow_settings(self, flow_id: FlowId, settings: FlowSettings) -> Flow:
        return await super().change_flow_settings(await self._own.flow(flow_id), settings)

    async def pause_flow(self, flow_id: FlowId) -> Flow:
        return await super().pause_flow(await self._own.flow(flow_id))

    async def resume_flow(self, flow_id: FlowId) -> Flow:
        return await super().resume_flow(await self._own.flow(flow_id))

    async def move_flow(self, flow_id: FlowId, folder_id: FolderId | None) -> Flow:
        return await super().move_flow(
            await self._own.flow(flow_id), await self._own.optional_folder(folder_id)
        )

    async def duplicate_flow(self, flow_id: FlowId) -> Flow:
        return await super().duplicate_flow(await self._own.flow(flow_id))

    async def delete_flow(self, flow_id: FlowId) -> Change:
        return await super().delete_flow(await self._own.flow(flow_id))

    async def restore_flow(self, flow_id: FlowId) -> Flow:
        return await super().restore_flow(await self._own.flow(flow_id))

    async def export_flow(self, flow_id: FlowId) -> FlowExport:
        return await super().export_flow(await self._own.flow(flow_id))

    async def publish_flow(self, flow_id: FlowId, *, seen: EpochMs | None = None) -> Flow:
        return await super().publish_flow(await self._own.flow(flow_id), seen=seen)

    async def unpublish_flow(self, flow_id: FlowId) -> Flow:
        return await super().unpublish_flow(await self._own.flow(flow_id))

    async def run_flow(self, flow_id: FlowId, item: Json = None) -> ExecutionId:
        return await super().run_flow(await self._own.flow(flow_id), item)

    # Tools
    async def list_tools(self) -> tuple[Tool, ...]:
        tools = await super().list_tools()
        own = await self._own.select(OwnedResource.FLOW, [tool.flow_id for tool in tools])
        return tuple(tool for tool in tools if tool.flow_id in own)

    async def call_tool(self, flow_id: FlowId, arguments: JsonObject) -> ToolResult:
        return await super().call_tool(await self._own.flow(flow_id), arguments)

    # Steps
    async def add_step(
        self,
        flow_id: FlowId,
        after: StepId | None = None,
        *,
        inside: StepId | None = None,
        kind: StructuralType = StructuralType.SINGLE,
    ) -> Flow:
        return await super().add_step(
            await self._own.flow(flow_id),
            await self._own.optional_step(after),
            inside=await self._own.optional_step(inside),
            kind=kind,
        )

    async def update_step(self, step_id: StepId, change: StepChange) -> Flow:
        connection_id = await self._own.optional_connection(change.connection_id)
        if connection_id != change.connection_id:
            change = change.model_copy(update={"connection_id": connection_id})
        return await super().update_step(await self._own.step(step_id), change)

    async def move_step(self, step_id: StepId, position: int, *, inside: StepId | None = None) -> Flow:
        return await super().move_step(
            await self._own.step(step_id), position, inside=await self._own.optional_step(inside)
        )

    async def delete_step(self, step_id: StepId) -> Flow:
        return await super().delete_step(await self._own.step(step_id))

    async def restore_step(self, step_id: StepId) -> Flow:
        return await super().restore_step(await self._own.step(step_id))

    async def test_step(self, step_id: StepId) -> StepTest:
        return await super().test_step(await self._own.step(step_id))

    async def skip_step_test(self, step_id: StepId) -> Flow:
        return await super().skip_step_test(await self._own.step(step_id))

    async def step_samples(self, flow_id: FlowId) -> tuple[ExecutionStep, ...]:
        return await super().step_samples(await self._own.flow(flow_id))

    async def preview_schedule(
        self, flow_id: FlowId, app_key: AppKey, key: str, parameters: JsonObject
    ) -> SchedulePreview:
        return await super().preview_schedule(await self._own.flow(flow_id), app_key, key, parameters)

    async def dynamic_options(
        self, step_id: StepId, loader: str, parameters: JsonObject
    ) -> tuple[Option, ...]:
        return await super().dynamic_options(await self._own.step(step_id), loader, parameters)

    async def dynamic_fields(
        self, step_id: StepId, loader: str, parameters: JsonObject
    ) -> tuple[Argument, ...]:
        return await super().dynamic_fields(await self._own.step(step_id), loader, parameters)

    # Executions
    async def list_executions(self, where: ExecutionFilter, page: PageRequest) -> Page[Execution]:
        return await super().list_executions(self._own.filter(where), page)

    async def search_executions(
        self, text: str, where: ExecutionFilter, cursor: str | None = None
    ) -> SearchPage:
        return await super().search_executions(text, self._own.filter(where), cursor)

    async def get_execution(self, execution_id: ExecutionId) -> Execution:
        return await super().get_execution(await self._own.execution(execution_id))

    async def execution_steps(self, execution_id: ExecutionId) -> tuple[ExecutionStep, ...]:
        return await super().execution_steps(await self._own.execution(execution_id))

    async def cancel_execution(self, execution_id: ExecutionId) -> Execution:
        return await super().cancel_execution(await self._own.execution(execution_id))

    async def resume_execution(self, execution_id: ExecutionId) -> Execution:
        return await super().resume_execution(await self._own.execution(execution_id))

    async def retry_execution(self, execution_id: ExecutionId) -> ExecutionId:
        return await super().retry_execution(await self._own.execution(execution_id))

    async def continue_execution(self, execution_id: ExecutionId) -> ExecutionId:
        return await super().continue_execution(await self._own.execution(execution_id))

    async def replay_execution(
        self, execution_id: ExecutionId, *, item: Json = None, on: ReplayOn = ReplayOn.ORIGINAL
    ) -> ExecutionId:
        return await super().replay_execution(await self._own.execution(execution_id), item=item, on=on)

    async def retry_executions(self, where: ExecutionFilter) -> BulkRetry:
        return await super().retry_executions(self._own.filter(where))

    async def histogram(self, where: ExecutionFilter, start: EpochMs, end: EpochMs, bars: int) -> Histogram:
        return await super().histogram(self._own.filter(where), start, end, bars)

    async def count_executions(self, where: ExecutionFilter) -> ExecutionCounts:
        return await super().count_executions(self._own.filter(where))

    async def _visible_changes(self, changes: AsyncIterator[Change]) -> AsyncIterator[Change]:
        async for change in changes:
            if (visible := await self._visible_change(change)) is not None:
                yield visible

    async def _visible_change(self, change: Change) -> Change | None:
        """The change with the user's own IDs; None when all IDs are other people's.

        For users and API keys, and for resources whose owner isn't stored any more, it only says that
        something changed.
        """
        if change.noun in (ResourceType.USER, ResourceType.API_KEY):
            return change.model_copy(update={"ids": ()})
        if change.noun not in _OWNED_RESOURCES or not change.ids:
            return change
        owners = await self._keys.find_owners(_OWNED_RESOURCES[change.noun], change.ids)
        own = tuple(item for item in change.ids if owners.get(item) == self._user_id)
        if not own and set(change.ids) <= owners.keys():
            return None
        return change.model_copy(update={"ids": own})

    async def _with_own_counts(self, app: AppInfo) -> AppInfo:
        """The app with this user's numbers of connections and flows; these are read once for a whole list."""
        if self._user_id is None:
            return app
        if self._usage_counts is None:
            connections = await self.list_connections()
            usage = Counter(
                key
                for flow in await read_all(partial(self.list_flows, FlowFilter()))
                for key in set(flow.app_keys)
            )
            for item in connections:  # an app without steps, such as a signing secret, is used by connections
                usage.setdefault(item.app_key, item.flow_count)
            self._usage_counts = Counter(item.app_key for item in connections), usage
        connected, flows = self._usage_counts
        return app.model_copy(update={"connection_count": connected[app.key], "flow_count": flows[app.key]})
