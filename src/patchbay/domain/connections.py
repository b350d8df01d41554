"""Connections (accounts at apps): their credentials, where these are stored, and signing in in the
browser.
"""

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from urllib.parse import urlsplit

from pydantic import Field

from patchbay.domain.base import AppKey, ConnectionId, EpochMs, Json, JsonObject, Model, UserId
from patchbay.domain.engine import RateLimit
from patchbay.domain.fields import AuthField, is_empty, is_visible

_HOST_LIKE = re.compile(r"[A-Za-z0-9._-]+")
_DEFAULT_PORTS = {"http": 80, "https": 443}


class SecretsStorage(StrEnum):
    """Where connection secrets are stored.

    `sealed`: encrypted in the database, under one key that is stored elsewhere. `items`: as one item per
    connection in the system keyring, with nothing of them in the database.
    """

    SEALED = "sealed"
    ITEMS = "items"


class SecretsState(Model):
    """How secrets are stored. `name` is a short name ("system keyring"), `kept` a sentence."""

    home: SecretsStorage = SecretsStorage.SEALED
    name: str = ""
    kept: str = ""
    problem: str | None = None
    """Why they can't be used, as a sentence."""
    reason: str | None = None
    """`SecretsUnavailable.reason` of the problem."""
    stored: int = 0
    """The number of connections with secrets."""
    barred: Mapping[SecretsStorage, str] = {}
    """The secret storages they can't be moved to, each with the reason."""

    @property
    def lost(self) -> bool:
        """Whether stored secrets can't be decrypted any more, because their key is missing or the wrong
        one.
        """
        return self.reason in ("key_not_found", "key_wrong")


class ConnectionHealth(StrEnum):
    """Whether a connection works, as far as known."""

    VALID = "valid"
    NEEDS_ATTENTION = "needs_attention"
    EXPIRES_SOON = "expires_soon"
    NEVER_TESTED = "never_tested"


class Connection(Model):
    """A connection without its secrets. `reason` is a sentence that says why it needs attention."""

    id: ConnectionId
    app_key: AppKey = Field(alias="key")
    screen_name: str = ""
    user_id: UserId | None = None
    verified: bool = False
    health: ConnectionHealth = ConnectionHealth.NEVER_TESTED
    reason: str | None = None
    secrets_problem: str | None = None
    """Why its credentials can't be decrypted here. They may be valid all the same."""
    unreachable: str | None = None
    """Why the latest test couldn't reach the service. The other fields are from the last successful test."""
    unreachable_at: EpochMs | None = None
    formatted_data: JsonObject = {}
    """`screenName` and the values of fields that aren't secret."""
    account: str | None = None
    """The ID of the account at the third party; None if unknown."""
    expires_at: EpochMs | None = None
    """When the credentials expire for good; None if they don't, or are renewed automatically."""
    rate_limit: RateLimit | None = None
    """Rate limit for all flows together; None means the limit of its app."""
    approved: bool = Field(False, exclude=True)
    """Whether its values were last entered by a person with full rights. Stored, but not sent to clients."""
    flow_count: int = 0
    tested_at: EpochMs | None = None
    created_at: EpochMs = 0
    updated_at: EpochMs = 0


class DeviceCode(Model):
    """A code to type in at `verification_url` on any device, for sign-ins that can't redirect back here."""

    user_code: str
    verification_url: str
    interval: int = 5
    """Seconds between two polls for completion."""


class SignIn(Model):
    """A sign-in in the browser that has started: `url` is the page to open, `redirect_url` where it returns.

    With `device`, `url` is the page where the code is entered, with the code filled in if possible.
    """

    id: str
    app_key: AppKey
    url: str
    redirect_url: str = ""
    expires_at: EpochMs
    device: DeviceCode | None = None
    notice: str | None = None
    """A notice to show before continuing, such as a redirect URL that differs from the usual one."""


def changed_destinations(
    fields: Iterable[AuthField], before: Mapping[str, Json], after: Mapping[str, Json]
) -> tuple[AuthField, ...]:
    """The fields whose new values send credentials elsewhere or protect them less.

    Stored secrets may only be used again while there are none: otherwise changing an address would hand them
    to another server.
    """
    return tuple(
        field
        for field in fields
        if field.is_destination and normalised(_value(field, before)) != normalised(_value(field, after))
    )


def secrets_to_reenter(
    fields: Iterable[AuthField], stored: Mapping[str, Json], entered: Mapping[str, Json]
) -> tuple[AuthField, ...]:
    """The stored secrets that are missing from a form and have to be entered again.

    A secret that was sent empty counts as removed.
    """
    return tuple(
        field
        for field in fields
        if field.is_secret
        and not field.read_only
        and field.key not in entered
        and is_visible(field, {**stored, **entered})
        and not is_empty(stored.get(field.key))
    )


def normalised(value: Json) -> str:
    """The value without differences that don't matter: case of a host, default port, trailing slash."""
    text = "" if value is None else str(value).strip()
    if "://" not in text:
        return text.casefold() if _HOST_LIKE.fullmatch(text) else text
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return text
    shown = "" if port in (None, _DEFAULT_PORTS.get(parts.scheme)) else f":{port}"
    user, at, _ = parts.netloc.rpartition("@")
    rest = f"?{parts.query}" if parts.query else ""
    return f"{parts.scheme}://{user}{at}{host}{shown}{parts.path.rstrip('/')}{rest}"


def _value(field: AuthField, data: Mapping[str, Json]) -> Json:
    """The value of the field: its preset if nothing was entered, None while it is hidden."""
    if not is_visible(field, data):
        return None
    value = data.get(field.key)
    return field.value if value is None else value
