"""Blockers: what prevents a flow from being published, and its steps from being tested or skipped."""

from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import islice

from patchbay.domain.apps import (
    ActionInfo,
    AppInfo,
    TriggerInfo,
    connection_app,
    needs_connection,
    needs_connection_choice,
)
from patchbay.domain.base import AppKey, ConnectionId, FlowId, Json, StepId
from patchbay.domain.blockers import APP_FIELD, CONDITIONS_FIELD, CONNECTION_FIELD, EVENT_FIELD, Blocker
from patchbay.domain.conditions import has_empty_condition, operator_problem, parse_groups
from patchbay.domain.connections import Connection, ConnectionHealth
from patchbay.domain.fields import (
    Argument,
    ArgumentType,
    accepts_references,
    is_visible,
    missing_in_rows,
    missing_required,
    parameters_with_references,
)
from patchbay.domain.flow_calls import CALL_FLOW_ACTION, CALLED_TRIGGER, is_event
from patchbay.domain.flows import Flow, Step, StepStatus, StepType, StructuralType
from patchbay.domain.step_tree import ancestors, find_problem
from patchbay.domain.variables import RUN, incomplete_references, references
from patchbay.engine.runs.branches_and_loops import ALL_BRANCHES
from patchbay.service.steps import find_structure_problems

AppsByKey = Mapping[AppKey, AppInfo]
ConnectionsById = Mapping[ConnectionId, Connection]

MIN_STEPS = 2
NOT_CALLABLE = (
    "The flow it calls doesn't exist, isn't published, or doesn't start with “Called by another flow”."
)
MAX_LISTED_REFERENCES = 20
"""Maximum number of unresolved references to list per step; there may be thousands."""

MAX_LISTED_EVENTS = 10

_MAX_TOKEN_LENGTH = 60


def find_blockers(
    flow: Flow, apps: AppsByKey, connections: ConnectionsById, callable_flows: Container[FlowId] = ()
) -> list[Blocker]:
    """Return the blockers of a flow, in step order; empty if it can be published.

    `connections` are the existing ones; a connection of a step that isn't among them was deleted.
    `callable_flows` are the flows that steps may call.
    """
    blockers: list[Blocker] = []
    if flow.trigger is None or flow.steps[0].type is not StepType.TRIGGER:
        blockers.append(Blocker(reason="The flow has no trigger."))
    if len(flow.steps) < MIN_STEPS:
        blockers.append(Blocker(reason="A flow needs a trigger and at least one action."))
    if reason := find_problem(flow.steps):
        blockers.append(Blocker(reason=reason))

    for step in flow.steps:
        step_problems = step_blockers(flow, step, apps, connections)
        step_problems += _called_flow_blockers(flow, step, callable_flows)
        if not step_problems and step.status is not StepStatus.COMPLETED and not _is_branch(step):
            step_problems = [_blocker(step, None, "Test this step, or skip the test.")]
        blockers += step_problems
    return blockers


def connection_owner_blockers(flow: Flow, foreign: Container[ConnectionId]) -> list[Blocker]:
    """Return one blocker per step with another user's connection, which only admins may publish."""
    reason = (
        "Its connection belongs to another user. Choose one of yours, or ask an admin to publish the flow."
    )
    used = (step for step in flow.steps if step.connection_id and step.connection_id in foreign)
    return [_blocker(step, CONNECTION_FIELD, reason) for step in used]


def step_blockers(flow: Flow, step: Step, apps: AppsByKey, connections: ConnectionsById) -> list[Blocker]:
    """Return what is missing in this step, apart from its test."""
    if step.structural_type.is_container:
        problems = (_blocker(step, field, reason) for field, reason in find_structure_problems(flow, step))
        return [*problems, *islice(_reference_blockers(flow, step), MAX_LISTED_REFERENCES)]
    event, problem = _event(step, apps)
    if event is None:
        return [problem] if problem else []
    return [
        *_connection_blockers(step, event, apps, connections),
        *_argument_blockers(step, event),
        *islice(_reference_blockers(flow, step, event), MAX_LISTED_REFERENCES),
    ]


def _event(step: Step, apps: AppsByKey) -> tuple[TriggerInfo | ActionInfo | None, Blocker | None]:
    """The trigger or action of a step, or the blocker if it has none; the other is None."""
    if not step.app_key:
        return None, _blocker(step, APP_FIELD, "Choose an app.")
    app = apps.get(step.app_key)
    if app is None:
        return None, _blocker(step, APP_FIELD, f"The app “{step.app_key}” isn't installed here.")
    if app.broken:
        return None, _blocker(step, APP_FIELD, f"{app.name} can't be used: {app.broken}")
    if not step.key:
        return None, _blocker(step, EVENT_FIELD, "Choose an event.")
    event = app.trigger(step.key) if step.type is StepType.TRIGGER else app.action(step.key)
    if event is None:
        return None, _blocker(step, EVENT_FIELD, _unknown_event(step, app))
    return event, None


def _unknown_event(step: Step, app: AppInfo) -> str:
    kind, events = (
        ("trigger", app.triggers or ()) if step.type is StepType.TRIGGER else ("action", app.actions or ())
    )
    known = ", ".join(item.key for item in events[:MAX_LISTED_EVENTS])
    more = ", …" if len(events) > MAX_LISTED_EVENTS else ""
    choices = f" It has: {known}{more}." if events else ""
    return f"{app.name} has no {kind} “{step.key}”. Choose another one.{choices}"


def _connection_blockers(
    step: Step, event: TriggerInfo | ActionInfo, apps: AppsByKey, connections: ConnectionsById
) -> Iterator[Blocker]:
    app = apps[step.app_key or AppKey("")]
    connection_provider = connection_app(app, event)
    if connection_provider is None:
        return
    name = apps.get(connection_provider, app).name
    kind = name if name.endswith(" connection") else f"{name} connection"
    if not step.connection_id:
        choice = "a connection" if name == kind else f"a connection to {name}"
        if reason := _missing_connection(step, app, event, choice):
            yield _blocker(step, CONNECTION_FIELD, reason)
        return
    connection = connections.get(step.connection_id)
    if connection is None:
        yield _blocker(step, CONNECTION_FIELD, f"Its {kind} was deleted. Choose another one.")
    elif connection.health is ConnectionHealth.NEEDS_ATTENTION:
        called = connection.screen_name or app.name
        yield _blocker(step, CONNECTION_FIELD, f"The {kind} “{called}” needs reconnecting.")


def _missing_connection(step: Step, app: AppInfo, event: TriggerInfo | ActionInfo, choice: str) -> str | None:
    if needs_connection(app, event):
        return f"Choose {choice}."
    if not needs_connection_choice(app, event, undecided=step.connection_undecided):
        return None
    if step.type is StepType.TRIGGER:
        return f"The original flow only accepts signed requests. Choose {choice}, or “No connection”."
    return f"The original flow used a connection here. Choose {choice}, or “No connection”."


def _argument_blockers(step: Step, event: TriggerInfo | ActionInfo) -> Iterator[Blocker]:
    yield from required_blockers(step, event.arguments)
    for argument in event.arguments:
        if argument.type is not ArgumentType.CONDITIONS or not is_visible(argument, step.parameters):
            continue
        groups = parse_groups(step.parameters.get(argument.key))
        if has_empty_condition(groups):
            yield _blocker(step, argument.key, "A condition is empty. Fill it in, or remove it.")
        elif reason := operator_problem(groups):
            yield _blocker(step, argument.key, reason)
    for argument in islice(
        _arguments_with_unusable_reference(event.arguments, step.parameters), MAX_LISTED_REFERENCES
    ):
        reason = f"“{argument.label}” can't use a variable. Choose or enter a value."
        yield _blocker(step, argument.key, reason)


def required_blockers(step: Step, arguments: tuple[Argument, ...]) -> list[Blocker]:
    """Return one blocker per required field without a value, also in rows."""
    missing = missing_required(arguments, step.parameters)
    return [
        *(_blocker(step, argument.key, f"“{argument.label}” is required.") for argument in missing),
        *(
            _blocker(
                step, argument.key, f"In row {number} of “{argument.label}”, “{field.label}” is required."
            )
            for argument, number, field in missing_in_rows(arguments, step.parameters)
        ),
    ]


def _arguments_with_unusable_reference(
    arguments: Iterable[Argument], parameters: Mapping[str, Json]
) -> Iterator[Argument]:
    """Arguments with references that wouldn't be resolved, as imported flows may have them."""
    for argument in arguments:
        value = parameters.get(argument.key)
        if argument.fields and isinstance(value, list):
            for row in value:
                if isinstance(row, dict):
                    yield from _arguments_with_unusable_reference(argument.fields, row)
        elif accepts_references(argument) or argument.value_type == "verbatim":
            continue
        elif is_visible(argument, parameters) and any(references(value)):
            yield argument


def _reference_blockers(
    flow: Flow, step: Step, event: TriggerInfo | ActionInfo | None = None
) -> Iterator[Blocker]:
    fields = parameters_with_references(event.arguments if event else (), step.parameters)
    if step.branch_conditions:
        fields = fields | {CONDITIONS_FIELD: [*step.branch_conditions]}
    for key, value in fields.items():
        for wanted in dict.fromkeys(reference.step_id for reference in references(value)):
            if reason := _reference_problem(flow, step, wanted):
                yield _blocker(step, key, reason)
        for token in dict.fromkeys(islice(incomplete_references(value), MAX_LISTED_REFERENCES)):
            shown = token if len(token) <= _MAX_TOKEN_LENGTH else f"{token[:_MAX_TOKEN_LENGTH]}…"
            yield _blocker(step, key, f"“{shown}” isn't a complete variable. Choose the value to insert.")


def _reference_problem(flow: Flow, step: Step, wanted: StepId) -> str | None:
    """Why the step can't use a value of step `wanted`; None when it can."""
    if wanted == RUN:
        is_trigger = step.type is StepType.TRIGGER
        return "It uses a value of the run, but triggers start before there is a run." if is_trigger else None
    source = flow.step(wanted)
    if source is None:
        return f"It uses a variable of step “{wanted[:_MAX_TOKEN_LENGTH]}”, which isn't in this flow."
    if source.structural_type is StructuralType.BRANCH:
        return f"It uses a value of step {source.position}, but branches have no output."
    evaluator = step
    if step.structural_type is StructuralType.BRANCH:
        # All branch conditions are evaluated before the first branch runs.
        evaluator = flow.step(step.parent_step_id) or step
    if source.position >= evaluator.position:
        return f"It uses a value of {_describe_later_step(source, step, evaluator)}."
    if _is_in_other_branch(flow, step, source):
        position = source.position
        return f"It uses a value of step {position}, which is in another branch, and only one branch runs."
    return None


def _describe_later_step(source: Step, step: Step, evaluator: Step) -> str:
    if source.id == step.id:
        return "this step itself"
    if evaluator is not step and source.position <= step.position:
        return f"step {source.position}, which runs after the branch was chosen"
    return f"step {source.position}, which runs later"


def _is_in_other_branch(flow: Flow, step: Step, source: Step) -> bool:
    """Whether the steps are in different branches of which only one runs."""
    own_branches = {
        item.parent_step_id: item.id for item in (step, *ancestors(flow.steps, step)) if _is_branch(item)
    }
    return any(
        own_branches.get(item.parent_step_id, item.id) != item.id and not _runs_all_branches(flow, item)
        for item in ancestors(flow.steps, source)
        if _is_branch(item)
    )


def _is_branch(step: Step) -> bool:
    return step.structural_type is StructuralType.BRANCH


def _runs_all_branches(flow: Flow, branch: Step) -> bool:
    paths = flow.step(branch.parent_step_id)
    return paths is not None and paths.parameters.get("mode") == ALL_BRANCHES


def called_flows(flow: Flow) -> frozenset[FlowId]:
    """The flows that the steps of a flow call, whether they exist or not."""
    return frozenset(filter(None, map(_called_flow, flow.steps)))


def _called_flow(step: Step) -> FlowId | None:
    chosen = step.parameters.get("flow") if is_event(step, CALL_FLOW_ACTION) else None
    return FlowId(str(chosen)) if chosen else None


def _called_flow_blockers(flow: Flow, step: Step, callable_flows: Container[FlowId]) -> Iterator[Blocker]:
    """Blockers for calls of other flows. A flow may call itself, because its trigger is published with it."""
    called = _called_flow(step)
    if called is None:
        return
    itself = called == flow.id and flow.trigger is not None and is_event(flow.trigger, CALLED_TRIGGER)
    if not itself and called not in callable_flows:
        yield _blocker(step, "flow", NOT_CALLABLE)


def _blocker(step: Step, field: str | None, reason: str) -> Blocker:
    return Blocker(step_id=step.id, position=step.position, field=field, reason=reason)
