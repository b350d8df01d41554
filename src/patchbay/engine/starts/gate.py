"""Whether a call to a webhook comes from whom it should: asked of the app before anything is kept."""

import logging
from collections.abc import Callable

from patchbay.domain.base import EpochMs, FlowId
from patchbay.domain.errors import AppError, Unreachable
from patchbay.domain.fields import Argument
from patchbay.domain.ports import WebhookRequest, WebhookResponse
from patchbay.engine.calling.calls import AppCaller
from patchbay.engine.calling.contexts import Call
from patchbay.engine.calling.failures import error_details
from patchbay.engine.calling.parameters import resolve_parameters
from patchbay.engine.plan import Plan, PlannedStep
from patchbay.engine.starts.replies import error_response
from patchbay.integration.contract import Verify

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
        if plan.start.step.connection_required and plan.start.step.connection_id is None:
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
        self, plan: Plan, verify: Verify, request: WebhookRequest
    ) -> WebhookRequest | WebhookResponse:
        start = plan.start
        parameters = resolve_parameters(_arguments(start), start.step.parameters, {})
        ctx = await self._caller.context(
            Call(planned=start, flow_id=plan.flow_id, parameters=parameters, request=request)
        )
        with ctx.hiding():
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


def _find_verifier(start: PlannedStep) -> Verify | None:
    """The trigger's own check, or with a connection that of the app the connection belongs to."""
    if start.trigger is not None and start.trigger.verify_webhook is not None:
        return start.trigger.verify_webhook
    app = start.connection_provider or start.app
    if not start.step.expects_connection or app is None or app.auth is None:
        return None
    return app.auth.verify_webhook


def _arguments(start: PlannedStep) -> tuple[Argument, ...]:
    return start.trigger.arguments if start.trigger else ()
