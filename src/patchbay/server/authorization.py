"""The workspace as one person sees it who is no admin: their own things, and what is everybody's.

Whatever belongs to somebody else is passed on under an id that nothing has, so that it is answered exactly
like something that is not there. The rules beside the operations of the Backend say which scope a key needs
for each and how it is bounded; one without a rule is refused.
"""

import inspect
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from functools import cache, partial
from typing import Any, TypeVar, cast

from patchbay.domain.access import AccessGrant, Audience, OperationRule, Scope, collect_operation_rules
from patchbay.domain.apps import AppInfo
from patchbay.domain.backend import Backend, Capabilities, Feature
from patchbay.domain.base import AppKey, FlowId, UserId
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.clock import midnight, now_ms
from patchbay.domain.connections import Connection, SecretsState
from patchbay.domain.engine import EngineHealth
from patchbay.domain.errors import Forbidden
from patchbay.domain.executions import ExecutionFilter, FlowActivity
from patchbay.domain.flows import Flow, FlowFilter, StepChange
from patchbay.domain.paging import MAX_PAGE_SIZE, PageRequest
from patchbay.domain.people import User
from patchbay.domain.ports import ApiKeys, OwnedResource

UNKNOWN_ID = "00000000-0000-0000-0000-000000000000"
"""An id that nothing has."""

RESOURCE_BY_ARGUMENT: Mapping[str, OwnedResource] = {
    "flow_id": OwnedResource.FLOW, "step_id": OwnedResource.STEP, "after": OwnedResource.STEP, "inside": OwnedResource.STEP,
    "execution_id": OwnedResource.EXECUTION, "connection_id": OwnedResource.CONNECTION, "folder_id": OwnedResource.FOLDER,
}  # fmt: skip
"""What the arguments of these names are ids of. Beside them, `user_id` is the person, `where` is bounded to
their flows, and the connection of a `change` is theirs."""

RULES: Mapping[str, OperationRule] = collect_operation_rules(Backend)
"""Who may call each operation, as the Backend declares it."""

_RESOURCE_KINDS: Mapping[ResourceType, OwnedResource] = {
    ResourceType.FLOW: OwnedResource.FLOW, ResourceType.EXECUTION: OwnedResource.EXECUTION, ResourceType.CONNECTION: OwnedResource.CONNECTION,
    ResourceType.FOLDER: OwnedResource.FOLDER,
}  # fmt: skip

W = TypeVar("W", ExecutionFilter, FlowFilter)


def authorize(backend: Backend, keys: ApiKeys, access: AccessGrant) -> Backend:
    """What of the whole workspace a key opens."""
    scoped = cast(Backend, ScopedBackend(backend, access))
    return scoped if access.person is None else cast(Backend, OwnerScopedBackend(scoped, keys, access.person))


def describe_scope(access: AccessGrant) -> str:
    """The scope of a key, and its owner's role where that allows less; without a full stop."""
    if access.key.scope == access.scope:
        return f"Its scope is “{access.scope}”"
    return f"Its scope is “{access.key.scope}”, but the role of its owner allows only “{access.scope}”"


class ScopedBackend:
    """The operations that a scope allows; the others raise `Forbidden`."""

    def __init__(self, backend: Backend, access: AccessGrant) -> None:
        self._backend, self._access = backend, access

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        rule = RULES.get(name)
        if rule is None or not self._access.scope.allows(rule.scope):
            raise Forbidden(
                "The API key of this request doesn't allow this.",
                meaning=f"{describe_scope(self._access)}.",
                todo="Use another key, or ask an admin for one.",
            )
        return cast(Callable[..., Any], getattr(self._backend, name))

    @property
    def capabilities(self) -> Capabilities:
        """What the workspace cannot do."""
        return self._backend.capabilities


class OwnerScopedBackend:
    """See above. Made anew for each request; whose things are is asked of `keys`, each time anew."""

    def __init__(self, backend: Backend, keys: ApiKeys, person: UserId) -> None:
        self._backend, self._keys, self._user_id = backend, keys, person
        self._usage_counts: tuple[Counter[AppKey], Counter[AppKey]] | None = None

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        if name.startswith("_"):
            raise AttributeError(name)
        audience = RULES[name].audience if name in RULES else Audience.ADMIN_ONLY
        if audience is Audience.PUBLIC:
            return cast(Callable[..., Awaitable[Any]], getattr(self._backend, name))
        return partial(
            self._call_with_own_ids if audience is Audience.OWNED else self._raise_admin_only, name
        )

    @property
    def capabilities(self) -> Capabilities:
        """What the workspace cannot do."""
        return self._backend.capabilities

    async def health(self) -> EngineHealth:
        """How the engine does, with this person's failures; which flow comes next is nobody's business."""
        since = midnight(now_ms())
        failed = ExecutionFilter.failures_to_look_at(since).model_copy(update={"user_id": self._user_id})
        failures = (await self._backend.list_executions(failed, PageRequest(limit=1))).total
        own: dict[str, object] = {
            "next_flow": None,
            "next_run_at": None,
            "finished": {},
            "failures_today": failures,
            "today_since": since,
        }
        return (await self._backend.health()).model_copy(update=own)

    async def list_apps(self) -> tuple[AppInfo, ...]:
        """All apps, with how much this person uses each."""
        return tuple([await self._with_own_counts(app) for app in await self._backend.list_apps()])

    async def get_app(self, key: AppKey) -> AppInfo:
        """One app, with how much this person uses it."""
        return await self._with_own_counts(await self._backend.get_app(key))

    async def secrets_state(self) -> SecretsState:
        """Where secrets are kept, counting this person's connections only."""
        state = await self._backend.secrets_state()
        return state.model_copy(update={"stored": len(await self.list_connections())})

    async def list_connections(self, app_key: AppKey | None = None) -> tuple[Connection, ...]:
        """This person's."""
        found = await self._backend.list_connections(app_key)
        return tuple(item for item in found if item.user_id == self._user_id)

    async def list_users(self) -> tuple[User, ...]:
        """This person."""
        return tuple(user for user in await self._backend.list_users() if user.id == self._user_id)

    async def flow_activity(self, flow_ids: Sequence[FlowId]) -> tuple[FlowActivity, ...]:
        """In the given order; for somebody else's flow an empty one, as for a flow that is not there."""
        own = await self._owned_ids(OwnedResource.FLOW, flow_ids)
        known = await self._backend.flow_activity([flow_id for flow_id in flow_ids if flow_id in own])
        by_flow = {item.flow_id: item for item in known}
        return tuple(by_flow.get(flow_id, FlowActivity(flow_id=flow_id)) for flow_id in flow_ids)

    def changes(self) -> AsyncIterator[Change]:
        """Changes from now on, without the ids of what is somebody else's."""
        return self._own_changes(self._backend.changes())

    async def _own_changes(self, changes: AsyncIterator[Change]) -> AsyncIterator[Change]:
        async for change in changes:
            if (shown := await self._visible_change(change)) is not None:
                yield shown

    async def _visible_change(self, change: Change) -> Change | None:
        """The change as this person is told it; None when it is none of their business.

        Of people and keys, and of what is gone for good and cannot be told apart any more, they are told that
        something has changed, and nothing else.
        """
        if change.noun in (ResourceType.USER, ResourceType.API_KEY):
            return change.model_copy(update={"ids": ()})
        if change.noun not in _RESOURCE_KINDS or not change.ids:
            return change
        owners = await self._keys.find_owners(_RESOURCE_KINDS[change.noun], change.ids)
        own = tuple(one for one in change.ids if owners.get(one) == self._user_id)
        if not own and set(change.ids) <= owners.keys():
            return None
        return change.model_copy(update={"ids": own})

    async def _call_with_own_ids(self, name: str, /, *args: Any, **named: Any) -> Any:
        """The operation with every foreign id replaced."""
        given = _signature(name).bind(self._backend, *args, **named)
        given.apply_defaults()
        for argument, value in given.arguments.items():
            given.arguments[argument] = await self._argument(argument, value)
        return await getattr(self._backend, name)(*given.args[1:], **given.kwargs)

    async def _argument(self, name: str, value: Any) -> Any:
        if name == "user_id":
            return self._own_user_id(value)
        if name == "where":
            return self._restrict_filter(value)
        if name == "change":
            return await self._with_own_connection(value)
        if name in RESOURCE_BY_ARGUMENT and value is not None:
            return (
                value if value in await self._owned_ids(RESOURCE_BY_ARGUMENT[name], [value]) else UNKNOWN_ID
            )
        return value

    def _own_user_id(self, user_id: UserId | None) -> UserId:
        return self._user_id if user_id in (None, self._user_id) else UNKNOWN_ID

    def _restrict_filter(self, where: W) -> W:
        return where.model_copy(update={"user_id": self._own_user_id(where.user_id)})

    async def _with_own_connection(self, change: StepChange) -> StepChange:
        wanted = change.connection_id
        if wanted is None or wanted in await self._owned_ids(OwnedResource.CONNECTION, [wanted]):
            return change
        return change.model_copy(update={"connection_id": UNKNOWN_ID})

    async def _owned_ids(self, thing: OwnedResource, ids: Collection[str]) -> frozenset[str]:
        """Which of these are this person's."""
        owners = await self._keys.find_owners(thing, ids)
        return frozenset(one for one, owner in owners.items() if owner == self._user_id)

    async def _raise_admin_only(self, name: str, /, *_: Any, **__: Any) -> Any:
        raise Forbidden(
            "Only admins can do this.",
            meaning="This API key's owner isn't an admin.",
            todo="Ask an admin.",
        )

    async def _with_own_counts(self, app: AppInfo) -> AppInfo:
        """The app with how many connections and flows this person has with it; read once for a whole list."""
        if self._usage_counts is None:
            connections = await self.list_connections()
            usage = Counter(key for flow in await self._list_own_flows() for key in set(flow.app_keys))
            for item in connections:  # an app without steps, such as a signing secret, is used by connections
                usage.setdefault(item.app_key, item.flow_count)
            self._usage_counts = Counter(item.app_key for item in connections), usage
        connected, flows = self._usage_counts
        return app.model_copy(update={"connection_count": connected[app.key], "flow_count": flows[app.key]})

    async def _list_own_flows(self) -> tuple[Flow, ...]:
        found: list[Flow] = []
        page = PageRequest(limit=MAX_PAGE_SIZE)
        while True:
            part = await self._backend.list_flows(FlowFilter(user_id=self._user_id), page)
            found.extend(part.items)
            if part.next_cursor is None:
                return tuple(found)
            page = page.model_copy(update={"cursor": part.next_cursor})


@cache
def _signature(name: str) -> inspect.Signature:
    return inspect.signature(getattr(Backend, name))


# MERGED: What a key cannot do, said before anybody tries: a window disables it with the reason.

_OPERATE_FEATURES = (
    Feature.CHANGES, Feature.CONNECTIONS, Feature.EDIT_FLOWS, Feature.RUN_FLOWS, Feature.RUN_CONTROL,
)  # fmt: skip
_ADMIN_FEATURES = (Feature.ENGINE, Feature.ACCESS, Feature.PEOPLE, Feature.ADDRESS)

_READ_ONLY_KEY = "The API key of this workspace may only look at things."
_NOT_AN_ADMIN_KEY = "The API key of this workspace is not that of an admin."


def key_capabilities(workspace: Capabilities, access: AccessGrant) -> Capabilities:
    """What the workspace cannot do, and beside it what the key may not."""
    missing: dict[Feature, str] = {}
    if not access.scope.allows(Scope.ADMIN):
        missing |= dict.fromkeys(_ADMIN_FEATURES, _NOT_AN_ADMIN_KEY)
    if not access.scope.allows(Scope.OPERATE):
        missing |= dict.fromkeys(_OPERATE_FEATURES, _READ_ONLY_KEY)
    return Capabilities(unavailable={**missing, **workspace.unavailable})
