"""The flow of an execution in full, with its present state and parameters, as the interface shows it.

The workspace itself tells of an execution's flow only what lists need. Source: domain facts, section 2.
"""

from collections.abc import Callable, Sequence

from patchbay.domain.backend import Backend
from patchbay.domain.base import EpochMs, FlowId, JsonObject
from patchbay.domain.errors import NotFound
from patchbay.domain.executions import Execution, FlowRef, StepRef
from patchbay.domain.flows import Flow, FlowStatus, Step, StepStatus
from patchbay.domain.paging import Page


class StepShown(StepRef):
    """A step as the run had it; the fields below are the draft's, where it still has the step."""

    status: StepStatus = StepStatus.COMPLETED
    parameters: JsonObject = {}
    webhook_url: str | None = None


class FlowShown(FlowRef):
    """The flow of an execution. Times and interval are null for a flow that was deleted."""

    status: FlowStatus = FlowStatus.DRAFT
    execution_interval: int | None = None
    created_at: EpochMs | None = None
    updated_at: EpochMs | None = None
    steps: tuple[StepShown, ...] = ()


class ExecutionShown(Execution):
    """An execution with its flow in full."""

    flow: FlowShown


async def with_full_flows(
    backend: Backend, executions: Sequence[Execution], shorten: Callable[[Flow], Flow] = lambda flow: flow
) -> tuple[ExecutionShown, ...]:
    """The executions with their flows in full, each flow read once and shown in this way."""
    flows = {
        flow_id: await _find_flow(backend, flow_id, shorten)
        for flow_id in {item.flow.id for item in executions}
    }
    return tuple(_with_full_flow(item, flows[item.flow.id]) for item in executions)


def with_items(page: Page[Execution], items: tuple[ExecutionShown, ...]) -> Page[ExecutionShown]:
    """The page with these items instead of its own."""
    return Page(items=items, total=page.total, page=page.page, limit=page.limit, next_cursor=page.next_cursor)


async def _find_flow(backend: Backend, flow_id: FlowId, shorten: Callable[[Flow], Flow]) -> Flow | None:
    try:
        return shorten(await backend.get_flow(flow_id))
    except NotFound:
        return None


def _with_full_flow(item: Execution, flow: Flow | None) -> ExecutionShown:
    draft_steps = {step.id: step for step in flow.steps} if flow else {}
    steps = tuple(_full_step(ref, draft_steps.get(ref.id)) for ref in item.flow.steps)
    known = {name: getattr(item.flow, name) for name in FlowRef.model_fields} | {"steps": steps}
    if flow is not None:
        named = ("status", "execution_interval", "created_at", "updated_at")
        known |= {name: getattr(flow, name) for name in named}
    values = {name: getattr(item, name) for name in Execution.model_fields}
    return ExecutionShown.model_construct(**values | {"flow": FlowShown.model_construct(**known)})


def _full_step(ref: StepRef, step: Step | None) -> StepShown:
    known = {name: getattr(ref, name) for name in StepRef.model_fields}
    if step is not None:
        named = ("status", "parameters", "webhook_url")
        known |= {name: getattr(step, name) for name in named}
    return StepShown.model_construct(**known)
