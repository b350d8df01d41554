"""Publishing: blockers found in the window, default flow names, and the publish command."""

from collections.abc import Container, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from patchbay.desktop.core.language import tr
from patchbay.desktop.core.new_flows import is_default_name
from patchbay.desktop.editor.view_models.branches import CONDITIONS, structure_arguments
from patchbay.desktop.editor.view_models.step_labels import step_title
from patchbay.desktop.editor.view_models.step_tree import StepTree
from patchbay.domain.apps import (
    ActionInfo,
    AppInfo,
    TriggerInfo,
    connection_app,
    needs_connection,
    needs_connection_choice,
)
from patchbay.domain.backend import Backend
from patchbay.domain.base import AppKey, ConnectionId, Json, StepId, get_optional
from patchbay.domain.blockers import Blocker
from patchbay.domain.conditions import (
    Groups,
    all_groups,
    has_empty_condition,
    operator_problem,
    parse_groups,
    unknown_operator,
)
from patchbay.domain.connections import Connection, ConnectionHealth
from patchbay.domain.desktop import COPIED_TEXT_EVENTS
from patchbay.domain.errors import AppError, FlowNotReady
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
from patchbay.domain.variables import references

if TYPE_CHECKING:
    from patchbay.desktop.editor.view_models.editor import EditorViewModel

CONNECTION_FIELD = "connection"
CONDITION_EMPTY = tr("A condition is empty. Fill it in, or remove it")
COMPARISON_MISSING = tr("Choose a comparison for each condition")
EVENT_FIELD = "event"
TEST_FIELD = "test"
PATHS_FIELD = "branches"
INSIDE_FIELD = "steps"
STEP_FIELDS = (EVENT_FIELD, "appKey", PATHS_FIELD, INSIDE_FIELD)
"""Fields that concern the step's type or children, not the value of an argument."""

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


def event_of(step: Step, app: AppInfo | None) -> TriggerInfo | ActionInfo | None:
    """The trigger or action of a step; None if its app doesn't have it or isn't loaded."""
    if app is None:
        return None
    return app.trigger(step.key) if step.type is StepType.TRIGGER else app.action(step.key)


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
        yield PATHS_FIELD, tr("Add a branch")
    if step.structural_type is StructuralType.BRANCH and (problem := _branch_problem(step)):
        yield CONDITIONS, problem
    for argument in missing_required(structure_arguments(step), step.parameters):
        yield argument.key, tr("Choose a list to loop over")
    if step.structural_type is StructuralType.EACH and not tree.children_of(step.id):
        yield INSIDE_FIELD, tr("Add a step to run for each item")
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
    for _, number, missing in missing_in_rows((argument,), parameters):
        return tr(
            "{task} in row {number} of {list}",
            "Enter Name in row 2 of Items",
            task=missing_text(missing),
            number=number,
            list=argument.label,
        )
    return ""


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
        CONDITIONS: list(step.branch_conditions or ()),
    }
    for key, value in used.items():
        is_trigger = step.type is StepType.TRIGGER
        if not all(
            not is_trigger if item.is_run_value else tree.can_use(step.id, item.step_id)
            for item in references(value)
        ):
            yield key, VALUE_OUT_OF_SCOPE


@dataclass(frozen=True)
class PublishNote:
    """What to know about a step before its flow is published."""

    step: Step
    text: str


def find_publish_notes(flow: Flow, apps: Mapping[AppKey, AppInfo]) -> tuple[PublishNote, ...]:
    """Return what publishing this flow allows or stores, in step order."""
    return tuple(
        PublishNote(step, text)
        for step in flow.steps
        if (text := _publish_note(step, get_optional(apps, step.app_key)))
    )


def _publish_note(step: Step, app: AppInfo | None) -> str:
    if (step.app_key, step.key) in COPIED_TEXT_EVENTS:
        if step.type is StepType.TRIGGER:
            return tr("Each text that you copy is stored with an execution, unless it is marked as secret")
        return tr("The text on the clipboard is stored with each execution, unless it is marked as secret")
    event = app.listed_event(step.key) if app is not None else None
    program = step.parameters.get(event.program_argument) if event and event.program_argument else None
    if program:
        return tr("Each run can start {program} with the rights of Patchbay", program=program)
    return ""


def blocker_link(blocker: Blocker) -> str:
    """Return the text of the link to a blocker."""
    if blocker.step_id is None:
        return tr("Add step")
    if blocker.field in (TEST_FIELD, None):
        return tr("Test step {number}", number=blocker.position)
    return tr("Go to field") if blocker.field not in STEP_FIELDS else tr("Go to step")


def merge_blockers(live: tuple[Blocker, ...], rejected_blockers: tuple[Blocker, ...]) -> tuple[Blocker, ...]:
    """Return live blockers plus those of the last failed publication that they don't cover."""
    steps = {item.step_id for item in live}
    rest = [
        item for item in rejected_blockers if item.step_id not in steps or (item.step_id is None and not live)
    ]
    return tuple(sorted((*live, *rest), key=lambda item: item.position or 0))


# Default names

MAX_TITLE_LENGTH = 100


async def publish_and_name(backend: Backend, flow: Flow) -> Flow:
    """Publish a flow as last loaded, and name it if it still has the default name."""
    published = await backend.publish_flow(flow.id, seen=flow.updated_at)
    if is_default_name(published.name):
        with suppress(AppError):  # it is published, whatever it is called
            return await backend.update_flow(flow.id, name=await derive_name(backend, published))
    return published


async def derive_name(backend: Backend, flow: Flow) -> str:
    """Return a name from the first and last event: “Every hour → Send email”."""
    steps = [step for step in flow.steps if step.app_key and step.key]
    return " → ".join([await _title(backend, step) for step in (*steps[:1], *steps[1:][-1:])])


async def _title(backend: Backend, step: Step) -> str:
    event = event_of(step, await backend.get_app(step.app_key or AppKey("")))
    return step_title(step, event.name if event else "")[:MAX_TITLE_LENGTH]


# Publish command


class PublishController(QObject):
    """A publication, one at a time.

    `rejected_blockers`: blockers of the last failure that may still apply.
    """

    def __init__(self, editor: "EditorViewModel") -> None:
        super().__init__(editor)
        self._editor = editor
        self.running = False
        self.rejected_blockers: tuple[Blocker, ...] = ()

    def publish(self) -> None:
        """Publish the draft once its changes are written."""
        draft = self._editor.draft
        if draft is None or self.running:
            return
        self.running = True
        draft.flush()
        self._editor.blockers_changed.emit()
        draft.write_queue.run_when_idle(self._publish_now, self._on_save_failed)

    def clear_step(self, step_id: StepId) -> None:
        """Drop the blockers of an edited step, as they may no longer apply."""
        self.rejected_blockers = tuple(
            item for item in self.rejected_blockers if item.step_id not in (step_id, None)
        )

    def remove_covered_by(self, live: tuple[Blocker, ...]) -> None:
        """Drop blockers that the window also finds itself."""
        found = {(item.step_id, item.field or TEST_FIELD) for item in live}
        self.rejected_blockers = tuple(
            item for item in self.rejected_blockers if (item.step_id, item.field or TEST_FIELD) not in found
        )

    def _publish_now(self) -> None:
        flow, services = self._editor.flow, self._editor.services
        if flow is None:
            return
        work = publish_and_name(services.backend, flow)
        task = services.tasks.run(self, work, done=self._on_published, failed=self._on_publish_failed)
        task.ended.connect(self._on_ended)

    def _on_save_failed(self, error: AppError) -> None:
        self._editor.services.notices.failed(error)
        self._on_ended()

    def _on_ended(self) -> None:
        self.running = False
        self._editor.blockers_changed.emit()

    def _on_published(self, flow: Flow) -> None:
        self.rejected_blockers = ()
        if self._editor.draft:
            self._editor.draft.apply_server_flow(flow)
        self._editor.update_blockers()
        text = tr("Published “{name}” as version {version}", name=flow.name, version=flow.published_version)
        self._editor.services.notices.post(text)

    def _on_publish_failed(self, error: AppError) -> None:
        if not isinstance(error, FlowNotReady):
            self._editor.services.notices.failed(error)
            return
        self.rejected_blockers = error.blockers
        self._editor.update_blockers()
        self._editor.focus_first_blocker()
