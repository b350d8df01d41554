"""What the composition root passes to the window."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from patchbay.desktop.core.language import FormatsChoice
from patchbay.desktop.core.notification_preferences import NotificationPreferences
from patchbay.desktop.kit.theme import FontChoice, SchemeChoice
from patchbay.domain.remote_options import RemoteOptions

if TYPE_CHECKING:
    from patchbay.desktop.settings.view_models.backups import BackupsViewModel
    from patchbay.desktop.settings.view_models.start_at_login import StartAtLogin
    from patchbay.desktop.settings.view_models.stored_files import StoredFilesViewModel

OnClose = Literal["ask", "background", "quit"]


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
class Appearance:
    """The colour scheme and font that the user chose."""

    scheme: SchemeChoice = "system"
    font: FontChoice = "automatic"


@dataclass(frozen=True)
class LanguageChoice:
    """The language that the user chose: "system" or its code; and whose formats are used."""

    language: str = "system"
    formats: FormatsChoice = "system"


@dataclass(frozen=True)
class ShellOptions:
    """What the window needs to know at start. `workspace` is "demo", "local", or the address of a server;
    `services` are the known addresses.
    """

    workspace: str | None = None
    services: tuple[str, ...] = ()
    network: Mapping[str, RemoteOptions] = field(default_factory=dict)
    """The connection options of servers, by address."""
    appearance: Appearance = Appearance()
    language: LanguageChoice = LanguageChoice()
    stored_files: "StoredFilesViewModel | None" = None
    """What is stored on this computer; None if nothing is (tests, the tour)."""
    backups: "BackupsViewModel | None" = None
    """Backups and the check of the database; None except for the workspace of this computer."""
    version: str = ""
    test_every_hours: float | None = None
    """How often connections are tested automatically, in hours; 0: never; None: this program doesn't decide.
    """
    on_close: OnClose = "quit"
    """What closing the window does while flows of this computer are published."""
    start_at_login: "StartAtLogin | None" = None
    """The switch that starts Patchbay at login; None where nothing may be installed (tests, the tour)."""
    notifications: NotificationPreferences = field(default_factory=NotificationPreferences)
    """Which notifications the person wants."""
    state: WindowStateStore = field(default_factory=InMemoryState)
