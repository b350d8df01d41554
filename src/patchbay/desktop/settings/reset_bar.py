"""The button at the end of a settings page that restores the defaults, and undoes that."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.kit.boxes import Stretch, hbox
from patchbay.desktop.kit.buttons import Button, set_available
from patchbay.desktop.kit.inputs import ComboBox
from patchbay.desktop.kit.text import Label

_IS_DEFAULT = tr("This page has its defaults.")
_DONE = tr("The defaults are restored.")


def reset_boxes(defaults: Mapping[ComboBox, object]) -> Callable[[], None]:
    """Choose the default in each box. Returns what undoes that."""
    before = {box: box.value() for box in defaults}
    for box, value in defaults.items():
        box.set_value(value)
    return lambda: _choose(before)


def _choose(values: Mapping[ComboBox, object]) -> None:
    for box, value in values.items():
        box.set_value(value)


class ResetBar(QWidget):
    """Calls `reset`, which restores the defaults and returns what undoes that."""

    def __init__(self, reset: Callable[[], Callable[[], None]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._reset = reset
        self._restore: Callable[[], None] | None = None
        self.button = Button(tr("Reset page"), icon="undo-2")
        self.undo = Button(tr("Undo reset"), "link", small=True)
        self._done = Label(_DONE, "caption", "text_secondary")
        self.button.clicked.connect(self._run)
        self.undo.clicked.connect(self._undo)
        hbox(self.button, self._done, self.undo, Stretch(), parent=self, spacing=8)
        self._show_undo()

    def show_changed(self, changed: bool) -> None:
        """Note whether a setting of the page differs from its default. If one does, Undo is outdated."""
        set_available(self.button, None if changed else _IS_DEFAULT)
        if changed and self._restore is not None:
            self._restore = None
            self._show_undo()

    def _run(self) -> None:
        restore = self._reset()
        self._restore = restore
        self._show_undo()
        self.undo.setFocus(Qt.FocusReason.OtherFocusReason)

    def _undo(self) -> None:
        restore, self._restore = self._restore, None
        if restore is not None:
            self.button.setFocus(Qt.FocusReason.OtherFocusReason)
            restore()
        self._show_undo()

    def _show_undo(self) -> None:
        self._done.setVisible(self._restore is not None)
        self.undo.setVisible(self._restore is not None)
