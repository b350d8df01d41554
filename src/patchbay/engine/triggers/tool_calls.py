"""Calls of flows as tools: starts a run, and waits for its output."""

import asyncio
import json
from collections.abc import Awaitable, Callable

from patchbay.domain.base import EpochMs, ExecutionId, FlowId, JsonObject
from patchbay.domain.engine_store import EngineStore
from patchbay.domain.errors import Conflict, NotFound, RateLimited
from patchbay.domain.ports import WEBHOOK_ERROR, TriggerItem, WebhookResponse
from patchbay.domain.tools import ToolResult, check_arguments, is_tool, read_tool
from patchbay.engine.intake import Intake
from patchbay.engine.plan import Plan, Plans
from patchbay.engine.triggers.webhook_responses import PendingResponses

MAX_TOOL_SECONDS = 50.0
"""How long a caller waits: many clients give up after a minute, and then don't see where the run is."""
MAX_CONCURRENT_CALLS = 50
"""Calls that wait at the same time; further ones are rejected."""


class ToolCalls:
    """Runs published flows that are tools. What may run is decided by the version, not by the caller."""

    def __init__(
        self,
        store: EngineStore,
        plans: Plans,
        intake: Intake,
        pending_responses: PendingResponses,
        is_queued_only: Callable[[FlowId], Awaitable[bool]],
        clock: Callable[[], EpochMs],
        max_wait_seconds: float = MAX_TOOL_SECONDS,
    ) -> None:
        self._store = store
        self._plans = plans
        self._intake = intake
        self._pending_responses = pending_responses
        self._is_queued_only = is_queued_only
        self._clock = clock
        self._max_wait_seconds = max_wait_seconds
        self._waiting = 0

    async def call(self, flow_id: FlowId, arguments: JsonObject) -> ToolResult:
        """See `ToolBackend.call_tool`."""
        plan = await self._find_tool(flow_id)
        tool = read_tool(flow_id, plan.start.step.parameters)
        if tool.problem:
            raise Conflict(f"The tool “{tool.name}” can't be called: {tool.problem}")
        check_arguments(tool.input_schema, arguments)
        if await self._is_queued_only(flow_id):
            raise Conflict(
                f"The flow “{plan.version.name}” is paused.",
                meaning="No run was started.",
                todo="Resume it, then call the tool again.",
            )
        if self._waiting >= MAX_CONCURRENT_CALLS:
            raise RateLimited("Too many tools are being called at once.", todo="Try again in a moment.")
        self._waiting += 1
        try:
            return await self._run(plan, arguments)
        finally:
            self._waiting -= 1

    async def _find_tool(self, flow_id: FlowId) -> Plan:
        version = await self._store.version(flow_id)
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

    async def _run(self, plan: Plan, arguments: JsonObject) -> ToolResult:
        execution = self._intake.new_execution(plan, TriggerItem(raw=arguments), self._clock())
        reply = self._pending_responses.expect(execution.id)
        try:
            await self._intake.accept([execution])
            if not plan.has_actions:
                return ToolResult(output="", execution_id=execution.id)
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
