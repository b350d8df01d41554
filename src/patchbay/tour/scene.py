"""One picture of the tour."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtWidgets import QWidget


@dataclass(frozen=True)
class Scene:
    """One picture of the tour: bring the window into a state, say when it is ready, and name the widget.

    `target` None takes the whole window; otherwise it returns the dialog to show on top of it.
    """

    name: str
    prepare: Callable[[], None]
    ready: Callable[[], bool]
    target: Callable[[], QWidget] | None = None
    leave: Callable[[], None] | None = None
