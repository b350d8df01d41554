"""Incoming webhooks: accept the event, then answer; synchronous ones wait for the flow's own answer."""

import asyncio
from collections.abc import Awaitable, Callable

from patchbay.domain.apps import TriggerKind
from patchbay.domain.base import EpochMs, ExecutionId, FlowId
from patchbay.domain.errors import Conflict, NotFound
from patchbay.domain.flows import FlowVersion
from patchbay.domain.ports import EngineStore, NewExecution, TriggerItem, WebhookAnswer, WebhookRequest
from patchbay.engine.calls import Caller
from patchbay.engine.contexts import Call
from patchbay.engine.failures import describe
from patchbay.engine.intake import Intake
from patchbay.engine.parameters import resolve_parameters
from patchbay.engine.plan import Plan, Plans
from patchbay.engine.replies import NO_CONTENT, Replies, in_words
from patchbay.engine.trials import Trials

LONGEST_WAIT = 30.0
"""Seconds a synchronous caller is kept waiting."""


class Webhooks:
    """Deliveries to flows. Published versions are remembered until `forget`."""

    def __init__(
        self,
        store: EngineStore,
        plans: Plans,
        caller: Caller,
        intake: Intake,
        trials: Trials,
        replies: Replies,
        clock: Callable[[], EpochMs],
        longest_wait: float = LONGEST_WAIT,
    ) -> None:
        self._store = store
        self._plans = plans
        self._caller = caller
        self._intake = intake
        self._trials = trials
        self._replies = replies
        self._clock = clock
        self._longest_wait = longest_wait
        self._published: dict[FlowId, Plan] = {}

    def forget(self) -> None:
        """Flows were published or unpublished: read them again when next asked."""
        self._published = {}

    async def deliver(self, flow_id: FlowId, request: WebhookRequest, *, synchronous: bool) -> WebhookAnswer:
        """See `ports.WebhookIntake`."""
        plan = self._published.get(flow_id) or await self._find(flow_id)
        if plan is None:
            return await self._to_draft(flow_id, request)
        started = self._clock()
        try:
            items = await self._items(plan, request)
        except Exception as error:  # noqa: BLE001  app code may raise anything
            return await self._broken(plan, error, started)
        events = [self._intake.event(plan, item, started) for item in reversed(items)]
        if synchronous and events:
            return await self._wait(events, plan)
        if events:
            await self._intake.accept(events)
        return NO_CONTENT

    async def _find(self, flow_id: FlowId) -> Plan | None:
        published = self._published
        version = await self._store.version(flow_id)
        if version is None:
            return None
        plan = self._plans.of(version)
        _check(plan, version)
        published[flow_id] = plan
        return plan

    async def _to_draft(self, flow_id: FlowId, request: WebhookRequest) -> WebhookAnswer:
        """A request to a draft shows the person who builds the flow what arrives; nothing is run."""
        version = await self._store.draft(flow_id)
        if version is None:
            raise NotFound(
                "No flow has this address.", todo="Copy the address from the flow's trigger again."
            )
        plan = self._plans.of(version)
        _check(plan, version)
        for item in (await self._items(plan, request))[:1]:
            await self._trials.delivered(version, item)
        return NO_CONTENT

    async def _items(self, plan: Plan, request: WebhookRequest) -> tuple[TriggerItem, ...]:
        """What the trigger makes of a request; triggers without code of their own take it as it is."""
        trigger = plan.start.trigger
        if trigger is None or trigger.run is None:
            raw = {"headers": dict(request.headers), "body": request.body, "query": dict(request.query)}
            return (TriggerItem.model_validate({"raw": raw}),)
        parameters = resolve_parameters(trigger.arguments, plan.start.step.parameters, {})
        call = Call(planned=plan.start, flow_id=plan.flow_id, parameters=parameters, request=request)
        return await self._caller.items(call)

    async def _broken(self, plan: Plan, error: Exception, started: EpochMs) -> WebhookAnswer:
        details = describe(error, plan.start.label)
        ids = await self._intake.accept([self._intake.failure(plan, details, started)])
        return in_words(502, "The flow could not read this request.", f"The execution is {ids[0]}.")

    async def _wait(self, events: list[NewExecution], plan: Plan) -> WebhookAnswer:
        waiting = events[-1].id
        future = self._replies.expect(waiting)
        try:
            new = await self._intake.accept(events)
            if waiting not in new or not plan.has_actions:
                return NO_CONTENT
            return await self._answer(future, waiting)
        finally:
            self._replies.forget(waiting)

    async def _answer(self, future: Awaitable[WebhookAnswer], execution_id: ExecutionId) -> WebhookAnswer:
        try:
            async with asyncio.timeout(self._longest_wait):
                return await future
        except TimeoutError:
            return in_words(
                504,
                f"The flow did not answer within {self._longest_wait:.0f} seconds.",
                f"It goes on; the execution is {execution_id}.",
            )


def _check(plan: Plan, version: FlowVersion) -> None:
    """Raises `Conflict` for a flow that something else starts."""
    if plan.start.problem is not None:
        raise Conflict(f"The flow “{version.name}” cannot start: {plan.start.problem.text()}")
    if plan.kind is not TriggerKind.WEBHOOK:
        raise Conflict(
            f"The flow “{version.name}” is not started by a webhook.",
            meaning=f"It starts with {plan.start.label}.",
            todo="Choose a webhook as its trigger, or remove this address where it is called.",
        )
