"""The settings file (TOML, without secrets)."""

import contextlib
import logging
import threading
from datetime import time
from pathlib import Path
from typing import Literal

import tomli_w
from pydantic import BaseModel, ConfigDict, Field

from patchbay.domain.backups import BackupInterval, BackupSchedule
from patchbay.domain.base import FlowId
from patchbay.domain.file_moves import replace_file
from patchbay.domain.notification_settings import NotificationSettings, NotifyOnFailure, QuietHours
from patchbay.platform.paths import write_private
from patchbay.platform.start_settings import LANGUAGE_CODE, Font, Formats, Scheme, read_table

log = logging.getLogger("settings")

_UNREADABLE = (OSError, ValueError)
_CLOCK_TIME = r"^([01]\d|2[0-3]):[0-5]\d$"
_Day = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
_DAYS: tuple[_Day, ...] = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


class _Section(BaseModel):
    model_config = ConfigDict(extra="allow", validate_assignment=True, defer_build=True)


class Appearance(_Section):
    """The window's appearance; read when it starts."""

    scheme: Scheme = "system"
    font: Font = "automatic"


class Language(_Section):
    """The window's language and formats; read when it starts."""

    code: str = Field(default="system", pattern=LANGUAGE_CODE)
    """`system`, or the code of a language: `en`, `de`."""
    formats: Formats = "system"
    """Whose dates, numbers, and first day of the week are used."""


class General(_Section):
    """How the program behaves on this desktop."""

    on_close: Literal["ask", "background", "quit"] = "ask"
    """What closing the window does while flows of this computer are published."""


class Secrets(_Section):
    """Where the encryption key is stored. `passphrase` only if the user chose it."""

    home: Literal["keyring", "passphrase"] = "keyring"


class Service(_Section):
    """The address of the window's own server, for webhooks and API clients."""

    host: str = "127.0.0.1"
    port: int = Field(default=8787, ge=0, le=65535)
    webhook_port: int | None = Field(default=None, ge=0, le=65535)
    """A separate port for webhooks and for the redirect URL of sign-ins."""
    interface_address: str | None = None
    """The public URL of the API if webhooks have a separate port. Invitation links use it."""
    trusted_proxies: list[str] = []
    """Addresses and networks of reverse proxies trusted to report the client address: "10.0.0.0/8"."""
    proxy_header: Literal["x-forwarded-for", "forwarded"] = "x-forwarded-for"
    """The header with the client address."""
    base_path: str = ""
    """Path prefix of the API: "/api"."""
    tls_cert: str | None = None
    tls_key: str | None = None
    """PEM files; the key may be in the same file as the certificate."""


class Connections(_Section):
    """How often connections are tested automatically; 0 means never."""

    test_every_hours: float = Field(default=6.0, ge=0)


class Notifications(_Section):
    """Which notifications this computer shows, and when it shows none."""

    failures: Literal["always", "first", "never"] = "first"
    """Which failures of a flow cause a notification; `first`: those that follow a success."""
    flows: dict[str, Literal["always", "first", "never"]] = {}
    """The same for single flows, by ID."""
    quiet_hours: bool = False
    quiet_from: str = Field(default="22:00", pattern=_CLOCK_TIME)
    quiet_to: str = Field(default="07:00", pattern=_CLOCK_TIME)
    quiet_days: list[_Day] = list(_DAYS)
    """The days on which quiet hours begin."""

    def to_domain(self) -> NotificationSettings:
        """These settings as the window uses them."""
        quiet = QuietHours(
            self.quiet_hours,
            time.fromisoformat(self.quiet_from),
            time.fromisoformat(self.quiet_to),
            frozenset(map(_DAYS.index, self.quiet_days)),
        )
        flows = {FlowId(key): NotifyOnFailure(choice) for key, choice in self.flows.items()}
        return NotificationSettings(NotifyOnFailure(self.failures), flows, quiet)

    def replace_with(self, value: NotificationSettings) -> None:
        """Change these settings to those of the window."""
        quiet = value.quiet_hours
        self.failures = value.failures.value
        self.flows = {str(key): choice.value for key, choice in value.flows.items()}
        self.quiet_hours = quiet.enabled
        self.quiet_from, self.quiet_to = f"{quiet.begin:%H:%M}", f"{quiet.end:%H:%M}"
        self.quiet_days = [_DAYS[day] for day in sorted(quiet.days)]


class Backups(_Section):
    """When the program that runs the engine makes backups. The passphrase is in the key store, or a file."""

    every: Literal["never", "day", "week"] = "never"
    at: str = Field(default="03:00", pattern=_CLOCK_TIME)
    weekday: _Day = "sun"
    folder: str | None = None
    keep: int = Field(default=7, ge=1, le=1000)
    passphrase_file: str | None = None

    def to_domain(self) -> BackupSchedule:
        """These settings as a schedule."""
        return BackupSchedule(
            BackupInterval(self.every),
            time.fromisoformat(self.at),
            _DAYS.index(self.weekday),
            Path(self.folder).expanduser() if self.folder else None,
            self.keep,
            Path(self.passphrase_file).expanduser() if self.passphrase_file else None,
        )

    def replace_with(self, schedule: BackupSchedule) -> None:
        """Change these settings to those of a schedule."""
        self.every, self.at = schedule.every.value, f"{schedule.at:%H:%M}"
        self.weekday, self.keep = _DAYS[schedule.weekday], schedule.keep
        self.folder = str(schedule.folder) if schedule.folder else None
        self.passphrase_file = str(schedule.passphrase_file) if schedule.passphrase_file else None


class Remote(_Section):
    """Connection options of one remote server, see `RemoteOptions`. Passwords are in the keyring."""

    proxy: str = "system"
    ca_file: str | None = None
    pinned_sha256: str | None = None


class Settings(_Section):
    """All settings. Unknown keys are kept, so that an older version doesn't delete a newer one's settings."""

    workspace: str | None = None
    """`demo`, `local`, or the address of a server; None before the first choice."""
    services: list[str] = []
    remotes: dict[str, Remote] = {}
    """By address; a server without an entry uses the defaults."""
    appearance: Appearance = Appearance.model_construct()
    language: Language = Language.model_construct()
    general: General = General.model_construct()
    secrets: Secrets = Secrets.model_construct()
    service: Service = Service.model_construct()
    connections: Connections = Connections.model_construct()
    notifications: Notifications = Notifications.model_construct()
    backups: Backups = Backups.model_construct()


class SettingsFile:
    """Reads and writes the settings. An unreadable file is renamed, and named in `unreadable`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.unreadable: Path | None = None
        self.value = self._read()
        self._saving = threading.Lock()

    def save(self) -> None:
        """Write the settings as they are now. Can be called on several threads."""
        with self._saving:  # or one that began earlier could write an older state last
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_private(self._path, tomli_w.dumps(self.value.model_dump(mode="json", exclude_none=True)))

    def _read(self) -> Settings:
        try:
            return _parse(self._path)
        except FileNotFoundError:
            return Settings()
        except _UNREADABLE as error:
            unreadable = self._path.with_suffix(".unreadable.toml")
            with contextlib.suppress(OSError):
                replace_file(self._path, unreadable)
            self.unreadable = unreadable
            log.warning(
                "the settings file couldn't be read (%s), so the defaults are used; it was renamed to %s",
                type(error).__name__,
                unreadable.name,
            )
            return Settings()


def read_settings(path: Path) -> Settings | None:
    """The settings as they are in the file now; None if it can't be read. Never changes the file."""
    try:
        return _parse(path)
    except FileNotFoundError:
        return Settings()
    except _UNREADABLE:
        return None


def _parse(path: Path) -> Settings:
    return Settings.model_validate(read_table(path))
