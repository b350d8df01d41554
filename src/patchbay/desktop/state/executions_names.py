"""What the steps of an execution are called: their own names, else the labels of their events."""

from collections.abc import Mapping

from patchbay.domain.apps import ActionInfo, TriggerInfo
from patchbay.domain.backend import Backend
from patchbay.domain.base import AppKey, StepId
from patchbay.domain.errors import AppError
from patchbay.domain.executions import Execution, StepRef
from patchbay.domain.flows import StructuralType

EventNames = Mapping[tuple[AppKey, str], str]
"""The labels of triggers and actions, by app and key."""


async def read_event_names(
    backend: Backend, execution: Execution, known: Mapping[AppKey, EventNames]
) -> dict[AppKey, EventNames]:
    """The labels of the events of every app in the execution that is not known yet, by app."""
    apps = {step.app_key for step in execution.flow.steps if step.app_key and step.key and not step.name}
    wanted = sorted(apps - known.keys())
    return {key: await _of_app(backend, key) for key in wanted}


async def _of_app(backend: Backend, key: AppKey) -> EventNames:
    try:
        app = await backend.get_app(key)
    except AppError:  # an app that was removed since; its steps go by their keys
        return {}
    events: list[TriggerInfo | ActionInfo] = [*(app.triggers or ()), *(app.actions or ())]
    return {(key, event.key): event.name for event in events}


def named_steps(steps: Mapping[StepId, StepRef], names: EventNames) -> dict[StepId, StepRef]:
    """The steps, each with a name where one is known; branches without one are counted."""
    named: dict[StepId, StepRef] = {}
    branches: dict[StepId | None, int] = {}
    for step in steps.values():
        name = step.name or names.get((step.app_key or "", step.key or ""))
        if step.structural_type is StructuralType.BRANCH:
            number = branches[step.parent_step_id] = branches.get(step.parent_step_id, 0) + 1
            name = name or f"Path {number}"
        named[step.id] = step.model_copy(update={"name": name}) if name != step.name else step
    return named
