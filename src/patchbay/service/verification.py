"""Checks entered credentials with the app, and derives what a connection stores and shows."""

import logging
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from patchbay.domain.base import EpochMs, Json, JsonObject
from patchbay.domain.clock import DAY_MS
from patchbay.domain.connections import Connection, ConnectionHealth, changed_destinations, secrets_to_reenter
from patchbay.domain.errors import (
    AppError,
    DifferentAccount,
    NotSupported,
    RateLimited,
    SecretsUnavailable,
    ServerFault,
    ThirdPartyError,
    TimedOut,
    Unreachable,
    ValidationFailed,
)
from patchbay.domain.fields import (
    CA_CERTIFICATE,
    SCREEN_NAME,
    TRUSTED_CERTIFICATE,
    AuthField,
    is_empty,
    is_visible,
    validate_auth_values,
    values_match,
)
from patchbay.integration.app_definition import App, Auth
from patchbay.integration.certificate_trust import normalize_trust
from patchbay.integration.context import Context
from patchbay.integration.credential_destinations import auth_fields
from patchbay.integration.oauth import GRANT_KEYS, RENEWABLE_KEY, SIGN_IN_KEYS
from patchbay.service.names import MAX_NAME_LENGTH

ACCOUNT_ID_KEY = "accountId"
"""Key in the auth data: the third party's ID of the account, for apps that provide it."""
EXPIRES_SOON_MS = 3 * DAY_MS

_log = logging.getLogger(__name__)


def auth_of(app: App) -> Auth:
    """Return the auth definition of an app. Raises `NotSupported` for apps without connections."""
    if app.auth is None or not app.supports_connections:
        raise NotSupported(
            f"{app.name} doesn't need a connection.",
            feature="connections",
            todo="Use it in flows without one.",
        )
    return app.auth


def require_no_browser(app: App, values: Mapping[str, Json]) -> None:
    """Raise `NotSupported` when these values need a browser sign-in."""
    auth = auth_of(app)
    if auth.generate_auth_url is not None and values_match(auth.browser_if, values):
        raise NotSupported(
            f"{app.name} is connected by signing in with the browser.",
            feature="connections",
            todo="Start a sign-in instead of sending credentials.",
        )


def presets(auth: Auth) -> JsonObject:
    """Return the preset values of the form."""
    return {field.key: field.value for field in auth.fields if field.value is not None}


def merge_form_values(
    app: App, values: Mapping[str, Json], stored: Mapping[str, Json] | None = None
) -> JsonObject:
    """Return the stripped values of a form, over presets and over `stored` values.

    When reconnecting (`stored`), an empty secret keeps its stored value, because forms don't show it again.
    No secret is kept if a field has changed that decides where credentials are sent. Raises
    `ValidationFailed` for missing values. Unknown keys are ignored.
    """
    fields = auth_fields(app)
    data = normalize_trust(app, _merged(fields, values, stored))
    problems: dict[str, list[str]] = {}
    changed = changed_destinations(fields, stored, data) if stored is not None else ()
    if stored is not None and changed:
        problems = {
            field.key: [f"Enter {field.label} again: {changed[0].label} has changed."]
            for field in secrets_to_reenter(fields, stored, values)
        }
        data = normalize_trust(app, _merged(fields, values, _without_secrets(fields, stored)))
    if problems:
        labels = ", ".join(field.label for field in changed)
        raise ValidationFailed(
            problems,
            happened=f"Stored credentials aren't used with a changed {labels}.",
            meaning=f"Credentials for {app.name} are only sent to the address they were entered for.",
            todo="Enter them again, or change it back.",
        )
    if problems := validate_auth_values(fields, data):
        raise ValidationFailed(problems)
    return data


def _merged(
    fields: tuple[AuthField, ...], values: Mapping[str, Json], stored: Mapping[str, Json] | None
) -> JsonObject:
    data: JsonObject = dict(stored or {})
    for field in fields:
        data |= _field_value(field, values, stored)
    if SCREEN_NAME in values:
        data[SCREEN_NAME] = _strip(values[SCREEN_NAME])
    for field in fields:
        if not is_visible(field, data):
            data.pop(field.key, None)
    return data


def _without_secrets(fields: tuple[AuthField, ...], stored: Mapping[str, Json]) -> JsonObject:
    """The stored values that aren't secret. Values stored by the app itself and trusted certificates belong
    to the old address, so they are left out.
    """
    shown = {field.key for field in fields if not field.is_secret} | {SCREEN_NAME}
    shown -= {CA_CERTIFICATE, TRUSTED_CERTIFICATE}
    return {key: value for key, value in stored.items() if key in shown}


async def verified(ctx: Context) -> JsonObject:
    """Verify credentials with the app; return the auth data, with the name set by the app or entered."""
    with translate_app_errors(ctx):
        await auth_of(ctx.app).verify_credentials(ctx)
    if not screen_name(ctx.auth.data):
        raise ValidationFailed(
            {SCREEN_NAME: ["Enter a name for this connection."]},
            meaning=f"{ctx.app.name} accepted the credentials but provided no name.",
        )
    return ctx.auth.data


async def find_credentials_problem(ctx: Context) -> str | None:
    """Return why the third party no longer accepts the credentials; None when it does.

    Raises errors that say nothing about the account: see `is_inconclusive`, and `SecretsUnavailable`.
    """
    try:
        with translate_app_errors(ctx):
            accepted = await auth_of(ctx.app).is_still_verified(ctx)
    except SecretsUnavailable:
        raise  # the problem is here: credentials couldn't be read or stored
    except AppError as error:
        if is_inconclusive(error):
            raise
        return error.text()
    return None if accepted else f"{ctx.app.name} no longer accepts these credentials. Reconnect."


def is_inconclusive(error: AppError) -> bool:
    """Whether this error leaves open if the credentials are valid: network errors, overload, 5xx."""
    if isinstance(error, ThirdPartyError):
        return error.status is not None and (error.status >= 500 or error.status in (408, 429))
    return isinstance(error, Unreachable | TimedOut | RateLimited)


@contextmanager
def translate_app_errors(ctx: Context) -> Iterator[None]:
    """Pass on `AppError`s without secrets; turn other exceptions of app code into `ServerFault`.

    The log gets the traceback without the message, because a third-party exception may contain a key.
    """
    app = ctx.app
    try:
        with ctx.mask_errors():
            yield
    except AppError:
        raise
    except Exception as error:  # noqa: BLE001  app code may raise anything
        frames = "".join(traceback.format_tb(error.__traceback__))
        _log.error("%s stopped with %s\n%s", app.key, type(error).__name__, frames)
        raise ServerFault(
            f"{app.name} failed with an unexpected error ({type(error).__name__}).",
            meaning="This is a bug in the app.",
            todo="Find the error in the log, and send the log to the app's author.",
        ) from None


def screen_name(data: Mapping[str, Json]) -> str:
    """Return the name of the connection; empty if there is none."""
    value = data.get(SCREEN_NAME)
    return "" if value is None else str(value).strip()[:MAX_NAME_LENGTH]


def public_values(auth: Auth, data: Mapping[str, Json]) -> JsonObject:
    """Return the values that can be stored unencrypted: the screen name and fields that aren't secret."""
    shown = {field.key: data[field.key] for field in auth.fields if not field.is_secret and field.key in data}
    return shown | {SCREEN_NAME: screen_name(data)}


def _field_value(
    field: AuthField, values: Mapping[str, Json], stored: Mapping[str, Json] | None
) -> JsonObject:
    value = _strip(values.get(field.key))
    if field.is_secret and value is not None:
        # Only text can be recognised and masked where a third party returns it.
        if isinstance(value, (bool, list, dict)):
            raise ValidationFailed({field.key: [f"{field.label} must be text."]})
        value = str(value)
    if stored is not None and (field.key not in values or (field.is_secret and is_empty(value))):
        return {}
    if field.read_only or field.key not in values:
        return {} if field.value is None else {field.key: field.value}
    return {field.key: value}


def _strip(value: Json) -> Json:
    return value.strip() if isinstance(value, str) else value


def with_verified_credentials(
    connection: Connection, app: App, data: Mapping[str, Json], now: EpochMs
) -> Connection:
    """Return the connection with newly verified credentials."""
    known = {
        "screen_name": screen_name(data),
        "formatted_data": public_values(auth_of(app), data),
        "account": account_of(app, data),
        "expires_at": expires_at_of(data),
        "verified": True,
        "health": ConnectionHealth.VALID,
        "reason": None,
        "tested_at": now,
        "updated_at": now,
    }
    return connection.model_copy(update=known)


def with_name(connection: Connection, name: str) -> Connection:
    """Return the connection with another name."""
    shown = connection.formatted_data | {SCREEN_NAME: name}
    return connection.model_copy(update={"screen_name": name, "formatted_data": shown})


def without_grant(data: Mapping[str, Json]) -> JsonObject:
    """Return auth data without the tokens of the last sign-in."""
    return {key: value for key, value in data.items() if key not in GRANT_KEYS}


def account_of(app: App, data: Mapping[str, Json]) -> str | None:
    """Return the account: its ID or the name from the third party; None when only the user named it."""
    account_id = data.get(ACCOUNT_ID_KEY)
    if account_id:
        return str(account_id)[:255]
    named_by_person = any(field.key == SCREEN_NAME for field in auth_of(app).fields)
    return None if named_by_person else screen_name(data) or None


def require_same_account(before: Connection, app: App, data: Mapping[str, Json]) -> None:
    """Raise `DifferentAccount` when both accounts are known and differ."""
    account = account_of(app, data)
    if before.account and account and before.account != account:
        names = before.screen_name, screen_name(data)
        # A name entered by the user is the same for both accounts.
        was, now = names if names[0] != names[1] else (before.account, account)
        raise DifferentAccount(before=was, now=now)


def expires_at_of(data: Mapping[str, Json]) -> EpochMs | None:
    """Return when access expires; None for tokens that can be renewed."""
    expires_at = data.get("expiresAt")
    is_renewable = data.get("refreshToken") or data.get(RENEWABLE_KEY)
    return int(expires_at) if isinstance(expires_at, (int, float)) and not is_renewable else None


def with_expiry_health(connection: Connection, now: EpochMs) -> Connection:
    """Return the connection with its health by expiry: expires soon, or expired."""
    if connection.expires_at is None or connection.health is ConnectionHealth.NEEDS_ATTENTION:
        return connection
    if now >= connection.expires_at:
        expired = {"health": ConnectionHealth.NEEDS_ATTENTION, "reason": "Access has expired. Reconnect."}
        return connection.model_copy(update=expired)
    if now >= connection.expires_at - EXPIRES_SOON_MS:
        return connection.model_copy(update={"health": ConnectionHealth.EXPIRES_SOON})
    return connection


def without_sign_in_data(data: Mapping[str, Json]) -> JsonObject:
    """Return auth data without the temporary values of the sign-in."""
    return {key: value for key, value in data.items() if key not in SIGN_IN_KEYS}


def require_can_be_duplicated(app: App, data: Mapping[str, Json]) -> None:
    """Raise `NotSupported` for renewable tokens: two connections would invalidate each other's tokens."""
    if data.get("refreshToken"):
        raise NotSupported(
            "This connection renews its access token, so it can't be duplicated.",
            feature="connections",
            meaning="Two connections with the same sign-in would invalidate each other's tokens.",
            todo=f"Add another connection to {app.name} and sign in again.",
        )
