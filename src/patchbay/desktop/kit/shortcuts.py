"""The shortcuts of lists and of the flow editor. Widgets handle these, and the shortcut sheet lists them.

Shortcuts that work everywhere belong to the actions of the window (`Action.shortcut`).
"""

import sys
from dataclasses import dataclass

from PySide6.QtCore import QKeyCombination, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

from patchbay.desktop.core.language import tr

PALETTE_KEYS, FIND_KEYS, QUIT_KEYS = "Ctrl+K", "Ctrl+F", "Ctrl+Q"
"""Shortcuts of the window that labels and tooltips name."""
_ARROWS = {"Up": "↑", "Down": "↓", "Left": "←", "Right": "→", "Return": "Enter"}


@dataclass(frozen=True)
class Shortcut:
    """A key that a widget handles, or several for related commands, such as next and previous.

    `also` are keys that do the same as the first one, but aren't listed.
    """

    title: str
    keys: tuple[str, ...]
    also: tuple[str, ...] = ()

    def matches(self, event: QKeyEvent) -> bool:
        """Whether one of the keys was pressed."""
        return self.position(event) >= 0

    def position(self, event: QKeyEvent) -> int:
        """Which of the `keys` was pressed, from 0; -1 for none."""
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        pressed = QKeySequence(QKeyCombination(modifiers, Qt.Key(event.key())))
        if any(pressed == QKeySequence(keys) for keys in self.also):
            return 0
        return next((at for at, keys in enumerate(self.keys) if pressed == QKeySequence(keys)), -1)

    def sequences(self) -> tuple[QKeySequence, ...]:
        """All keys, for `QShortcut`."""
        return tuple(QKeySequence(keys) for keys in (*self.keys, *self.also))

    def hint(self, label: str) -> str:
        """A label with the first key, for a tooltip: “Publish (Ctrl+Shift+P)”."""
        return f"{label} ({native_text(self.keys[0])})"

    def caps(self) -> tuple[str, ...]:
        """The key caps: the modifiers once, then the keys."""
        first, *others = (caps_of(keys) for keys in self.keys)
        return (*first, *(caps[-1] for caps in others))


def native_text(keys: str) -> str:
    """A key combination as this system writes it: Ctrl+K, or ⌘K."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)


def caps_of(keys: str) -> list[str]:
    """The key caps of a key combination: Ctrl, K."""
    native, portable = native_text(keys).split("+"), keys.split("+")
    if len(native) != len(portable):
        portable = native  # ⌘K has no +
    return [_ARROWS.get(key, cap) for cap, key in zip(native, portable, strict=True)]


_DELETE_KEYS = ("Del", "Backspace")
_VARIABLE_KEYS = ("Ctrl+Space", "Ctrl+I")
if sys.platform == "darwin":  # small keyboards have no Del there, and ⌘Space opens the system's search
    _DELETE_KEYS, _VARIABLE_KEYS = _DELETE_KEYS[::-1], _VARIABLE_KEYS[::-1]

OPEN_ENTRY = Shortcut(tr("Open the selected entry"), ("Return",), ("Enter",))
RENAME = Shortcut(tr("Rename"), ("F2",))
MOVE_TO_FOLDER = Shortcut(tr("Move to a folder"), ("M",))
DELETE = Shortcut(tr("Delete, with undo"), _DELETE_KEYS[:1], _DELETE_KEYS[1:])
NEXT_EXECUTION = Shortcut(tr("Next and previous execution"), ("J", "K"))
RETRY = Shortcut(tr("Retry an execution from its failed step"), ("Ctrl+R",))
RUN_AGAIN = Shortcut(tr("Run an execution again"), ("Ctrl+Shift+R",))
FOLD = Shortcut(tr("Expand or collapse in a timeline"), ("Left", "Right"))
REVEAL = Shortcut(tr("Show or hide a secret"), ("F8",))
CLEAR = Shortcut(tr("Clear the selection or close the topmost popup"), ("Esc",))

LIST_SHORTCUTS = (
    OPEN_ENTRY,
    RENAME,
    MOVE_TO_FOLDER,
    DELETE,
    NEXT_EXECUTION,
    RETRY,
    RUN_AGAIN,
    FOLD,
    REVEAL,
    CLEAR,
)

TEST_STEP = Shortcut(tr("Test the step"), ("Ctrl+Return",), ("Ctrl+Enter",))
ADD_STEP = Shortcut(tr("Add a step"), ("A",))
MOVE_STEP = Shortcut(tr("Move the step up or down"), ("Alt+Up", "Alt+Down"))
DUPLICATE_STEP = Shortcut(tr("Duplicate the step"), ("Ctrl+D",))
DELETE_STEP = Shortcut(tr("Delete the step, with undo"), _DELETE_KEYS[:1], _DELETE_KEYS[1:])
UNDO = Shortcut(tr("Undo"), ("Ctrl+Z",))
REDO = Shortcut(tr("Redo"), ("Ctrl+Shift+Z",), ("Ctrl+Y",))
INSERT_VARIABLE = Shortcut(tr("Insert a variable"), _VARIABLE_KEYS[:1], _VARIABLE_KEYS[1:])
SET_FALLBACK = Shortcut(tr("Set a fallback value"), ("Alt+Down",))
PUBLISH = Shortcut(tr("Publish"), ("Ctrl+Shift+P",))

EDITOR_SHORTCUTS = (
    TEST_STEP,
    ADD_STEP,
    MOVE_STEP,
    DUPLICATE_STEP,
    DELETE_STEP,
    UNDO,
    REDO,
    INSERT_VARIABLE,
    SET_FALLBACK,
    PUBLISH,
)
