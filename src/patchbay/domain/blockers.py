"""Why a flow can't be published."""

from patchbay.domain.base import Model, StepId

APP_FIELD = "appKey"
EVENT_FIELD = "key"
CONNECTION_FIELD = "connectionId"
CONDITIONS_FIELD = "branchConditions"
BRANCHES_FIELD = "branches"
INNER_STEPS_FIELD = "steps"

STEP_FIELDS = frozenset(
    (APP_FIELD, EVENT_FIELD, CONNECTION_FIELD, CONDITIONS_FIELD, BRANCHES_FIELD, INNER_STEPS_FIELD)
)
"""Fields of blockers that belong to the step itself, with their names on the wire. All others are the keys of
its arguments, which can have such a name, too."""


class Blocker(Model):
    """A reason why a flow can't be published, with the step (and field) to fix."""

    step_id: StepId | None = None
    position: int | None = None
    field: str | None = None
    """One of `STEP_FIELDS`, or the key of an argument; None if the step only has to be tested."""
    reason: str
