"""What an edit does to a step. Pure: takes a step and gives the changed one."""

from collections.abc import Iterable

from patchbay.domain.apps import ActionInfo, AppInfo, TriggerInfo, connection_app, connection_providers
from patchbay.domain.connections import Connection
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.fields import defaults
from patchbay.domain.flows import (
    MAX_FLOW_SIZE,
    Step,
    StepChange,
    StepPolicy,
    StepStatus,
    StepType,
    StructuralType,
)
from patchbay.service.names import checked_name
from patchbay.service.structure_rules import branch_problem, check_structure


def apply_change(step: Step, change: StepChange, app: AppInfo | None, connection: Connection | None) -> Step:
    """The step after the edit; one that now behaves differently has to be tested again.

    `app` is the one the step will have, `connection` the one it will use; None when there is none. Raises
    `ValidationFailed` for an app, event or connection that does not fit.
    """
    changed_fields = change.model_fields_set
    check_structure(step, change)
    after = _with_app(step, change.app_key) if "app_key" in changed_fields else step
    if after.app_key and app is None:
        raise ValidationFailed({"appKey": [f"There is no app “{after.app_key}”."]})
    if "key" in changed_fields:
        after = _with_event(after, change.key, app)
    if "connection_id" in changed_fields:
        after = after.model_copy(update={"connection_id": _require_connection_of_app(connection, app, after)})
    after = after.model_copy(update=_changed_values(change))
    return after if after.behaves_like(step) else as_untested(after)


def check_size(steps: Iterable[Step], before: Iterable[Step] = ()) -> None:
    """Raise `ValidationFailed` when the steps of a flow are too large, unless they were larger before."""
    size = sum(step.size(MAX_FLOW_SIZE) for step in steps)
    if size > MAX_FLOW_SIZE and size > sum(step.size(MAX_FLOW_SIZE) for step in before):
        raise ValidationFailed(
            {"parameters": ["The parameters of a flow can take at most 2 MB in all; these take more."]},
            todo="Shorten the long texts, or let a step get them from where they are kept.",
        )


def _changed_values(change: StepChange) -> dict[str, object]:
    """What is taken over as it was given."""
    changed_fields, values = change.model_fields_set, dict[str, object]()
    if "parameters" in changed_fields:
        values["parameters"] = change.parameters or {}
    if "name" in changed_fields:
        values["name"] = checked_name(change.name) if change.name and change.name.strip() else None
    if "continue_on_error" in changed_fields:
        values["continue_on_error"] = bool(change.continue_on_error)
    if "connection_required" in changed_fields:
        values["connection_required"] = bool(change.connection_required)
    if "policy" in changed_fields:
        values["policy"] = change.policy or StepPolicy()
    if "branch_conditions" in changed_fields:
        values["branch_conditions"] = change.branch_conditions or ()
    return values


def as_untested(step: Step) -> Step:
    """The step as one that nobody has tested. A branch needs no test: its conditions decide."""
    done = step.structural_type is StructuralType.BRANCH and branch_problem(step) is None
    return step.model_copy(
        update={"status": StepStatus.COMPLETED if done else StepStatus.INCOMPLETE, "tested": None}
    )


def _with_app(step: Step, app_key: str | None) -> Step:
    if app_key == step.app_key:
        return step
    return step.model_copy(
        update={
            "app_key": app_key, "key": None, "connection_id": None, "connection_required": False,
            "parameters": {},
        }
    )  # fmt: skip


def _with_event(step: Step, key: str | None, app: AppInfo | None) -> Step:
    if key == step.key:
        return step
    event = None
    if key is not None:
        event = _event(step.type, key, app)
    presets = defaults(event.arguments) if event else {}
    return step.model_copy(update={"key": key, "parameters": presets})


def _event(kind: StepType, key: str, app: AppInfo | None) -> TriggerInfo | ActionInfo:
    if app is None:
        raise ValidationFailed({"key": ["Choose the app before its event."]})
    event = app.trigger(key) if kind is StepType.TRIGGER else app.action(key)
    if event is None:
        raise ValidationFailed({"key": [f"{app.name} has no {kind} “{key}”."]})
    return event


def _require_connection_of_app(connection: Connection | None, app: AppInfo | None, step: Step) -> str | None:
    if connection is None:
        return None
    if app is None or connection.app_key not in _lenders(app, step):
        raise ValidationFailed({"connectionId": ["This connection belongs to another app."]})
    return connection.id


def _lenders(app: AppInfo, step: Step) -> set[str | None]:
    """The apps whose connections the step may use: its event decides, or any event while none is chosen."""
    event = app.trigger(step.key) if step.type is StepType.TRIGGER else app.action(step.key)
    if event is not None:
        return {connection_app(app, event)}
    return {app.key, *connection_providers(app)}
