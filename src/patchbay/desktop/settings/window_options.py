"""What the composition root tells the window about its surroundings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from patchbay.desktop.kit.theme import FontChoice, SchemeChoice
from patchbay.domain.remote_options import RemoteOptions


class WindowStateStore(Protocol):
    """Where window size and the like are kept between runs."""

    def load(self) -> dict[str, Any]: ...
    def save(self, state: dict[str, Any]) -> None: ...


class InMemoryState:
    """Keeps the window's state for this run only (tests, the tour)."""

    def __init__(self) -> None:
        self._state: dict[str, Any] = {}

    def load(self) -> dict[str, Any]:
        return dict(self._state)

    def save(self, state: dict[str, Any]) -> None:
        self._state = dict(state)


@dataclass(frozen=True)
class Appearance:
    """The person's choice of colours and font."""

    scheme: SchemeChoice = "system"
    font: FontChoice = "automatic"


@dataclass(frozen=True)
class ShellOptions:
    """`workspace` is "demo", "local" or the address of a service; `services` are the addresses known."""

    workspace: str | None = None
    services: tuple[str, ...] = ()
    network: Mapping[str, RemoteOptions] = field(default_factory=dict)
    """How services are reached, by address."""
    appearance: Appearance = Appearance()
    data_folder: Path | None = None
    version: str = ""
    test_every_hours: float | None = None
    """How often connections are tested by themselves, 0 never; None where that is not decided here."""
    state: WindowStateStore = field(default_factory=InMemoryState)
