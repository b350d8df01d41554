"""What the composition root passes to the window."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from patchbay.desktop.core.frame_options import FrameOptions
from patchbay.desktop.core.language import FormatsChoice
from patchbay.desktop.core.notification_preferences import NotificationPreferences
from patchbay.desktop.kit.theme import FontChoice, SchemeChoice
from patchbay.domain.remote_options import RemoteOptions

if TYPE_CHECKING:
    from patchbay.desktop.settings.view_models.backups import BackupsViewModel
    from patchbay.desktop.settings.view_models.start_at_login import StartAtLogin
    from patchbay.desktop.settings.view_models.stored_files import StoredFilesViewModel

OnClose = Literal["ask", "background", "quit"]


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
class ShellOptions(FrameOptions):
    """What the window needs to know at start, besides what its frame shows."""

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
