"""Values of earlier steps that a field may use: found in samples, searched, and told in words."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from patchbay.domain.base import AppKey, EpochMs, Json, StepId
from patchbay.domain.executions import ExecutionStep
from patchbay.domain.flows import Flow, Step, StepType
from patchbay.domain.variables import Reference, look_up

MAX_DEPTH = 6
MAX_ITEMS_OF_LIST = 3
MAX_VALUES_PER_STEP = 400
MAX_SAMPLE_LENGTH = 120


@dataclass(frozen=True)
class ValueEntry:
    """One value that can be inserted: where it is found, what it is and what it was last."""

    reference: Reference
    label: str
    type: str
    sample: str

    @property
    def token(self) -> str:
        return self.reference.token


@dataclass(frozen=True)
class ValueGroup:
    """The values of one step. `entries` is empty while the step has not run; `sampled_at` is then None."""

    step_id: StepId
    position: int
    title: str
    app_key: AppKey | None
    entries: tuple[ValueEntry, ...] = ()
    sampled_at: EpochMs | None = None


@dataclass(frozen=True)
class ChipText:
    """How an inserted value reads in a text field."""

    text: str
    app_key: AppKey | None = None
    broken: bool = False
    sample: str = ""


@dataclass(frozen=True)
class ValueCatalog:
    """All values in reach of one step, its earlier steps in order."""

    groups: tuple[ValueGroup, ...] = ()
    titles: Mapping[StepId, str] = field(default_factory=dict)
    """Steps of the flow that exist but cannot be used here (the step itself and later ones)."""
    samples: Mapping[StepId, Json] = field(default_factory=dict)

    @property
    def total(self) -> int:
        return sum(len(group.entries) for group in self.groups)

    @property
    def sampled_at(self) -> EpochMs | None:
        return next((group.sampled_at for group in self.groups if group.sampled_at), None)

    def describe(self, reference: Reference) -> ChipText:
        """The words of a chip; broken when its step is gone or does not come before this one."""
        group = next((item for item in self.groups if item.step_id == reference.step_id), None)
        path = ".".join(reference.path)
        if group is None:
            title = self.titles.get(reference.step_id, "Removed step")
            return ChipText(f"{title} · {path}", broken=True)
        found, value = look_up(self.samples.get(reference.step_id), reference.path)
        return ChipText(f"{group.title} · {path}", group.app_key, sample=sample_text(value) if found else "")

    def search(self, words: str, prefer: str = "") -> tuple[ValueGroup, ...]:
        """Groups with the entries that contain every word; entries of the preferred type come first."""
        wanted = words.casefold().split()
        found = []
        for group in self.groups:
            entries = [entry for entry in group.entries if _contains(group, entry, wanted)]
            entries.sort(key=lambda entry: bool(prefer) and entry.type != prefer)
            if entries or not wanted:
                found.append(
                    ValueGroup(
                        group.step_id,
                        group.position,
                        group.title,
                        group.app_key,
                        tuple(entries),
                        group.sampled_at,
                    )
                )
        return tuple(found)


def _contains(group: ValueGroup, entry: ValueEntry, wanted: list[str]) -> bool:
    text = f"{group.title} {entry.label} {entry.type} {entry.sample}".casefold()
    return all(word in text for word in wanted)


def step_title(step: Step, event_name: str = "") -> str:
    """The name people see: their own, the event's, or what kind of step it is."""
    return step.name or event_name or ("Trigger" if step.type is StepType.TRIGGER else "Action")


def build_catalog(
    flow: Flow, step_id: StepId | None, samples: Iterable[ExecutionStep], titles: Mapping[StepId, str]
) -> ValueCatalog:
    """What the step `step_id` can use: the newest output of every step before it."""
    newest = {item.step.id: item for item in samples}
    here = flow.step(step_id or "")
    position = here.position if here else 0
    groups = []
    for step in sorted(flow.steps, key=lambda item: item.position):
        if step.position < position:
            groups.append(_group(step, newest.get(step.id), titles.get(step.id) or step_title(step)))
    outputs = {key: item.data_out for key, item in newest.items()}
    all_titles = {step.id: titles.get(step.id) or step_title(step) for step in flow.steps}
    return ValueCatalog(tuple(groups), all_titles, outputs)


def _group(step: Step, sample: ExecutionStep | None, title: str) -> ValueGroup:
    if sample is None:
        return ValueGroup(step.id, step.position, title, step.app_key)
    entries = tuple(_entries(step.id, (), sample.data_out, 0))[:MAX_VALUES_PER_STEP]
    moment = sample.finished_at or sample.created_at
    return ValueGroup(step.id, step.position, title, step.app_key, entries, moment)


def _entries(step_id: StepId, path: tuple[str, ...], value: Json, depth: int) -> Iterable[ValueEntry]:
    """Every value below `path`, itself first; of long lists only the first items."""
    if path:
        yield ValueEntry(
            Reference(step_id=step_id, path=path), ".".join(path), type_name(value), sample_text(value)
        )
    if depth >= MAX_DEPTH:
        return
    if isinstance(value, dict):
        for key, item in value.items():
            if '"' not in key and key:
                yield from _entries(step_id, (*path, key), item, depth + 1)
    elif isinstance(value, list):
        for at, item in enumerate(value[:MAX_ITEMS_OF_LIST]):
            yield from _entries(step_id, (*path, str(at)), item, depth + 1)


def type_name(value: Json) -> str:
    """The kind of a value in a word people know."""
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
    """A sample on one line."""
    if isinstance(value, str):
        text = value
    elif isinstance(value, list):
        text = f"{len(value)} items" if len(value) != 1 else "1 item"
    elif isinstance(value, dict):
        text = f"{len(value)} values" if len(value) != 1 else "1 value"
    else:
        text = json.dumps(value, ensure_ascii=False)
    text = " ".join(text.split())
    return text if len(text) <= MAX_SAMPLE_LENGTH else text[: MAX_SAMPLE_LENGTH - 1] + "…"
