"""Menus of commands. Each has a name, and disabled entries say why."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QAction,
    QActionGroup,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QMenu, QWidget

from patchbay.desktop.kit.icons import icon
from patchbay.desktop.kit.text import literal, plain_tip
from patchbay.desktop.kit.theme import theme

_STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}


class MenuEntry(QAction):
    """An entry of a `Menu`."""

    def __init__(self, menu: QMenu, text: str) -> None:
        super().__init__(menu)
        self._words = literal(text)
        self.set_reason(None)

    def set_reason(self, reason: str | None) -> None:
        """Enable the entry, or disable it with a reason. Its first clause is shown beside the label, because
        screen readers don't read the tooltip of an entry.
        """
        short = literal((reason or "").partition(";")[0].rstrip("."))
        self.setText(f"{self._words} ({short})" if short else self._words)
        self.setEnabled(reason is None)
        self.setToolTip(plain_tip(reason or ""))


class Menu(QMenu):
    """A menu with a name for screen readers; without one, Qt names it after the program. Up and Down also
    stop at disabled entries, so that their reasons can be read.
    """

    def __init__(self, parent: QWidget, name: str) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setToolTipsVisible(True)
        self._disabled_entry: QAction | None = None
        """The disabled entry that the arrow keys stopped at; Qt itself skips them."""
        self.hovered.connect(self._clear_disabled_entry)

    def add(
        self,
        text: str,
        run: Callable[[], Any],
        icon_name: str | None = None,
        keys: str = "",
        *,
        reason: str | None = None,
    ) -> MenuEntry:
        """Add an entry. `keys` are shown beside it; `reason` says why it is disabled."""
        entry = MenuEntry(self, text)
        entry.set_reason(reason)
        if icon_name is not None:
            entry.setIcon(icon(icon_name))
        if keys:
            entry.setShortcut(QKeySequence(keys))
            entry.setShortcutVisibleInContextMenu(True)
        entry.triggered.connect(lambda _=False: run())
        self.addAction(entry)
        return entry

    def add_choices(
        self,
        title: str,
        icon_name: str,
        options: Sequence[tuple[Any, str]],
        current: Any,
        choose: Callable[[Any], object],
    ) -> "Menu":
        """Add a menu inside this one in which one of several values is checked."""
        inner = Menu(self, title)
        inner.setTitle(literal(title))
        inner.setIcon(icon(icon_name))
        group = QActionGroup(inner)
        for value, label in options:
            entry = inner.add(label, partial(choose, value))
            entry.setCheckable(True)
            entry.setChecked(value == current)
            group.addAction(entry)
        self.addMenu(inner)
        return inner

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = _STEPS.get(Qt.Key(event.key()), 0)
        if step and not self._moves_to_enabled(step):
            self._move(step)
        elif step:
            super().keyPressEvent(event)  # unlike `setActiveAction`, this doesn't open a menu inside this one
        elif self._disabled_entry is None or event.key() == Qt.Key.Key_Escape:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._disabled_entry is not None:
            painter = QPainter(self)
            painter.setPen(theme().tokens.focus)
            painter.drawRect(self.actionGeometry(self._disabled_entry).adjusted(0, 0, -1, -1))

    def _moves_to_enabled(self, step: int) -> bool:
        return self._disabled_entry is None and self._next_entry(step).isEnabled()

    def _next_entry(self, step: int) -> QAction:
        entries = [entry for entry in self.actions() if not entry.isSeparator() and entry.isVisible()]
        current = self._disabled_entry or self.activeAction()
        before = entries.index(current) if current in entries else (-1 if step > 0 else 0)
        return entries[(before + step) % len(entries)]

    def _move(self, step: int) -> None:
        entry = self._next_entry(step)
        self.setActiveAction(entry)  # none, if it is disabled
        if not entry.isEnabled():
            self._disabled_entry = entry
            focus_event = QAccessibleEvent(self, QAccessible.Event.Focus)
            focus_event.setChild(self.actions().index(entry))
            QAccessible.updateAccessibility(focus_event)
            self.update()

    def _clear_disabled_entry(self) -> None:
        self._disabled_entry = None
        self.update()
