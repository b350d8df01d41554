"""Queries of the executions screen that need more than one call, and the names of steps."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from patchbay.desktop.core.language import tr
from patchbay.desktop.core.names import by_name
from patchbay.desktop.core.page_window import Fetch
from patchbay.domain.apps import ActionInfo, TriggerInfo
from patchbay.domain.backend import Backend
from patchbay.domain.base import AppKey, ConnectionId, ExecutionId, StepId
from patchbay.domain.errors import AppError, NotFound
from patchbay.domain.executions import Execution, ExecutionFilter, ExecutionState, Origin, StepRef
from patchbay.domain.flows import Flow, FlowFilter, StructuralType
from patchbay.domain.folders import Folder
from patchbay.domain.paging import Page, PageRequest, read_all

EventNames = Mapping[tuple[AppKey, str], str]
"""Names of triggers and actions, by app and key."""


async def read_event_names(
    backend: Backend, execution: Execution, known: Mapping[AppKey, EventNames]
) -> dict[AppKey, EventNames]:
    """Load the event names of apps in an execution that aren't known yet, by app."""
    apps = {step.app_key for step in execution.flow.steps if step.app_key and step.key and not step.name}
    wanted = sorted(apps - known.keys())
    return {key: await _app_event_names(backend, key) for key in wanted}


async def _app_event_names(backend: Backend, key: AppKey) -> EventNames:
    try:
        app = await backend.get_app(key)
    except AppError:  # an app that was removed since; its steps go by their keys
        return {}
    events: list[TriggerInfo | ActionInfo] = [*(app.triggers or ()), *(app.actions or ())]
    return {(key, event.key): event.name for event in events}


def named_steps(steps: Mapping[StepId, StepRef], names: EventNames) -> dict[StepId, StepRef]:
    """Return the steps with names; unnamed branches are numbered."""
    named: dict[StepId, StepRef] = {}
    branches: dict[StepId | None, int] = {}
    for step in steps.values():
        name = step.name or (names.get((step.app_key, step.key or "")) if step.app_key else None)
        if step.structural_type is StructuralType.BRANCH:
            number = branches[step.parent_step_id] = branches.get(step.parent_step_id, 0) + 1
            name = name or tr("Branch {n}", n=number)
        named[step.id] = step.model_copy(update={"name": name}) if name != step.name else step
    return named


# Queries

NEWEST = 50
MAX_DERIVED_SHOWN = 3
MAX_RETRY_DEPTH = 5
"""Maximum depth of retries of retries that are checked."""
_UNSUCCESSFUL = (ExecutionState.FAILURE, ExecutionState.CANCELLED)


@dataclass(frozen=True)
class RelatedExecutions:
    """Related executions: the origin, the latest followers, and their total."""

    origin: Execution | None = None
    derived_executions: tuple[Execution, ...] = ()
    total: int = 0
    is_settled_by_retry: bool = False
    """Whether a retry or rerun of it succeeded or is running."""


async def related_executions(backend: Backend, execution: Execution) -> RelatedExecutions:
    """Load the related executions of an execution, as far as they exist."""
    try:
        origin = await backend.get_execution(execution.origin_id) if execution.origin_id else None
    except NotFound:
        origin = None
    where = ExecutionFilter(origin_id=execution.id)
    page = await backend.list_executions(where, PageRequest(limit=MAX_DERIVED_SHOWN))
    return RelatedExecutions(origin, page.items, page.total, await _is_settled_by_retry(backend, page.items))


async def _is_settled_by_retry(backend: Backend, derived_executions: Sequence[Execution]) -> bool:
    """Whether the failure is resolved: one of these retries, or a retry of the newest one, didn't fail."""
    for _ in range(MAX_RETRY_DEPTH):
        retries = [item for item in derived_executions if item.origin_kind in (Origin.RETRY, Origin.REPLAY)]
        if not retries or any(item.state not in _UNSUCCESSFUL for item in retries):
            return bool(retries)
        where = ExecutionFilter(origin_id=retries[0].id)
        derived_executions = (
            await backend.list_executions(where, PageRequest(limit=MAX_DERIVED_SHOWN))
        ).items
    return False


async def used_connections(backend: Backend, execution: Execution) -> dict[StepId, ConnectionId]:
    """Load the current connection of each step."""
    try:
        flow = await backend.get_flow(execution.flow.id)
    except NotFound:
        return {}
    return {step.id: step.connection_id for step in flow.steps if step.connection_id}


async def same_cause(backend: Backend, execution: Execution) -> int:
    """Count the executions that failed with the same note."""
    if not execution.note:
        return 0
    where = ExecutionFilter(note=execution.note, states=(ExecutionState.FAILURE,))
    return (await backend.list_executions(where, PageRequest(limit=1))).total


def snapshot_pages(backend: Backend, where: ExecutionFilter) -> Fetch[Execution]:
    """Return a page reader; later pages exclude executions started since the list was opened."""

    async def fetch(request: PageRequest, first: Execution | None) -> Page[Execution]:
        until = where.ended_before
        if first is not None and request.cursor is None:
            until = min(first.created_at, until or first.created_at)
        return await backend.list_executions(where.model_copy(update={"ended_before": until}), request)

    return fetch


async def empty_page(request: PageRequest, first: Execution | None) -> Page[Execution]:
    """A page reader for lists that a search fills: always returns an empty page."""
    return Page(items=(), total=0)


async def load_newest(
    backend: Backend, where: ExecutionFilter, others: Sequence[ExecutionId]
) -> tuple[Page[Execution], tuple[Execution, ...]]:
    """Load the latest rows of a filter, and others by ID if they still exist."""
    page = await backend.list_executions(where, PageRequest(limit=NEWEST))
    known = {item.id for item in page.items}
    rest = (backend.get_execution(key) for key in others if key not in known)
    outcomes = await asyncio.gather(*rest, return_exceptions=True)
    return page, tuple(item for item in outcomes if isinstance(item, Execution))


async def filter_options(backend: Backend) -> tuple[tuple[Flow, ...], tuple[Folder, ...]]:
    """Load the flows and folders that the list can be filtered by."""
    return await asyncio.gather(all_flows(backend), backend.list_folders())


async def all_flows(backend: Backend) -> tuple[Flow, ...]:
    """Load all flows, sorted by name."""
    flows = await read_all(partial(backend.list_flows, FlowFilter()))
    return tuple(sorted(flows, key=lambda flow: by_name(flow.name)))
