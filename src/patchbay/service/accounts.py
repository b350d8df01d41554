"""What verified auth data say about a connection: whose account it is and how long it lasts."""

from collections.abc import Mapping

from patchbay.domain.base import EpochMs, Json, JsonObject
from patchbay.domain.connections import Connection, ConnectionHealth
from patchbay.domain.errors import DifferentAccount, NotSupported
from patchbay.domain.fields import SCREEN_NAME
from patchbay.integration.contract import App
from patchbay.integration.oauth import GRANTED, PASSING
from patchbay.service.verification import auth_of, public_values, screen_name

ACCOUNT_ID_KEY = "accountId"
"""Auth data: how the third party identifies the account, for apps that can tell."""
EXPIRES_SOON_MS = 3 * 24 * 3600 * 1000


def with_verified_credentials(
    connection: Connection, app: App, data: Mapping[str, Json], now: EpochMs
) -> Connection:
    """The connection after its credentials were verified."""
    known = {
        "screen_name": screen_name(data), "formatted_data": public_values(auth_of(app), data),
        "account": account_of(app, data), "expires_at": expires_at_of(data),
        "verified": True, "health": ConnectionHealth.VALID, "reason": None, "tested_at": now, "updated_at": now,
    }  # fmt: skip
    return connection.model_copy(update=known)


def with_name(connection: Connection, name: str) -> Connection:
    """The connection under another name."""
    shown = connection.formatted_data | {SCREEN_NAME: name}
    return connection.model_copy(update={"screen_name": name, "formatted_data": shown})


def without_grant(data: Mapping[str, Json]) -> JsonObject:
    """Auth data without what the last sign-in brought."""
    return {key: value for key, value in data.items() if key not in GRANTED}


def account_of(app: App, data: Mapping[str, Json]) -> str | None:
    """Which account this is: its id, or the name the service gave; None when only the person named it."""
    account_id = data.get(ACCOUNT_ID_KEY)
    if account_id:
        return str(account_id)[:255]
    named_by_person = any(field.key == SCREEN_NAME for field in auth_of(app).fields)
    return None if named_by_person else screen_name(data) or None


def require_same_account(before: Connection, app: App, data: Mapping[str, Json]) -> None:
    """Raises `DifferentAccount` when both accounts are known and differ."""
    account = account_of(app, data)
    if before.account and account and before.account != account:
        names = before.screen_name, screen_name(data)
        # A name that a person typed is the same for both.
        was, now = names if names[0] != names[1] else (before.account, account)
        raise DifferentAccount(before=was, now=now)


def expires_at_of(data: Mapping[str, Json]) -> EpochMs | None:
    """When access ends for good: tokens that can be renewed do not count."""
    expires_at = data.get("expiresAt")
    return int(expires_at) if isinstance(expires_at, (int, float)) and not data.get("refreshToken") else None


def with_expiry_health(connection: Connection, now: EpochMs) -> Connection:
    """The connection as it is now, a while after it was verified: about to end, or ended."""
    if connection.expires_at is None or connection.health is ConnectionHealth.NEEDS_ATTENTION:
        return connection
    if now >= connection.expires_at:
        expired = {"health": ConnectionHealth.NEEDS_ATTENTION, "reason": "Its access has ended. Reconnect."}
        return connection.model_copy(update=expired)
    if now >= connection.expires_at - EXPIRES_SOON_MS:
        return connection.model_copy(update={"health": ConnectionHealth.EXPIRES_SOON})
    return connection


def without_sign_in_data(data: Mapping[str, Json]) -> JsonObject:
    """Auth data to keep: without what only the sign-in needed."""
    return {key: value for key, value in data.items() if key not in PASSING}


def require_can_be_duplicated(app: App, data: Mapping[str, Json]) -> None:
    """Raises `NotSupported` where two connections would take turns at ending each other's access."""
    if data.get("refreshToken"):
        raise NotSupported(
            "This connection renews itself and cannot be duplicated.",
            feature="connections",
            meaning="Two connections with one sign-in would end each other’s access.",
            todo=f"Add another connection to {app.name} and sign in again.",
        )
