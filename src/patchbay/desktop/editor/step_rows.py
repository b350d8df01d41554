"""Rows of the step list and their item model."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from PySide6.QtCore import QObject, Qt

from patchbay.desktop.core.language import tr, tr_count
from patchbay.desktop.editor.view_models.blockers import TEST_FIELD
from patchbay.desktop.editor.view_models.branches import ALL, LIST, MODE
from patchbay.desktop.editor.view_models.editor import EditorViewModel
from patchbay.desktop.editor.view_models.step_labels import branch_summary, plain_text, webhook_text
from patchbay.desktop.editor.view_models.step_tree import StepTree
from patchbay.desktop.kit.item_views import Index
from patchbay.desktop.kit.marks import STRUCTURE_ICONS
from patchbay.desktop.kit.rows_model import RowsModel
from patchbay.domain.base import AppKey, StepId, get_optional
from patchbay.domain.blockers import Blocker
from patchbay.domain.flows import Step, StepStatus, StepTestStatus, StepType, StructuralType


class StepMark(StrEnum):
    """State of a step."""

    DONE = "done"
    SKIPPED = "skipped"
    """Ready like `DONE`, but without a test."""
    MISSING = "missing"
    UNTESTED = "untested"
    FAILED = "failed"
    RUNNING = "running"


class RowKind(StrEnum):
    """Kinds of rows: a step, a branch, or a line that adds."""

    STEP = "step"
    BRANCH = "branch"
    ADD = "add"


_MARK_LABELS = {
    StepMark.DONE: tr("ready", "state of a step"),
    StepMark.SKIPPED: tr("ready, test skipped", "state of a step"),
    StepMark.MISSING: tr("incomplete", "state of a step"),
    StepMark.UNTESTED: tr("not tested", "state of a step"),
    StepMark.FAILED: tr("test failed", "state of a step"),
    StepMark.RUNNING: tr("testing", "state of a step"),
}


@dataclass(frozen=True)
class InsertPoint:
    """Where the + below a row inserts: after a step, or first inside one."""

    depth: int
    after: StepId | None = None
    inside: StepId | None = None


@dataclass(frozen=True)
class StepRow:
    """One row. `id` is the step's ID; for a row that adds steps, that of the step it adds to.

    `guides` are the depths of the enclosing steps, whose guide lines cross this row; `folded` is None for
    steps without children; `insert_point` is the + below.
    """

    id: StepId
    title: str
    detail: str = ""
    app_key: AppKey | None = None
    mark: StepMark = StepMark.DONE
    movable: bool = False
    kind: RowKind = RowKind.STEP
    structure: StructuralType = StructuralType.SINGLE
    depth: int = 0
    guides: tuple[int, ...] = ()
    folded: bool | None = None
    insert_point: InsertPoint | None = None

    @property
    def icon(self) -> str:
        """Return the icon of a step without an app."""
        return STRUCTURE_ICONS.get(self.structure, "")

    @property
    def tooltip(self) -> str:
        """What is cut off in the row, and what its mark means."""
        if self.kind is RowKind.ADD:
            return ""
        state = tr("State: {state}", "of a step", state=_MARK_LABELS[self.mark])
        return "\n".join(filter(None, (self.title, self.detail, state)))

    @property
    def accessible_text(self) -> str:
        """What a screen reader says for the row."""
        if self.kind is RowKind.ADD:
            return self.title
        parts = [self.title, self.detail, _MARK_LABELS[self.mark]]
        if self.depth:
            parts.append(tr("level {number}", "how deep a step is nested", number=self.depth + 1))
        if self.folded:
            parts.append(tr("collapsed", "state of a step with steps inside"))
        return ", ".join(parts)


@dataclass(frozen=True)
class _Slot:
    """A row to build: a step, or the line that adds to `parent`."""

    kind: RowKind
    step: Step
    guides: tuple[int, ...]
    folded: bool | None = None


def step_rows(
    editor: EditorViewModel, running: StepId | None, folded: Collection[StepId] = ()
) -> tuple[StepRow, ...]:
    """Return all visible rows, top to bottom."""
    blockers: dict[StepId | None, list[Blocker]] = defaultdict(list)
    for blocker in editor.blockers:
        blockers[blocker.step_id].append(blocker)
    slots = list(_slots(editor.tree, None, (), folded))
    rows = []
    for slot, following in zip(slots, [*slots[1:], None], strict=False):
        insert_point = _insert_point(slot, following)
        if slot.kind is RowKind.ADD:
            rows.append(_add_row(slot, insert_point))
        else:
            rows.append(_row(editor, slot, insert_point, running, blockers.get(slot.step.id, [])))
    return tuple(rows)


def _slots(
    tree: StepTree, parent: Step | None, guides: tuple[int, ...], folded: Collection[StepId]
) -> Iterator[_Slot]:
    for step in tree.children_of(parent.id if parent else None):
        kind = RowKind.BRANCH if step.structural_type is StructuralType.BRANCH else RowKind.STEP
        has_children = step.structural_type.is_container
        is_folded = step.id in folded if has_children else None
        yield _Slot(kind, step, guides, is_folded)
        if is_folded is False:
            yield from _slots(tree, step, (*guides, len(guides)), folded)
    if parent is not None:
        yield _Slot(RowKind.ADD, parent, guides)


def _insert_point(slot: _Slot, following: _Slot | None) -> InsertPoint | None:
    """Return where the + between two rows inserts."""
    if following is None or following.kind is not RowKind.STEP:
        return None
    depth = len(following.guides)
    if depth > len(slot.guides):
        return InsertPoint(depth, inside=slot.step.id)
    return InsertPoint(depth, after=slot.step.id)


def _add_row(slot: _Slot, insert_point: InsertPoint | None) -> StepRow:
    parent = slot.step
    label = tr("Add branch") if parent.structural_type is StructuralType.PATHS else tr("Add step")
    return StepRow(
        parent.id,
        label,
        kind=RowKind.ADD,
        structure=parent.structural_type,
        depth=len(slot.guides),
        guides=slot.guides,
        insert_point=insert_point,
    )


def _row(
    editor: EditorViewModel,
    slot: _Slot,
    insert_point: InsertPoint | None,
    running: StepId | None,
    blockers: list[Blocker],
) -> StepRow:
    step = slot.step
    single = step.structural_type is StructuralType.SINGLE
    title = (
        editor.title(step)
        if step.key or step.name or not single
        else (tr("Choose a trigger") if step.type is StepType.TRIGGER else tr("Choose an action"))
    )
    detail = _detail(editor, step) if single else _structure_detail(step)
    return StepRow(
        step.id,
        f"{step.position}. {title}",
        tr_count(editor.tree.size(step.id) - 1, "{n} step inside", "{n} steps inside")
        if slot.folded
        else detail,
        step.app_key,
        StepMark.RUNNING if step.id == running else _mark(step, blockers),
        step.type is StepType.ACTION,
        slot.kind,
        step.structural_type,
        len(slot.guides),
        slot.guides,
        slot.folded,
        insert_point,
    )


def _detail(editor: EditorViewModel, step: Step) -> str:
    app = editor.services.apps.get(step.app_key)
    if app is None:
        return step.app_key or (
            tr("Starts the flow") if step.type is StepType.TRIGGER else tr("Runs an action")
        )
    connection = get_optional(editor.connections, step.connection_id)
    parts = [app.name, connection.screen_name if connection else "", webhook_text(step)]
    return " · ".join(filter(None, parts))


def _structure_detail(step: Step) -> str:
    if step.structural_type is StructuralType.BRANCH:
        return branch_summary(step)
    if step.structural_type is StructuralType.EACH:
        list_text = plain_text(step.parameters.get(LIST))
        return (
            tr("of {list}", "after: for each item", list=list_text) if list_text else tr("No list selected")
        )
    runs_all = step.parameters.get(MODE) == ALL
    return tr("All matching branches") if runs_all else tr("First matching branch")


def _mark(step: Step, blockers: list[Blocker]) -> StepMark:
    if any(item.field != TEST_FIELD for item in blockers):
        return StepMark.MISSING
    branch = step.structural_type is StructuralType.BRANCH
    done = (step.status is StepStatus.COMPLETED or branch) and not blockers
    if done:
        return StepMark.SKIPPED if step.tested is StepTestStatus.SKIPPED else StepMark.DONE
    return StepMark.FAILED if step.tested is StepTestStatus.FAILED else StepMark.UNTESTED


def row_index(rows: Sequence[StepRow], step_id: StepId | None) -> int:
    """Return the row of a step; -1 if it isn't visible."""
    found = (number for number, row in enumerate(rows) if row.id == step_id and row.kind is not RowKind.ADD)
    return next(found, -1)


# Item model


class StepListModel(RowsModel[StepRow]):
    """The item model; lines that add can't be selected."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent, key=lambda row: (row.id, row.kind, row.depth, row.folded, row.insert_point))

    def row_of(self, step_id: StepId | None) -> int:
        """The row of a step; -1 if it isn't shown."""
        return row_index(self.rows, step_id)

    def flags(self, index: Index) -> Qt.ItemFlag:
        row = self.row(index)
        if row is None:
            return Qt.ItemFlag.NoItemFlags
        if row.kind is RowKind.ADD:
            return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemNeverHasChildren
        base = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren
        return base | Qt.ItemFlag.ItemIsDragEnabled if row.movable else base

    def value(self, row: StepRow, role: int) -> Any:
        if role == Qt.ItemDataRole.DisplayRole:
            return row.title
        return row.accessible_text if role == Qt.ItemDataRole.AccessibleTextRole else None
