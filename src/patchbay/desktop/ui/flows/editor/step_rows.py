"""What the rows of the step list say, and where each stands in the tree."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from patchbay.desktop.state.editor import EditorViewModel
from patchbay.desktop.state.editor_blockers import TEST_FIELD
from patchbay.desktop.state.editor_structure import ALL, LIST, MODE
from patchbay.desktop.state.editor_words import branch_line, plain_text
from patchbay.domain.base import StepId
from patchbay.domain.errors import Blocker
from patchbay.domain.flows import Step, StepStatus, StepType, StructuralType


class StepMark(StrEnum):
    """How far a step is."""

    DONE = "done"
    MISSING = "missing"
    UNTESTED = "untested"
    RUNNING = "running"


class RowKind(StrEnum):
    """A step, the head of a branch, or the line that adds to what holds it."""

    STEP = "step"
    BRANCH = "branch"
    ADD = "add"


_WORDS = {
    StepMark.DONE: "ready",
    StepMark.MISSING: "something is missing",
    StepMark.UNTESTED: "not tested",
    StepMark.RUNNING: "being tested",
}
STRUCTURE_ICONS = {
    StructuralType.PATHS: "split",
    StructuralType.EACH: "repeat",
    StructuralType.BRANCH: "corner-down-right",
}


@dataclass(frozen=True)
class Gap:
    """What the + below a row adds: a step after another one, or the first inside one."""

    depth: int
    after: StepId | None = None
    inside: StepId | None = None


@dataclass(frozen=True)
class StepRow:
    """One row. `id` is the step's; of a line that adds, that of the step it adds to.

    `guides` are the depths of the steps around it, whose lines pass by; `folded` is None where nothing is
    held; `gap` is the + below.
    """

    id: StepId
    title: str
    detail: str = ""
    app_key: str | None = None
    mark: StepMark = StepMark.DONE
    movable: bool = False
    kind: RowKind = RowKind.STEP
    structure: StructuralType = StructuralType.SINGLE
    depth: int = 0
    guides: tuple[int, ...] = ()
    folded: bool | None = None
    gap: Gap | None = None

    @property
    def icon(self) -> str:
        """The icon of a step without an app."""
        return STRUCTURE_ICONS.get(self.structure, "")

    @property
    def spoken(self) -> str:
        if self.kind is RowKind.ADD:
            return self.title
        level = f", level {self.depth + 1}" if self.depth else ""
        folded = ", folded" if self.folded else ""
        return f"{self.title}, {self.detail}, {_WORDS[self.mark]}{level}{folded}"


def step_rows(
    editor: EditorViewModel, running: StepId | None, folded: Collection[StepId] = ()
) -> tuple[StepRow, ...]:
    """Every row that is not folded away, from above."""
    blockers: dict[StepId, list[Blocker]] = defaultdict(list)
    for blocker in editor.blockers:
        blockers[blocker.step_id or ""].append(blocker)
    rows = list(_below(editor, None, (), running, folded, blockers))
    pairs = zip(rows, [*rows[1:], None], strict=False)
    return tuple(replace(row, gap=_gap(row, following)) for row, following in pairs)


def _below(
    editor: EditorViewModel,
    holder: Step | None,
    guides: tuple[int, ...],
    running: StepId | None,
    folded: Collection[StepId],
    blockers: Mapping[StepId, list[Blocker]],
) -> Iterator[StepRow]:
    depth = len(guides)
    for step in editor.tree.held_by(holder.id if holder else None):
        row = _row(editor, step, running, blockers.get(step.id, []))
        holds = step.structural_type.holds_steps
        shut = step.id in folded if holds else None
        detail = _folded_detail(editor, step) if shut else row.detail
        yield replace(row, depth=depth, guides=guides, folded=shut, detail=detail)
        if holds and not shut:
            yield from _below(editor, step, (*guides, depth), running, folded, blockers)
    if holder is not None:
        words = "Add path" if holder.structural_type is StructuralType.PATHS else "Add step"
        yield StepRow(
            holder.id, words, kind=RowKind.ADD, structure=holder.structural_type, depth=depth, guides=guides
        )


def _gap(row: StepRow, following: StepRow | None) -> Gap | None:
    """Where a step may come between two rows that follow one another."""
    if following is None or following.kind is not RowKind.STEP:
        return None
    if following.depth > row.depth:
        return Gap(following.depth, inside=row.id)
    return Gap(following.depth, after=row.id)


def _row(editor: EditorViewModel, step: Step, running: StepId | None, blockers: list[Blocker]) -> StepRow:
    single = step.structural_type is StructuralType.SINGLE
    title = editor.title(step) if step.key or step.name or not single else _empty_title(step)
    return StepRow(
        step.id,
        f"{step.position}. {title}",
        _detail(editor, step) if single else _structure_detail(editor, step),
        step.app_key,
        StepMark.RUNNING if step.id == running else _mark(step, blockers),
        step.type is StepType.ACTION,
        RowKind.BRANCH if step.structural_type is StructuralType.BRANCH else RowKind.STEP,
        step.structural_type,
    )


def _empty_title(step: Step) -> str:
    return "Choose a trigger" if step.type is StepType.TRIGGER else "Choose an action"


def _detail(editor: EditorViewModel, step: Step) -> str:
    app = editor.services.apps.get(step.app_key)
    if app is None:
        return step.app_key or ("Starts the flow" if step.type is StepType.TRIGGER else "Does something")
    connection = editor.connections.get(step.connection_id or "")
    return f"{app.name} · {connection.screen_name}" if connection else app.name


def _structure_detail(editor: EditorViewModel, step: Step) -> str:
    if step.structural_type is StructuralType.BRANCH:
        return branch_line(step)
    if step.structural_type is StructuralType.EACH:
        listed = plain_text(step.parameters.get(LIST))
        return f"of {listed}" if listed else "No list yet"
    every = step.parameters.get(MODE) == ALL
    return "Every path that fits" if every else "The first path that fits"


def _folded_detail(editor: EditorViewModel, step: Step) -> str:
    held = editor.tree.size(step.id) - 1
    return f"{held} steps inside" if held != 1 else "1 step inside"


def _mark(step: Step, blockers: list[Blocker]) -> StepMark:
    if any(item.field != TEST_FIELD for item in blockers):
        return StepMark.MISSING
    branch = step.structural_type is StructuralType.BRANCH
    done = (step.status is StepStatus.COMPLETED or branch) and not blockers
    return StepMark.DONE if done else StepMark.UNTESTED


def rows_of(rows: Sequence[StepRow], step_id: StepId | None) -> int:
    """The number of the row of a step; -1 when it is not among them."""
    found = (number for number, row in enumerate(rows) if row.id == step_id and row.kind is not RowKind.ADD)
    return next(found, -1)
