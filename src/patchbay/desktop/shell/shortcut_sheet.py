"""The list of all shortcuts (Ctrl+/)."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractSlider, QGridLayout, QWidget

from patchbay.desktop.kit.actions import Action, KeyCaps
from patchbay.desktop.kit.boxes import Stretch, hbox, vbox
from patchbay.desktop.kit.dialogs import ScrollDialog
from patchbay.desktop.kit.text import Label
from patchbay.desktop.kit.theme import theme

LIST_SHORTCUTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Open the selected entry", ("Enter",)),
    ("Rename", ("F2",)),
    ("Move to a folder", ("M",)),
    ("Delete, with undo", ("Del",)),
    ("Next and previous execution", ("J", "K")),
    ("Retry an execution from its failed step", ("Ctrl", "R")),
    ("Run an execution again", ("Ctrl", "Shift", "R")),
    ("Expand or collapse in a timeline", ("←", "→")),
    ("Clear the selection or close the topmost popup", ("Esc",)),
)
EDITOR_SHORTCUTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Test the step", ("Ctrl", "Enter")),
    ("Add a step", ("A",)),
    ("Move the step up or down", ("Alt", "↑", "↓")),
    ("Duplicate the step", ("Ctrl", "D")),
    ("Delete the step, with undo", ("Del",)),
    ("Undo", ("Ctrl", "Z")),
    ("Insert a variable", ("Ctrl", "Space")),
    ("Set a fallback value", ("Alt", "↓")),
    ("Publish", ("Ctrl", "Shift", "P")),
)


_SCROLL_ACTIONS = {
    Qt.Key.Key_Up: QAbstractSlider.SliderAction.SliderSingleStepSub,
    Qt.Key.Key_Down: QAbstractSlider.SliderAction.SliderSingleStepAdd,
    Qt.Key.Key_PageUp: QAbstractSlider.SliderAction.SliderPageStepSub,
    Qt.Key.Key_PageDown: QAbstractSlider.SliderAction.SliderPageStepAdd,
    Qt.Key.Key_Home: QAbstractSlider.SliderAction.SliderToMinimum,
    Qt.Key.Key_End: QAbstractSlider.SliderAction.SliderToMaximum,
}


class ShortcutSheet(ScrollDialog):
    """Two columns of shortcuts; the arrow keys scroll them."""

    def __init__(self, parent: QWidget, actions: Sequence[Action]) -> None:
        super().__init__(parent, "Keyboard shortcuts", 840)
        global_shortcuts = tuple(
            (action.title, tuple(action.keys())) for action in actions if action.shortcut
        )
        left = vbox(_shortcut_grid("Everywhere", global_shortcuts), Stretch())
        right = vbox(
            _shortcut_grid("In lists", LIST_SHORTCUTS),
            12,
            _shortcut_grid("In the flow editor", EDITOR_SHORTCUTS),
            Stretch(),
        )
        self.column.addLayout(hbox((left, 1), (right, 1), spacing=32))
        bar = self.area.verticalScrollBar()
        for key, step in _SCROLL_ACTIONS.items():
            QShortcut(QKeySequence(key), self).activated.connect(partial(bar.triggerAction, step))
        self.add_buttons("Close", self.accept, cancel="")[1].hide()


def _shortcut_grid(title: str, entries: Sequence[tuple[str, Sequence[str]]]) -> QGridLayout:
    grid = QGridLayout()
    grid.setVerticalSpacing(theme().px(5))
    grid.addWidget(Label(title, "caption_strong", "text_tertiary"), 0, 0)
    for row, (label, caps) in enumerate(entries, start=1):
        grid.addWidget(Label(label, wrap=True), row, 0)
        grid.addWidget(KeyCaps(caps), row, 1, Qt.AlignmentFlag.AlignRight)
    grid.setColumnStretch(0, 1)
    return grid
