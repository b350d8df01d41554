"""Whether a call to a webhook comes from whom it should: asked of the app before anything is kept."""

import asyncio
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass

from patchbay.domain.apps import TriggerKind
from patchbay.domain.base import EpochMs, ExecutionId, FlowId, JsonObject
from patchbay.domain.engine_store import EngineStore, NewExecution
from patchbay.domain.errors import AppError, Conflict, NotFound, Unreachable
from patchbay.domain.fields import Argument
from patchbay.domain.flows import FlowVersion
from patchbay.domain.ports import DELIVERY_HEADER, BodyReader, TriggerItem, WebhookRequest, WebhookResponse
from patchbay.engine.app_calls import AppCaller, Call
from patchbay.engine.intake import Intake
from patchbay.engine.manual.step_tests import TestRuns
from patchbay.engine.parameters import resolve_parameters
from patchbay.engine.plan import Plan, PlannedStep, Plans
from patchbay.engine.step_errors import error_details, unusable_item_error
from patchbay.engine.triggers.webhook_responses import (
    NO_CONTENT,
    PendingResponse,
    PendingResponses,
    error_response,
)
from patchbay.integration.app_definition import VerifyFunction
from patchbay.integration.webhook_deliveries import delivery_id, without_credentials

_log = logging.getLogger(__name__)

LOG_INTERVAL_MS = 60_000
"""Milliseconds between two lines in the log about calls that were turned away from one flow."""


class WebhookVerifier:
    """Turns away calls that the trigger's app, or that of its connection, does not recognise."""

    def __init__(self, caller: AppCaller, clock: Callable[[], EpochMs]) -> None:
        self._caller = caller
        self._clock = clock
        self.rejected_calls: dict[FlowId, int] = {}
        """Calls turned away since the start of the program."""
        self._last_logged_at: dict[FlowId, EpochMs] = {}

    async def verify_request(self, plan: Plan, request: WebhookRequest) -> WebhookRequest | WebhookResponse:
        """The call, with the delivery's id where its signature covers one; or what a stranger gets.

        Raises `Unreachable` when that cannot be found out now, because the connection is gone or locked, say:
        nobody knows whether the call is good, so the sender is asked to come back.
        """
        verify = _find_verifier(plan.start)
        if verify is None:
            return request
        if plan.start.step.connection_undecided and plan.start.step.connection_id is None:
            return self._reject_unsigned(plan)
        try:
            return await self._verified(plan, verify, request)
        except AppError as error:
            _log.warning("Who calls the flow “%s” cannot be checked: %s", plan.version.name, error.text())
            raise Unreachable(
                "Who sent this cannot be checked now.",
                meaning="Nothing was accepted.",
                todo="Try again later.",
            ) from error
        except Exception as error:  # noqa: BLE001  app code may raise anything
            error_details(error, plan.start.label)
            return error_response(502, "Who sent this could not be checked.", "Nothing was stored.")

    async def _verified(
        self, plan: Plan, verify: VerifyFunction, request: WebhookRequest
    ) -> WebhookRequest | WebhookResponse:
        start = plan.start
        parameters = resolve_parameters(_arguments(start), start.step.parameters, {})
        ctx = await self._caller.context(
            Call(planned=start, flow_id=plan.flow_id, parameters=parameters, request=request)
        )
        with ctx.mask_errors():
            is_valid = await verify(ctx)
        if is_valid:
            return request.model_copy(update={"signed_delivery": ctx.signed_delivery})
        answer = ctx.answer or WebhookResponse(status=401)
        if answer.status == 401:
            self._count_rejected(plan)
            if answer.body is None:
                response = error_response(
                    401, "The signature of this call is missing or wrong.", "Nothing was stored."
                )
                return response.model_copy(update={"headers": {**response.headers, **answer.headers}})
        return answer

    def _reject_unsigned(self, plan: Plan) -> WebhookResponse:
        """The answer of a flow that accepts signed calls only and has no secret yet to check them with."""
        self._count_rejected(plan)
        return error_response(401, "This flow accepts signed calls only.", "It has no signing secret yet.")

    def _count_rejected(self, plan: Plan) -> None:
        """Tell the owner, without anything of the call, and without letting strangers fill the log."""
        flow_id, now = plan.flow_id, self._clock()
        number = self.rejected_calls[flow_id] = self.rejected_calls.get(flow_id, 0) + 1
        if now - self._last_logged_at.get(flow_id, -LOG_INTERVAL_MS) >= LOG_INTERVAL_MS:
            self._last_logged_at[flow_id] = now
            calls = "1 call" if number == 1 else f"{number} calls"
            _log.warning(
                "The flow “%s” turned away %s whose signature was missing or wrong.", plan.version.name, calls
            )


def _find_verifier(start: PlannedStep) -> VerifyFunction | None:
    """The trigger's own check, or with a connection that of the app the connection belongs to."""
    if start.trigger is not None and start.trigger.verify_webhook is not None:
        return start.trigger.verify_webhook
    app = start.connection_provider or start.app
    if not start.step.expects_connection or app is None or app.auth is None:
        return None
    return app.auth.verify_webhook


def _arguments(start: PlannedStep) -> tuple[Argument, ...]:
    return start.trigger.arguments if start.trigger else ()


# MERGED: Incoming webhooks: accept the event, then answer; synchronous ones wait for the flow's own
# answer.

MAX_RESPONSE_WAIT_SECONDS = 30.0
"""Seconds a synchronous caller is kept waiting."""


REFUSAL_INTERVAL_MS = 900_000
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
        caller: AppCaller,
        intake: Intake,
        test_runs: TestRuns,
        pending_responses: PendingResponses,
        clock: Callable[[], EpochMs],
        max_wait_seconds: float = MAX_RESPONSE_WAIT_SECONDS,
        is_paused: Callable[[], bool] = lambda: False,
    ) -> None:
        self._store = store
        self._plans = plans
        self._caller = caller
        self._intake = intake
        self._test_runs = test_runs
        self._pending_responses = pending_responses
        self._clock = clock
        self._max_wait_seconds = max_wait_seconds
        self._is_paused = is_paused
        self._verifier = WebhookVerifier(caller, clock)
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
        read_body: BodyReader | None = None,
    ) -> WebhookResponse:
        """See `ports.WebhookIntake`. A call to a flow that is not published is a test."""
        plan = self._published.get(flow_id) or await self._find_published(flow_id)
        if plan is None:
            return await self.deliver_test(flow_id, request, read_body=read_body)
        verified = await self._verify_and_read_body(plan, request, read_body)
        if isinstance(verified, WebhookResponse):
            return verified
        request = verified
        started = self._clock()
        try:
            items = await self._items(plan, request)
        except Exception as error:  # noqa: BLE001  app code may raise anything
            return await self._record_trigger_failure(plan, error, started)
        events = [self._intake.event(plan, item, started) for item in reversed(items)]
        if not events:
            return NO_CONTENT
        if synchronous and plan.has_actions and not await self._is_held(flow_id):
            return await self._run_and_wait(events)
        new = await self._intake.accept(events)
        if not new:
            return _with_delivery_status(NO_CONTENT, "duplicate")
        return _queued_response() if synchronous and plan.has_actions else NO_CONTENT

    async def deliver_test(
        self, flow_id: FlowId, request: WebhookRequest, *, read_body: BodyReader | None = None
    ) -> WebhookResponse:
        """See `ports.WebhookIntake`."""
        version = await self._draft(flow_id)
        plan = self._plans.of(version)
        _require_webhook_flow(plan, version)
        verified = await self._verify_and_read_body(plan, request, read_body)
        if isinstance(verified, WebhookResponse):
            return verified
        request = verified
        try:
            items = await self._items(plan, request)
        except AppError:
            raise
        except Exception as error:  # noqa: BLE001  app code may raise anything
            details = error_details(error, plan.start.label)
            return error_response(502, "The flow could not read this request.", str(details["happened"]))
        for item in items[:1]:
            await self._test_runs.store_delivery(version, item)
        return _with_delivery_status(NO_CONTENT, "test")

    async def _verify_and_read_body(
        self, plan: Plan, request: WebhookRequest, read_body: BodyReader | None
    ) -> WebhookRequest | WebhookResponse:
        """The call with its body, decoded only after the signature was checked; or what a stranger gets."""
        verified = await self._verifier.verify_request(plan, request)
        if isinstance(verified, WebhookResponse) or read_body is None:
            return verified
        return verified.model_copy(update={"body": await read_body()})

    async def record_refusal(self, flow_id: FlowId, error: AppError) -> None:
        """See `ports.WebhookIntake`. Tests aren't recorded: whoever sends one sees the response."""
        plan = self._published.get(flow_id) or await self._find_published(flow_id)
        if plan is None:
            return
        now = self._clock()
        refusals = self._refusals.setdefault(flow_id, _Refusals())
        refusals.count += 1
        if refusals.recorded_at is not None and now - refusals.recorded_at < REFUSAL_INTERVAL_MS:
            return
        failure = self._intake.failure(plan, _refusal_details(error, refusals.count), now)
        refusals.count, refusals.recorded_at = 0, now
        await self._intake.accept([failure, *self._intake.failure_events(plan, failure)])

    async def look_up(self, flow_id: FlowId, *, test: bool = False) -> None:
        """See `ports.WebhookIntake`."""
        if test or (flow_id not in self._published and await self._find_published(flow_id) is None):
            version = await self._draft(flow_id)
            _require_webhook_flow(self._plans.of(version), version)

    async def _find_published(self, flow_id: FlowId) -> Plan | None:
        published = self._published
        version = await self._store.version(flow_id)
        if version is None:
            return None
        plan = self._plans.of(version)
        _require_webhook_flow(plan, version)
        published[flow_id] = plan
        return plan

    async def _draft(self, flow_id: FlowId) -> FlowVersion:
        version = await self._store.draft(flow_id)
        if version is None:
            raise NotFound(
                "No flow has this address.", todo="Copy the address from the flow's trigger again."
            )
        return version

    async def _is_held(self, flow_id: FlowId) -> bool:
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
            return (await self._masked_item(plan, raw, delivery_id(request)),)
        parameters = resolve_parameters(trigger.arguments, plan.start.step.parameters, {})
        call = Call(
            planned=plan.start, flow_id=plan.flow_id, parameters=parameters, request=request,
            approved=plan.version.approved,
        )  # fmt: skip
        items = await self._caller.items(call)
        if problem := next((item.problem for item in items if item.problem), None):
            raise unusable_item_error(problem)
        return items

    async def _masked_item(self, plan: Plan, raw: JsonObject, delivery: str | None) -> TriggerItem:
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

    async def _record_trigger_failure(
        self, plan: Plan, error: Exception, started: EpochMs
    ) -> WebhookResponse:
        details = error_details(error, plan.start.label)
        failure = self._intake.failure(plan, details, started)
        await self._intake.accept([failure, *self._intake.failure_events(plan, failure)])
        return error_response(502, "The flow could not read this request.", f"The execution is {failure.id}.")

    async def _run_and_wait(self, events: list[NewExecution]) -> WebhookResponse:
        """Accept the events and wait for the run of the newest one, or for the run it repeats."""
        newest = events[-1]
        reply = self._pending_responses.expect(newest.id)
        try:
            new = await self._intake.accept(events)
        except BaseException:
            self._pending_responses.forget(newest.id)
            raise
        event = (newest.flow_id, newest.internal_id or newest.id)
        if newest.id in new:
            self._pending_responses.remember(event, reply)
            return await self._wait_for_response(reply, newest.id)
        self._pending_responses.forget(newest.id)
        first = self._pending_responses.for_event(event)
        return _with_delivery_status(
            await self._wait_for_response(first) if first else NO_CONTENT, "duplicate"
        )

    async def _wait_for_response(
        self, reply: PendingResponse, execution_id: ExecutionId | None = None
    ) -> WebhookResponse:
        try:
            async with asyncio.timeout(self._max_wait_seconds):
                return await asyncio.shield(reply)
        except TimeoutError:
            return error_response(
                504,
                f"The flow did not answer within {self._max_wait_seconds:.0f} seconds.",
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


def _with_delivery_status(answer: WebhookResponse, what: str) -> WebhookResponse:
    return answer.model_copy(update={"headers": {**answer.headers, DELIVERY_HEADER: what}})


def _queued_response() -> WebhookResponse:
    message = "The flow is paused. The event was accepted and is run when the flow is resumed."
    body = {"message": message}
    return _with_delivery_status(
        WebhookResponse(status=202, headers={"content-type": "application/json"}, body=json.dumps(body)),
        "queued",
    )


def _require_webhook_flow(plan: Plan, version: FlowVersion) -> None:
    """Raises `Conflict` for a flow that something else starts."""
    if plan.start.problem is not None:
        raise Conflict(f"The flow “{version.name}” cannot start: {plan.start.problem.text()}")
    if plan.kind is not TriggerKind.WEBHOOK:
        raise Conflict(
            f"The flow “{version.name}” is not started by a webhook.",
            meaning=f"It starts with {plan.start.label}.",
            todo="Choose a webhook as its trigger, or remove this address where it is called.",
        )
