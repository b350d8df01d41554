"""Actions: one registry for menus, shortcuts, the command palette, and the shortcut list; and key caps."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRectF, QSize
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from patchbay.desktop.kit.accessibility import AccessibleText
from patchbay.desktop.kit.line_edit import paint_key_cap
from patchbay.desktop.kit.shortcuts import native_text
from patchbay.desktop.kit.theme import theme

if TYPE_CHECKING:
    from patchbay.domain.base import AppKey


def _always_available() -> str | None:
    return None


@dataclass(frozen=True)
class Action:
    """A command of the window. `reason` says why it is disabled; None if it is enabled. `shortcut` may have
    two, as in "Ctrl+F or /"; the first one is shown.
    """

    id: str
    title: str
    run: Callable[[], object]
    icon: str = "command"
    shortcut: str = ""
    hint: str = ""
    group: str = "Actions"
    """The heading in the command palette, in English if it is one of `GROUP_LABELS` there."""
    reason: Callable[[], str | None] = _always_available
    in_palette: bool = True
    """Whether the command palette offers it. Moving the focus, for example, would be useless there."""
    app_key: "AppKey | None" = None
    """The app whose icon is shown instead."""

    def sequences(self) -> list[str]:
        """All key combinations that run it."""
        return self.shortcut.split(" or ") if self.shortcut else []

    def keys(self) -> list[str]:
        """The shortcut as key caps: Ctrl, K."""
        native = native_text(self.sequences()[0]) if self.shortcut else ""
        return [cap or "+" for cap in native.split("+")] if native else []


class ActionRegistry:
    """All actions by ID, in the order they were added."""

    def __init__(self, actions: Iterable[Action] = ()) -> None:
        self._actions: dict[str, Action] = {}
        self.add(*actions)

    def add(self, *actions: Action) -> None:
        for action in actions:
            self._actions[action.id] = action

    def get(self, action_id: str) -> Action:
        return self._actions[action_id]

    def all(self) -> tuple[Action, ...]:
        """All actions, in the order in which they were added."""
        return tuple(self._actions.values())

    def with_shortcuts(self) -> tuple[Action, ...]:
        """The actions that have a shortcut."""
        return tuple(action for action in self._actions.values() if action.shortcut)


def cap_width(words: str) -> float:
    """The width of one key cap in pixels."""
    current = theme()
    return max(
        current.px(14), QFontMetricsF(current.font("caption")).horizontalAdvance(words) + current.px(9)
    )


def keycaps_width(caps: Sequence[str]) -> float:
    """The width of all key caps of a shortcut in pixels."""
    return sum(cap_width(cap) for cap in caps) + theme().px(3) * max(0, len(caps) - 1)


def paint_keycaps(painter: QPainter, rect: QRectF, caps: Sequence[str]) -> None:
    """Paint key caps side by side, right-aligned in a rectangle."""
    right = round(rect.right())
    for cap in reversed(caps):
        right -= paint_key_cap(painter, QPoint(right, round(rect.center().y())), cap) + theme().px(3)


class KeyCaps(AccessibleText, QWidget):
    """A shortcut as a widget."""

    def __init__(self, caps: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._caps = list(caps)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("+".join(caps))

    def sizeHint(self) -> QSize:
        return QSize(round(keycaps_width(self._caps)) + 2, theme().px(20))

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_keycaps(QPainter(self), QRectF(self.rect()), self._caps)
