"""What is clicked and typed before the window is complete, which takes effect afterwards."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

_MODIFIERS = (
    Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
)
_MODIFIER_KEYS = (Qt.Key.Key_Control, Qt.Key.Key_Alt, Qt.Key.Key_AltGr, Qt.Key.Key_Meta, Qt.Key.Key_Shift)


class EarlyInput:
    """The last click or shortcut, what was typed after it, and whether Enter was pressed then.

    Keys that select something don't take effect, as nothing is shown yet; Enter doesn't after them either.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self.request: Callable[[], object] | None = None
        self.text = ""
        self.is_submitted = False
        self._can_submit = True

    def remember(self, request: Callable[[], object]) -> None:
        """Replace the request and what was typed after the one before."""
        self.clear()
        self.request = request

    def press(self, event: QKeyEvent) -> None:
        """Handle a key that isn't a shortcut as the field would that the request opens."""
        key = event.key()
        if self.request is None or self.is_submitted or key in _MODIFIER_KEYS:
            return
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.is_submitted = self._can_submit
        elif key == Qt.Key.Key_Backspace:
            self.text = self.text[:-1]
        elif key == Qt.Key.Key_Escape:
            self.clear()
        elif event.text() and event.text().isprintable():
            self.text += event.text()
        else:
            self._can_submit = False


def may_be_shortcut(event: QKeyEvent) -> bool:
    """Whether a key can be a shortcut of the window: a function key, or one with Ctrl, Alt, or Meta."""
    is_function_key = Qt.Key.Key_F1 <= event.key() <= Qt.Key.Key_F35
    return is_function_key or (bool(event.modifiers() & _MODIFIERS) and event.key() not in _MODIFIER_KEYS)
