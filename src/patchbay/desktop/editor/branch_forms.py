"""Forms of steps without an app: branches, one branch, and loops."""

from functools import cached_property, partial
from typing import TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.editor.fields.conditions import ConditionsField
from patchbay.desktop.editor.form_fields import FormHost
from patchbay.desktop.editor.view_models.branches import ALL, CONDITIONS, FIRST, MODE
from patchbay.desktop.editor.view_models.editor import EditorViewModel
from patchbay.desktop.editor.view_models.step_commands import MoveDirection, StepCommands
from patchbay.desktop.editor.view_models.step_labels import branch_summary
from patchbay.desktop.kit.badges import Tag
from patchbay.desktop.kit.boxes import Stretch, hbox, vbox
from patchbay.desktop.kit.buttons import Button, IconButton, set_available
from patchbay.desktop.kit.inputs import FormField, InlineName
from patchbay.desktop.kit.layout import Card, line
from patchbay.desktop.kit.messages import MessageBox
from patchbay.desktop.kit.text import ElidedLabel, Label
from patchbay.desktop.kit.theme import theme
from patchbay.desktop.kit.toggles import RadioGroup, Switch
from patchbay.domain.base import Json, JsonObject, StepId
from patchbay.domain.blockers import BRANCHES_FIELD
from patchbay.domain.flows import Step, StructuralType
from patchbay.domain.step_tree import always_matches

MODES = (
    (
        FIRST,
        tr("First matching branch"),
        tr("Conditions are checked from top to bottom. Only the first match runs."),
    ),
    (
        ALL,
        tr("All matching branches"),
        tr("Every branch that matches runs, one after the other from top to bottom."),
    ),
)
_Part = TypeVar("_Part", bound=QWidget)

ALWAYS_TRUE: tuple[JsonObject, ...] = ({"and": []},)


class StructureForm(QWidget):
    """Shows the form of the selected step; hidden for steps with an app. Built on first use."""

    conditions_committed = Signal()

    def __init__(self, editor: EditorViewModel, commands: StepCommands, host: FormHost) -> None:
        super().__init__()
        self._editor = editor
        self._commands = commands
        self._host = host
        self._parts: dict[StructuralType, QWidget] = {}
        self._column = vbox(parent=self)

    @cached_property
    def paths(self) -> "PathsForm":
        """The form of a branches step, created when first needed."""
        return self._add_part(StructuralType.PATHS, PathsForm(self._editor, self._commands))

    @cached_property
    def branch(self) -> "BranchForm":
        """The form of a branch, created when first needed."""
        form = BranchForm(self._commands, self._host)
        form.conditions.focus_left.connect(self.conditions_committed)
        return self._add_part(StructuralType.BRANCH, form)

    @cached_property
    def loop(self) -> "LoopValues":
        """The form of a loop, created when first needed."""
        return self._add_part(StructuralType.EACH, LoopValues())

    def _add_part(self, kind: StructuralType, part: _Part) -> _Part:
        self._parts[kind] = part
        self._column.addWidget(part)
        return part

    def show_step(self, step: Step) -> None:
        """Show the form for a branches step, a branch, or a loop."""
        kind = step.structural_type
        if kind is StructuralType.PATHS:
            self.paths.show_step(step)
        elif kind is StructuralType.BRANCH:
            self.branch.show_step(step)
        elif kind is StructuralType.EACH:
            self.loop.update()
        for part_kind, part in self._parts.items():
            part.setVisible(part_kind is kind)
        self.setVisible(kind is not StructuralType.SINGLE)

    def refresh(self) -> None:
        """Update the available variables."""
        if StructuralType.BRANCH in self._parts:
            self.branch.conditions.refresh()

    def focus_first(self) -> bool:
        """Focus the first input; returns False if there is none."""
        reason = Qt.FocusReason.OtherFocusReason
        if self._is_shown(StructuralType.PATHS):
            self.paths.mode.setFocus(reason)
        elif self._is_shown(StructuralType.BRANCH):
            shown = self.branch.frame.isVisible()
            (self.branch.conditions if shown else self.branch.default_branch).setFocus(reason)
        else:
            return False
        return True

    def focus(self, name: str, reason: str = "") -> bool:
        """Focus the input of this field."""
        if name == BRANCHES_FIELD and self._is_shown(StructuralType.PATHS):
            self.paths.add.setFocus(Qt.FocusReason.ShortcutFocusReason)
        elif name == CONDITIONS and self._is_shown(StructuralType.BRANCH):
            self.branch.frame.set_error(f"{reason}." if reason else None)
            self.branch.conditions.setFocus(Qt.FocusReason.ShortcutFocusReason)
        else:
            return False
        return True

    def _is_shown(self, kind: StructuralType) -> bool:
        return kind in self._parts and self._parts[kind].isVisible()


class PathsForm(QWidget):
    """Which branches run, and the list of branches: open, rename, reorder, delete, add."""

    def __init__(self, editor: EditorViewModel, commands: StepCommands) -> None:
        super().__init__()
        self._editor, self._commands = editor, commands
        self.mode = RadioGroup(tr("Which branches run"), MODES)
        self.mode.value_changed.connect(commands.set_mode)
        self.rows: dict[StepId, _BranchRow] = {}
        self.card = Card(padding=0)
        self.card.body.setSpacing(0)
        self.add = Button(tr("Add branch"), icon="plus", small=True)
        self.add.clicked.connect(self._add_path)
        vbox(
            Label(tr("Which branches run"), "medium"),
            self.mode,
            8,
            Label(tr("Branches", "heading of a list"), "medium"),
            self.card,
            (self.add, 0, Qt.AlignmentFlag.AlignLeft),
            parent=self,
            spacing=6,
        )

    def show_step(self, step: Step) -> None:
        """Show the mode and the branches of a step."""
        self.mode.set_value(ALL if step.parameters.get(MODE) == ALL else FIRST)
        branches = self._editor.tree.children_of(step.id)
        self.card.setVisible(bool(branches))
        if [branch.id for branch in branches] != list(self.rows):
            self._rebuild([branch.id for branch in branches])
        for branch in branches:
            first, last = branch is branches[0], branch is branches[-1]
            self.rows[branch.id].show_branch(branch, self._editor.title(branch), first=first, last=last)

    def _rebuild(self, branch_ids: list[StepId]) -> None:
        while item := self.card.body.takeAt(0):
            if widget := item.widget():
                widget.hide()
                widget.deleteLater()
        self.rows = {}
        for branch_id in branch_ids:
            row = _BranchRow()
            row.open.clicked.connect(partial(self._editor.select, branch_id))
            row.up.clicked.connect(partial(self._commands.shift, branch_id, MoveDirection.UP))
            row.down.clicked.connect(partial(self._commands.shift, branch_id, MoveDirection.DOWN))
            row.remove.clicked.connect(partial(self._commands.delete, branch_id))
            row.name.renamed.connect(partial(self._commands.rename_step, branch_id))
            if self.rows:
                self.card.body.addWidget(line())
            self.rows[branch_id] = row
            self.card.body.addWidget(row)

    def _add_path(self) -> None:
        if step := self._editor.step:
            self._commands.add(inside=step.id, kind=StructuralType.BRANCH)


class _BranchRow(QWidget):
    """A branch: its name, condition, and commands."""

    def __init__(self) -> None:
        super().__init__()
        self.name = InlineName(tr("Branch name"), tr("Rename: branch name"), role="medium")
        self._condition_label = ElidedLabel("", "caption", "text_secondary")
        self.open = Button(tr("Open", "verb, button"), "link")
        self.up = IconButton("arrow-up", tr("Move up"), small=True)
        self.down = IconButton("arrow-down", tr("Move down"), small=True)
        self.remove = IconButton("trash-2", tr("Delete branch"), small=True)
        hbox(
            (vbox(self.name, self._condition_label, spacing=0), 1),
            self.open,
            6,
            self.up,
            self.down,
            self.remove,
            parent=self,
            margins=(12, 7, 10, 7),
            spacing=2,
        )

    def show_branch(self, branch: Step, title: str, *, first: bool, last: bool) -> None:
        if not self.name.editing:
            self.name.show_name(title)
        self._condition_label.setText(branch_summary(branch))
        set_available(self.up, tr("This is the first branch.") if first else None)
        set_available(self.down, tr("This is the last branch.") if last else None)
        self.open.setAccessibleName(tr("Open “{name}”", name=title))
        self.remove.setAccessibleName(tr("Delete “{name}”", name=title))


class BranchForm(QWidget):
    """When a branch runs: its conditions, or the default branch."""

    def __init__(self, commands: StepCommands, host: FormHost) -> None:
        super().__init__()
        self._commands = commands
        self._step_id = ""
        self.default_branch = Switch(text=tr("Default branch: runs when no other branch matches"))
        self.default_branch.clicked.connect(self._set_default_branch)
        self._default_note = MessageBox(
            "neutral", "", tr("The default branch has no conditions, and its position doesn't matter.")
        )
        self.conditions = ConditionsField(host)
        self.conditions.changed.connect(self._on_edited)
        self.frame = FormField(
            tr("Run this branch when", "followed by conditions"), self.conditions, required=True
        )
        vbox(
            (self.default_branch, 0, Qt.AlignmentFlag.AlignLeft),
            self._default_note,
            self.frame,
            parent=self,
            spacing=12,
        )

    def show_step(self, step: Step) -> None:
        """Show the conditions of a branch."""
        is_default = always_matches(step)
        self.default_branch.setChecked(is_default)
        self._default_note.setVisible(is_default)
        self.frame.setVisible(not is_default)
        if step.id != self._step_id:
            self._step_id = step.id
            self.frame.set_error(None)
        if not is_default:
            self.conditions.set_value(list(step.branch_conditions or ()))

    def _on_edited(self, value: Json) -> None:
        conditions = [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
        self.frame.set_error(None)
        self._commands.set_conditions(tuple(conditions))

    def _set_default_branch(self, on: bool) -> None:
        self._commands.set_conditions(ALWAYS_TRUE if on else (), immediate=True)


class LoopValues(Card):
    """The variables a loop offers to its steps and to later steps."""

    ROWS = (
        ("item", tr("the current item")),
        ("number", tr("its position, starting at 1")),
        ("count", tr("the number of items")),
        ("results", tr("after the loop: the output of its last step for each item")),
    )

    def __init__(self) -> None:
        super().__init__(padding=12)
        self.fill_token = "sidebar"
        self.body.setSpacing(theme().px(6))
        self.body.addWidget(Label(tr("Loop variables"), "caption_strong", "text_secondary"))
        for name, text in self.ROWS:
            tag_cell = QWidget()
            tag_cell.setFixedWidth(theme().px(56))
            hbox(Tag(name, "accent"), Stretch(), parent=tag_cell)
            self.body.addLayout(
                hbox(tag_cell, (ElidedLabel(text, "caption", "text_secondary"), 1), spacing=8)
            )
