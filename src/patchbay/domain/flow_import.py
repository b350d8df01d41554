"""Import of flows from a file: all or none, skipping those already imported; and notes on differences.

The notes say what behaves differently from Automatisch in a flow that was exported there.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from patchbay.domain.apps import AppInfo, connection_app, needs_connection_choice
from patchbay.domain.backend import Backend, ImportedFlow
from patchbay.domain.base import AppKey, EpochMs, FlowId, Json, JsonObject, StepId, get_optional
from patchbay.domain.blockers import STEP_FIELDS, Blocker
from patchbay.domain.errors import AppError, FlowNotReady, ValidationFailed
from patchbay.domain.flows import Flow, FlowExport, FlowFilter, Step, StepExport, StepStatus, StepType
from patchbay.domain.paging import read_all
from patchbay.domain.variables import references, split

MAX_FILE_BYTES = 20_000_000
MAX_FILE_VALUES = 1_000_000
MAX_FLOWS = 10_000
_MAX_NAME_LENGTH = 60
"""Characters of a flow's name in messages."""
_MAX_SHOWN_PROBLEMS = 20
_MAX_SHOWN_UNPUBLISHED = 100
"""Shown problems of flows that can't be published; error responses that are much longer aren't parsed."""
"""Fields of blockers that aren't parameters of the step's trigger or action."""

_NUMERIC = ("greater_than", "less_than", "greater_than_or_equal", "less_than_or_equal")
_MARKUP = (
    "Markdown and HTML are converted by a different library: spacing, escapes, and heading IDs can differ."
)
_TRANSFORMS = {
    "capitalize": "Capitalise changes whole words: “Don't”, not “Don'T”, and “École”, not “éCole”.",
    "extractEmailAddress": "Extract email address also finds addresses with capital letters.",
    "extractNumber": "Extract number leaves out a comma or full stop that ends a sentence.",
    "formatDateTime": "A date in an unexpected format fails the step; “Invalid DateTime” is never returned.",
    "formatNumber": "Format number keeps trailing zeros (1.50), and fails for text that isn't a number.",
    "formatPhoneNumber": "Format phone number fails for invalid numbers.",
    "htmlToMarkdown": _MARKUP,
    "markdownToHtml": _MARKUP,
    "pluralize": "Plurals of uncommon words can differ.",
}
_CALCULATE = "Calculate is exact (0.1 + 0.2 is 0.3), and fails for text, an empty value, or a division by 0."
_NEGATIVE = "Negate returns a number for a single value, not a list: use output instead of output.0."
_DOLLAR = "Replace inserts “$” literally; $& and $1 refer to the match only when using a pattern."
_EMPTY_NUMBER = "An empty value is not less than or greater than any number; Automatisch reads it as 0."
_NULL_COMPARED = "Null is inserted as an empty text: compare with an empty value instead of “null”."
_NULL = "Null is inserted as an empty text, not as “null”."
_STORED_WHOLE = "A number, list, or object that is inserted alone is stored as it is, not as text."
_PROGRAM = "JavaScript runs in Node.js, and times out after 30 seconds unless the step sets another limit."
_REPEATED = "If the sender repeats a delivery with the same delivery ID in a header, the flow runs only once."
_HEADERS = "Headers with credentials, such as Authorization, aren't stored in executions."
_FORM = "The form isn't in the file: choose “This flow's own form”, and enter its fields with the same keys."
_AGENT = "The agent isn't in the file: choose “Defined in this step”, and enter it again."
_AFTER_RESPONSE = "Steps after “Respond with” run too; in Automatisch the flow ends there."
_TIME_ZONE = "Schedules use the time zone of the flow, not of the server."
_FAILURE = "A run stops at the first step that fails; in Automatisch the following steps run too."


@dataclass(frozen=True)
class ImportNote:
    """One difference from Automatisch, and the positions of the steps it affects."""

    text: str
    steps: tuple[int, ...]

    def with_step_numbers(self) -> str:
        """The note with step numbers in front: "Steps 2, 3: …"."""
        numbers = ", ".join(map(str, self.steps))
        return f"{'Step' if len(self.steps) == 1 else 'Steps'} {numbers}: {self.text}"


def import_notes(export: FlowExport) -> tuple[ImportNote, ...]:
    """The differences from Automatisch that affect this flow; none if it wasn't exported there."""
    if not all(map(_is_from_automatisch, export.steps)):
        return ()
    found: dict[str, list[int]] = {}
    for step in sorted(export.steps, key=lambda one: one.position):
        for text in dict.fromkeys(_notes_for_step(step, export)):
            found.setdefault(text, []).append(step.position)
    return tuple(ImportNote(text, tuple(steps)) for text, steps in found.items())


def _is_from_automatisch(step: StepExport) -> bool:
    """Automatisch always exports the name of a step, even if it's empty; Patchbay exports more fields."""
    given = step.model_fields_set
    return {"name", "webhook_path"} <= given and "continue_on_error" not in given


def _notes_for_step(step: StepExport, export: FlowExport) -> Iterator[str]:
    notes = _BY_STEP.get((step.app_key or "", step.key or ""))
    if notes is not None:
        yield from notes(step.parameters)
    if step.app_key == "scheduler":
        yield _TIME_ZONE
    last = max(other.position for other in export.steps)
    if step.app_key in ("webhook", "forms") and step.key == "respondWith" and step.position < last:
        yield _AFTER_RESPONSE
    used = references(step.parameters)
    if any(reference.default is None and not reference.is_run_value for reference in used):
        yield _NULL
    if step.position == 2 and last > 2:
        yield _FAILURE


def _formatter_notes(parameters: JsonObject) -> Iterator[str]:
    transform = str(parameters.get("transform"))
    if transform in _TRANSFORMS:
        yield _TRANSFORMS[transform]
    if transform == "replace" and "$" in str(parameters.get("replace")):
        yield _DOLLAR


def _number_notes(parameters: JsonObject) -> Iterator[str]:
    if parameters.get("transform") != "performMathOperation":
        yield from _formatter_notes(parameters)
        return
    yield _CALCULATE
    if parameters.get("mathOperation") == "makeNegative":
        yield _NEGATIVE


def _filter_notes(parameters: JsonObject) -> Iterator[str]:
    for condition in _conditions(parameters.get("or")):
        if condition.get("operator") in _NUMERIC:
            yield _EMPTY_NUMBER
        if re.fullmatch(r"\s*null\s*", str(condition.get("value"))):
            yield _NULL_COMPARED


def _conditions(groups: Json) -> Iterator[JsonObject]:
    for group in groups if isinstance(groups, list) else ():
        conditions = group.get("and") if isinstance(group, dict) else None
        for condition in conditions if isinstance(conditions, list) else ():
            if isinstance(condition, dict):
                yield condition


def _datastore_notes(parameters: JsonObject) -> Iterator[str]:
    value = parameters.get("value")
    if isinstance(value, str) and len(split(value)) == 1 and any(references(value)):
        yield _STORED_WHOLE


_BY_STEP: dict[tuple[str, str], Callable[[JsonObject], Iterator[str]]] = {
    ("formatter", "text"): _formatter_notes,
    ("formatter", "numbers"): _number_notes,
    ("formatter", "date-time"): _formatter_notes,
    ("filter", "continueIfMatches"): _filter_notes,
    ("datastore", "setValue"): _datastore_notes,
    ("code", "runJavascript"): lambda parameters: iter((_PROGRAM,)),
    ("agents", "runAgent"): lambda parameters: iter((_AGENT,)),
    ("forms", "newFormSubmission"): lambda parameters: iter((_FORM,)),
    ("webhook", "catchRawWebhook"): lambda parameters: iter((_REPEATED, _HEADERS)),
}


async def find_imported_flows(backend: Backend) -> dict[str | None, Flow]:
    """The client's own flows by the fingerprint of the file they were imported from.

    Of several flows from one file, a published one comes first, then the last updated. An admin also sees
    flows of other people; those don't count.
    """
    owner = (await backend.info()).user_id
    found = await read_all(partial(backend.list_flows, FlowFilter(user_id=owner)))
    own = [flow for flow in reversed(found) if flow.imported_from and flow.user_id == owner]
    return {flow.imported_from: flow for flow in own}


async def import_flows(
    backend: Backend,
    exports: Sequence[FlowExport],
    existing_flows: Mapping[str | None, Flow],
    *,
    publish: bool = False,
) -> list[ImportedFlow]:
    """Import each export, unless it was imported before (`existing_flows`, by fingerprint).

    With `publish`, new flows are published if they are complete; otherwise they are drafts. Returns one flow
    per export. If one import fails, those before it are deleted again.
    """
    flows: list[ImportedFlow] = []
    imported: list[Flow] = []
    try:
        for export in exports:
            if (existing := existing_flows.get(export.fingerprint)) is not None:
                flows.append(ImportedFlow(existing))
                continue
            if publish:
                flows.append(await backend.import_and_publish_flow(export))
            else:
                flows.append(ImportedFlow(await backend.import_flow(export)))
            imported.append(flows[-1].flow)
    except AppError as error:
        for flow in imported:
            await backend.delete_flow(flow.id)
        problem = f"{flow_label(len(flows) + 1, export.name)}: {error.text()}"
        raise import_error([problem], len(exports)) from error
    return flows


def missing_connection_app(step: Step, app: AppInfo | None) -> AppKey | None:
    """The app of the connection that a step should get; None if it has one or can run without.

    A step whose connection is optional should get one only if it had one where the flow was exported: a
    webhook that accepted every request shouldn't start to reject some, and a request that was sent without
    credentials shouldn't start to include some.
    """
    if step.connection_id or app is None:
        return None
    event = app.trigger(step.key) if step.type is StepType.TRIGGER else app.action(step.key)
    is_missing = needs_connection_choice(app, event, undecided=step.connection_undecided)
    return connection_app(app, event) if is_missing else None


class _Publisher(Protocol):
    """The operations that publish a draft."""

    async def skip_step_test(self, step_id: StepId) -> Flow: ...
    async def publish_flow(self, flow_id: FlowId, *, seen: EpochMs | None = None) -> Flow: ...


async def publish_draft(backend: _Publisher, flow: Flow) -> Flow:
    """Skip the tests of a draft's untested steps, then publish it. Raises `FlowNotReady`.

    New flows are published by `import_and_publish_flow`; this is for drafts that exist already.
    """
    for step in flow.steps:
        if step.status is not StepStatus.COMPLETED:
            try:
                flow = await backend.skip_step_test(step.id)
            except ValidationFailed:
                continue  # publishing reports the problems of all steps together
    return await backend.publish_flow(flow.id, seen=flow.updated_at)


def publishing_problems(error: AppError, flow: Flow, apps: Mapping[AppKey, AppInfo]) -> list[str]:
    """Sentences that say why a flow can't be published; `apps` are the apps of its steps."""
    if not isinstance(error, FlowNotReady):
        return [error.text()]
    return [*map(_blocker_text, error.blockers), *_unknown_parameters(flow.steps, apps)]


def _blocker_text(blocker: Blocker) -> str:
    """The reason with its step, and with the key of the parameter, as files name it."""
    position = f"Step {blocker.position}: " if blocker.position else ""
    is_parameter = blocker.field not in (None, *STEP_FIELDS)
    return f"{position}{blocker.reason}" + (f" (parameter {blocker.field})" if is_parameter else "")


def _unknown_parameters(steps: Iterable[Step], apps: Mapping[AppKey, AppInfo]) -> Iterator[str]:
    """A sentence for each parameter that the step's trigger or action doesn't have; it may be misspelt."""
    for step in steps:
        app = get_optional(apps, step.app_key)
        if app is None:
            continue
        event = app.trigger(step.key) if step.type is StepType.TRIGGER else app.action(step.key)
        if event is None or any(argument.additional_fields for argument in event.arguments):
            continue
        known = {argument.key for argument in event.arguments}
        for key in step.parameters:
            if key not in known:
                yield f"Step {step.position}: “{key}” isn't a parameter of “{event.name}”."


def flow_label(number: int, name: Json) -> str:
    """The label of a flow in messages about a file: its number and the beginning of its name."""
    if not isinstance(name, str) or not name.strip():
        return f"Flow {number}"
    name = name.strip()
    short = name if len(name) <= _MAX_NAME_LENGTH else name[:_MAX_NAME_LENGTH] + "…"
    return f"Flow {number} “{short}”"


def import_error(problems: list[str], total: int) -> ValidationFailed:
    """The error for a file with invalid flows: the first problems, and how many more there are."""
    todo = "Nothing was imported. Fix the file, or export a flow to see the expected format."
    return _error_of_flows(problems, total, _MAX_SHOWN_PROBLEMS, "imported", todo)


def publishing_error(problems: list[str], total: int) -> ValidationFailed:
    """The error for a file with flows that can't be published, so that none is imported."""
    todo = "Nothing was imported. Fix this, or import without publishing and complete the drafts."
    return _error_of_flows(problems, total, _MAX_SHOWN_UNPUBLISHED, "published", todo)


def _error_of_flows(
    problems: list[str], total: int, max_shown: int, expected: str, todo: str
) -> ValidationFailed:
    shown = problems[:max_shown]
    if more := len(problems) - len(shown):
        shown.append(f"And {more:,} more.")
    return ValidationFailed(
        {"file": shown},
        happened=f"The flow can't be {expected}."
        if total == 1
        else f"{len(problems):,} of {total:,} flows can't be {expected}.",
        meaning=" ".join(shown),
        todo=todo,
    )
