"""What the window needs to know to show its frame, before anything else is loaded."""

from dataclasses import dataclass, field
from typing import Any, Protocol


class WindowStateStore(Protocol):
    """Stores window size and similar values between runs."""

    def load(self) -> dict[str, Any]: ...
    def save(self, state: dict[str, Any]) -> None: ...


class InMemoryState:
    """Stores the values for this run only (tests, the tour)."""

    def __init__(self) -> None:
        self._state: dict[str, Any] = {}

    def load(self) -> dict[str, Any]:
        return dict(self._state)

    def save(self, state: dict[str, Any]) -> None:
        self._state = dict(state)


@dataclass(frozen=True)
class FrameOptions:
    """The workspace that is opened ("demo", "local", or the address of a server), the addresses of known
    servers, and where the window's size is stored.
    """

    workspace: str | None = None
    servers: tuple[str, ...] = ()
    state: WindowStateStore = field(default_factory=InMemoryState)
