"""The trigger step of an execution, which is finished when the execution begins."""

from patchbay.domain.base import EpochMs, Json
from patchbay.domain.executions import StepState
from patchbay.domain.runs import StepOutcome
from patchbay.engine.plan import Plan


def trigger_outcome(plan: Plan, raw: Json, started: EpochMs, finished: EpochMs) -> StepOutcome:
    """Its parameters as typed, and the event (both validated before)."""
    return StepOutcome(
        seq=0, attempt=1, step_id=plan.start.step.id, status=StepState.SUCCESS,
        data_in=plan.start.step.parameters, data_out=raw, error=None,
        started_at=started, finished_at=finished,
    )  # fmt: skip
