"""What keeps a draft from being published, as far as the window can know it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from patchbay.desktop.state.editor_values import step_title
from patchbay.domain.apps import ActionInfo, AppInfo, TriggerInfo, connection_app
from patchbay.domain.base import AppKey, ConnectionId, StepId
from patchbay.domain.connections import Connection, Health
from patchbay.domain.errors import Blocker
from patchbay.domain.fields import Argument, ArgumentType, missing_required
from patchbay.domain.flows import Flow, Step, StepStatus, StepType
from patchbay.domain.variables import references

CONNECTION_FIELD = "connection"
EVENT_FIELD = "event"
TEST_FIELD = "test"


@dataclass(frozen=True)
class Surroundings:
    """What live blockers are judged by: the details of the apps in use and the known connections."""

    apps: Mapping[AppKey, AppInfo]
    connections: Mapping[ConnectionId, Connection]


def event_of(step: Step, app: AppInfo | None) -> TriggerInfo | ActionInfo | None:
    if app is None:
        return None
    return app.trigger(step.key) if step.type is StepType.TRIGGER else app.action(step.key)


def needs_connection(app: AppInfo | None, event: TriggerInfo | ActionInfo | None) -> bool:
    return lender(app, event) is not None and not (event and event.connection_optional)


def lender(app: AppInfo | None, event: TriggerInfo | ActionInfo | None) -> AppKey | None:
    """The app whose connections a step may use; None when it uses none."""
    return connection_app(app, event) if app and event else None


def missing_text(argument: Argument) -> str:
    """What to do about a required argument without a value."""
    verb = "Choose" if argument.type is ArgumentType.DROPDOWN else "Enter"
    return f"{verb} {argument.label}"


def find_blockers(flow: Flow, known: Surroundings) -> tuple[Blocker, ...]:
    """One blocker per missing thing, in the order of the steps."""
    found = [blocker for step in flow.steps for blocker in _of_step(flow, step, known)]
    if len(flow.steps) < 2:
        found.append(Blocker(reason="Add a step: a flow needs a trigger and at least one action"))
    return tuple(found)


def _of_step(flow: Flow, step: Step, known: Surroundings) -> Iterator[Blocker]:
    found = list(_unfinished(flow, step, known))
    if not found and step.status is StepStatus.INCOMPLETE:
        found.append((TEST_FIELD, "Not tested since its last change"))
    for name, reason in found:
        yield Blocker(step_id=step.id, position=step.position, field=name, reason=reason)


def _unfinished(flow: Flow, step: Step, known: Surroundings) -> Iterator[tuple[str, str]]:
    if not step.app_key or not step.key:
        yield (
            EVENT_FIELD,
            "Choose what starts the flow" if step.type is StepType.TRIGGER else "Choose what to do",
        )
        return
    app = known.apps.get(step.app_key)
    event = event_of(step, app)
    yield from _of_connection(step, app, event, known)
    if event is None:
        return
    for argument in missing_required(event.arguments, step.parameters):
        yield argument.key, missing_text(argument)
    yield from _of_references(flow, step)


def _of_connection(
    step: Step, app: AppInfo | None, event: TriggerInfo | ActionInfo | None, known: Surroundings
) -> Iterator[tuple[str, str]]:
    if app is None or lender(app, event) is None:
        return
    if step.connection_id is None:
        if not needs_connection(app, event):
            return
        yield CONNECTION_FIELD, f"Choose a connection to {app.name}"
        return
    connection = known.connections.get(step.connection_id)
    if connection is None and known.connections:
        yield CONNECTION_FIELD, f"The connection to {app.name} was deleted, choose another"
    elif connection is not None and connection.health is Health.NEEDS_ATTENTION:
        name = connection.screen_name or app.name
        yield CONNECTION_FIELD, f"The {app.name} connection “{name}” needs reconnecting"


def _of_references(flow: Flow, step: Step) -> Iterator[tuple[str, str]]:
    earlier: set[StepId] = {item.id for item in flow.steps if item.position < step.position}
    for key, value in step.parameters.items():
        if any(item.step_id not in earlier for item in references(value)):
            yield key, "Uses a value of a step that is gone or comes later"


def blocker_title(blocker: Blocker, flow: Flow) -> str:
    """The step a blocker is about: "Step 4, Create task"."""
    step = flow.step(blocker.step_id or "")
    return f"Step {step.position}, {step_title(step)}" if step else "This flow"


def blocker_link(blocker: Blocker) -> str:
    """The words of the link that leads to where the work is."""
    if blocker.step_id is None:
        return "Add step"
    if blocker.field in (TEST_FIELD, None):
        return f"Test step {blocker.position}"
    return "Go to field" if blocker.field not in (EVENT_FIELD, "appKey") else "Go to step"


def merge_blockers(live: tuple[Blocker, ...], refused: tuple[Blocker, ...]) -> tuple[Blocker, ...]:
    """Live ones, and those of the last refusal about steps or fields that the live ones do not mention."""
    steps = {item.step_id for item in live}
    rest = [item for item in refused if item.step_id not in steps or (item.step_id is None and not live)]
    return tuple(sorted((*live, *rest), key=lambda item: item.position or 0))
