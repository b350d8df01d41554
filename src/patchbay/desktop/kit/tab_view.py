"""What the main window expects of a tab."""

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from patchbay.desktop.core.navigation import Place
from patchbay.desktop.kit.actions import Action
from patchbay.desktop.kit.focus import reading_order


@dataclass(frozen=True)
class FocusArea:
    """A part of the window that F6 goes to.

    The focus is put on `start`, or on the first Tab stop inside it, or else on the first one of the whole.
    """

    widget: QWidget
    start: QWidget | None = None

    def contains(self, widget: QWidget | None) -> bool:
        """Whether a widget is in this area."""
        return widget is not None and self.widget.isAncestorOf(widget)

    def enter(self) -> bool:
        """Put the focus there; False when nothing there takes it now."""
        stops = reading_order(self.widget)
        inside = self.start
        first = [
            stop for stop in stops if inside is not None and (stop is inside or inside.isAncestorOf(stop))
        ]
        for stop in (*first, *stops)[:1]:
            stop.setFocus(Qt.FocusReason.TabFocusReason)
        return bool(stops)


class TabView(QWidget):
    """The page of one tab. Built when the window opens; loads its data when first shown."""

    def activate(self) -> None:
        """The tab was brought to the front: load what is missing, give focus to the list."""

    def go(self, place: Place) -> None:
        """Show what `place` names."""

    def focus_filter(self) -> None:
        """Ctrl+F and / : put the cursor in the tab's filter field."""

    def back(self) -> bool:
        """Go back inside the tab (Alt+Left); False when there is nothing to go back to."""
        return False

    def focus_areas(self) -> tuple[FocusArea, ...]:
        """The parts of the page that F6 goes to, in order."""
        return (FocusArea(self),)

    def new_flow(self) -> bool:
        """Create a flow where the tab shows flows (Ctrl+N); False leaves it to the window."""
        return False

    def commands(self) -> tuple[Action, ...]:
        """What can be done with the selection, for the command palette."""
        return ()
