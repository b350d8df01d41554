"""Actions: one registry feeds menus, shortcuts, the command palette and the shortcut sheet."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from PySide6.QtGui import QKeySequence


def _always() -> str | None:
    return None


@dataclass(frozen=True)
class Action:
    """Something a person can do. `reason` says why it cannot be done now, None when it can.

    `shortcut` may name two, as in "Ctrl+F or /"; the first one is shown.
    """

    id: str
    title: str
    run: Callable[[], object]
    icon: str = "command"
    shortcut: str = ""
    hint: str = ""
    group: str = "Actions"
    reason: Callable[[], str | None] = _always
    listed: bool = True
    """Whether the palette offers it (moving the focus, for example, is of no use there)."""
    app_key: str | None = None
    """Drawn with this app's glyph instead of the icon."""

    def keys(self) -> list[str]:
        """The shortcut as key caps: Ctrl, K."""
        native = QKeySequence(self.shortcut.split(" or ")[0]).toString(QKeySequence.SequenceFormat.NativeText)
        return [cap or "+" for cap in native.split("+")] if native else []


class ActionRegistry:
    """All actions by id, in the order they were added."""

    def __init__(self, actions: Iterable[Action] = ()) -> None:
        self._actions: dict[str, Action] = {}
        self.add(*actions)

    def add(self, *actions: Action) -> None:
        for action in actions:
            self._actions[action.id] = action

    def get(self, action_id: str) -> Action:
        return self._actions[action_id]

    def all(self) -> tuple[Action, ...]:
        return tuple(self._actions.values())

    def with_shortcuts(self) -> tuple[Action, ...]:
        return tuple(action for action in self._actions.values() if action.shortcut)
