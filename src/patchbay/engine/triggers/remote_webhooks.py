"""Webhooks at third parties: registered when a flow is published, removed when it is unpublished."""

import asyncio
import logging

from patchbay.domain.base import JsonObject
from patchbay.domain.engine_store import TriggerState
from patchbay.domain.errors import AppError, Conflict, ServerFault, TimedOut
from patchbay.domain.flows import FlowVersion
from patchbay.engine.app_calls import AppCaller, Call
from patchbay.engine.parameters import resolve_parameters
from patchbay.engine.plan import PlannedStep, Plans
from patchbay.engine.step_errors import error_details
from patchbay.integration.app_definition import ContextFunction
from patchbay.integration.context import Context

_log = logging.getLogger(__name__)

REGISTER_TIMEOUT_SECONDS = 60.0
"""Timeout for registering a webhook."""
UNREGISTER_TIMEOUT_SECONDS = 20.0
"""Timeout for removing a webhook; shorter, since a person is waiting to unpublish the flow."""
_REMOTE_ID = "remoteWebhookId"
_REGISTERED = "registered"


class RemoteWebhooks:
    """Registers and removes webhooks at third parties. Versions must have their addresses filled in."""

    def __init__(self, plans: Plans, caller: AppCaller) -> None:
        self._plans = plans
        self._caller = caller

    async def register(self, version: FlowVersion) -> TriggerState | None:
        """Register the flow's webhook; None for triggers that don't register one.

        The returned state contains the webhook's ID at the service and its secrets. Raises what the app
        raises, as an `AppError`, after removing the webhook again if possible.
        """
        start = self._plans.fresh(version).start
        hook = start.trigger.register_hook if start.trigger else None
        if hook is None:
            return None
        if start.step.webhook_url is None:
            raise Conflict(
                f"The webhook can't be registered with {start.app_name}.",
                meaning="This workspace doesn't accept webhooks because its server isn't running.",
                todo="Check the log for why the server didn't start.",
            )
        ctx = await self._context(version, None)
        try:
            await _call_hook(hook, ctx, start, REGISTER_TIMEOUT_SECONDS)
        except BaseException as error:
            if ctx.flow.remote_webhook_id is not None:
                await self.unregister(version, _state(version, ctx))
            if isinstance(error, AppError):
                await self._caller.mark_connection_rejected(start, error)
            raise
        return _state(version, ctx)

    async def unregister(self, version: FlowVersion, state: TriggerState) -> None:
        """Remove the webhook that `register` registered. Errors are only logged."""
        start = self._plans.fresh(version).start
        hook = start.trigger.unregister_hook if start.trigger else None
        if hook is None or not state.cursor.get(_REGISTERED):
            return
        remote_id = state.cursor.get(_REMOTE_ID)
        try:
            ctx = await self._context(version, str(remote_id) if remote_id is not None else None)
            await _call_hook(hook, ctx, start, UNREGISTER_TIMEOUT_SECONDS)
        except AppError as error:
            _log.warning(
                "%s still calls the flow “%s” because its webhook couldn't be removed there. %s",
                start.app_name,
                version.name,
                error.text(),
            )

    async def _context(self, version: FlowVersion, remote_id: str | None) -> Context:
        start = self._plans.fresh(version).start
        arguments = start.trigger.arguments if start.trigger else ()
        parameters = resolve_parameters(arguments, start.step.parameters, {})
        return await self._caller.context(
            Call(
                planned=start,
                flow_id=version.flow_id,
                parameters=parameters,
                remote_webhook_id=remote_id,
                approved=version.approved,
            )
        )


async def _call_hook(hook: ContextFunction, ctx: Context, start: PlannedStep, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            with ctx.mask_errors():
                await hook(ctx)
    except AppError:
        raise
    except TimeoutError:
        raise TimedOut(
            f"{start.app_name} didn't respond within {seconds:.0f} seconds.",
            meaning="It's unknown whether the webhook was registered.",
            todo="Try again.",
        ) from None
    except Exception as error:
        details = error_details(error, start.label)
        raise ServerFault(
            str(details["happened"]), meaning=str(details["meaning"]), todo=str(details["todo"])
        ) from error


def _state(version: FlowVersion, ctx: Context) -> TriggerState:
    cursor: JsonObject = {_REGISTERED: True, _REMOTE_ID: ctx.flow.remote_webhook_id}
    return TriggerState(flow_id=version.flow_id, cursor=cursor, webhook_secrets=ctx.flow.webhook_secrets)
