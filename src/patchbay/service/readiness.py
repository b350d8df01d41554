"""What keeps a flow from being published, and one step from being tested or skipped, told per step."""

from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import islice

from patchbay.domain.apps import (
    ActionInfo,
    AppInfo,
    TriggerInfo,
    needs_connection_choice,
    connection_app,
    needs_connection,
)
from patchbay.domain.base import AppKey, ConnectionId, FlowId, Json, StepId
from patchbay.domain.connections import Connection, ConnectionHealth
from patchbay.domain.errors import Blocker
from patchbay.domain.fields import (
    Argument,
    is_visible,
    missing_required,
    parameters_with_references,
    accepts_references,
)
from patchbay.domain.flow_calls import CALL_FLOW_ACTION, CALLED_TRIGGER, is_event
from patchbay.domain.flows import Flow, Step, StepStatus, StepType, StructuralType
from patchbay.domain.step_tree import ancestors, find_problem
from patchbay.domain.variables import incomplete_references, references
from patchbay.engine.runs.structure import ALL_BRANCHES
from patchbay.service.structure_rules import structure_lacks

Apps = Mapping[AppKey, AppInfo]
Connections = Mapping[ConnectionId, Connection]

FEWEST_STEPS = 2
NOT_CALLABLE = (
    "The flow it calls is not there, is not published, or does not start with “Called by another flow”."
)


MOST_NAMED = 20
"""References of a step that are named when they can't be resolved; there may be thousands."""

_LONGEST_TOKEN = 60


def find_blockers(
    flow: Flow, apps: Apps, connections: Connections, callable_flows: Container[FlowId] = ()
) -> list[Blocker]:
    """Everything that is missing before the flow can go live, in step order; empty when it is ready.

    `connections` holds those that exist; one that a step names and that is not there was deleted.
    `callable_flows` are those that a step may call.
    """
    blockers = list(_of_flow(flow))
    for step in flow.steps:
        lacking = step_blockers(flow, step, apps, connections)
        blockers += [*lacking, *_call(flow, step, callable_flows)] or list(_untested(step))
    return blockers


def lending_blockers(flow: Flow, foreign: Container[ConnectionId]) -> list[Blocker]:
    """One for each step with a connection that only an admin can lend to this flow, by publishing it."""
    reason = "Its connection belongs to somebody else. Choose one of your own, or ask an admin to publish it."
    used = (step for step in flow.steps if step.connection_id and step.connection_id in foreign)
    return [_at(step, "connectionId", reason) for step in used]


def step_blockers(flow: Flow, step: Step, apps: Apps, connections: Connections) -> list[Blocker]:
    """What this step lacks, whether tested or not."""
    if step.structural_type.is_container:
        lacks = (_at(step, field, reason) for field, reason in structure_lacks(flow, step))
        return [*lacks, *islice(_broken_references(flow, step), MOST_NAMED)]
    event, problem = _event(step, apps)
    if event is None:
        return [problem] if problem else []
    return [
        *_connection(step, event, apps, connections),
        *_arguments(step, event),
        *islice(_broken_references(flow, step, event), MOST_NAMED),
    ]


def _of_flow(flow: Flow) -> Iterator[Blocker]:
    if flow.trigger is None or flow.steps[0].type is not StepType.TRIGGER:
        yield Blocker(reason="The flow has no trigger.")
    if len(flow.steps) < FEWEST_STEPS:
        yield Blocker(reason="A flow needs a trigger and at least one action.")
    if reason := find_problem(flow.steps):
        yield Blocker(reason=reason)


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
    connection_provider = connection_app(app, event)
    if connection_provider is None:
        return
    kind = _kind(apps.get(connection_provider, app))
    if not step.connection_id:
        if reason := _missing_connection(step, app, event, kind):
            yield _at(step, "connectionId", reason)
        return
    connection = connections.get(step.connection_id)
    if connection is None:
        yield _at(step, "connectionId", f"Its {kind} was deleted. Choose another one.")
    elif connection.health is ConnectionHealth.NEEDS_ATTENTION:
        called = connection.screen_name or app.name
        yield _at(step, "connectionId", f"The {kind} “{called}” needs reconnecting.")


def _missing_connection(step: Step, app: AppInfo, event: TriggerInfo | ActionInfo, kind: str) -> str | None:
    if needs_connection(app, event):
        return f"Choose a {kind}."
    if not needs_connection_choice(app, event, undecided=step.connection_required):
        return None
    if step.type is StepType.TRIGGER:
        return f"The original flow accepts signed calls only. Choose a {kind}, or “No connection”."
    return f"The original flow used a connection here. Choose a {kind}, or “No connection”."


def _kind(app: AppInfo) -> str:
    return app.name if app.name.endswith(" connection") else f"{app.name} connection"


def _arguments(step: Step, event: TriggerInfo | ActionInfo) -> Iterator[Blocker]:
    yield from required_blockers(step, event.arguments)
    for argument in islice(_fixed_with_reference(event.arguments, step.parameters), MOST_NAMED):
        reason = f"“{argument.label}” can't take a value from another step. Choose or enter a value."
        yield _at(step, argument.key, reason)


def required_blockers(step: Step, arguments: tuple[Argument, ...]) -> list[Blocker]:
    """One for each required field among these without a value."""
    missing = missing_required(arguments, step.parameters)
    return [_at(step, argument.key, f"“{argument.label}” is required.") for argument in missing]


def _fixed_with_reference(
    arguments: Iterable[Argument], parameters: Mapping[str, Json]
) -> Iterator[Argument]:
    """Arguments with a reference that would stay as it is, as imported flows may have them."""
    for argument in arguments:
        value = parameters.get(argument.key)
        if argument.fields and isinstance(value, list):
            for row in value:
                if isinstance(row, dict):
                    yield from _fixed_with_reference(argument.fields, row)
        elif accepts_references(argument) or argument.value_type == "verbatim":
            continue
        elif is_visible(argument, parameters) and any(references(value)):
            yield argument


def _broken_references(
    flow: Flow, step: Step, event: TriggerInfo | ActionInfo | None = None
) -> Iterator[Blocker]:
    for key, value in _texts(step, event):
        for wanted in dict.fromkeys(reference.step_id for reference in references(value)):
            if reason := _unreachable(flow, step, wanted):
                yield _at(step, key, reason)
        for token in dict.fromkeys(islice(incomplete_references(value), MOST_NAMED)):
            shown = token if len(token) <= _LONGEST_TOKEN else f"{token[:_LONGEST_TOKEN]}…"
            yield _at(step, key, f"“{shown}” isn't a complete variable. Choose the value to insert.")


def _texts(step: Step, event: TriggerInfo | ActionInfo | None) -> Iterator[tuple[str, Json]]:
    """Every field of the step in which values of other steps may be used."""
    yield from parameters_with_references(event.arguments if event else (), step.parameters).items()
    if step.branch_conditions:
        yield "branchConditions", list(step.branch_conditions)


def _unreachable(flow: Flow, step: Step, wanted: StepId) -> str | None:
    """Why the step can never have a value of that one; None when it can."""
    source = flow.step(wanted)
    if source is None:
        return "It uses a value of a step that is not in this flow (any more)."
    if source.structural_type is StructuralType.BRANCH:
        return f"It uses a value of step {source.position}, a path, which has none."
    asks = _where_it_asks(flow, step)
    if source.position >= asks.position:
        return f"It uses a value of {_later(source, step, asks)}."
    if _in_other_path(flow, step, source):
        return f"It uses a value of step {source.position}, which is in another path, and only one is taken."
    return None


def _where_it_asks(flow: Flow, step: Step) -> Step:
    """The step that needs the values: the conditions of all branches are asked before the first one runs."""
    if step.structural_type is not StructuralType.BRANCH:
        return step
    return flow.step(step.parent_step_id or "") or step


def _later(source: Step, step: Step, asks: Step) -> str:
    if source.id == step.id:
        return "itself"
    if asks is not step and source.position <= step.position:
        return f"step {source.position}, which runs after the path was chosen"
    return f"step {source.position}, which runs later"


def _in_other_path(flow: Flow, step: Step, source: Step) -> bool:
    """Whether both are in paths of which only one is taken, each in another one."""
    mine = {item.parent_step_id: item.id for item in (step, *ancestors(flow.steps, step)) if _is_path(item)}
    return any(
        mine.get(item.parent_step_id, item.id) != item.id and not _takes_all(flow, item)
        for item in ancestors(flow.steps, source)
        if _is_path(item)
    )


def _is_path(step: Step) -> bool:
    return step.structural_type is StructuralType.BRANCH


def _takes_all(flow: Flow, branch: Step) -> bool:
    paths = flow.step(branch.parent_step_id or "")
    return paths is not None and paths.parameters.get("mode") == ALL_BRANCHES


def _call(flow: Flow, step: Step, callable_flows: Container[FlowId]) -> Iterator[Blocker]:
    """A flow may call itself: its own trigger is then part of what is published."""
    if not is_event(step, CALL_FLOW_ACTION) or not step.parameters.get("flow"):
        return
    called = str(step.parameters["flow"])
    itself = called == flow.id and flow.trigger is not None and is_event(flow.trigger, CALLED_TRIGGER)
    if not itself and called not in callable_flows:
        yield _at(step, "flow", NOT_CALLABLE)


def _untested(step: Step) -> Iterator[Blocker]:
    if step.status is not StepStatus.COMPLETED and not _is_path(step):
        yield _at(step, None, "Test this step, or skip the test.")


def _at(step: Step, field: str | None, reason: str) -> Blocker:
    return Blocker(step_id=step.id, position=step.position, field=field, reason=reason)
