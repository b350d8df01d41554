"""Flows that start one another: the names that the app `patchbay` and the engine share, and their data."""

from datetime import UTC, datetime
from typing import Protocol

from patchbay.domain.base import EpochMs, ExecutionId, FlowId, Json, JsonObject, Model
from patchbay.domain.flows import Step

PATCHBAY_APP = "patchbay"
"""Key of the app whose events these are."""
CALLED_TRIGGER = "called"
"""Trigger: another flow called."""
FLOW_FAILED_TRIGGER = "flowFailed"
"""Trigger: an execution of the flow in the parameter `flow` failed, or of any flow (`ANY_FLOW`)."""
CALL_FLOW_ACTION = "callFlow"
"""Action: start another flow, and wait for its answer if wanted."""
ANSWER_ACTION = "answer"
"""Action: its output is what the calling flow gets. The last one of a run counts."""

ANY_FLOW = "any"


def is_event(step: Step, key: str) -> bool:
    """Whether the step is this trigger or action of the app `patchbay`."""
    return step.app_key == PATCHBAY_APP and step.key == key


def receives_failures_of(trigger: Step, flow_id: FlowId) -> bool:
    """Whether a flow with this trigger receives the failures of that flow."""
    return is_event(trigger, FLOW_FAILED_TRIGGER) and trigger.parameters.get("flow") in (ANY_FLOW, flow_id)


def call_output(execution_id: ExecutionId | None, answer: Json = None) -> JsonObject:
    """What a call puts out; `answer` is null when the called flow gave none, or was not waited for."""
    return {"executionId": execution_id, "answer": answer}


def failure_item(
    *,
    flow: tuple[FlowId, str],
    execution: tuple[ExecutionId, EpochMs],
    step: tuple[int, str, str],
    error: JsonObject,
    failed_at: EpochMs,
) -> JsonObject:
    """What a flow that receives failures starts with.

    `flow` is id and name, `execution` id and when it was accepted, `step` position (from 1), name and app's
    name, `error` the `error_details` of the step, of which only the sentences are passed on.
    """
    return {
        "flow": {"id": flow[0], "name": flow[1]},
        "execution": {"id": execution[0], "createdAt": _iso_time(execution[1])},
        "step": {"position": step[0], "name": step[1], "app": step[2]},
        "error": {part: error.get(part) or "" for part in ("happened", "meaning", "todo")},
        "failedAt": _iso_time(failed_at),
    }


def _iso_time(at: EpochMs) -> str:
    return datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="milliseconds")


class FlowChoice(Model):
    """A flow to choose."""

    id: FlowId
    name: str


class FlowDirectory(Protocol):
    """The flows of the workspace, as apps may see them."""

    def visible_to(self, flow_id: FlowId) -> "FlowDirectory":
        """Only what a flow may know of: its person's flows, unless that is an admin."""
        ...

    async def flows(self) -> tuple[FlowChoice, ...]:
        """All flows, by name."""
        ...

    async def callable_flows(self) -> tuple[FlowChoice, ...]:
        """Published flows that start when another flow calls, by name."""
        ...

    async def last_call(self, flow_id: FlowId) -> Json:
        """What the flow was called with most recently; None when it never was."""
        ...

    async def last_answer(self, flow_id: FlowId) -> Json:
        """What the flow answered most recently; None when it never did."""
        ...
