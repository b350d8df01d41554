"""Why a flow can't be published."""

from patchbay.domain.base import Model, StepId


class Blocker(Model):
    """A reason why a flow can't be published, with the step (and field) to fix."""

    step_id: StepId | None = None
    position: int | None = None
    field: str | None = None
    reason: str
