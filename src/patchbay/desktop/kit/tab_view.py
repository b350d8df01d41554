"""The interface between the main window and its tabs."""

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from patchbay.desktop.core.navigation import Place
from patchbay.desktop.kit.actions import Action
from patchbay.desktop.kit.focus import reading_order


@dataclass(frozen=True)
class FocusArea:
    """A part of the window that F6 moves to: to `start`, or to its first Tab stop, or else to the first one
    of the whole.
    """

    widget: QWidget
    start: QWidget | None = None

    def contains(self, widget: QWidget | None) -> bool:
        """Whether a widget is in this area."""
        return widget is not None and self.widget.isAncestorOf(widget)

    def enter(self) -> bool:
        """Move the focus there; False if nothing there can have it."""
        stops = reading_order(self.widget)
        inside = self.start
        first = [
            stop for stop in stops if inside is not None and (stop is inside or inside.isAncestorOf(stop))
        ]
        for stop in (*first, *stops)[:1]:
            stop.setFocus(Qt.FocusReason.TabFocusReason)
        return bool(stops)


class TabView(QWidget):
    """The page of a tab. It is created when first shown, and loads its data then."""

    def activate(self) -> None:
        """Called when the tab is shown: load what is missing, and move the focus to the list."""

    def go(self, place: Place) -> None:
        """Show what `place` refers to."""

    def shows(self, place: Place) -> bool:
        """Whether the object that `place` refers to can be seen now, while the tab is shown."""
        return False

    def focus_filter(self) -> None:
        """Move the focus to the tab's filter field (Ctrl+F and /)."""

    def back(self) -> bool:
        """Go back inside the tab (Alt+Left); False if there is nothing to go back to."""
        return False

    def save(self) -> bool:
        """Save what is being edited (Ctrl+S). Returns whether everything was already saved."""
        return True

    def focus_areas(self) -> tuple[FocusArea, ...]:
        """The parts of the page that F6 moves to, in order."""
        return (FocusArea(self),)

    @property
    def help_page(self) -> str | None:
        """The page of the documentation about what is shown inside the tab; None for the tab's own page."""
        return None

    def new_flow(self) -> bool:
        """Create a flow if the tab shows flows (Ctrl+N); False lets the window do it."""
        return False

    def commands(self) -> tuple[Action, ...]:
        """The actions for the selection, for the command palette."""
        return ()
