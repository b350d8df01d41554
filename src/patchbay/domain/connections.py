"""Connections: a person's account at an app."""

from enum import StrEnum

from pydantic import Field

from patchbay.domain.base import AppKey, ConnectionId, EpochMs, JsonObject, Model, UserId
from patchbay.domain.engine import RateLimit


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
