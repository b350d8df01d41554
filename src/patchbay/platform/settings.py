"""The settings file: one model, kept as TOML, changed at once, never holding a secret."""

import contextlib
import json
import logging
import tomllib
from pathlib import Path
from typing import Any, Literal

import tomli_w
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from patchbay.platform.paths import write_private

log = logging.getLogger("settings")

_MAX_LEVELS, _MAX_CHARACTERS, _MAX_DOTS = 50, 1 << 20, 10_000
"""Beyond these a file is none of ours; reading keys of many parts takes quadratic time."""


class _Section(BaseModel):
    model_config = ConfigDict(extra="allow", validate_assignment=True)


class Appearance(_Section):
    """How the window looks; read at its start."""

    scheme: Literal["system", "light", "dark"] = "system"
    font: Literal["automatic", "system", "inter"] = "automatic"


class Secrets(_Section):
    """Where the data key is kept. `passphrase` only after the person chose it."""

    home: Literal["keyring", "passphrase"] = "keyring"


class Service(_Section):
    """Where the window's own service listens, for webhooks and other clients."""

    host: str = "127.0.0.1"
    port: int = Field(default=8787, ge=0, le=65535)
    webhook_port: int | None = Field(default=None, ge=0, le=65535)
    """A port of their own for webhooks and browsers that come back from a sign-in."""
    interface_address: str | None = None
    """How others reach the interface when webhooks have a port of their own; invitations lead there."""
    trusted_proxies: list[str] = []
    """Addresses and networks of reverse proxies that are believed on who calls: "127.0.0.1", "10.0.0.0/8"."""
    proxy_header: Literal["x-forwarded-for", "forwarded"] = "x-forwarded-for"
    """The header in which they say it."""
    base_path: str = ""
    """Goes before the addresses of the interface: "/api"."""
    tls_cert: str | None = None
    tls_key: str | None = None
    """PEM files; the key may be in the file of the certificate."""


class Connections(_Section):
    """How often connections are tested by themselves; 0 never."""

    test_every_hours: float = Field(default=6.0, ge=0)


class Remote(_Section):
    """How one service elsewhere is reached, see `RemoteOptions`. Passwords are keyring items."""

    proxy: str = "system"
    ca_file: str | None = None
    pinned_sha256: str | None = None


class Settings(_Section):
    """All options. Unknown keys are kept, so that an older program does not lose a newer one's options."""

    workspace: str | None = None
    """`demo`, `local` or the address of a service; None before the first choice."""
    services: list[str] = []
    remotes: dict[str, Remote] = {}
    """By address; a service without an entry is reached in the ordinary way."""
    appearance: Appearance = Appearance()
    secrets: Secrets = Secrets()
    service: Service = Service()
    connections: Connections = Connections()


class SettingsFile:
    """Reads and writes the settings. A file that cannot be understood is kept aside and told about."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.problem: str | None = None
        self.value = self._read()

    def save(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        write_private(self._path, tomli_w.dumps(self.value.model_dump(mode="json", exclude_none=True)))

    def _read(self) -> Settings:
        try:
            text = self._path.read_text(encoding="utf-8")
            if len(text) > _MAX_CHARACTERS or text.count(".") > _MAX_DOTS:
                raise ValueError("far larger than any settings")
            read = tomllib.loads(text)
            _require_shallow(read)
            return Settings.model_validate(read)
        except FileNotFoundError:
            return Settings()
        except (OSError, ValueError, ValidationError, RecursionError) as error:
            unreadable = self._path.with_suffix(".unreadable.toml")
            with contextlib.suppress(OSError):
                self._path.replace(unreadable)
            self.problem = (
                "The settings could not be read; defaults are used. The old file is kept as "
                f"{unreadable.name}."
            )
            log.warning("%s (%s)", self.problem, type(error).__name__)
            return Settings()


def _require_shallow(table: dict[str, Any]) -> None:
    """Raises `ValueError` for what is nested too deeply to be written again."""
    level: list[Any] = [table]
    for _ in range(_MAX_LEVELS):
        values = [item.values() if isinstance(item, dict) else item for item in level]
        level = [value for several in values for value in several if isinstance(value, (dict, list))]
        if not level:
            return
    raise ValueError("nested too deeply")


# MERGED: Where the window was and how its panes stood: kept apart from the settings, lost without
# harm.


class WindowState:
    """A small JSON file; anything unreadable counts as empty."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> dict[str, Any]:
        try:
            state = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return state if isinstance(state, dict) else {}

    def save(self, state: dict[str, Any]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        write_private(self._path, json.dumps(state))
