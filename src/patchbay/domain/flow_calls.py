"""Flows that call each other or receive failures: keys of the app `patchbay`, data formats, and
`FlowDirectory`.
"""

from datetime import UTC, datetime
from typing import Protocol

from patchbay.domain.base import AppKey, EpochMs, ExecutionId, FlowId, Json, JsonObject, Model, StepId
from patchbay.domain.flows import Step

PATCHBAY_APP = AppKey("patchbay")
"""Key of the app with the triggers and actions below."""
CALLED_TRIGGER = "called"
"""Trigger: another flow calls this one."""
FLOW_FAILED_TRIGGER = "flowFailed"
"""Trigger: an execution of the flow in the parameter `flow` failed, or of any flow (`ANY_FLOW`)."""
CALL_FLOW_ACTION = "callFlow"
"""Action: start another flow, and optionally wait for its response."""
ANSWER_ACTION = "answer"
"""Action: its output is the response to the calling flow. The last one of a run counts."""

ANY_FLOW = "any"


def is_event(step: Step, key: str) -> bool:
    """Whether the step is this trigger or action of the app `patchbay`."""
    return step.app_key == PATCHBAY_APP and step.key == key


def receives_failures_of(trigger: Step, flow_id: FlowId) -> bool:
    """Whether a flow with this trigger receives the failures of that flow."""
    return is_event(trigger, FLOW_FAILED_TRIGGER) and trigger.parameters.get("flow") in (ANY_FLOW, flow_id)


def call_output(execution_id: ExecutionId | None, answer: Json = None) -> JsonObject:
    """The output of a step that calls a flow.

    `answer` is null if the flow didn't respond or wasn't waited for.
    """
    return {"executionId": execution_id, "answer": answer}


def failure_item(
    *,
    flow: tuple[FlowId, str],
    execution: tuple[ExecutionId, EpochMs],
    step: tuple[int, str, str],
    error: JsonObject,
    failed_at: EpochMs,
) -> JsonObject:
    """The trigger output of a flow that receives failures.

    `flow` is (id, name), `execution` is (id, creation time), and `step` is (position from 1, name, app's
    name). `error` is the step's `error_details`, of which only the sentences are included.
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
    """A flow as an option of a dropdown."""

    id: FlowId
    name: str


class PublishedStep(Model):
    """A step of a published flow, with the parameters it was published with."""

    flow_id: FlowId
    flow_name: str
    step_id: StepId
    parameters: JsonObject


class FlowDirectory(Protocol):
    """The flows of the workspace, for apps."""

    def visible_to(self, flow_id: FlowId) -> "FlowDirectory":
        """The directory limited to what a flow may see: the flows of its owner, or all if the owner is an
        admin.
        """
        ...

    async def flows(self) -> tuple[FlowChoice, ...]:
        """All flows, by name."""
        ...

    async def callable_flows(self) -> tuple[FlowChoice, ...]:
        """Published flows that other flows can call, by name."""
        ...

    async def published_steps(
        self, app_key: AppKey, key: str, flow_id: FlowId | None = None
    ) -> tuple[PublishedStep, ...]:
        """The steps of published flows with this trigger or action, by the names of their flows.

        With `flow_id`, only those of this flow.
        """
        ...

    async def last_call(self, flow_id: FlowId) -> Json:
        """The input of the latest call of the flow; None if it was never called."""
        ...

    async def last_response(self, flow_id: FlowId) -> Json:
        """The latest response of the flow; None if it never responded."""
        ...
