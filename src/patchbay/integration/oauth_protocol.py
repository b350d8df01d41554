"""What OAuth 2 says on the wire, by way of oauthlib: addresses, bodies, answers. Sends nothing itself.

oauthlib is imported when it is first needed: it takes longer to load than all apps together.
"""

import base64
import binascii
import logging
import re
import secrets
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from patchbay.domain.base import EpochMs, Json, JsonObject
from patchbay.domain.errors import ThirdPartyError, ValidationFailed
from patchbay.domain.foreign_json import read_json
from patchbay.domain.outgoing import is_loopback
from patchbay.integration.masking import Masker
from patchbay.integration.refusal import shorten

logging.getLogger("oauthlib").setLevel(logging.WARNING)  # its debug lines hold tokens

STATE_BYTES = 32
VERIFIER_LENGTH = 96
_ENDED = frozenset(("invalid_grant", "bad_refresh_token", "invalid_refresh_token", "token_revoked"))
_KNOWN = {"access_token": "accessToken", "refresh_token": "refreshToken", "token_type": "tokenType"}
LONGEST_LIFE = 3e9
"""Seconds, a century: what services mean by tokens that never end."""
_TIMES = ("expires_in", "expires_at", "scope")

_MEANINGS = {
    "access_denied": "The sign-in was refused or cancelled there.",
    "invalid_grant": "What the sign-in brought back is used up, expired or was taken back.",
    "invalid_client": "The client ID or secret is not the one registered there.",
    "unauthorized_client": "The registration there does not allow this kind of sign-in.",
    "invalid_scope": "One of the scopes is not known there or not allowed.",
    "redirect_uri_mismatch": "The redirect URL is not the one registered there.",
}


def new_state() -> str:
    """A value nobody can guess: 256 bit."""
    return secrets.token_urlsafe(STATE_BYTES)


def new_verifier() -> str:
    """The secret behind a PKCE challenge."""
    return str(_client("").create_code_verifier(VERIFIER_LENGTH))


def authorization_address(
    authorize_url: str,
    *,
    client_id: str,
    redirect_url: str,
    scopes: Iterable[str],
    state: str,
    verifier: str,
    more: Mapping[str, str],
) -> str:
    """Where the browser is sent: with state and PKCE (S256) always."""
    client = _client(client_id)
    challenge = client.create_code_challenge(verifier, "S256")
    secure, restore = _as_secure(authorize_url)
    made: str = client.prepare_request_uri(
        secure, redirect_uri=redirect_url, scope=list(scopes) or None, state=state, code_challenge=challenge,
        code_challenge_method="S256", **more,
    )  # fmt: skip
    return restore(made)


def code_form(client_id: str, code: str, redirect_url: str, verifier: str) -> dict[str, str]:
    """The form that turns a code into tokens."""
    body = _client(client_id).prepare_request_body(
        code=code, redirect_uri=redirect_url, code_verifier=verifier, include_client_id=False
    )
    return dict(parse_qsl(body))


def refresh_form(client_id: str, refresh_token: str) -> dict[str, str]:
    """The form that turns a refresh token into new tokens."""
    return dict(parse_qsl(_client(client_id).prepare_refresh_body(refresh_token=refresh_token)))


def token_answer(app: str, text: str, masker: Masker) -> JsonObject:
    """The response of a token address. Raises `ThirdPartyError` for an error sent with status 200."""
    from oauthlib.oauth2 import OAuth2Error
    from oauthlib.oauth2.rfc6749.parameters import parse_token_response

    try:
        return dict(parse_token_response(text))
    except OAuth2Error as error:
        if error.error == "missing_token":
            raise ThirdPartyError(
                app=app, said="", meaning="It answered without an access token.",
                todo="Check that the token address is that of the service.",
            ) from None  # fmt: skip
        raise refused(app, str(error.error or ""), str(error.description or ""), masker) from None
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
        raise ThirdPartyError(
            app=app, said="", meaning="Its response doesn't contain valid tokens.",
            todo="Check that the token address is that of the service.",
        ) from None  # fmt: skip


def tokens(answer: JsonObject, now: EpochMs, before: Mapping[str, Json]) -> JsonObject:
    """What is kept of an answer. A refresh token that is not sent again stays; unknown fields are kept."""
    kept: JsonObject = {ours: answer[theirs] for theirs, ours in _KNOWN.items() if answer.get(theirs)}
    granted = split_scopes(answer.get("scope"))
    if granted:
        kept["scope"] = " ".join(granted)
    life = answer.get("expires_in")
    lives = isinstance(life, (int, float)) and life > 0
    kept["obtainedAt"] = now
    kept["expiresAt"] = now + int(min(float(str(life)), LONGEST_LIFE) * 1000) if lives else None
    rest = {key: value for key, value in answer.items() if key not in _KNOWN and key not in _TIMES}
    earlier = before.get("tokenAnswer")
    kept["tokenAnswer"] = {**(earlier if isinstance(earlier, dict) else {}), **rest}
    return kept


def split_scopes(scopes: object) -> list[str]:
    """Scopes as services write them: spaces or commas between, or a list."""
    parts = scopes if isinstance(scopes, (list, tuple)) else re.split(r"[\s,]+", str(scopes or ""))
    return [str(part) for part in parts if str(part)]


def refused(app: str, code: str, words: str, masker: Masker) -> ThirdPartyError:
    """The error for a refused sign-in, in the third party's words.

    Secrets are masked before the text is shortened: the beginning of a secret that was cut is not recognised.
    """
    code, words = masker.text(code), masker.text(words)
    return ThirdPartyError(
        app=app,
        said=shorten(words or code),
        meaning=_MEANINGS.get(code, "It did not grant access."),
        todo="Sign in again; if it stays, check the registration of this client at the service.",
        details={"error": code, "error_description": words} if words else {"error": code},
    )


def told(error: ThirdPartyError) -> ThirdPartyError:
    """A refusal of a token address with what its error code means."""
    code = error_code(error)
    if code in _MEANINGS:
        error.meaning = _MEANINGS[code]
        error.todo = "Sign in again; if it stays, check the registration of this client at the service."
    return error


def error_code(error: ThirdPartyError) -> str:
    """The OAuth error code in a refusal; empty when there is none."""
    return str(error.details.get("error") or "") if isinstance(error.details, dict) else ""


def has_ended(error: ThirdPartyError) -> bool:
    """Whether the refresh token will never be accepted again."""
    return error_code(error) in _ENDED


def claims_of(id_token: Json) -> Mapping[str, Any]:
    """What an ID token says. It came straight from the token address, so its signature adds nothing."""
    parts = str(id_token or "").split(".")
    if len(parts) != 3:
        return {}
    try:
        claims = read_json(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except (binascii.Error, ValueError):
        return {}
    return claims if isinstance(claims, dict) else {}


def require_secure(url: str, field: str, what: str) -> None:
    """Codes and tokens travel encrypted, or stay on this computer."""
    parts = urlsplit(url)
    if parts.scheme == "https" and parts.hostname:
        return
    if parts.scheme == "http" and is_loopback(parts.hostname or ""):
        return
    raise ValidationFailed(
        {field: [f"The {what} begins with https://."]},
        meaning="Codes and tokens would be sent where others can read them.",
    )


def _client(client_id: str) -> Any:
    from oauthlib.oauth2 import WebApplicationClient

    return WebApplicationClient(client_id)


def _as_secure(url: str) -> tuple[str, Callable[[str], str]]:
    """oauthlib takes https only; for a service on this computer the scheme is put back afterwards."""
    if url.startswith("https:"):
        return url, str
    return "https" + url.removeprefix("http"), lambda made: "http" + made.removeprefix("https")
