"""Signature schemes of webhook senders. Each gets the connection's values and the request; secrets are
compared in constant time.

A scheme that signs the content also returns a delivery ID, derived only from what is signed: a recorded
request that is sent again with other headers is still the same delivery.

Sources: GitHub, "Validating webhook deliveries"; Standard Webhooks 1.0; Stripe, "Verify manually".
"""

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from patchbay.domain.base import EpochMs, Json, JsonObject
from patchbay.integration import named_delivery, signed_content

TOLERANCE_SECONDS = 300
"""The largest difference between the sender's clock and ours; older requests may have been recorded and sent
again.
"""
_MAX_TIME_DIGITS = 16
"""The number of digits of a timestamp; Python does not parse thousands of them."""


@dataclass(frozen=True)
class SignedCall:
    """A signed request: headers by lower-case name, the raw body, and the time it arrived."""

    headers: Mapping[str, str]
    body: bytes = field(repr=False)
    now: EpochMs

    def header(self, name: Json) -> str:
        """The value of a header, whatever the case of its name; empty without one."""
        return self.headers.get(str(name or "").strip().lower(), "").strip()


def standard_key(secret: str) -> bytes | None:
    """The key in a secret of Standard Webhooks; None if there is none."""
    return _from_base64(secret.removeprefix("whsec_")) or None


@dataclass(frozen=True)
class Verified:
    """The request is the sender's. `delivery` is the delivery ID if it is signed, otherwise None."""

    delivery: str | None = None


def _verify_github(data: JsonObject, call: SignedCall) -> Verified | None:
    given = call.header("x-hub-signature-256").removeprefix("sha256=")
    return (
        _verified_by_content("github", call)
        if _is_equal(_from_hex(given), _mac(_secret_bytes(data), call.body))
        else None
    )


def _verify_standard(data: JsonObject, call: SignedCall) -> Verified | None:
    key = standard_key(str(data.get("secret") or ""))
    for sender in ("webhook", "svix"):
        name, sent_at, signed = (call.header(f"{sender}-{part}") for part in ("id", "timestamp", "signature"))
        # ID, time, and body are signed with dots in between. If the ID contained one, the same content could
        # be parsed as a delivery with another ID.
        if key and signed and "." not in name and _is_fresh(sent_at, call.now):
            wanted = _mac(key, f"{name}.{sent_at}.".encode() + call.body)
            versions = (part.partition(",") for part in signed.split())
            good = [
                _is_equal(_from_base64(value), wanted) for version, _, value in versions if version == "v1"
            ]
            # The same ID for either header: a request from Svix could be replayed with renamed headers.
            found = (
                named_delivery("webhook-id", name)
                if name
                else signed_content("standard", sent_at.encode(), call.body)
            )
            return Verified(found) if any(good) else None
    return None


def _verify_stripe(data: JsonObject, call: SignedCall) -> Verified | None:
    pairs = [part.strip().partition("=") for part in call.header("stripe-signature").split(",")]
    sent_at = next((value for name, _, value in pairs if name == "t"), "")
    if not _is_fresh(sent_at, call.now):
        return None
    wanted = _mac(_secret_bytes(data), f"{sent_at}.".encode() + call.body)
    if not any([_is_equal(_from_hex(value), wanted) for name, _, value in pairs if name == "v1"]):
        return None
    try:
        event = json.loads(call.body)
    except (ValueError, RecursionError):
        event = None
    event_id = event.get("id") if isinstance(event, dict) else None
    if isinstance(event_id, str) and event_id.strip():  # repeated by Stripe with another time and this ID
        return Verified(named_delivery("stripe", event_id.strip()))
    return Verified(signed_content("stripe", sent_at.encode(), call.body))


def _verify_hmac(data: JsonObject, call: SignedCall) -> Verified | None:
    given, prefix = call.header(data.get("headerName")), str(data.get("headerPrefix") or "").strip()
    if not given.startswith(prefix):
        return None
    read = _from_base64 if data.get("encoding") == "base64" else _from_hex
    wanted = _mac(_secret_bytes(data), call.body, str(data.get("algorithm") or "sha256"))
    return (
        _verified_by_content("hmac", call)
        if _is_equal(read(given.removeprefix(prefix).strip()), wanted)
        else None
    )


def _verify_token(data: JsonObject, call: SignedCall) -> Verified | None:
    wanted = str(data.get("token") or "").encode()
    return Verified() if _is_equal(call.header(data.get("headerName")).encode(), wanted) else None


def _verify_basic(data: JsonObject, call: SignedCall) -> Verified | None:
    kind, _, given = call.header("authorization").partition(" ")
    wanted = f"{data.get('username') or ''}:{data.get('password') or ''}".encode()
    good = kind.lower() == "basic" and _is_equal(_from_base64(given.strip()), wanted)
    return Verified() if good else None


SCHEMES: dict[str, Callable[[JsonObject, SignedCall], Verified | None]] = {
    "github": _verify_github,
    "standard": _verify_standard,
    "stripe": _verify_stripe,
    "hmac": _verify_hmac,
    "token": _verify_token,
    "basic": _verify_basic,
}


def _verified_by_content(scheme: str, call: SignedCall) -> Verified:
    """The delivery ID of a scheme that signs only the body: the same body is the same delivery, even an empty
    one.
    """
    return Verified(signed_content(scheme, call.body))


def _secret_bytes(data: JsonObject) -> bytes:
    return str(data.get("secret") or "").encode()


def _mac(key: bytes, content: bytes, algorithm: str = "sha256") -> bytes:
    return hmac.new(key, content, getattr(hashlib, algorithm)).digest()


def _is_equal(given: bytes, wanted: bytes) -> bool:
    return bool(wanted) and hmac.compare_digest(given, wanted)


def _is_fresh(seconds: str, now: EpochMs) -> bool:
    if not (seconds.isascii() and seconds.isdigit()) or len(seconds) > _MAX_TIME_DIGITS:
        return False
    return abs(int(seconds) - now / 1000) <= TOLERANCE_SECONDS


def _from_hex(text: str) -> bytes:
    """Decode hexadecimal; empty, which matches no signature, if it is invalid."""
    try:
        return bytes.fromhex(text)
    except ValueError:
        return b""


def _from_base64(text: str) -> bytes:
    """Decode base64 with or without padding; empty if it is invalid."""
    try:
        return base64.b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4), validate=True)
    except (binascii.Error, ValueError):
        return b""
