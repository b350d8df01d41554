"""Incoming webhooks: verify the request, accept its event, and respond, if wanted with the flow's
response.
"""

import asyncio
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from patchbay.domain.apps import TriggerKind
from patchbay.domain.base import EpochMs, ExecutionId, FlowId, JsonObject
from patchbay.domain.engine_store import EngineStore, NewExecution
from patchbay.domain.errors import AppError, Conflict, NotFound, Unreachable
from patchbay.domain.flows import FlowVersion
from patchbay.domain.ports import (
    DELIVERY_HEADER,
    NO_CONTENT,
    BodyReader,
    TriggerItem,
    WebhookRequest,
    WebhookResponse,
)
from patchbay.engine.app_calls import AppCaller, Call
from patchbay.engine.intake import Intake
from patchbay.engine.manual.draft_tests import TestRuns
from patchbay.engine.parameters import resolve_parameters
from patchbay.engine.plan import Plan, PlannedStep, Plans
from patchbay.engine.step_errors import error_details, unusable_item_error
from patchbay.engine.triggers.webhook_responses import (
    PendingResponse,
    PendingResponses,
    error_response,
)
from patchbay.integration.app_definition import VerifyFunction
from patchbay.integration.webhook_deliveries import delivery_id, without_credentials

_log = logging.getLogger(__name__)

MAX_RESPONSE_WAIT_SECONDS = 30.0
"""How long a synchronous caller waits for the response of the flow."""
LOG_INTERVAL_MS = 60_000
"""Time between two log lines about rejected requests to one flow."""
REJECTION_INTERVAL_MS = 900_000
"""Time between two executions that record rejected requests to one flow."""


class WebhookVerifier:
    """Rejects requests whose signature the trigger's app, or the app of its connection, doesn't accept."""

    def __init__(self, caller: AppCaller, clock: Callable[[], EpochMs]) -> None:
        self._caller = caller
        self._clock = clock
        self.rejected_calls: dict[FlowId, int] = {}
        """The number of rejected requests since startup."""
        self._last_logged_at: dict[FlowId, EpochMs] = {}

    async def verify_request(self, plan: Plan, request: WebhookRequest) -> WebhookRequest | WebhookResponse:
        """Return the request, with the delivery ID if the signature covers it, or the response that
        rejects it.

        Raises `Unreachable` if it can't be verified now, for example because the keyring is locked: the
        request may be valid, so the sender should try again later.
        """
        verify = _find_verifier(plan.start)
        if verify is None:
            return request
        if plan.start.step.connection_undecided and plan.start.step.connection_id is None:
            self._count_rejected(plan)
            return error_response(401, "This flow requires signed requests.", "It has no signing secret yet.")
        try:
            return await self._verified(plan, verify, request)
        except AppError as error:
            _log.warning("Couldn't verify a request to the flow “%s”: %s", plan.version.name, error.text())
            raise Unreachable(
                "The request can't be verified at the moment.",
                meaning="It wasn't accepted.",
                todo="Try again later.",
            ) from error
        except Exception as error:  # noqa: BLE001  app code may raise anything
            error_details(error, plan.start.label)
            return error_response(502, "The request couldn't be verified.", "Nothing was stored.")

    async def _verified(
        self, plan: Plan, verify: VerifyFunction, request: WebhookRequest
    ) -> WebhookRequest | WebhookResponse:
        start = plan.start
        parameters = resolve_parameters(
            start.trigger.arguments if start.trigger else (), start.step.parameters, {}
        )
        ctx = await self._caller.context(
            Call(planned=start, flow_id=plan.flow_id, parameters=parameters, request=request)
        )
        with ctx.mask_errors():
            is_valid = await verify(ctx)
        if is_valid:
            return request.model_copy(update={"signed_delivery": ctx.signed_delivery})
        rejection = ctx.answer or WebhookResponse(status=401)
        if rejection.status == 401:
            self._count_rejected(plan)
            if rejection.body is None:
                response = error_response(
                    401, "The signature of this request is missing or invalid.", "Nothing was stored."
                )
                return response.model_copy(update={"headers": {**response.headers, **rejection.headers}})
        return rejection

    def _count_rejected(self, plan: Plan) -> None:
        """Log a rejected request, without its contents, and not too often, so that attackers can't fill
        the log.
        """
        flow_id, now = plan.flow_id, self._clock()
        number = self.rejected_calls[flow_id] = self.rejected_calls.get(flow_id, 0) + 1
        if now - self._last_logged_at.get(flow_id, -LOG_INTERVAL_MS) >= LOG_INTERVAL_MS:
            self._last_logged_at[flow_id] = now
            requests = "1 request" if number == 1 else f"{number} requests"
            _log.warning(
                "The flow “%s” rejected %s with a missing or invalid signature.", plan.version.name, requests
            )


def _find_verifier(start: PlannedStep) -> VerifyFunction | None:
    """The verifier of the trigger itself, or else that of its connection's app."""
    if start.trigger is not None and start.trigger.verify_webhook is not None:
        return start.trigger.verify_webhook
    app = start.connection_provider or start.app
    if not start.step.expects_connection or app is None or app.auth is None:
        return None
    return app.auth.verify_webhook


@dataclass(slots=True)
class _Rejections:
    """Requests to one flow that were rejected since the last one was recorded."""

    count: int = 0
    recorded_at: EpochMs | None = None


@dataclass(slots=True)
class _Cache:
    """What was read about flows, which saves reads per request."""

    plans: dict[FlowId, Plan] = field(default_factory=dict)
    """The plans, from `Plans`, of the versions that are published now."""
    paused_flows: frozenset[FlowId] | None = None
    """None until it is read."""


class Webhooks:
    """Accepts webhook requests. Caches published versions and paused flows until `clear_cache`."""

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
        self._is_engine_paused = is_paused
        self._verifier = WebhookVerifier(caller, clock)
        self._cache = _Cache()
        self._rejections: dict[FlowId, _Rejections] = {}

    def clear_cache(self) -> None:
        """Read flows again when next needed, because one was published, unpublished, paused, or resumed."""
        # Replaced, not emptied: a read that has begun stores its outdated result in the old one.
        self._cache = _Cache()

    async def deliver(
        self,
        flow_id: FlowId,
        request: WebhookRequest,
        *,
        synchronous: bool,
        read_body: BodyReader | None = None,
    ) -> WebhookResponse:
        """See `ports.WebhookIntake`. A request to a flow that isn't published is a test."""
        plan = self._cache.plans.get(flow_id) or await self._find_published(flow_id)
        if plan is None:
            return await self.deliver_test(flow_id, request, read_body=read_body)
        verified = await self._verify_and_read_body(plan, request, read_body)
        if isinstance(verified, WebhookResponse):
            return verified
        request = verified
        started = self._clock()
        try:
            items, own = await self._read_request(plan, request)
        except Exception as error:  # noqa: BLE001  app code may raise anything
            details = error_details(error, plan.start.label)
            failure = self._intake.failed_execution(plan, details, started)
            await self._intake.accept([failure, *self._intake.failure_flow_executions(plan, failure)])
            return error_response(
                502, "The flow couldn't read this request.", f"The execution is {failure.id}."
            )
        events = [self._intake.new_execution(plan, item, started) for item in reversed(items)]
        default = own or NO_CONTENT
        if not events:
            return default
        if synchronous and plan.has_actions and not await self.is_queued_only(flow_id):
            return _with_default(await self._run_and_wait(events), default)
        new = await self._intake.accept(events)
        if not new:
            return _with_delivery_status(default, "duplicate")
        return _queued_response(own) if synchronous and plan.has_actions else default

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
            items, own = await self._read_request(plan, request)
        except AppError:
            raise
        except Exception as error:  # noqa: BLE001  app code may raise anything
            details = error_details(error, plan.start.label)
            return error_response(502, "The flow couldn't read this request.", str(details["happened"]))
        for item in items[:1]:
            await self._test_runs.store_delivery(version, item)
        return _with_delivery_status(own or NO_CONTENT, "test")

    async def _verify_and_read_body(
        self, plan: Plan, request: WebhookRequest, read_body: BodyReader | None
    ) -> WebhookRequest | WebhookResponse:
        """Return the request with its body, which is only decoded after verification, or the response that
        rejects it.
        """
        verified = await self._verifier.verify_request(plan, request)
        if isinstance(verified, WebhookResponse) or read_body is None:
            return verified
        return verified.model_copy(update={"body": await read_body()})

    async def record_rejection(self, flow_id: FlowId, error: AppError) -> None:
        """See `ports.WebhookIntake`. Rejected tests aren't recorded, since the sender sees the response."""
        plan = self._cache.plans.get(flow_id) or await self._find_published(flow_id)
        if plan is None:
            return
        now = self._clock()
        rejections = self._rejections.setdefault(flow_id, _Rejections())
        rejections.count += 1
        if rejections.recorded_at is not None and now - rejections.recorded_at < REJECTION_INTERVAL_MS:
            return
        others = f" {rejections.count - 1:,} more were rejected since the last recorded one."
        details: JsonObject = {
            "kind": "RequestRefused",
            "happened": f"A request to this webhook was rejected. {error.happened}",
            "meaning": f"Its event didn't start a run.{others if rejections.count > 1 else ''}",
            "todo": "Send less at once, or raise “Max. webhook body” in Settings → Engine.",
        }
        failure = self._intake.failed_execution(plan, details, now)
        rejections.count, rejections.recorded_at = 0, now
        await self._intake.accept([failure, *self._intake.failure_flow_executions(plan, failure)])

    async def check_webhook(self, flow_id: FlowId, *, test: bool = False) -> None:
        """See `ports.WebhookIntake`."""
        if test or (flow_id not in self._cache.plans and await self._find_published(flow_id) is None):
            version = await self._draft(flow_id)
            _require_webhook_flow(self._plans.of(version), version)

    async def _find_published(self, flow_id: FlowId) -> Plan | None:
        cache = self._cache
        version = await self._store.version(flow_id)
        if version is None:
            return None
        plan = self._plans.of(version)
        _require_webhook_flow(plan, version)
        cache.plans[flow_id] = plan
        return plan

    async def _draft(self, flow_id: FlowId) -> FlowVersion:
        version = await self._store.draft(flow_id)
        if version is None:
            raise NotFound(
                "No flow has this webhook address.", todo="Copy the address from the flow's trigger again."
            )
        return version

    async def is_queued_only(self, flow_id: FlowId) -> bool:
        """Whether events of the flow are only queued, because it or the engine is paused."""
        if self._is_engine_paused():
            return True
        cache = self._cache
        if cache.paused_flows is None:
            active = await self._store.active_triggers()
            cache.paused_flows = frozenset(item.version.flow_id for item in active if item.paused)
        return flow_id in cache.paused_flows

    async def _read_request(
        self, plan: Plan, request: WebhookRequest
    ) -> tuple[tuple[TriggerItem, ...], WebhookResponse | None]:
        """The trigger's items for a request, and its own response, if it has one.

        For triggers without code, the item is the request itself.
        """
        trigger = plan.start.trigger
        if trigger is None or trigger.run is None:
            headers = without_credentials(request.headers)
            raw: JsonObject = {"headers": headers, "body": request.body, "query": request.query}
            return (await self._masked_item(plan, raw, delivery_id(request)),), None
        parameters = resolve_parameters(trigger.arguments, plan.start.step.parameters, {})
        call = Call(
            planned=plan.start,
            flow_id=plan.flow_id,
            parameters=parameters,
            request=request,
            approved=plan.version.approved,
        )
        items, own = await self._caller.items_and_response(call)
        if problem := next((item.problem for item in items if item.problem), None):
            raise unusable_item_error(problem)
        return items, own

    async def _masked_item(self, plan: Plan, raw: JsonObject, delivery: str | None) -> TriggerItem:
        """The item, with secrets of the trigger's connection masked, since senders may include them in the
        body.
        """
        if plan.start.step.connection_id is None:
            # Nothing to mask, and the body was validated when it was parsed.
            return TriggerItem.model_construct(raw=raw, internal_id=delivery)
        call = Call(
            planned=plan.start,
            flow_id=plan.flow_id,
            parameters={},
            approved=plan.version.approved,
            draft=plan.version.is_draft,
        )
        ctx = await self._caller.context(call)
        await ctx.push_request_item(raw, delivery)
        return ctx.trigger_items[0]

    async def _run_and_wait(self, events: list[NewExecution]) -> WebhookResponse:
        """Accept the events and wait for the response of the newest one's run, or of the run it
        duplicates.
        """
        newest = events[-1]
        reply = self._pending_responses.expect(newest.id)
        try:
            new = await self._intake.accept(events)
        except BaseException:
            self._pending_responses.discard(newest.id)
            raise
        event = (newest.flow_id, newest.internal_id or newest.id)
        if newest.id in new:
            self._pending_responses.remember(event, reply)
            return await self._wait_for_response(reply, newest.id)
        self._pending_responses.discard(newest.id)
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
                f"The flow didn't respond within {self._max_wait_seconds:.0f} seconds.",
                f"It keeps running; the execution is {execution_id}."
                if execution_id
                else "It keeps running.",
            )


def _with_delivery_status(response: WebhookResponse, what: str) -> WebhookResponse:
    return response.model_copy(update={"headers": {**response.headers, DELIVERY_HEADER: what}})


def _with_default(response: WebhookResponse, default: WebhookResponse) -> WebhookResponse:
    """The response of a flow; if it has none of its own, the default one with the same delivery status."""
    if response.status != NO_CONTENT.status or response.body is not None:
        return response
    return default.model_copy(update={"headers": {**default.headers, **response.headers}})


def _queued_response(own: WebhookResponse | None) -> WebhookResponse:
    if own is not None:
        return _with_delivery_status(own, "queued")
    message = "The flow is paused. The event was queued and runs when the flow is resumed."
    body = {"message": message}
    return _with_delivery_status(
        WebhookResponse(status=202, headers={"content-type": "application/json"}, body=json.dumps(body)),
        "queued",
    )


def _require_webhook_flow(plan: Plan, version: FlowVersion) -> None:
    """Raise `Conflict` for a flow without a webhook trigger."""
    if plan.start.problem is not None:
        raise Conflict(f"The flow “{version.name}” can't start: {plan.start.problem.text()}")
    if plan.kind is not TriggerKind.WEBHOOK:
        raise Conflict(
            f"The flow “{version.name}” isn't started by a webhook.",
            meaning=f"It starts with {plan.start.label}.",
            todo="Change its trigger to a webhook, or remove this URL from the sender.",
        )
