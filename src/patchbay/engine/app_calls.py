"""Calls of app code: builds the `ctx` for each call, and turns results and exceptions into `StepResult`s."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from patchbay.domain.base import EpochMs, ExecutionId, FlowId, Json, JsonObject
from patchbay.domain.engine_store import EngineStore, KeyPass, Permit
from patchbay.domain.errors import AppError, ThirdPartyError
from patchbay.domain.executions import StepState
from patchbay.domain.flow_calls import FlowDirectory
from patchbay.domain.ports import Credentials, TriggerItem, WebhookRequest, WebhookResponse
from patchbay.domain.records import record
from patchbay.domain.tools import ToolResult
from patchbay.domain.trigger_sources import FIRST_SOURCE, stored_id
from patchbay.engine.plan import PlannedStep
from patchbay.engine.run_permits import (
    foreign_connection_error,
    foreign_connections,
    require_approval,
    require_permit,
)
from patchbay.engine.step_errors import (
    error_details,
    is_transient,
    rejects_credentials,
    requested_wait_seconds,
)
from patchbay.integration.app_definition import App
from patchbay.integration.context import (
    CallFlow,
    Context,
    CurrentAuth,
    CurrentExecution,
    CurrentFlow,
    CurrentStep,
    ExitRun,
    Park,
    collect_items,
)
from patchbay.integration.token_renewal import stored_auth

if TYPE_CHECKING:
    from patchbay.domain.desktop import Desktop
    from patchbay.integration.allowed_programs import ProgramAccess
    from patchbay.integration.http_factory import HttpFactory
    from patchbay.integration.local_files import FileAccess
    from patchbay.integration.outgoing_addresses import AddressPolicy, OutgoingGuard
    from patchbay.integration.sandbox import Sandbox
    from patchbay.integration.workers import Workers


_log = logging.getLogger(__name__)

_JSON: TypeAdapter[Json] = TypeAdapter(Json)


class FlowDatastore:
    """The values that a flow stores between its runs, in the engine's store."""

    def __init__(self, store: EngineStore, flow_id: FlowId) -> None:
        self._store = store
        self._flow_id = flow_id

    async def get(self, key: str) -> Json:
        return await self._store.get_value(self._flow_id, key)

    async def set(self, key: str, value: Json) -> None:
        await self._store.set_value(self._flow_id, key, value)

    async def pass_key(self, key: KeyPass) -> EpochMs | None:
        return await self._store.pass_key(self._flow_id, key)

    async def key_passed_at(self, key: str) -> EpochMs | None:
        return await self._store.key_passed_at(self._flow_id, key)


@record
class Call:
    """The arguments of one call of a step. References in `parameters` are resolved."""

    planned: PlannedStep
    flow_id: FlowId
    parameters: JsonObject
    permit: Permit | None = None
    """The run's permit, which steps that run programs need."""
    approved: bool = False
    """Without a permit: whether a person with full rights published this version."""
    execution_id: ExecutionId = ExecutionId("")
    root_id: ExecutionId | None = None
    """The root of the run's tree; None means the execution itself."""
    idempotency_key: str = ""
    """If empty, derived from the execution and the step's index."""
    test_run: bool = False
    draft: bool = False
    """Without a permit: whether this is a test of a draft, for which its owner and the tester are
    responsible.
    """
    request: WebhookRequest | None = None
    known_ids: frozenset[str] = frozenset()
    unfinished_polls: int = 0
    baseline: bool = False
    """Whether the trigger's current items are known from now on, because its flow is being published."""
    last_internal_id: str | None = None
    source: int = FIRST_SOURCE
    """The number of the trigger's source, whose IDs these are, among those of the flow."""
    remote_webhook_id: str | None = None
    at: EpochMs | None = None
    """The time for the app; None means now."""
    time_zone: str | None = None
    """The time zone for the app; None means that of the workspace."""


class ContextFactory:
    """Builds the `Context` for each call of app code: all that an app can access goes through here."""

    def __init__(
        self,
        store: EngineStore,
        credentials: Credentials,
        http: "HttpFactory | None",
        clock: Callable[[], EpochMs],
        time_zone: str,
        flows: FlowDirectory | None = None,
        workers: "Workers | None" = None,
        sandbox: "Sandbox | None" = None,
        call_tool: Callable[[Call, FlowId, JsonObject], Awaitable[ToolResult]] | None = None,
        files: "FileAccess | None" = None,
        desktop: "Desktop | None" = None,
        programs: "ProgramAccess | None" = None,
    ) -> None:
        self._files = files
        self._desktop = desktop
        self._programs = programs
        self._call_tool = call_tool
        self._store = store
        self._credentials = credentials
        self._http = http
        self._clock = clock
        self._time_zone = time_zone
        self._flows = flows
        self._workers = workers
        self._sandbox = sandbox

    async def make(self, app: App, call: Call) -> Context:
        """Build the context for a call.

        Raises `NotFound` or `SecretsUnavailable` for the step's connection or its webhook.
        """
        step = call.planned.step
        if call.permit is None:
            await self._require_own_connection(call)
        auth = CurrentAuth()
        if step.connection_id is not None:
            # Before the policy: if the connection changes in between, the policy applies to the new values.
            auth = await stored_auth(self._credentials, step.connection_id, call.planned.connection_provider)
        return Context(
            app=app,
            auth=auth,
            flow=CurrentFlow(
                id=call.flow_id,
                last_internal_id=call.last_internal_id,
                find_name=partial(self._store.flow_name, call.flow_id),
                remote_webhook_id=call.remote_webhook_id,
                webhook_secrets=await self._webhook_secrets(call) if call.request is not None else (),
            ),
            step=CurrentStep(
                id=step.id, app_key=app.app_key, parameters=call.parameters, entered=step.parameters
            ),
            execution=CurrentExecution(
                id=call.execution_id,
                root_id=call.root_id or call.execution_id,
                test_run=call.test_run,
                approved=call.permit is not None and call.permit.approved,
            ),
            request=call.request,
            datastore=FlowDatastore(self._store, call.flow_id),
            flows=self._flows.visible_to(call.flow_id) if self._flows else None,
            tool_caller=partial(self._call_tool, call) if self._call_tool and call.execution_id else None,
            http_factory=self._http,
            network=await self._policy(self._http.network, call) if self._http else None,
            workers=self._workers,
            sandbox=self._sandbox,
            file_access=self._files,
            program_access=self._programs if call.planned.program_argument else None,
            window_desktop=self._desktop if call.planned.uses_desktop else None,
            webhook_url=step.webhook_url,
            idempotency_key=call.idempotency_key or f"{call.execution_id}:{call.planned.index}",
            now=self._clock() if call.at is None else call.at,
            time_zone=call.time_zone or self._time_zone,
            find_seen_ids=partial(self._seen_before, call),
            known_ids=call.known_ids,
            unfinished_polls=call.unfinished_polls,
            is_baseline=call.baseline,
        )

    async def _webhook_secrets(self, call: Call) -> tuple[str, ...]:
        """The secrets of the flow's webhook, for a request to a webhook that the trigger registers."""
        trigger = call.planned.trigger
        if trigger is None or trigger.register_hook is None:
            return ()
        return await self._credentials.webhook_secrets(call.flow_id)

    async def _require_own_connection(self, call: Call) -> None:
        """Raise `Forbidden` for a trigger whose flow isn't allowed to use its connection.

        Calls with a permit were checked when it was issued, and a webhook request only needs its signature
        verified.
        """
        if call.approved or call.draft or call.request is not None:
            return
        planned = call.planned
        if await foreign_connections(self._store, call.flow_id, (planned,)):
            raise foreign_connection_error(planned.index + 1, planned.label)

    async def _policy(self, network: "OutgoingGuard", call: Call) -> "AddressPolicy":
        """Which addresses the call may connect to, depending on who is responsible for the version.

        For a published version that is the person who published it, regardless of who starts it. For a draft
        it is its owner and the tester, so that an admin who tests someone else's draft gives it no additional
        permissions. The owner of the connection counts too, since it decides where the call goes.
        """
        permit, connection_id = call.permit, call.planned.step.connection_id
        if call.approved or (permit is not None and permit.version.approved):
            return await network.approved_policy(connection_id)
        draft = call.draft if permit is None else permit.is_draft and permit.full_rights
        if not draft:
            return network.strictest
        return await network.policy(
            flow_id=call.flow_id, connection_id=connection_id, full_rights=permit is not None
        )

    async def _seen_before(self, call: Call, internal_ids: Sequence[str]) -> frozenset[str]:
        stored = {stored_id(call.source, one): one for one in internal_ids}
        known = await self._store.known_ids(call.flow_id, tuple(stored))
        return frozenset(stored[one] for one in known)


@dataclass(slots=True)
class StepResult:
    """The result of a step. `note` is a line that says why it failed or why the run ends here."""

    status: StepState
    data: Json = None
    error: JsonObject | None = None
    note: str | None = None
    park_until: EpochMs | None = None
    retriable: bool = False
    """Whether the same call may succeed later, because the error is temporary."""
    retry_after: float | None = None
    """Seconds that the third party asked to wait before a retry."""
    rejected_by: str | None = None
    """The third party that rejected the call: its name, or its host if the app can call any address."""
    rejected_at: str = ""
    """The host that rejected the call, if a redirect led there."""
    webhook_response: WebhookResponse | None = None
    called_flow: CallFlow | None = None
    """The flow that the step calls."""
    warnings: tuple[str, ...] = ()


class AppCaller:
    """Calls actions and triggers. Exceptions of actions become results; those of triggers are raised."""

    def __init__(self, contexts: ContextFactory, credentials: Credentials) -> None:
        self._contexts = contexts
        self._credentials = credentials

    async def context(self, call: Call) -> Context:
        """Build the context of a call.

        Raises `NotFound` or `SecretsUnavailable` for the step's connection.
        """
        if call.planned.app is None:
            raise call.planned.problem or AppError(f"{call.planned.label} can't be run.")
        return await self._contexts.make(call.planned.app, call)

    async def action(self, call: Call) -> StepResult:
        """Run an action. Only raises if the task is cancelled."""
        planned = call.planned
        try:
            return await self._run_action(call)
        except Exception as error:  # noqa: BLE001  app code may raise anything
            await self.mark_connection_rejected(planned, error)
            return failed(error, planned)

    async def checked_action(self, call: Call) -> StepResult:
        """As `action`, but fails if the output isn't valid JSON.

        In runs, the store checks that, since it traverses the data anyway.
        """
        result = await self.action(call)
        try:
            _JSON.validate_python(result.data)
        except ValueError as error:
            return failed(error, call.planned)
        return result

    async def items(self, call: Call) -> tuple[TriggerItem, ...]:
        """Run a trigger and return its items, newest first. Raises what the app raises."""
        return (await self.items_and_response(call))[0]

    async def items_and_response(self, call: Call) -> tuple[tuple[TriggerItem, ...], WebhookResponse | None]:
        """As `items`, with the response that the trigger sends to the client of the webhook, if any."""
        planned = call.planned
        if planned.app is None or planned.trigger is None:
            raise planned.problem or AppError(f"{planned.label} can't be run.")
        # Before a draft is tested, `manual/draft_tests.py` and `run_control.py` check who tests it.
        require_approval(planned, approved=call.approved or call.draft)
        run = planned.trigger.run
        if call.test_run and planned.trigger.test_run is not None:
            run = planned.trigger.test_run
        if run is None:
            return (), None
        try:
            ctx = await self._contexts.make(planned.app, call)
            with ctx.mask_errors():
                return await collect_items(run, ctx), ctx.answer
        except Exception as error:
            await self.mark_connection_rejected(planned, error)
            raise

    async def watch(self, call: Call, on_signal: Callable[[], None]) -> None:
        """Watch a service for new items until the watch ends, and call `on_signal` each time.

        Raises what the app raised.
        """
        planned = call.planned
        if planned.app is None or planned.trigger is None or planned.trigger.watch is None:
            return
        require_approval(planned, approved=call.approved)
        try:
            ctx = await self._contexts.make(planned.app, call)
            with ctx.mask_errors():
                async with aclosing(planned.trigger.watch(ctx)) as signals:
                    async for _ in signals:
                        on_signal()
        except Exception as error:
            await self.mark_connection_rejected(planned, error)
            raise

    async def _run_action(self, call: Call) -> StepResult:
        planned = call.planned
        if planned.app is None or planned.action is None:
            raise planned.problem or AppError(f"{planned.label} can't be run.")
        require_permit(call.permit, planned)
        ctx = await self._contexts.make(planned.app, call)
        try:
            with ctx.mask_errors():
                await planned.action.run(ctx)
        except ExitRun as signal:
            return StepResult(StepState.FILTERED, ctx.action_output, note=signal.reason or None)
        except Park as signal:
            return _succeeded(ctx, signal.until)
        except CallFlow as signal:
            return StepResult(StepState.SUCCESS, called_flow=signal)
        except Exception as error:  # noqa: BLE001  app code may raise anything
            await self.mark_connection_rejected(planned, error)
            return failed(error, planned, tuple(ctx.warnings))
        return _succeeded(ctx, None)

    async def mark_connection_rejected(self, planned: PlannedStep, error: Exception) -> None:
        """Mark the connection as rejected if the error says so."""
        connection_id = planned.step.connection_id
        if connection_id is None or not isinstance(error, AppError) or not rejects_credentials(error):
            return
        try:
            await self._credentials.mark_invalid(connection_id, error.happened)
        except AppError as problem:
            _log.warning("Couldn't mark a rejected connection: %s", problem.text())


def _succeeded(ctx: Context, park_until: EpochMs | None) -> StepResult:
    return StepResult(
        StepState.SUCCESS,
        ctx.action_output,
        park_until=park_until,
        webhook_response=ctx.answer,
        warnings=tuple(ctx.warnings),
    )


def failed(error: Exception, planned: PlannedStep, warnings: tuple[str, ...] = ()) -> StepResult:
    """The result of a step that raised an error; `warnings` are those from before the error."""
    details = error_details(error, planned.label)
    wait = requested_wait_seconds(error)
    rejection = error if isinstance(error, ThirdPartyError) else None
    return StepResult(
        StepState.FAILURE,
        error=details,
        note=str(details["happened"]),
        retriable=wait is not None or is_transient(error),
        retry_after=wait,
        rejected_by=rejection.app if rejection else None,
        rejected_at=rejection.redirected_to if rejection else "",
        warnings=warnings,
    )
