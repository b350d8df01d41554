"""Calls app code and turns whatever it does into a result the engine understands."""

import logging
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass

from pydantic import TypeAdapter

from patchbay.domain.base import EpochMs, Json, JsonObject
from patchbay.domain.errors import AppError, ThirdPartyError
from patchbay.domain.executions import StepState
from patchbay.domain.ports import Credentials, TriggerItem, WebhookResponse
from patchbay.engine.calling.contexts import Call, ContextFactory
from patchbay.engine.calling.failures import (
    error_details,
    is_transient,
    rejects_credentials,
    requested_wait_seconds,
)
from patchbay.engine.permissions import require_permit
from patchbay.engine.plan import PlannedStep
from patchbay.integration.context import Context, collect_items
from patchbay.integration.signals import CallFlow, ExitRun, Park

_log = logging.getLogger(__name__)

_JSON: TypeAdapter[Json] = TypeAdapter(Json)


@dataclass(slots=True)
class StepResult:
    """What an action did. `note` says in one line why it failed or why the run ends here."""

    status: StepState
    data: Json = None
    error: JsonObject | None = None
    note: str | None = None
    park_until: EpochMs | None = None
    retriable: bool = False
    """Whether the same call may well work later: the trouble lies in between, or with the third party."""
    retry_after: float | None = None
    """Seconds the third party asked to wait before the same call is made again."""
    refused_by: str | None = None
    """The third party that refused: its name, or its host where an app calls any address."""
    redirected_to: str = ""
    """The host that refused, if a redirect led there from another one."""
    answer: WebhookResponse | None = None
    calls: CallFlow | None = None
    """Another flow that the step wants run."""
    warnings: tuple[str, ...] = ()


class AppCaller:
    """Runs actions and triggers; the only place where exceptions of app code are caught."""

    def __init__(self, contexts: ContextFactory, credentials: Credentials) -> None:
        self._contexts = contexts
        self._credentials = credentials

    async def context(self, call: Call) -> Context:
        """What app code is handed. Raises `NotFound` or `SecretsUnavailable` for the step's connection."""
        if call.planned.app is None:
            raise call.planned.problem or AppError(f"{call.planned.label} cannot be run.")
        return await self._contexts.make(call.planned.app, call)

    async def action(self, call: Call) -> StepResult:
        """Run an action. Never raises but for cancellation."""
        planned = call.planned
        try:
            return await self._run_action(call)
        except Exception as error:  # noqa: BLE001  app code may raise anything
            await self.mark_connection_rejected(planned, error)
            return failed(error, planned)

    async def checked_action(self, call: Call) -> StepResult:
        """As `action`, and output that is no JSON is the app's mistake.

        The runner leaves that check to the store, which walks through the data anyway.
        """
        result = await self.action(call)
        try:
            _JSON.validate_python(result.data)
        except ValueError as error:
            return failed(error, call.planned)
        return result

    async def items(self, call: Call) -> tuple[TriggerItem, ...]:
        """Run a trigger and give its items, newest first. Raises what the app raised."""
        planned = call.planned
        if planned.app is None or planned.trigger is None:
            raise planned.problem or AppError(f"{planned.label} cannot be run.")
        run = planned.trigger.run
        if call.test_run and planned.trigger.test_run is not None:
            run = planned.trigger.test_run
        if run is None:
            return ()
        try:
            ctx = await self._contexts.make(planned.app, call)
            with ctx.hiding():
                return await collect_items(run, ctx)
        except Exception as error:
            await self.mark_connection_rejected(planned, error)
            raise

    async def listen(self, call: Call, on_signal: Callable[[], None]) -> None:
        """Let a trigger watch its service until it ends; `on_signal` each time. Raises what the app raised."""
        planned = call.planned
        if planned.app is None or planned.trigger is None or planned.trigger.watch is None:
            return
        try:
            ctx = await self._contexts.make(planned.app, call)
            with ctx.hiding():
                async with aclosing(planned.trigger.watch(ctx)) as signals:
                    async for _ in signals:
                        on_signal()
        except Exception as error:
            await self.mark_connection_rejected(planned, error)
            raise

    async def _run_action(self, call: Call) -> StepResult:
        planned = call.planned
        if planned.app is None or planned.action is None:
            raise planned.problem or AppError(f"{planned.label} cannot be run.")
        require_permit(call.permit, planned)
        ctx = await self._contexts.make(planned.app, call)
        try:
            with ctx.hiding():
                await planned.action.run(ctx)
        except ExitRun as signal:
            return StepResult(StepState.FILTERED, ctx.action_output, note=signal.reason or None)
        except Park as signal:
            return _succeeded(ctx, signal.until)
        except CallFlow as signal:
            return StepResult(StepState.SUCCESS, calls=signal)
        except Exception as error:  # noqa: BLE001  app code may raise anything
            await self.mark_connection_rejected(planned, error)
            return failed(error, planned, tuple(ctx.warnings))
        return _succeeded(ctx, None)

    async def mark_connection_rejected(self, planned: PlannedStep, error: Exception) -> None:
        """Remember on the connection that the third party did not accept it, so that it shows everywhere."""
        connection_id = planned.step.connection_id
        if connection_id is None or not isinstance(error, AppError) or not rejects_credentials(error):
            return
        try:
            await self._credentials.mark_invalid(connection_id, error.happened)
        except AppError as problem:
            _log.warning("A refused connection could not be marked: %s", problem.text())


def _succeeded(ctx: Context, park_until: EpochMs | None) -> StepResult:
    return StepResult(
        StepState.SUCCESS, ctx.action_output, park_until=park_until, answer=ctx.answer,
        warnings=tuple(ctx.warnings),
    )  # fmt: skip


def failed(error: Exception, planned: PlannedStep, warnings: tuple[str, ...] = ()) -> StepResult:
    """The result of a step that raised; `warnings` are those that its call left before."""
    details = error_details(error, planned.label)
    wait = requested_wait_seconds(error)
    refusal = error if isinstance(error, ThirdPartyError) else None
    return StepResult(
        StepState.FAILURE, error=details, note=str(details["happened"]),
        retriable=wait is not None or is_transient(error), retry_after=wait,
        refused_by=refusal.app if refusal else None, redirected_to=refusal.redirected_to if refusal else "",
        warnings=warnings,
    )  # fmt: skip
