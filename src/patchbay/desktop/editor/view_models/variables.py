"""Variables: values of earlier steps that a field may use, from samples, searchable."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice

from patchbay.desktop.core.execution_labels import run_value_name
from patchbay.desktop.core.language import tr, tr_count
from patchbay.desktop.editor.view_models.branches import loop_items
from patchbay.desktop.editor.view_models.step_labels import step_title_in_tree
from patchbay.desktop.editor.view_models.step_tree import StepTree
from patchbay.domain.base import AppKey, EpochMs, Json, JsonObject, StepId
from patchbay.domain.executions import ExecutionStep
from patchbay.domain.flows import Step, StepType, StructuralType
from patchbay.domain.variables import RUN, Reference, look_up

MAX_DEPTH = 6
MAX_ITEMS_OF_LIST = 3
MAX_VALUES_PER_STEP = 400
MAX_SAMPLE_LENGTH = 120
_TYPE_LABELS = {
    "yes/no": tr("yes/no", "a type of values"),
    "number": tr("number", "a type of values"),
    "text": tr("text", "a type of values"),
    "list": tr("list", "a type of values"),
    "empty": tr("empty", "a type of values"),
    "group": tr("group", "a type of values"),
}
THIS_RUN = tr("This run")


@dataclass(frozen=True)
class ValueEntry:
    """A variable: its path, type, and last value."""

    reference: Reference
    label: str
    type: str
    sample: str

    @property
    def type_label(self) -> str:
        """The name of the type, as it is shown."""
        return _TYPE_LABELS.get(self.type, self.type)

    @property
    def token(self) -> str:
        """The variable as written into text, `{{step.…}}`."""
        return self.reference.token


@dataclass(frozen=True)
class ValueGroup:
    """The variables of one step. Without a run, `entries` is empty and `sampled_at` None."""

    step_id: StepId
    position: int
    title: str
    app_key: AppKey | None
    entries: tuple[ValueEntry, ...] = ()
    sampled_at: EpochMs | None = None
    kind: StructuralType = StructuralType.SINGLE

    @property
    def is_run(self) -> bool:
        """Whether these are the values of the run, which belong to no step."""
        return self.step_id == RUN

    @property
    def heading(self) -> str:
        """The title, preceded by the step's number."""
        return self.title if self.is_run else f"{self.position}. {self.title}"


@dataclass(frozen=True)
class ChipText:
    """The text of a chip."""

    text: str
    app_key: AppKey | None = None
    broken: bool = False
    sample: str = ""


@dataclass(frozen=True)
class ValueCatalog:
    """All variables of one step: items of its loops, then earlier steps in order, then the run."""

    groups: tuple[ValueGroup, ...] = ()
    titles: Mapping[StepId, str] = field(default_factory=dict)
    """Every step of the flow, including those out of scope."""
    samples: Mapping[StepId, Json] = field(default_factory=dict)
    usable: frozenset[StepId] = frozenset()
    """Steps that may be referenced; includes steps of finished loops, which aren't offered."""

    @property
    def total(self) -> int:
        """The number of variables."""
        return sum(len(group.entries) for group in self.groups)

    @property
    def sampled_at(self) -> EpochMs | None:
        """When the newest sample was taken; None without samples."""
        return next((group.sampled_at for group in self.groups if group.sampled_at), None)

    def describe(self, reference: Reference) -> ChipText:
        """Return the text of a chip; broken if its step was deleted or doesn't come before this one."""
        group = next((item for item in self.groups if item.step_id == reference.step_id), None)
        path = run_value_name(reference) if reference.is_run_value else ".".join(reference.path)
        if group is None and reference.step_id not in self.usable:
            title = (
                THIS_RUN if reference.is_run_value else self.titles.get(reference.step_id, tr("Deleted step"))
            )
            return ChipText(f"{title} · {path}", broken=True)
        found, value = look_up(self.samples.get(reference.step_id), reference.path)
        title = group.title if group else self.titles.get(reference.step_id, "")
        app_key = group.app_key if group else None
        return ChipText(f"{title} · {path}", app_key, sample=sample_text(value) if found else "")

    def search(self, query: str, preferred_type: str = "") -> tuple[ValueGroup, ...]:
        """Return groups with entries that contain every word; the preferred type first."""
        terms = query.casefold().split()
        found = []
        for group in self.groups:
            entries = [entry for entry in group.entries if _matches(group, entry, terms)]
            entries.sort(key=lambda entry: bool(preferred_type) and entry.type != preferred_type)
            if entries or not terms:
                found.append(replace(group, entries=tuple(entries)))
        return tuple(found)


def _matches(group: ValueGroup, entry: ValueEntry, terms: list[str]) -> bool:
    text = f"{group.title} {entry.label} {entry.type_label} {entry.sample}".casefold()
    return all(word in text for word in terms)


_HEADERS = ("headers",)
"""Those of a request come after its data, which flows use more."""


class ValueEntryCache:
    """A cache of variables found in samples, so that typing doesn't scan them again."""

    def __init__(self) -> None:
        self._known: dict[StepId, tuple[Json, tuple[ValueEntry, ...]]] = {}

    def entries(self, step_id: StepId, output: Json) -> tuple[ValueEntry, ...]:
        """The variables in the output of a step. They are collected again only if the output is another
        one.
        """
        known = self._known.get(step_id)
        if known is not None and known[0] is output:
            return known[1]
        walked = islice(_walk_values(step_id, (), output, 0), MAX_VALUES_PER_STEP)
        found = tuple(sorted(walked, key=lambda entry: entry.reference.path[:1] == _HEADERS))
        self._known[step_id] = (output, found)
        return found


def build_catalog(
    tree: StepTree,
    step_id: StepId | None,
    samples: Iterable[ExecutionStep],
    titles: Mapping[StepId, str],
    cache: ValueEntryCache | None = None,
    run_sample: JsonObject | None = None,
    declared: Mapping[StepId, Json] | None = None,
) -> ValueCatalog:
    """Return the variables of a step: items of its loops, innermost first, then earlier steps in order.

    With `run_sample`, followed by the values of the run, unless the step is the trigger. `declared` is the
    output of steps without samples, as far as it is known.
    """
    declared = declared or {}
    cache = cache or ValueEntryCache()
    newest = {item.step.id: item for item in samples}
    outputs = {key: item.data_out for key, item in newest.items()}
    ancestors = {item.id for item in tree.ancestors(step_id)}
    loops: list[ValueGroup] = []
    others: list[ValueGroup] = []
    for step in tree.offered_steps(step_id):
        sample = newest.get(step.id)
        if step.structural_type is StructuralType.EACH:
            outputs[step.id] = loop_output(step, outputs, inside=step.id in ancestors)
        output = outputs[step.id] if step.id in outputs else declared.get(step.id)
        group = ValueGroup(
            step.id,
            step.position,
            titles.get(step.id) or step_title_in_tree(tree, step),
            step.app_key,
            () if output is None else cache.entries(step.id, output),
            (sample.finished_at or sample.created_at) if sample else None,
            step.structural_type,
        )
        (loops if step.id in ancestors else others).append(group)
    all_titles = {step.id: titles.get(step.id) or step_title_in_tree(tree, step) for step in tree.steps}
    usable = frozenset(step.id for step in tree.usable(step_id))
    here = tree.step(step_id)
    if run_sample is not None and here is not None and here.type is not StepType.TRIGGER:
        others.append(_run_group(run_sample))
        outputs[RUN], usable = run_sample, usable | {RUN}
    return ValueCatalog((*reversed(loops), *others), all_titles, outputs, usable)


def _run_group(sample: JsonObject) -> ValueGroup:
    """Return the variables of the run."""
    found = [Reference(step_id=RUN, path=path) for path in (("execution", "id"), ("flow", "id"), ("now",))]
    values = [(reference, look_up(sample, reference.path)[1]) for reference in found]
    entries = tuple(
        ValueEntry(reference, run_value_name(reference), type_name(value), sample_text(value))
        for reference, value in values
    )
    return ValueGroup(RUN, 0, THIS_RUN, None, entries)


def loop_output(step: Step, outputs: Mapping[StepId, Json], *, inside: bool) -> JsonObject:
    """Return a loop's variables: item and position inside it, results after it."""
    known = outputs.get(step.id)
    stored_output = known if isinstance(known, dict) else {}
    items = loop_items(step, outputs)
    if items is None:
        stored = stored_output.get("items")
        items = stored if isinstance(stored, list) else []
    if inside:
        item = items[0] if items else None
        return {"item": item, "number": 1, "index": 0, "count": len(items)}
    return {"results": stored_output.get("results") or [], "count": len(items), "items": items}


def _walk_values(step_id: StepId, path: tuple[str, ...], value: Json, depth: int) -> Iterable[ValueEntry]:
    """Return all values below `path`, including itself; only the first items of long lists."""
    if path:
        yield ValueEntry(
            Reference(step_id=step_id, path=path), ".".join(path), type_name(value), sample_text(value)
        )
    if depth >= MAX_DEPTH:
        return
    if isinstance(value, dict):
        for key, item in value.items():
            if key:
                yield from _walk_values(step_id, (*path, key), item, depth + 1)
    elif isinstance(value, list):
        for at, item in enumerate(value[:MAX_ITEMS_OF_LIST]):
            yield from _walk_values(step_id, (*path, str(at)), item, depth + 1)


def type_name(value: Json) -> str:
    """Return the type name of a value."""
    if isinstance(value, bool):
        return "yes/no"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "text"
    if isinstance(value, list):
        return "list"
    return "empty" if value is None else "group"


def sample_text(value: Json) -> str:
    """Return a sample on one line."""
    if isinstance(value, str):
        text = value
    elif isinstance(value, list):
        text = tr_count(len(value), "{n} item", "{n} items")
    elif isinstance(value, dict):
        text = tr_count(len(value), "{n} value", "{n} values")
    else:
        text = json.dumps(value, ensure_ascii=False)
    text = " ".join(text.split())
    return text if len(text) <= MAX_SAMPLE_LENGTH else text[: MAX_SAMPLE_LENGTH - 1] + "…"
