"""Incoming webhooks: accept the event, then answer; synchronous ones wait for the flow's own answer."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass

from patchbay.domain.apps import TriggerKind
from patchbay.domain.base import EpochMs, ExecutionId, FlowId, JsonObject
from patchbay.domain.engine_store import EngineStore
from patchbay.domain.errors import AppError, Conflict, NotFound
from patchbay.domain.flows import FlowVersion
from patchbay.domain.ports import DELIVERY_HEADER, ReadBody, TriggerItem, WebhookAnswer, WebhookRequest
from patchbay.domain.runs import NewExecution
from patchbay.engine.by_hand.trials import Trials
from patchbay.engine.calling.calls import Caller
from patchbay.engine.calling.contexts import Call
from patchbay.engine.calling.failures import describe, unusable_item
from patchbay.engine.calling.parameters import resolve_parameters
from patchbay.engine.intake import Intake
from patchbay.engine.plan import Plan, Plans
from patchbay.engine.starts.gate import Gate
from patchbay.engine.starts.replies import NO_CONTENT, Replies, Reply, in_words
from patchbay.integration.incoming import delivery_id, without_credentials

LONGEST_WAIT = 30.0
"""Seconds a synchronous caller is kept waiting."""


REFUSALS_EVERY = 900_000
"""Milliseconds between two executions that record refused requests of one flow."""


@dataclass(slots=True)
class _Refusals:
    """Requests to one flow that were refused since the last one was recorded."""

    count: int = 0
    recorded_at: EpochMs | None = None


class Webhooks:
    """Deliveries to flows. Published versions, and which flows are held, are remembered until `forget`."""

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
        is_paused: Callable[[], bool] = lambda: False,
    ) -> None:
        self._store = store
        self._plans = plans
        self._caller = caller
        self._intake = intake
        self._trials = trials
        self._replies = replies
        self._clock = clock
        self._longest_wait = longest_wait
        self._is_paused = is_paused
        self._gate = Gate(caller, clock)
        self._published: dict[FlowId, Plan] = {}
        self._refusals: dict[FlowId, _Refusals] = {}
        self._held: frozenset[FlowId] | None = None

    def forget(self) -> None:
        """Flows were published, unpublished, paused or resumed: read them again when next asked."""
        self._published, self._held = {}, None

    async def deliver(
        self,
        flow_id: FlowId,
        request: WebhookRequest,
        *,
        synchronous: bool,
        read_body: ReadBody | None = None,
    ) -> WebhookAnswer:
        """See `ports.WebhookIntake`. A call to a flow that is not published is a test."""
        plan = self._published.get(flow_id) or await self._find(flow_id)
        if plan is None:
            return await self.deliver_test(flow_id, request, read_body=read_body)
        admitted = await self._admit(plan, request, read_body)
        if isinstance(admitted, WebhookAnswer):
            return admitted
        request = admitted
        started = self._clock()
        try:
            items = await self._items(plan, request)
        except Exception as error:  # noqa: BLE001  app code may raise anything
            return await self._broken(plan, error, started)
        events = [self._intake.event(plan, item, started) for item in reversed(items)]
        if not events:
            return NO_CONTENT
        if synchronous and plan.has_actions and not await self._holds(flow_id):
            return await self._wait(events)
        new = await self._intake.accept(events)
        if not new:
            return _marked(NO_CONTENT, "duplicate")
        return _queued() if synchronous and plan.has_actions else NO_CONTENT

    async def deliver_test(
        self, flow_id: FlowId, request: WebhookRequest, *, read_body: ReadBody | None = None
    ) -> WebhookAnswer:
        """See `ports.WebhookIntake`."""
        version = await self._draft(flow_id)
        plan = self._plans.of(version)
        _check(plan, version)
        admitted = await self._admit(plan, request, read_body)
        if isinstance(admitted, WebhookAnswer):
            return admitted
        request = admitted
        try:
            items = await self._items(plan, request)
        except AppError:
            raise
        except Exception as error:  # noqa: BLE001  app code may raise anything
            details = describe(error, plan.start.label)
            return in_words(502, "The flow could not read this request.", str(details["happened"]))
        for item in items[:1]:
            await self._trials.delivered(version, item)
        return _marked(NO_CONTENT, "test")

    async def _admit(
        self, plan: Plan, request: WebhookRequest, read_body: ReadBody | None
    ) -> WebhookRequest | WebhookAnswer:
        """The call with its body, decoded only after the signature was checked; or what a stranger gets."""
        admitted = await self._gate.admit(plan, request)
        if isinstance(admitted, WebhookAnswer) or read_body is None:
            return admitted
        return admitted.model_copy(update={"body": await read_body()})

    async def record_refusal(self, flow_id: FlowId, error: AppError) -> None:
        """See `ports.WebhookIntake`. Tests aren't recorded: whoever sends one sees the response."""
        plan = self._published.get(flow_id) or await self._find(flow_id)
        if plan is None:
            return
        now = self._clock()
        refusals = self._refusals.setdefault(flow_id, _Refusals())
        refusals.count += 1
        if refusals.recorded_at is not None and now - refusals.recorded_at < REFUSALS_EVERY:
            return
        told = self._intake.failure(plan, _refusal_details(error, refusals.count), now)
        refusals.count, refusals.recorded_at = 0, now
        await self._intake.accept([told, *self._intake.told_to(plan, told)])

    async def look_up(self, flow_id: FlowId, *, test: bool = False) -> None:
        """See `ports.WebhookIntake`."""
        if test or (flow_id not in self._published and await self._find(flow_id) is None):
            version = await self._draft(flow_id)
            _check(self._plans.of(version), version)

    async def _find(self, flow_id: FlowId) -> Plan | None:
        published = self._published
        version = await self._store.version(flow_id)
        if version is None:
            return None
        plan = self._plans.of(version)
        _check(plan, version)
        published[flow_id] = plan
        return plan

    async def _draft(self, flow_id: FlowId) -> FlowVersion:
        version = await self._store.draft(flow_id)
        if version is None:
            raise NotFound(
                "No flow has this address.", todo="Copy the address from the flow's trigger again."
            )
        return version

    async def _holds(self, flow_id: FlowId) -> bool:
        """Whether what is accepted for the flow now does not run before somebody resumes it."""
        if self._is_paused():
            return True
        held = self._held
        if held is None:
            active = await self._store.active_triggers()
            held = self._held = frozenset(item.version.flow_id for item in active if item.paused)
        return flow_id in held

    async def _items(self, plan: Plan, request: WebhookRequest) -> tuple[TriggerItem, ...]:
        """What the trigger makes of a request; triggers without code of their own take it as it is."""
        trigger = plan.start.trigger
        if trigger is None or trigger.run is None:
            headers = without_credentials(request.headers)
            raw: JsonObject = {"headers": headers, "body": request.body, "query": request.query}
            return (await self._kept(plan, raw, delivery_id(request)),)
        parameters = resolve_parameters(trigger.arguments, plan.start.step.parameters, {})
        call = Call(
            planned=plan.start, flow_id=plan.flow_id, parameters=parameters, request=request,
            approved=plan.version.approved,
        )  # fmt: skip
        items = await self._caller.items(call)
        if problem := next((item.problem for item in items if item.problem), None):
            raise unusable_item(problem)
        return items

    async def _kept(self, plan: Plan, raw: JsonObject, delivery: str | None) -> TriggerItem:
        """The item, without the secrets of the trigger's connection: senders may tell them in the body."""
        if plan.start.step.connection_id is None:
            # Nothing to hide, and the body was read as JSON.
            return TriggerItem.model_construct(raw=raw, internal_id=delivery)
        call = Call(
            planned=plan.start, flow_id=plan.flow_id, parameters={}, approved=plan.version.approved,
            draft=plan.version.is_draft,
        )  # fmt: skip
        ctx = await self._caller.context(call)
        await ctx.push_request_item(raw, delivery)
        return ctx.trigger_items[0]

    async def _broken(self, plan: Plan, error: Exception, started: EpochMs) -> WebhookAnswer:
        details = describe(error, plan.start.label)
        told = self._intake.failure(plan, details, started)
        await self._intake.accept([told, *self._intake.told_to(plan, told)])
        return in_words(502, "The flow could not read this request.", f"The execution is {told.id}.")

    async def _wait(self, events: list[NewExecution]) -> WebhookAnswer:
        """Accept the events and wait for the run of the newest one, or for the run it repeats."""
        newest = events[-1]
        reply = self._replies.expect(newest.id)
        try:
            new = await self._intake.accept(events)
        except BaseException:
            self._replies.forget(newest.id)
            raise
        event = (newest.flow_id, newest.internal_id or newest.id)
        if newest.id in new:
            self._replies.remember(event, reply)
            return await self._answer(reply, newest.id)
        self._replies.forget(newest.id)
        first = self._replies.of_event(event)
        return _marked(await self._answer(first) if first else NO_CONTENT, "duplicate")

    async def _answer(self, reply: Reply, execution_id: ExecutionId | None = None) -> WebhookAnswer:
        try:
            async with asyncio.timeout(self._longest_wait):
                return await asyncio.shield(reply)
        except TimeoutError:
            return in_words(
                504,
                f"The flow did not answer within {self._longest_wait:.0f} seconds.",
                f"It goes on; the execution is {execution_id}." if execution_id else "It goes on.",
            )


def _refusal_details(error: AppError, count: int) -> JsonObject:
    """What the owner of the flow sees."""
    others = f" So were {count - 1:,} others since the last one was recorded." if count > 1 else ""
    return {
        "kind": "RequestRefused",
        "happened": f"A request to this webhook was refused. {error.happened}",
        "meaning": f"Its event wasn't accepted and started nothing.{others}",
        "todo": "Let the sender send less at once, or raise “Max. webhook body” in Settings → Engine.",
    }


def _marked(answer: WebhookAnswer, what: str) -> WebhookAnswer:
    return answer.model_copy(update={"headers": {**answer.headers, DELIVERY_HEADER: what}})


def _queued() -> WebhookAnswer:
    words = "The flow is paused. The event was accepted and is run when the flow is resumed."
    body = {"message": words}
    return _marked(
        WebhookAnswer(status=202, headers={"content-type": "application/json"}, body=json.dumps(body)),
        "queued",
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
