"""Connections: a person's account at an app."""

from enum import StrEnum

from pydantic import Field

from patchbay.domain.base import AppKey, ConnectionId, EpochMs, JsonObject, Model


class Health(StrEnum):
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
    verified: bool = False
    health: Health = Health.NEVER_TESTED
    reason: str | None = None
    formatted_data: JsonObject = {}
    """What may be shown again: `screenName` and the fields that are not secret."""
    flow_count: int = 0
    tested_at: EpochMs | None = None
    created_at: EpochMs = 0
    updated_at: EpochMs = 0
