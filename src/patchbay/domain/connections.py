"""Connections: a person's account at an app."""

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from urllib.parse import urlsplit

from pydantic import Field

from patchbay.domain.base import AppKey, ConnectionId, EpochMs, Json, JsonObject, Model, UserId
from patchbay.domain.engine import RateLimit
from patchbay.domain.fields import AuthField, is_empty, is_visible

# MERGED: Where the credentials of connections are kept, and what a person may do about it.


class SecretsStorage(StrEnum):
    """The two homes of connection secrets.

    `sealed`: encrypted rows beside the connections, under one key that is kept elsewhere. `items`: each
    connection's secrets as an item of the system keyring, nothing of them in the database.
    """

    SEALED = "sealed"
    ITEMS = "items"


class SecretsState(Model):
    """How secrets are kept now. `name` is short ("system keyring"), `kept` a sentence."""

    home: SecretsStorage = SecretsStorage.SEALED
    name: str = ""
    kept: str = ""
    problem: str | None = None
    """Why they cannot be used now, in words."""
    reason: str | None = None
    """The reason of `SecretsUnavailable` behind `problem`."""
    stored: int = 0
    """How many connections have secrets."""
    barred: Mapping[SecretsStorage, str] = {}
    """Homes they cannot be moved to, each with the reason."""

    @property
    def lost(self) -> bool:
        """Whether what is stored cannot be opened any more, ever, with the key at hand."""
        return self.reason in ("key_not_found", "key_wrong")


class ConnectionHealth(StrEnum):
    """What is known about a connection."""

    VALID = "valid"
    NEEDS_ATTENTION = "needs_attention"
    EXPIRES_SOON = "expires_soon"
    NEVER_TESTED = "never_tested"


class Connection(Model):
    """A connection without its secrets. `reason` says in words why it needs attention."""

    id: ConnectionId
    app_key: AppKey = Field(alias="key")
    screen_name: str = ""
    user_id: UserId | None = None
    verified: bool = False
    health: ConnectionHealth = ConnectionHealth.NEVER_TESTED
    reason: str | None = None
    secrets_problem: str | None = None
    """Why its credentials can't be opened here now, which says nothing about whether they are accepted."""
    unreachable: str | None = None
    """Why the newest test got no answer. Everything else is as the last answer left it."""
    unreachable_at: EpochMs | None = None
    formatted_data: JsonObject = {}
    """What may be shown again: `screenName` and the fields that are not secret."""
    account: str | None = None
    """The account behind the credentials, as the third party identifies it; None when it does not say."""
    expires_at: EpochMs | None = None
    """When the credentials end for good; None while they last or renew themselves."""
    rate_limit: RateLimit | None = None
    """Calls a time for all flows together; None: what its app asks for."""
    approved: bool = Field(False, exclude=True)
    """Whether somebody with full rights entered its values last. Stored, not shown."""
    flow_count: int = 0
    tested_at: EpochMs | None = None
    created_at: EpochMs = 0
    updated_at: EpochMs = 0


class DeviceCode(Model):
    """What a person types at `verification_url`, on any device, when no browser can come back here."""

    user_code: str
    verification_url: str
    interval: int = 5
    """Seconds between two questions whether it was done."""


class SignIn(Model):
    """A sign-in in the browser that has begun. `url` is opened in it; `redirect_url` is where it comes back.

    With `device`, `url` is the page for the code (with the code filled in where the service can).
    """

    id: str
    app_key: AppKey
    url: str
    redirect_url: str = ""
    expires_at: EpochMs
    device: DeviceCode | None = None
    notice: str | None = None
    """What the person should know before going on, such as an address that differs from the usual one."""


# MERGED: When a stored secret may be used again: only while everything that decides where it goes
# stays the same.

_HOST_LIKE = re.compile(r"[A-Za-z0-9._-]+")
_DEFAULT_PORTS = {"http": 80, "https": 443}


def changed_destinations(
    fields: Iterable[AuthField], before: Mapping[str, Json], after: Mapping[str, Json]
) -> tuple[AuthField, ...]:
    """The fields that send credentials elsewhere, or protect them less, with the values of `after`."""
    return tuple(
        field
        for field in fields
        if field.is_destination and normalised(_value(field, before)) != normalised(_value(field, after))
    )


def secrets_to_reenter(
    fields: Iterable[AuthField], stored: Mapping[str, Json], entered: Mapping[str, Json]
) -> tuple[AuthField, ...]:
    """The stored secrets that a form with a changed destination doesn't mention.

    A secret that was sent empty counts as removed.
    """
    return tuple(
        field
        for field in fields
        if field.is_secret and not field.read_only and field.key not in entered
        and is_visible(field, {**stored, **entered}) and not is_empty(stored.get(field.key))
    )  # fmt: skip


def normalised(value: Json) -> str:
    """One spelling for values that lead to the same place: case of a host, default port, trailing slash."""
    text = "" if value is None else str(value).strip()
    if "://" in text:
        return _normalised_url(text)
    return text.casefold() if _HOST_LIKE.fullmatch(text) else text


def _normalised_url(text: str) -> str:
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
    """What the field holds; its preset where nothing was entered, nothing while it is hidden."""
    if not is_visible(field, data):
        return None
    value = data.get(field.key)
    return field.value if value is None else value
