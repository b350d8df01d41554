"""The list of all shortcuts (Ctrl+/)."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractSlider, QGridLayout, QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.kit.actions import Action, KeyCaps
from patchbay.desktop.kit.boxes import Stretch, hbox, vbox
from patchbay.desktop.kit.dialogs import ScrollDialog
from patchbay.desktop.kit.shortcuts import EDITOR_SHORTCUTS, LIST_SHORTCUTS, Shortcut
from patchbay.desktop.kit.text import Label
from patchbay.desktop.kit.theme import theme

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
        super().__init__(parent, tr("Keyboard shortcuts"), 840)
        global_shortcuts = tuple(
            (action.title, tuple(action.keys())) for action in actions if action.shortcut
        )
        left = vbox(_shortcut_grid(tr("Everywhere"), global_shortcuts), Stretch())
        right = vbox(
            _shortcut_grid(tr("In lists"), _listed(LIST_SHORTCUTS)),
            12,
            _shortcut_grid(tr("In the flow editor"), _listed(EDITOR_SHORTCUTS)),
            Stretch(),
        )
        self.column.addLayout(hbox((left, 1), (right, 1), spacing=32))
        bar = self.area.verticalScrollBar()
        for key, step in _SCROLL_ACTIONS.items():
            QShortcut(QKeySequence(key), self).activated.connect(partial(bar.triggerAction, step))
        self.add_buttons(tr("Close"), self.accept, cancel="")[1].hide()


def _listed(shortcuts: Sequence[Shortcut]) -> list[tuple[str, tuple[str, ...]]]:
    return [(shortcut.title, shortcut.caps()) for shortcut in shortcuts]


def _shortcut_grid(title: str, entries: Sequence[tuple[str, Sequence[str]]]) -> QGridLayout:
    grid = QGridLayout()
    grid.setVerticalSpacing(theme().px(5))
    grid.addWidget(Label(title, "caption_strong", "text_tertiary"), 0, 0)
    for row, (label, caps) in enumerate(entries, start=1):
        grid.addWidget(Label(label, wrap=True), row, 0)
        grid.addWidget(KeyCaps(caps), row, 1, Qt.AlignmentFlag.AlignRight)
    grid.setColumnStretch(0, 1)
    return grid
