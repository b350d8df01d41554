"""Which apps were used lately, told from the newest executions."""

from patchbay.domain.backend import Backend
from patchbay.domain.base import AppKey, EpochMs
from patchbay.domain.executions import ExecutionFilter
from patchbay.domain.paging import MAX_PAGE_SIZE, PageRequest


async def recently_used(backend: Backend) -> dict[AppKey, EpochMs]:
    """The apps of the newest executions, each with the moment it was last used; newest first."""
    newest = await backend.list_executions(ExecutionFilter(), PageRequest(limit=MAX_PAGE_SIZE))
    found: dict[AppKey, EpochMs] = {}
    for execution in newest.items:
        for key in execution.flow.app_keys:
            found.setdefault(key, execution.created_at)
    return found
