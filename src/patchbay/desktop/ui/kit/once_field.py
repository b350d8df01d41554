"""A secret that was just made: masked, shown for a while, copied with care."""

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QWidget

from patchbay.desktop.ui.kit.buttons import Button, IconButton
from patchbay.desktop.ui.kit.line_edit import LineEdit
from patchbay.desktop.ui.kit.secret_field import COPIED_MS, REVEAL_MS, copy_text
from patchbay.desktop.ui.kit.theme import theme

_DOTS = "••••••••"


class OnceField(QWidget):
    """Shows `value` from its character `kept` on as dots until the eye is pressed. Copying, by button or by
    keys, takes all of it, and the clipboard forgets it after 30 s.
    """

    copied = Signal()

    def __init__(self, name: str, value: str, kept: int = 0, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._value, self._kept = value, kept
        self.edit = _Line(self.copy, large=True)
        self.eye = IconButton("eye", "Show for ten seconds", outlined=True)
        self.button = Button("Copy", "primary", icon="copy", large=True)
        self.setFocusProxy(self.button)
        self.setAccessibleName(name)
        self.edit.setReadOnly(True)
        self.eye.clicked.connect(self._toggle)
        self.button.clicked.connect(self.copy)
        self._hide_again = _timer(self, REVEAL_MS)
        self._hide_again.timeout.connect(self.conceal)
        self._reset = _timer(self, COPIED_MS)
        self._reset.timeout.connect(self._offer)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme().px(6))
        row.addWidget(self.edit, 1)
        row.addWidget(self.eye)
        row.addWidget(self.button)
        self.conceal()

    @property
    def revealed(self) -> bool:
        return self._hide_again.isActive()

    def setAccessibleName(self, name: str) -> None:
        super().setAccessibleName(name)
        self.edit.setAccessibleName(name)
        self.button.setAccessibleName(f"Copy {name}")

    def copy(self) -> None:
        copy_text(self._value, secret=True)
        self.button.setMinimumWidth(self.button.width())
        self.button.setText("Copied")
        self.button.set_icon("check")
        self._reset.start()
        self.copied.emit()

    def conceal(self) -> None:
        self._hide_again.stop()
        self._show(self._value[: self._kept] + (_DOTS if self._value else ""))
        self.eye.set_icon("eye")
        self.eye.set_name("Show for ten seconds")

    def forget(self) -> None:
        """The secret is not needed here any more."""
        self._value = ""
        self.conceal()

    def _toggle(self) -> None:
        if self.revealed:
            self.conceal()
            return
        self._show(self._value)
        self.eye.set_icon("eye-off")
        self.eye.set_name("Hide")
        self._hide_again.start()

    def _show(self, text: str) -> None:
        self.edit.setText(text)
        self.edit.setCursorPosition(0)

    def _offer(self) -> None:
        self.button.setText("Copy")
        self.button.set_icon("copy")


class _Line(LineEdit):
    """Copying from it takes the whole secret, whatever is shown of it."""

    def __init__(self, copy: Callable[[], None], *, large: bool) -> None:
        super().__init__(large=large)
        self._copy = copy
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self.setDragEnabled(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self._copy()
        else:
            super().keyPressEvent(event)


def _timer(owner: QWidget, milliseconds: int) -> QTimer:
    made = QTimer(owner, singleShot=True)
    made.setInterval(milliseconds)
    return made
