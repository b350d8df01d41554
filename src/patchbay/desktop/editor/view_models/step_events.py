"""The trigger or action of a step."""

from patchbay.domain.apps import ActionInfo, AppInfo, TriggerInfo
from patchbay.domain.flows import Step, StepType


def event_of(step: Step, app: AppInfo | None) -> TriggerInfo | ActionInfo | None:
    """The trigger or action of a step; None if its app doesn't have it or isn't loaded."""
    if app is None:
        return None
    return app.trigger(step.key) if step.type is StepType.TRIGGER else app.action(step.key)
