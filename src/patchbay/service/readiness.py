"""What keeps a flow from being published, and one step from being tested or skipped, told per step."""

from collections.abc import Iterator, Mapping

from patchbay.domain.apps import ActionInfo, AppInfo, TriggerInfo, connection_app
from patchbay.domain.base import AppKey, ConnectionId
from patchbay.domain.connections import Connection, Health
from patchbay.domain.errors import Blocker
from patchbay.domain.fields import missing_required
from patchbay.domain.flows import Flow, Step, StepStatus, StepType
from patchbay.domain.variables import references

Apps = Mapping[AppKey, AppInfo]
Connections = Mapping[ConnectionId, Connection]

FEWEST_STEPS = 2


def find_blockers(flow: Flow, apps: Apps, connections: Connections) -> list[Blocker]:
    """Everything that is missing before the flow can go live, in step order; empty when it is ready.

    `connections` holds those that exist; one that a step names and that is not there was deleted.
    """
    blockers = list(_of_flow(flow))
    for step in flow.steps:
        blockers += step_blockers(flow, step, apps, connections) or list(_untested(step))
    return blockers


def step_blockers(flow: Flow, step: Step, apps: Apps, connections: Connections) -> list[Blocker]:
    """What this step lacks, whether tested or not."""
    event, problem = _event(step, apps)
    if event is None:
        return [problem] if problem else []
    return [
        *_connection(step, event, apps, connections),
        *_arguments(step, event),
        *_broken_references(flow, step),
    ]


def needs_connection(app: AppInfo, event: TriggerInfo | ActionInfo) -> bool:
    return connection_app(app, event) is not None and not event.connection_optional


def _of_flow(flow: Flow) -> Iterator[Blocker]:
    if flow.trigger is None or flow.steps[0].type is not StepType.TRIGGER:
        yield Blocker(reason="The flow has no trigger.")
    if len(flow.steps) < FEWEST_STEPS:
        yield Blocker(reason="A flow needs a trigger and at least one action.")


def _event(step: Step, apps: Apps) -> tuple[TriggerInfo | ActionInfo | None, Blocker | None]:
    if not step.app_key:
        return None, _at(step, "appKey", "Choose an app.")
    app = apps.get(step.app_key)
    if app is None:
        return None, _at(step, "appKey", f"The app “{step.app_key}” is not installed here.")
    if app.broken:
        return None, _at(step, "appKey", f"{app.name} cannot be used: {app.broken}")
    if not step.key:
        return None, _at(step, "key", "Choose an event.")
    event = app.trigger(step.key) if step.type is StepType.TRIGGER else app.action(step.key)
    if event is None:
        return None, _at(step, "key", f"{app.name} has no event “{step.key}” (any more). Choose another one.")
    return event, None


def _connection(
    step: Step, event: TriggerInfo | ActionInfo, apps: Apps, connections: Connections
) -> Iterator[Blocker]:
    app = apps[step.app_key or ""]
    lender = connection_app(app, event)
    if lender is None or not (step.connection_id or needs_connection(app, event)):
        return
    kind = _kind(apps.get(lender, app))
    if not step.connection_id:
        yield _at(step, "connectionId", f"Choose a {kind}.")
        return
    connection = connections.get(step.connection_id)
    if connection is None:
        yield _at(step, "connectionId", f"Its {kind} was deleted. Choose another one.")
    elif connection.health is Health.NEEDS_ATTENTION:
        called = connection.screen_name or app.name
        yield _at(step, "connectionId", f"The {kind} “{called}” needs reconnecting.")


def _kind(app: AppInfo) -> str:
    return app.name if app.name.endswith(" connection") else f"{app.name} connection"


def _arguments(step: Step, event: TriggerInfo | ActionInfo) -> Iterator[Blocker]:
    for argument in missing_required(event.arguments, step.parameters):
        yield _at(step, argument.key, f"“{argument.label}” is required.")


def _broken_references(flow: Flow, step: Step) -> Iterator[Blocker]:
    for key, value in step.parameters.items():
        for wanted in dict.fromkeys(reference.step_id for reference in references(value)):
            source = flow.step(wanted)
            if source is None:
                yield _at(step, key, "It uses a value of a step that is not in this flow (any more).")
            elif source.position >= step.position:
                where = "itself" if source.id == step.id else f"step {source.position}, which runs later"
                yield _at(step, key, f"It uses a value of {where}.")


def _untested(step: Step) -> Iterator[Blocker]:
    if step.status is not StepStatus.COMPLETED:
        yield _at(step, None, "Test this step, or skip the test.")


def _at(step: Step, field: str | None, reason: str) -> Blocker:
    return Blocker(step_id=step.id, position=step.position, field=field, reason=reason)
