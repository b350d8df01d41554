"""What would stop if this program ended: the published flows of this computer."""

from dataclasses import dataclass

from patchbay.domain.backend import Backend
from patchbay.domain.flows import FlowFilter, FlowStatus
from patchbay.domain.paging import PageRequest


@dataclass(frozen=True)
class LocalRuns:
    """The published flows that only this program runs, and their unfinished executions."""

    published: int = 0
    unfinished: int = 0


async def find_local_runs(backend: Backend) -> LocalRuns:
    """What this program runs; nothing if another program runs the engine."""
    if (await backend.info()).kind != "local":
        return LocalRuns()
    flows = await backend.list_flows(FlowFilter(status=FlowStatus.PUBLISHED), PageRequest(limit=1))
    if not flows.total:
        return LocalRuns()
    health = await backend.health()
    return LocalRuns(flows.total, health.running + health.waiting + health.queued)
