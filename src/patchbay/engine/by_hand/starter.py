"""Starting a flow by hand."""

from collections.abc import Callable

from patchbay.domain.base import EpochMs, ExecutionId, FlowId, Json
from patchbay.domain.engine_store import EngineStore
from patchbay.domain.errors import Conflict, NotFound
from patchbay.domain.flows import FlowVersion
from patchbay.domain.ports import TriggerItem
from patchbay.engine.by_hand.trials import TestRuns
from patchbay.engine.intake import Intake
from patchbay.engine.permissions import Permissions
from patchbay.engine.plan import Plans
from patchbay.engine.starts.samples import TriggerSampler


class FlowStarter:
    """Runs a published flow now, or tests a draft from its start to its end."""

    def __init__(
        self,
        store: EngineStore,
        plans: Plans,
        sampler: TriggerSampler,
        test_runs: TestRuns,
        permissions: Permissions,
        intake: Intake,
        clock: Callable[[], EpochMs],
    ) -> None:
        self._store = store
        self._plans = plans
        self._sampler = sampler
        self._test_runs = test_runs
        self._permissions = permissions
        self._intake = intake
        self._clock = clock

    async def run(self, flow_id: FlowId, item: Json, *, full_rights: bool) -> ExecutionId:
        """See `Engine.run_now`."""
        version = await self._store.version(flow_id)
        is_published = version is not None
        version = version or await self._store.draft(flow_id)
        if version is None:
            raise NotFound("This flow is not there any more.", todo="Refresh the list of flows.")
        plan = self._plans.of(version)
        permit = await self._permissions.require(plan, full_rights=full_rights)
        event = (
            TriggerItem(raw=item) if item is not None else await self._sample_trigger(version, is_published)
        )
        if not is_published:
            return await self._test_runs.draft(permit, event, from_trigger=item is None)
        execution = self._intake.event(plan, event, self._clock(), permit=permit)
        await self._intake.accept([execution])
        return execution.id

    async def _sample_trigger(self, version: FlowVersion, is_published: bool) -> TriggerItem:
        samples = await self._store.samples(version.flow_id)
        item = await self._sampler.one(self._plans.of(version), samples, is_published=is_published)
        if item is None:
            raise Conflict(
                "The trigger found nothing to start the flow with.",
                meaning="The service answered, but it has no item yet.",
                todo="Create one there, then run the flow again.",
            )
        return TriggerItem(raw=item.raw)
