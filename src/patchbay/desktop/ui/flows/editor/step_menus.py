"""The menus of the step list: what can be added, and what can be done with a step."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from patchbay.desktop.state.editor import EditorViewModel
from patchbay.desktop.state.editor_steps import StepCommands, Way
from patchbay.desktop.ui.flows.editor.step_rows import InsertPoint
from patchbay.desktop.ui.kit.menu import Menu
from patchbay.domain.base import StepId
from patchbay.domain.flows import Step, StepType, StructuralType

KINDS = (
    (StructuralType.SINGLE, "Step", "plus"),
    (StructuralType.PATHS, "Paths (branches)", "split"),
    (StructuralType.EACH, "For each item", "repeat"),
)

_ADD_INSIDE_LABELS = {
    StructuralType.PATHS: "Add a path",
    StructuralType.BRANCH: "Add a step to this path",
    StructuralType.EACH: "Add a step to the loop",
}


def add_menu(parent: QWidget, insert_point: Callable[[], InsertPoint], commands: StepCommands) -> Menu:
    """Step, paths or loop, added where `insert_point` says."""
    menu = Menu(parent, "Add step")
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
    """What can be done with a step, each with its key."""
    step = editor.tree.step(step_id)
    menu = Menu(parent, f"Actions for step {step.position}" if step else "Actions")
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    if step is None:
        return menu
    has_no_event = step.structural_type is StructuralType.SINGLE and not step.key
    menu.add("Rename", rename, "pencil", "F2", reason="Choose an event first." if has_no_event else None)
    menu.addSeparator()
    _add_insert_items(menu, commands, step)
    if step.type is StepType.ACTION:
        menu.addSeparator()
        _add_move_items(menu, editor, commands, step)
        menu.addSeparator()
        menu.add("Duplicate", partial(commands.duplicate, step_id), "copy-plus", "Ctrl+D")
        menu.add("Delete", partial(commands.delete, step_id), "trash-2", "Del")
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
    menu.add("Add a step after", partial(commands.add, step.id), "plus", keys)
    for new_kind, label, icon_name in KINDS[1:]:
        more = partial(commands.add, step.id, kind=new_kind)
        menu.add(f"Add “{label.split(' (')[0]}” after", more, icon_name)


def _add_move_items(menu: Menu, editor: EditorViewModel, commands: StepCommands, step: Step) -> None:
    tree = editor.tree
    for label, icon_name, keys, way, possible in (
        ("Move up", "arrow-up", "Alt+Up", Way.UP, tree.up(step.id)),
        ("Move down", "arrow-down", "Alt+Down", Way.DOWN, tree.down(step.id)),
        ("Move out", "indent-decrease", "Alt+Left", Way.OUT, tree.outward(step.id)),
        ("Move into the one above", "indent-increase", "Alt+Right", Way.IN, tree.inward(step.id)),
    ):
        if possible is not None:
            menu.add(label, partial(commands.shift, step.id, way), icon_name, keys)
