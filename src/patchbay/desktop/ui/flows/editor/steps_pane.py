"""The left pane of the editor: how many steps, undo and redo, the cards, and Add step."""

from functools import partial

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QMenu, QVBoxLayout, QWidget

from patchbay.desktop.state.editor import EditorViewModel
from patchbay.desktop.state.editor_steps import StepCommands
from patchbay.desktop.state.editor_test import TestModel
from patchbay.desktop.ui.flows.editor.step_delegate import StepDelegate
from patchbay.desktop.ui.flows.editor.step_list import StepListView
from patchbay.desktop.ui.flows.editor.step_rows import StepListModel, step_rows
from patchbay.desktop.ui.kit.buttons import Button, IconButton
from patchbay.desktop.ui.kit.icons import icon
from patchbay.desktop.ui.kit.surface import surface
from patchbay.desktop.ui.kit.text import Label, count
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.flows import StepType


class StepsPane(QWidget):
    """`entered` when Enter on a card asks for its form; `rename_wanted` for F2."""

    entered = Signal()
    rename_wanted = Signal()

    def __init__(self, editor: EditorViewModel, commands: StepCommands, test: TestModel) -> None:
        super().__init__()
        surface(self, "sidebar")
        self._editor, self._commands, self._test = editor, commands, test
        self._words = Label("", "caption_strong", "text_secondary")
        self.undo = IconButton("undo-2", "Undo", small=True)
        self.redo = IconButton("redo-2", "Redo", small=True)
        self.undo.clicked.connect(editor.history.undo)
        self.redo.clicked.connect(editor.history.redo)
        self.model = StepListModel(self)
        self.view = StepListView(self.model, StepDelegate(editor.services.apps, self))
        self.add = Button("Add step", icon="plus", small=True)
        self.add.clicked.connect(lambda: commands.add(None))
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        px = theme().px
        head = QHBoxLayout()
        head.setContentsMargins(px(20), px(8), px(14), px(4))
        head.addWidget(self._words, 1)
        head.addWidget(self.undo)
        head.addWidget(self.redo)
        foot = QHBoxLayout()
        foot.setContentsMargins(px(28), px(10), px(16), px(16))
        foot.addWidget(self.add)
        foot.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.view, 100)
        column.addLayout(foot)
        column.addStretch(1)

    def _connect(self) -> None:
        editor, view, commands = self._editor, self.view, self._commands
        for signal in (
            editor.opened, editor.flow_changed, editor.blockers_changed, editor.surroundings_changed,
            self._test.changed,
        ):  # fmt: skip
            signal.connect(self.show_steps)
        editor.selected.connect(lambda: view.show_step(editor.step_id))
        editor.history.changed.connect(self._show_history)
        view.chosen.connect(editor.select)
        view.add_after.connect(commands.add)
        view.moved.connect(commands.move)
        view.delete_wanted.connect(commands.delete)
        view.duplicate_wanted.connect(commands.duplicate)
        view.rename_wanted.connect(lambda _: self.rename_wanted.emit())
        view.entered_form.connect(self.entered)
        view.menu_wanted.connect(self.menu)
        for keys, run in (
            (QKeySequence.StandardKey.Undo, editor.history.undo),
            (QKeySequence.StandardKey.Redo, editor.history.redo),
        ):
            shortcut = QShortcut(keys, self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(run)

    def show_steps(self) -> None:
        rows = step_rows(self._editor, self._test.running)
        self._words.setText(count(len(rows), "step"))
        before = [row.id for row in self.model.rows]
        self.model.show(rows)
        self.view.setMaximumHeight(self.view.sizeHint().height())
        if before != [row.id for row in rows]:
            self.view.show_step(self._editor.step_id)
        self.add.setEnabled(self._editor.read_only is None)
        self.add.setToolTip(self._editor.read_only or "")
        self._show_history()

    def _show_history(self) -> None:
        history = self._editor.history
        for button, word, label in (
            (self.undo, "Undo", history.undo_label),
            (self.redo, "Redo", history.redo_label),
        ):
            button.setEnabled(label is not None)
            button.set_name(f"{word} {label}" if label else word)

    def menu(self, step_id: str, at: QPoint) -> QMenu:
        """What can be done with a step."""
        flow = self._editor.flow
        step = flow.step(step_id) if flow else None
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if step is None:
            return menu
        entries = [("Add a step after", "plus", "A", partial(self._commands.add, step_id))]
        if step.type is StepType.ACTION:
            move = self._commands.move
            entries += [
                ("Move up", "arrow-up", "Alt+Up", partial(move, step_id, step.position - 1)),
                ("Move down", "arrow-down", "Alt+Down", partial(move, step_id, step.position + 1)),
                ("Duplicate", "copy-plus", "Ctrl+D", partial(self._commands.duplicate, step_id)),
                ("Delete", "trash-2", "Del", partial(self._commands.delete, step_id)),
            ]
        for words, icon_name, keys, run in entries:
            action = menu.addAction(icon(icon_name), words)
            action.setShortcut(QKeySequence(keys))
            action.triggered.connect(run)
        menu.popup(at)
        return menu
