"""One item from a trigger, on request: for tests of a step and for "run now"."""

from collections.abc import Mapping

from patchbay.domain.apps import TriggerKind
from patchbay.domain.base import Json, StepId
from patchbay.domain.engine_store import EngineStore
from patchbay.domain.errors import Conflict
from patchbay.domain.ports import TriggerItem
from patchbay.engine.calling.calls import AppCaller
from patchbay.engine.calling.contexts import Call
from patchbay.engine.calling.failures import unusable_item_error
from patchbay.engine.calling.parameters import resolve_parameters
from patchbay.engine.plan import Plan
from patchbay.engine.starts.schedules import flow_time_zone


class TriggerSampler:
    """Asks a trigger for one item without starting anything."""

    def __init__(self, caller: AppCaller, store: EngineStore) -> None:
        self._caller = caller
        self._store = store

    async def one(
        self, plan: Plan, samples: Mapping[StepId, Json], *, is_published: bool = False
    ) -> TriggerItem | None:
        """The newest item; None when the service has none.

        A schedule shows its next time, or this moment when it is started by hand (`is_published`). A webhook shows
        what was last sent to it and raises `Conflict` while nothing was. A broken trigger raises its own
        error.
        """
        if plan.start.problem is not None:
            raise plan.start.problem
        if plan.kind is TriggerKind.WEBHOOK:
            return await self._last_delivery(plan, samples)
        as_test = not (is_published and plan.kind is TriggerKind.SCHEDULE)
        items = await self._caller.items(await self._call(plan, as_test))
        usable = next((item for item in items if item.starts and item.problem is None), None)
        if usable is None and (problem := next((item.problem for item in items if item.problem), None)):
            raise unusable_item_error(problem)
        return usable

    async def _last_delivery(self, plan: Plan, samples: Mapping[StepId, Json]) -> TriggerItem | None:
        step_id, trigger = plan.start.step.id, plan.start.trigger
        if samples.get(step_id) is not None:
            return TriggerItem(raw=samples[step_id])
        if trigger is not None and trigger.test_run is not None:
            items = await self._caller.items(await self._call(plan))
            if items:
                return items[0]
        raise Conflict(
            "Nothing was sent to this webhook yet.",
            meaning="A test shows the newest request, and there is none.",
            todo="Send a request to the address of the webhook first, then test again.",
        )

    async def _call(self, plan: Plan, test_run: bool = True) -> Call:
        arguments = plan.start.trigger.arguments if plan.start.trigger else ()
        parameters = resolve_parameters(arguments, plan.start.step.parameters, {})
        own = None
        if plan.kind is TriggerKind.SCHEDULE:
            own = flow_time_zone(await self._store.flow_settings(plan.flow_id))
        return Call(
            planned=plan.start, flow_id=plan.flow_id, parameters=parameters, test_run=test_run,
            approved=plan.version.approved, draft=plan.version.is_draft,
            time_zone=own.key if own else None,
        )  # fmt: skip
