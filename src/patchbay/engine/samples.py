"""One item from a trigger, on request: for tests of a step and for "run now"."""

from collections.abc import Callable, Mapping
from datetime import tzinfo

from patchbay.domain.apps import TriggerKind
from patchbay.domain.base import EpochMs, Json, StepId
from patchbay.domain.errors import Conflict
from patchbay.domain.ports import TriggerItem
from patchbay.engine.calls import Caller
from patchbay.engine.contexts import Call
from patchbay.engine.parameters import resolve_parameters
from patchbay.engine.plan import Plan
from patchbay.engine.scheduler.cron import next_time


class TriggerSampler:
    """Asks a trigger for one item without starting anything."""

    def __init__(self, caller: Caller, clock: Callable[[], EpochMs], tz: tzinfo) -> None:
        self._caller = caller
        self._clock = clock
        self._tz = tz

    async def one(self, plan: Plan, samples: Mapping[StepId, Json]) -> TriggerItem | None:
        """The newest item; None when the service has none.

        A schedule shows its next time. A webhook shows what was last sent to it and raises `Conflict` while
        nothing was. A broken trigger raises its own error.
        """
        if plan.start.problem is not None:
            raise plan.start.problem
        if plan.kind is TriggerKind.WEBHOOK:
            return await self._last_delivery(plan, samples)
        items = await self._caller.items(self._call(plan, self._next(plan)))
        return items[0] if items else None

    def _next(self, plan: Plan) -> EpochMs | None:
        trigger = plan.start.trigger
        if trigger is None or trigger.cron is None:
            return None
        return next_time(trigger.cron(plan.start.step.parameters), self._clock(), self._tz)

    async def _last_delivery(self, plan: Plan, samples: Mapping[StepId, Json]) -> TriggerItem | None:
        step_id, trigger = plan.start.step.id, plan.start.trigger
        if samples.get(step_id) is not None:
            return TriggerItem(raw=samples[step_id])
        if trigger is not None and trigger.test_run is not None:
            items = await self._caller.items(self._call(plan, None))
            if items:
                return items[0]
        raise Conflict(
            "Nothing was sent to this webhook yet.",
            meaning="A test shows the newest request, and there is none.",
            todo="Send a request to the address of the webhook first, then test again.",
        )

    def _call(self, plan: Plan, at: EpochMs | None) -> Call:
        arguments = plan.start.trigger.arguments if plan.start.trigger else ()
        parameters = resolve_parameters(arguments, plan.start.step.parameters, {})
        return Call(planned=plan.start, flow_id=plan.flow_id, parameters=parameters, test_run=True, at=at)
