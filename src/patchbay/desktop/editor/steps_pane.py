"""The left pane of the editor: step menus, undo and redo, the tree of steps, and Add step."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QWidget

from patchbay.desktop.core.language import tr, tr_count
from patchbay.desktop.editor.step_list import StepListView, drop_targets
from patchbay.desktop.editor.step_painting import StepDelegate
from patchbay.desktop.editor.step_rows import InsertPoint, StepListModel, StepRow, step_rows
from patchbay.desktop.editor.view_models.editor import EditorViewModel
from patchbay.desktop.editor.view_models.step_commands import MoveDirection, StepCommands
from patchbay.desktop.editor.view_models.step_test import StepTestModel
from patchbay.desktop.kit.boxes import Stretch, hbox, vbox
from patchbay.desktop.kit.buttons import IconButton, SplitButton, set_available
from patchbay.desktop.kit.layout import surface
from patchbay.desktop.kit.menu import Menu
from patchbay.desktop.kit.shortcuts import DELETE_STEP, DUPLICATE_STEP
from patchbay.desktop.kit.text import Label
from patchbay.domain.base import StepId
from patchbay.domain.flows import Step, StepType, StructuralType

KINDS = (
    (StructuralType.SINGLE, tr("Step"), "plus"),
    (StructuralType.PATHS, tr("Branches", "a kind of step"), "split"),
    (StructuralType.EACH, tr("For each item", "a kind of step"), "repeat"),
)

_ADD_INSIDE_LABELS = {
    StructuralType.PATHS: tr("Add a branch"),
    StructuralType.BRANCH: tr("Add a step to this branch"),
    StructuralType.EACH: tr("Add a step to the loop"),
}


def add_menu(parent: QWidget, insert_point: Callable[[], InsertPoint], commands: StepCommands) -> Menu:
    """Return the menu that adds a step, branches, or a loop at `insert_point`."""
    menu = Menu(parent, tr("Add step"))
    for kind, label, icon_name in KINDS:
        menu.add(label, partial(_add_step, insert_point, commands, kind), icon_name)
    return menu


def _add_step(insert_point: Callable[[], InsertPoint], commands: StepCommands, kind: StructuralType) -> None:
    point = insert_point()
    commands.add(point.after, inside=point.inside, kind=kind)


def step_menu(
    parent: QWidget,
    editor: EditorViewModel,
    commands: StepCommands,
    step_id: StepId,
    rename: Callable[[], object],
) -> Menu:
    """Return the menu of a step."""
    step = editor.tree.step(step_id)
    menu = Menu(
        parent,
        tr("Actions for step {number}", number=step.position) if step else tr("Actions", "menu of commands"),
    )
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    if step is None:
        return menu
    has_no_event = step.structural_type is StructuralType.SINGLE and not step.key
    menu.add(
        tr("Rename"), rename, "pencil", "F2", reason=tr("Choose an event first.") if has_no_event else None
    )
    menu.addSeparator()
    _add_insert_items(menu, commands, step)
    if step.type is StepType.ACTION:
        menu.addSeparator()
        _add_move_items(menu, editor, commands, step)
        menu.addSeparator()
        menu.add(tr("Duplicate"), partial(commands.duplicate, step_id), "copy-plus", DUPLICATE_STEP.keys[0])
        menu.add(tr("Delete"), partial(commands.delete, step_id), "trash-2", DELETE_STEP.keys[0])
    return menu


def _add_insert_items(menu: Menu, commands: StepCommands, step: Step) -> None:
    kind = step.structural_type
    if kind is StructuralType.PATHS:
        add = partial(commands.add, inside=step.id, kind=StructuralType.BRANCH)
        menu.add(_ADD_INSIDE_LABELS[kind], add, "plus")
    elif kind is not StructuralType.SINGLE:
        menu.add(_ADD_INSIDE_LABELS[kind], partial(commands.add, inside=step.id), "plus", "A")
    if kind is StructuralType.BRANCH:
        return
    keys = "A" if kind in (StructuralType.SINGLE, StructuralType.PATHS) else ""
    menu.add(tr("Add a step after"), partial(commands.add, step.id), "plus", keys)
    for new_kind, label, icon_name in KINDS[1:]:
        more = partial(commands.add, step.id, kind=new_kind)
        menu.add(tr("Add “{kind}” after", kind=label), more, icon_name)


def _add_move_items(menu: Menu, editor: EditorViewModel, commands: StepCommands, step: Step) -> None:
    tree = editor.tree
    for label, icon_name, keys, way, possible in (
        (tr("Move up"), "arrow-up", "Alt+Up", MoveDirection.UP, tree.up(step.id)),
        (tr("Move down"), "arrow-down", "Alt+Down", MoveDirection.DOWN, tree.down(step.id)),
        (tr("Move out"), "indent-decrease", "Alt+Left", MoveDirection.OUT, tree.outward(step.id)),
        (
            tr("Move into the step above"),
            "indent-increase",
            "Alt+Right",
            MoveDirection.IN,
            tree.inward(step.id),
        ),
    ):
        if possible is not None:
            menu.add(label, partial(commands.shift, step.id, way), icon_name, keys)


# Pane


class StepsPane(QWidget):
    """`form_requested` when Enter on a card asks for its form; `rename_requested` for F2."""

    form_requested = Signal()
    rename_requested = Signal()

    def __init__(self, editor: EditorViewModel, commands: StepCommands, test: StepTestModel) -> None:
        super().__init__()
        surface(self, "sidebar")
        self._editor = editor
        self._commands = commands
        self._test = test
        self._count_label = Label("", "caption_strong", "text_secondary")
        self.undo = IconButton("undo-2", tr("Undo"), small=True)
        self.redo = IconButton("redo-2", tr("Redo"), small=True)
        self.undo.clicked.connect(editor.history.undo)
        self.redo.clicked.connect(editor.history.redo)
        self.model = StepListModel(self)
        self.view = StepListView(self.model, StepDelegate(editor.services.apps, self))
        self.view.targets = lambda step_id: drop_targets(self.model.rows, editor.tree, step_id)
        self._folded: set[StepId] = set()
        self.add_menu = add_menu(self, lambda: InsertPoint(0), commands)
        self.add = SplitButton(tr("Add step"), self.add_menu, "plus", "default")
        self.add.clicked.connect(lambda: commands.add(None))
        vbox(
            hbox((self._count_label, 1), self.undo, self.redo, margins=(20, 8, 14, 4)),
            (self.view, 100),
            hbox(self.add, Stretch(), margins=(28, 10, 16, 16)),
            Stretch(),
            parent=self,
            spacing=0,
        )
        self._connect()

    def _connect(self) -> None:
        editor = self._editor
        view = self.view
        commands = self._commands
        for signal in (
            editor.opened,
            editor.flow_changed,
            editor.blockers_changed,
            editor.context_changed,
            self._test.changed,
        ):
            signal.connect(self.show_steps)
        editor.history.changed.connect(self._show_history)
        editor.opened.connect(self._folded.clear)
        editor.selected.connect(self._unfold_selected)
        view.chosen.connect(editor.select)
        view.add_after_requested.connect(self._add_after)
        view.insert_requested.connect(self._open_insert_menu)
        view.append_requested.connect(self._add_at_end)
        view.folded.connect(self._toggle_folded)
        view.moved.connect(commands.move)
        view.shifted.connect(commands.shift)
        view.delete_requested.connect(commands.delete)
        view.duplicate_requested.connect(commands.duplicate)
        view.rename_requested.connect(self._rename)
        view.form_requested.connect(self.form_requested)
        view.menu_requested.connect(self.menu)

    def show_steps(self) -> None:
        """Show the steps of the draft."""
        rows = step_rows(self._editor, self._test.running, self._folded)
        self._count_label.setText(tr_count(len(self._editor.tree.steps), "{n} step", "{n} steps"))
        before = [row.id for row in self.model.rows]
        self.model.set_rows(rows)
        self.view.setMaximumHeight(self.view.sizeHint().height())
        if before != [row.id for row in rows]:
            self.view.show_step(self._editor.step_id)
        set_available(self.add, self._editor.unavailable_reason)
        self._show_history()

    def _show_history(self) -> None:
        history = self._editor.history
        undo, redo = history.undo_label, history.redo_label
        self.undo.set_name(tr("Undo {change}", change=undo) if undo else tr("Undo"))
        self.redo.set_name(tr("Redo {change}", change=redo) if redo else tr("Redo"))
        set_available(self.undo, None if undo else tr("Nothing to undo."))
        set_available(self.redo, None if redo else tr("Nothing to redo."))

    # Folding

    def _toggle_folded(self, step_id: StepId) -> None:
        self._folded ^= {step_id}
        self.show_steps()
        self.view.show_step(step_id)
        if self._editor.step_id != step_id:
            self._editor.select(step_id)

    def _unfold_selected(self) -> None:
        """Unfold the ancestors of the selected step."""
        ancestors = {step.id for step in self._editor.tree.ancestors(self._editor.step_id)}
        if ancestors & self._folded:
            self._folded -= ancestors
            self.show_steps()
        self.view.show_step(self._editor.step_id)

    # Adding

    def _add_after(self, step_id: StepId) -> None:
        """Add a step: inside the current branch or loop, or after the current step (A)."""
        step = self._editor.tree.step(step_id)
        adds_inside = step is not None and step.structural_type in (
            StructuralType.BRANCH,
            StructuralType.EACH,
        )
        self._commands.add(None if adds_inside else step_id, inside=step_id if adds_inside else None)

    def _open_insert_menu(self, insert_point: InsertPoint, at: QPoint) -> Menu:
        """Open the menu of a +."""
        menu = add_menu(self, lambda: insert_point, self._commands)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(at)
        return menu

    def _add_at_end(self, row: StepRow, at: QPoint) -> None:
        """Handle a press on the line that adds to a step."""
        if row.structure is StructuralType.PATHS:
            self._commands.add(inside=row.id, kind=StructuralType.BRANCH)
            return
        children = self._editor.tree.children_of(row.id)
        self._open_insert_menu(
            InsertPoint(row.depth, after=children[-1].id)
            if children
            else InsertPoint(row.depth, inside=row.id),
            at,
        )

    def menu(self, step_id: StepId, at: QPoint) -> Menu:
        """Open the menu of a step."""
        menu = step_menu(self, self._editor, self._commands, step_id, partial(self._rename, step_id))
        menu.popup(at)
        return menu

    def _rename(self, step_id: StepId) -> None:
        self._editor.select(step_id)
        self.rename_requested.emit()
