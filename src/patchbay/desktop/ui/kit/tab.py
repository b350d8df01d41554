"""What the main window expects of a tab."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtWidgets import QWidget

from patchbay.desktop.state.navigation import Place
from patchbay.desktop.ui.kit.actions import Action


@dataclass(frozen=True)
class Scene:
    """One picture of the tour: bring the tab into a state, say when it is ready, and name the widget.

    `target` None takes the whole window; otherwise it returns the dialog to show on top of it.
    """

    name: str
    prepare: Callable[[], None]
    ready: Callable[[], bool]
    target: Callable[[], QWidget] | None = None
    leave: Callable[[], None] | None = None


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

    def new_flow(self) -> bool:
        """Create a flow where the tab shows flows (Ctrl+N); False leaves it to the window."""
        return False

    def commands(self) -> tuple[Action, ...]:
        """What can be done with the selection, for the command palette."""
        return ()

    def scenes(self) -> tuple[Scene, ...]:
        """The pictures of this tab for `patchbay tour`, in order."""
        return ()
