"""Calls of flows as tools: starts a run, and waits for its output."""

import asyncio
import json
import logging
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

from patchbay.domain.audit_log import current_person
from patchbay.domain.base import EpochMs, ExecutionId, FlowId, JsonObject
from patchbay.domain.engine_store import EngineStore, NewExecution, RunTree
from patchbay.domain.errors import AppError, Conflict, NotFound, RateLimited
from patchbay.domain.executions import Origin
from patchbay.domain.flows import FlowVersion
from patchbay.domain.ports import WEBHOOK_ERROR, TriggerItem, WebhookResponse
from patchbay.domain.tools import ToolResult, check_arguments, is_tool, read_tool
from patchbay.engine.app_calls import Call
from patchbay.engine.intake import Intake
from patchbay.engine.plan import Plan, Plans
from patchbay.engine.triggers.webhook_responses import PendingResponses

_log = logging.getLogger(__name__)

MAX_TOOL_SECONDS = 50.0
"""How long a caller waits: many clients give up after a minute, and then don't see where the run is."""
MAX_CONCURRENT_CALLS = 50
"""Calls from outside that wait at the same time; further ones are rejected."""
MAX_CONCURRENT_CALLS_PER_PERSON = 20
"""Of these calls, by one person, or with one API key that belongs to no person."""
MAX_NESTED_CALLS = 10
"""How many runs may have called each other before a step calls another tool."""


SlotLender = Callable[[ExecutionId, FlowId, ExecutionId], AbstractContextManager[None]]
"""Lets a queued execution of a flow, in a tree, run during the block; see `Dispatcher.lend_slot`."""


class ToolCalls:
    """Runs published flows that are tools. What may run is decided by the version, not by the caller."""

    def __init__(
        self,
        store: EngineStore,
        plans: Plans,
        intake: Intake,
        pending_responses: PendingResponses,
        is_queued_only: Callable[[FlowId], Awaitable[bool]],
        lend_slot: SlotLender,
        is_cancelled: Callable[[ExecutionId], bool],
        cancel: Callable[[ExecutionId], Awaitable[None]],
        tree_limit: Callable[[], int],
        clock: Callable[[], EpochMs],
        max_wait_seconds: float = MAX_TOOL_SECONDS,
    ) -> None:
        self._store = store
        self._plans = plans
        self._intake = intake
        self._pending_responses = pending_responses
        self._is_queued_only = is_queued_only
        self._lend_slot = lend_slot
        self._is_cancelled = is_cancelled
        self._cancel = cancel
        self._tree_limit = tree_limit
        self._clock = clock
        self._max_wait_seconds = max_wait_seconds
        self._waiting: Counter[str] = Counter()

    async def call(self, flow_id: FlowId, arguments: JsonObject) -> ToolResult:
        """See `ToolBackend.call_tool`."""
        plan = self._require_tool(await self._store.version(flow_id))
        await self._check(plan, arguments)
        person = current_person()
        if self._waiting[person] >= MAX_CONCURRENT_CALLS_PER_PERSON:
            raise RateLimited("You are calling too many tools at once.", todo="Try again in a moment.")
        if self._waiting.total() >= MAX_CONCURRENT_CALLS:
            raise RateLimited("Too many tools are being called at once.", todo="Try again in a moment.")
        self._waiting[person] += 1
        try:
            return await self._run(plan, self._new_execution(plan, arguments))
        finally:
            self._waiting[person] -= 1
            if not self._waiting[person]:
                del self._waiting[person]

    async def call_from_step(self, call: Call, flow_id: FlowId, arguments: JsonObject) -> ToolResult:
        """Call a tool for a step that is running, and let the tool use its slot meanwhile.

        The new run counts in the tree of the step's run, and is cancelled with it. The caller of a test isn't
        stored yet, and has no slot. Raises as `call`, and `NotFound` for a flow that the step's flow may not
        call.
        """
        plan = self._require_tool(await self._store.version(flow_id, call.flow_id))
        await self._check(plan, arguments)
        execution = self._new_execution(plan, arguments)
        if call.test_run:
            return await self._run(plan, execution)
        callers = await self._store.callers(call.execution_id)
        if callers.total_callers >= MAX_NESTED_CALLS:
            raise Conflict(f"Tools that call each other can be nested up to {MAX_NESTED_CALLS} levels.")
        root_id = call.root_id or call.execution_id
        execution = replace(
            execution,
            origin_id=call.execution_id,
            origin_kind=Origin.CALL,
            tree=RunTree(root_id, self._tree_limit()),
        )
        try:
            return await self._run(plan, execution, self._lend_slot(execution.id, plan.flow_id, root_id))
        except asyncio.CancelledError:
            # Not if its time is up or the engine stops: as with other called flows, the run continues then.
            if self._is_cancelled(call.execution_id):
                await self._cancel_run(execution.id)
            raise

    async def _cancel_run(self, execution_id: ExecutionId) -> None:
        """Cancel the run of a tool, unless it has ended or wasn't stored yet."""
        try:
            await self._cancel(execution_id)
        except (Conflict, NotFound):
            pass
        except AppError as error:
            _log.error("Couldn't cancel execution %s: %s", execution_id, error.text())

    def _require_tool(self, version: FlowVersion | None) -> Plan:
        if version is None:
            raise NotFound("There is no such tool.", meaning="Its flow doesn't exist or isn't published.")
        plan = self._plans.of(version)
        if not is_tool(plan.start.step):
            raise Conflict(
                f"The flow “{version.name}” isn't a tool.",
                meaning=f"It starts with {plan.start.label}.",
                todo="Change its trigger to “MCP tool”.",
            )
        if plan.start.problem is not None:
            raise Conflict(f"The flow “{version.name}” can't start: {plan.start.problem.text()}")
        return plan

    async def _check(self, plan: Plan, arguments: JsonObject) -> None:
        """Raise `Conflict` or `ValidationFailed` if the tool can't be called now with these arguments."""
        tool = read_tool(plan.flow_id, plan.start.step.parameters)
        if tool.problem:
            raise Conflict(f"The tool “{tool.name}” can't be called: {tool.problem}")
        check_arguments(tool.input_schema, arguments)
        if await self._is_queued_only(plan.flow_id):
            raise Conflict(
                f"The flow “{plan.version.name}” is paused.",
                meaning="No run was started.",
                todo="Resume it, then call the tool again.",
            )

    def _new_execution(self, plan: Plan, arguments: JsonObject) -> NewExecution:
        return self._intake.new_execution(plan, TriggerItem(raw=arguments), self._clock())

    async def _run(
        self, plan: Plan, execution: NewExecution, slot: AbstractContextManager[None] | None = None
    ) -> ToolResult:
        """Accept the execution, and wait for its response. `slot` lets it run while the caller waits."""
        reply = self._pending_responses.expect(execution.id)
        try:
            await self._intake.accept([execution])
            if not plan.has_actions:
                return ToolResult(output="", execution_id=execution.id)
            with slot or nullcontext():
                async with asyncio.timeout(self._max_wait_seconds):
                    return _to_result(await asyncio.shield(reply), execution.id)
        except TimeoutError:
            return ToolResult(
                output=f"The flow didn't respond within {self._max_wait_seconds:.0f} seconds. "
                f"It keeps running; the execution is {execution.id}.",
                is_error=True,
                execution_id=execution.id,
            )
        finally:
            self._pending_responses.discard(execution.id)


def _to_result(response: WebhookResponse, execution_id: ExecutionId) -> ToolResult:
    """The result of a run: the body of its response, or the sentences of an error."""
    output = response.body or ""
    is_error = response.status >= 400
    if is_error:
        try:
            meta = json.loads(output)["meta"]
            if meta["type"] == WEBHOOK_ERROR:
                output = f"{meta['happened']} {meta['meaning']}".strip()
        except (ValueError, RecursionError, TypeError, KeyError):
            pass  # the flow's own response
    return ToolResult(output=output, is_error=is_error, execution_id=execution_id)
