"""Titles of steps and texts of their conditions."""

from collections.abc import Callable, Iterable
from functools import reduce

from patchbay.desktop.core.condition_labels import comparison_label, span_text
from patchbay.desktop.core.execution_labels import run_value_name
from patchbay.desktop.core.language import tr
from patchbay.desktop.editor.view_models.step_tree import StepTree
from patchbay.domain.base import Json, JsonObject
from patchbay.domain.condition_operators import Operand
from patchbay.domain.conditions import all_groups, operator_of
from patchbay.domain.flows import Step, StepExport, StepType, StructuralType
from patchbay.domain.step_tree import always_matches
from patchbay.domain.variables import Reference, as_text, split

DEFAULT_BRANCH_TITLE = tr("Default branch")

_SHORT_LABELS = {
    "equal": tr("is", "comparison"),
    "not_equal": tr("is not", "comparison"),
    "greater_than": ">",
    "less_than": "<",
    "greater_than_or_equal": "≥",
    "less_than_or_equal": "≤",
}

_KINDS = {
    StructuralType.PATHS: tr("Branches", "a kind of step"),
    StructuralType.EACH: tr("For each item", "a kind of step"),
    StructuralType.BRANCH: tr("Branch", "a kind of step"),
}

Describe = Callable[[Reference], str]


def step_title(step: Step | StepExport, event_name: str = "") -> str:
    """Return a step's title: its own name, the event's name, or its type."""
    if step.name or event_name:
        return step.name or event_name
    if step.structural_type is StructuralType.BRANCH and always_matches(step):
        return DEFAULT_BRANCH_TITLE
    plain = (
        tr("Trigger", "a kind of step") if step.type is StepType.TRIGGER else tr("Action", "a kind of step")
    )
    return _KINDS.get(step.structural_type, plain)


def step_title_in_tree(tree: StepTree, step: Step, event_name: str = "") -> str:
    """Return a step's title; unnamed branches are numbered."""
    title = step_title(step, event_name)
    if step.structural_type is not StructuralType.BRANCH or step.name or always_matches(step):
        return title
    sibling_ids = [item.id for item in tree.children_of(step.parent_step_id)]
    return f"{title} {sibling_ids.index(step.id) + 1}" if step.id in sibling_ids else title


def last_part(reference: Reference) -> str:
    """Return the last part of a reference's path: “status” for {{step.1.item.status}}."""
    return run_value_name(reference) if reference.is_run_value else reference.path[-1]


def conditions_text(conditions: Iterable[Json], describe: Describe = last_part) -> str:
    """Return conditions on one line: “status is open and priority > 3, or label is bug”."""
    groups = [
        reduce(_both, (_condition_text(condition, describe) for condition in group))
        for group in all_groups(tuple(conditions))
        if group
    ]
    return reduce(_either, groups) if groups else ""


def _both(one: str, other: str) -> str:
    return tr("{one} and {other}", "conditions", one=one, other=other)


def _either(one: str, other: str) -> str:
    return tr("{one}, or {other}", "conditions", one=one, other=other)


def _condition_text(condition: JsonObject, describe: Describe) -> str:
    key, operator = as_text(condition.get("operator")), operator_of(condition)
    empty = tr("empty", "a value in a condition")
    left, right = (plain_text(condition.get(name), describe) or empty for name in ("key", "value"))
    if operator and operator.operand is Operand.SPAN:
        right = span_text(right)
    label = _SHORT_LABELS.get(key) or (comparison_label(operator) if operator else key)
    return f"{left} {label}" if operator and operator.operand is Operand.NONE else f"{left} {label} {right}"


def plain_text(value: Json, describe: Describe = last_part) -> str:
    """Return a text on one line with readable references."""
    pieces = split(as_text(value))
    text = "".join(describe(piece) if isinstance(piece, Reference) else piece for piece in pieces)
    return " ".join(text.split())


def webhook_text(step: Step) -> str:
    """Return whether the step's webhook requires signed requests; empty for other steps."""
    if step.webhook_signed is None:
        return ""
    return tr("signed requests only") if step.webhook_signed else tr("accepts unsigned requests")


def branch_summary(step: Step) -> str:
    """Return the conditions of a branch on one line."""
    if always_matches(step):
        return tr("When no other branch matches")
    return conditions_text(step.branch_conditions or ()) or tr("No conditions yet")
