"""Blockers that the window finds itself, before the workspace is asked to publish."""

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field

from patchbay.desktop.core.language import tr
from patchbay.desktop.editor.view_models.branches import structure_arguments
from patchbay.desktop.editor.view_models.step_events import event_of
from patchbay.desktop.editor.view_models.step_tree import StepTree
from patchbay.domain.apps import (
    ActionInfo,
    AppInfo,
    TriggerInfo,
    connection_app,
    needs_connection,
    needs_connection_choice,
)
from patchbay.domain.base import AppKey, ConnectionId, Json, StepId
from patchbay.domain.blockers import (
    APP_FIELD,
    BRANCHES_FIELD,
    CONDITIONS_FIELD,
    CONNECTION_FIELD,
    EVENT_FIELD,
    INNER_STEPS_FIELD,
    Blocker,
)
from patchbay.domain.conditions import (
    Groups,
    all_groups,
    has_empty_condition,
    operator_problem,
    parse_groups,
    unknown_operator,
)
from patchbay.domain.connections import Connection, ConnectionHealth
from patchbay.domain.fields import (
    Argument,
    ArgumentType,
    is_empty,
    missing_in_rows,
    missing_required,
    parameters_with_references,
)
from patchbay.domain.flows import (
    Flow,
    Step,
    StepStatus,
    StepTestStatus,
    StepType,
    StructuralType,
)
from patchbay.domain.step_tree import always_matches
from patchbay.domain.variables import Reference, references

CONDITION_EMPTY = tr("A condition is empty. Fill it in, or remove it")
COMPARISON_MISSING = tr("Choose a comparison for each condition")
TEST_FIELD = "test"
"""The field of a blocker that a test removes; the workspace reports those without a field."""
_BESIDE_FORM = (APP_FIELD, EVENT_FIELD, BRANCHES_FIELD, INNER_STEPS_FIELD)
"""Step fields that aren't fields of the form."""

VALUE_OUT_OF_SCOPE = tr("Uses a value from a step that was deleted, runs later, or is in another branch")


@dataclass(frozen=True)
class BlockerContext:
    """Context for finding blockers: details of the apps in use and the known connections."""

    apps: Mapping[AppKey, AppInfo]
    connections: Mapping[ConnectionId, Connection]
    extra_fields: Mapping[StepId, tuple[Argument, ...]] = field(default_factory=dict)
    """Further fields loaded for each step, as far as loaded."""
    reported: Mapping[StepId, Mapping[str, str]] = field(default_factory=dict)
    """What the workspace found wrong in the values of a step, by field."""
    tested: Container[StepId] = ()
    """The steps that have run before, in a test or otherwise, with whatever result."""


_IMPORTED_STEP_HINTS = {
    StepType.TRIGGER: tr("Choose a signing secret: the original flow only accepts signed requests"),
    StepType.ACTION: tr("Choose a connection: the original flow used one here"),
}
"""Messages for imported steps whose optional connection must be chosen."""


def missing_text(argument: Argument) -> str:
    """Return what to do about a required argument without a value."""
    if argument.type is ArgumentType.CONDITIONS:
        return tr("Enter a condition")
    if argument.type is ArgumentType.DROPDOWN:
        return tr("Choose {field}", field=argument.label)
    return tr("Enter {field}", field=argument.label)


def find_blockers(flow: Flow, context: BlockerContext) -> tuple[Blocker, ...]:
    """Return one blocker per issue, in step order."""
    tree = StepTree(flow.steps)
    found = [blocker for step in flow.steps for blocker in _step_problems(tree, step, context)]
    if len(flow.steps) < 2:
        found.append(Blocker(reason=tr("Add a step: a flow needs a trigger and at least one action")))
    return tuple(found)


def _step_problems(tree: StepTree, step: Step, context: BlockerContext) -> Iterator[Blocker]:
    has_children = step.structural_type.is_container
    found = list(_structure_problems(tree, step) if has_children else _event_problems(tree, step, context))
    tested_alone = step.structural_type is not StructuralType.BRANCH
    if not found and step.status is StepStatus.INCOMPLETE and tested_alone:
        found.append((TEST_FIELD, _test_problem(step, context)))
    for name, reason in found:
        yield Blocker(step_id=step.id, position=step.position, field=name, reason=reason)


def _test_problem(step: Step, context: BlockerContext) -> str:
    """Return why a step that is otherwise ready can't be published."""
    if step.tested is StepTestStatus.FAILED:
        return tr("Its last test failed")
    return tr("Not tested since its last change") if step.id in context.tested else tr("Not tested yet")


def _structure_problems(tree: StepTree, step: Step) -> Iterator[tuple[str, str]]:
    """Return the blockers of branches and loops."""
    if step.structural_type is StructuralType.PATHS and not tree.children_of(step.id):
        yield BRANCHES_FIELD, tr("Add a branch")
    if step.structural_type is StructuralType.BRANCH and (problem := _branch_problem(step)):
        yield CONDITIONS_FIELD, problem
    for argument in missing_required(structure_arguments(step), step.parameters):
        yield argument.key, tr("Choose a list to loop over")
    if step.structural_type is StructuralType.EACH and not tree.children_of(step.id):
        yield INNER_STEPS_FIELD, tr("Add a step to run for each item")
    yield from _reference_problems(tree, step)


def _branch_problem(branch: Step) -> str:
    """Return what a branch's conditions lack; empty if nothing."""
    groups = all_groups(branch.branch_conditions or ())
    if not groups:
        return tr("Enter a condition for this branch")
    if always_matches(branch):
        return ""
    if any(is_empty(condition.get("key")) for group in groups for condition in group):
        return tr("Choose the value that the condition checks")
    return _condition_problem(groups)


def _condition_problem(groups: Groups) -> str:
    """Return what is wrong with a comparison; empty if nothing."""
    if unknown_operator(groups) is not None:
        return COMPARISON_MISSING
    return (operator_problem(groups) or "").removesuffix(".")


def _event_problems(tree: StepTree, step: Step, context: BlockerContext) -> Iterator[tuple[str, str]]:
    if not step.app_key or not step.key:
        yield (
            EVENT_FIELD,
            tr("Choose what starts the flow") if step.type is StepType.TRIGGER else tr("Choose what to do"),
        )
        return
    app = context.apps.get(step.app_key)
    event = event_of(step, app)
    yield from _connection_problems(step, app, event, context)
    if event is None:
        return
    arguments = (*event.arguments, *context.extra_fields.get(step.id, ()))
    for argument in missing_required(arguments, step.parameters):
        yield argument.key, missing_text(argument)
    for argument in arguments:
        if problem := value_problem(argument, step.parameters):
            yield argument.key, problem
    for key, reason in context.reported.get(step.id, {}).items():
        yield key, reason.removesuffix(".")
    yield from _reference_problems(tree, step, arguments)


def value_problem(argument: Argument, parameters: Mapping[str, Json]) -> str:
    """Return what is wrong inside the value of an argument, in its rows or conditions; empty if nothing."""
    if argument.type is ArgumentType.CONDITIONS:
        groups = parse_groups(parameters.get(argument.key))
        return CONDITION_EMPTY if has_empty_condition(groups) else _condition_problem(groups)
    missing = missing_in_rows((argument,), parameters)
    if not missing:
        return ""
    _, number, field_in_row = missing[0]
    return tr(
        "{task} in row {number} of {list}",
        "Enter Name in row 2 of Items",
        task=missing_text(field_in_row),
        number=number,
        list=argument.label,
    )


def _connection_problems(
    step: Step, app: AppInfo | None, event: TriggerInfo | ActionInfo | None, context: BlockerContext
) -> Iterator[tuple[str, str]]:
    if app is None or connection_app(app, event) is None:
        return
    if step.connection_id is None:
        if needs_connection(app, event):
            yield CONNECTION_FIELD, tr("Choose a connection to {app}", app=app.name)
        elif needs_connection_choice(app, event, undecided=step.connection_undecided):
            yield CONNECTION_FIELD, _IMPORTED_STEP_HINTS[step.type]
        return
    connection = context.connections.get(step.connection_id)
    if connection is None and context.connections:
        yield CONNECTION_FIELD, tr("The connection to {app} was deleted. Choose another", app=app.name)
    elif connection is not None and connection.health is ConnectionHealth.NEEDS_ATTENTION:
        name = connection.screen_name or app.name
        yield (
            CONNECTION_FIELD,
            tr("The {app} connection “{name}” needs reconnecting", app=app.name, name=name),
        )


def _reference_problems(
    tree: StepTree, step: Step, arguments: tuple[Argument, ...] = ()
) -> Iterator[tuple[str, str]]:
    used: dict[str, Json] = {
        **parameters_with_references(arguments, step.parameters),
        CONDITIONS_FIELD: list(step.branch_conditions or ()),
    }
    for key, value in used.items():
        if not all(_can_use(tree, step, item) for item in references(value)):
            yield key, VALUE_OUT_OF_SCOPE


def _can_use(tree: StepTree, step: Step, reference: Reference) -> bool:
    """Whether a step can use a value: of the run in all steps but the trigger, or of a step before it."""
    if reference.is_run_value:
        return step.type is not StepType.TRIGGER
    return tree.can_use(step.id, reference.step_id)


def blocker_link(blocker: Blocker, event: TriggerInfo | ActionInfo | None = None) -> str:
    """Return the text of the link to a blocker. `event` is that of its step."""
    if blocker.step_id is None:
        return tr("Add step")
    if blocker.field in (TEST_FIELD, None):
        return tr("Test step {number}", number=blocker.position)
    is_argument = event is not None and any(item.key == blocker.field for item in event.arguments)
    return tr("Go to field") if is_argument or blocker.field not in _BESIDE_FORM else tr("Go to step")


def merge_blockers(live: tuple[Blocker, ...], rejected_blockers: tuple[Blocker, ...]) -> tuple[Blocker, ...]:
    """Return live blockers plus those of the last failed publication that they don't cover."""
    steps = {item.step_id for item in live}
    rest = [item for item in rejected_blockers if item.step_id not in steps]
    return tuple(sorted((*live, *rest), key=lambda item: item.position or 0))


def remove_covered(rejected_blockers: tuple[Blocker, ...], live: tuple[Blocker, ...]) -> tuple[Blocker, ...]:
    """Return those of the last failed publication that the window doesn't find itself."""
    found = {_place_of(item) for item in live}
    return tuple(item for item in rejected_blockers if _place_of(item) not in found)


def _place_of(blocker: Blocker) -> tuple[StepId | None, str]:
    """Where a blocker is fixed. The app and the event of a step are chosen together."""
    field = EVENT_FIELD if blocker.field == APP_FIELD else blocker.field
    return blocker.step_id, field or TEST_FIELD
