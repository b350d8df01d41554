"""The questions of the My Apps screen that take more than one call, or more than asking."""

from collections.abc import Iterable

from patchbay.domain.backend import Backend
from patchbay.domain.base import AppKey, ConnectionId, EpochMs
from patchbay.domain.executions import ExecutionFilter
from patchbay.domain.flows import Flow, FlowFilter
from patchbay.domain.paging import MAX_PAGE_SIZE, PageRequest


async def recently_used(backend: Backend) -> dict[AppKey, EpochMs]:
    """The apps of the newest executions, each with the moment it was last used; newest first."""
    newest = await backend.list_executions(ExecutionFilter(), PageRequest(limit=MAX_PAGE_SIZE))
    found: dict[AppKey, EpochMs] = {}
    for execution in newest.items:
        for key in execution.flow.app_keys:
            found.setdefault(key, execution.created_at)
    return found


async def flows_of(
    backend: Backend, connections: Iterable[ConnectionId]
) -> dict[ConnectionId, tuple[Flow, ...]]:
    """The flows that use each of these connections."""
    page = PageRequest(limit=MAX_PAGE_SIZE)
    return {key: (await backend.list_flows(FlowFilter(connection_id=key), page)).items for key in connections}
