"""The menus of the step list: what can be added, and what can be done with a step."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from patchbay.desktop.state.editor import EditorViewModel
from patchbay.desktop.state.editor_steps import StepCommands, Way
from patchbay.desktop.ui.flows.editor.step_rows import Gap
from patchbay.desktop.ui.kit.icons import icon
from patchbay.domain.base import StepId
from patchbay.domain.flows import Step, StepType, StructuralType

KINDS = (
    (StructuralType.SINGLE, "Step", "plus"),
    (StructuralType.PATHS, "Paths (branches)", "split"),
    (StructuralType.EACH, "For each item", "repeat"),
)

_ADD_INSIDE = {
    StructuralType.PATHS: "Add a path",
    StructuralType.BRANCH: "Add a step to this path",
    StructuralType.EACH: "Add a step to the loop",
}


def add_menu(parent: QWidget, gap: Callable[[], Gap], commands: StepCommands) -> QMenu:
    """Step, paths or loop, added where `gap` says."""
    menu = QMenu(parent)
    for kind, words, icon_name in KINDS:
        action = menu.addAction(icon(icon_name), words)
        action.triggered.connect(partial(_add, gap, commands, kind))
    return menu


def _add(gap: Callable[[], Gap], commands: StepCommands, kind: StructuralType, _: bool = False) -> None:
    where = gap()
    commands.add(where.after, inside=where.inside, kind=kind)


def step_menu(parent: QWidget, editor: EditorViewModel, commands: StepCommands, step_id: StepId) -> QMenu:
    """What can be done with a step, each with its key."""
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    step = editor.tree.step(step_id)
    if step is None:
        return menu
    _adding(menu, commands, step)
    if step.type is StepType.ACTION:
        menu.addSeparator()
        _moving(menu, editor, commands, step)
        menu.addSeparator()
        _item(menu, "Duplicate", "copy-plus", "Ctrl+D", partial(commands.duplicate, step_id))
        _item(menu, "Delete", "trash-2", "Del", partial(commands.delete, step_id))
    return menu


def _adding(menu: QMenu, commands: StepCommands, step: Step) -> None:
    kind = step.structural_type
    if kind is StructuralType.PATHS:
        add = partial(commands.add, inside=step.id, kind=StructuralType.BRANCH)
        _item(menu, _ADD_INSIDE[kind], "plus", "", add)
    elif kind is not StructuralType.SINGLE:
        _item(menu, _ADD_INSIDE[kind], "plus", "A", partial(commands.add, inside=step.id))
    if kind is StructuralType.BRANCH:
        return
    keys = "A" if kind in (StructuralType.SINGLE, StructuralType.PATHS) else ""
    _item(menu, "Add a step after", "plus", keys, partial(commands.add, step.id))
    for made, words, icon_name in KINDS[1:]:
        more = partial(commands.add, step.id, kind=made)
        _item(menu, f"Add “{words.split(' (')[0]}” after", icon_name, "", more)


def _moving(menu: QMenu, editor: EditorViewModel, commands: StepCommands, step: Step) -> None:
    tree = editor.tree
    for words, icon_name, keys, way, possible in (
        ("Move up", "arrow-up", "Alt+Up", Way.UP, tree.up(step.id)),
        ("Move down", "arrow-down", "Alt+Down", Way.DOWN, tree.down(step.id)),
        ("Move out", "indent-decrease", "Alt+Left", Way.OUT, tree.outward(step.id)),
        ("Move into the one above", "indent-increase", "Alt+Right", Way.IN, tree.inward(step.id)),
    ):
        if possible is not None:
            _item(menu, words, icon_name, keys, partial(commands.shift, step.id, way))


def _item(menu: QMenu, words: str, icon_name: str, keys: str, run: Callable[[], object]) -> None:
    action = menu.addAction(icon(icon_name), words)
    if keys:
        action.setShortcut(QKeySequence(keys))
    action.triggered.connect(lambda _=False: run())
