"""Ways to prove who sends. Each takes what was entered and the call; secrets are compared in constant time.

Sources: GitHub, "Validating webhook deliveries"; Standard Webhooks 1.0; Stripe, "Verify manually".
"""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from patchbay.domain.base import EpochMs, Json, JsonObject

TOLERANCE_SECONDS = 300
"""How far the sender's clock may be from ours; older calls may have been recorded and sent again."""


@dataclass(frozen=True)
class Call:
    """What was sent: headers by their lower-case names, the body as it came, and the time."""

    headers: Mapping[str, str]
    body: bytes = field(repr=False)
    now: EpochMs

    def header(self, name: Json) -> str:
        return self.headers.get(str(name or "").strip().lower(), "").strip()


def standard_key(secret: str) -> bytes | None:
    """The key in a secret of Standard Webhooks; None when there is none."""
    return _from_base64(secret.removeprefix("whsec_")) or None


def _github(data: JsonObject, call: Call) -> bool:
    given = call.header("x-hub-signature-256").removeprefix("sha256=")
    return _same(_from_hex(given), _mac(_secret(data), call.body))


def _standard(data: JsonObject, call: Call) -> bool:
    key = standard_key(str(data.get("secret") or ""))
    for sender in ("webhook", "svix"):
        sent_at, signed = call.header(f"{sender}-timestamp"), call.header(f"{sender}-signature")
        if key and signed and _is_fresh(sent_at, call.now):
            content = f"{call.header(f'{sender}-id')}.{sent_at}.".encode() + call.body
            wanted = _mac(key, content)
            versions = (part.partition(",") for part in signed.split())
            return any(
                [_same(_from_base64(value), wanted) for version, _, value in versions if version == "v1"]
            )
    return False


def _stripe(data: JsonObject, call: Call) -> bool:
    pairs = [part.strip().partition("=") for part in call.header("stripe-signature").split(",")]
    sent_at = next((value for name, _, value in pairs if name == "t"), "")
    if not _is_fresh(sent_at, call.now):
        return False
    wanted = _mac(_secret(data), f"{sent_at}.".encode() + call.body)
    return any([_same(_from_hex(value), wanted) for name, _, value in pairs if name == "v1"])


def _hmac(data: JsonObject, call: Call) -> bool:
    given, prefix = call.header(data.get("headerName")), str(data.get("headerPrefix") or "").strip()
    if not given.startswith(prefix):
        return False
    read = _from_base64 if data.get("encoding") == "base64" else _from_hex
    wanted = _mac(_secret(data), call.body, str(data.get("algorithm") or "sha256"))
    return _same(read(given.removeprefix(prefix).strip()), wanted)


def _token(data: JsonObject, call: Call) -> bool:
    wanted = str(data.get("token") or "").encode()
    return _same(call.header(data.get("headerName")).encode(), wanted)


def _basic(data: JsonObject, call: Call) -> bool:
    kind, _, given = call.header("authorization").partition(" ")
    wanted = f"{data.get('username') or ''}:{data.get('password') or ''}".encode()
    return kind.lower() == "basic" and _same(_from_base64(given.strip()), wanted)


SCHEMES: dict[str, Callable[[JsonObject, Call], bool]] = {
    "github": _github, "standard": _standard, "stripe": _stripe, "hmac": _hmac, "token": _token,
    "basic": _basic,
}  # fmt: skip


def _secret(data: JsonObject) -> bytes:
    return str(data.get("secret") or "").encode()


def _mac(key: bytes, content: bytes, algorithm: str = "sha256") -> bytes:
    return hmac.new(key, content, getattr(hashlib, algorithm)).digest()


def _same(given: bytes, wanted: bytes) -> bool:
    return bool(wanted) and hmac.compare_digest(given, wanted)


def _is_fresh(seconds: str, now: EpochMs) -> bool:
    return seconds.isascii() and seconds.isdigit() and abs(int(seconds) - now / 1000) <= TOLERANCE_SECONDS


def _from_hex(text: str) -> bytes:
    """Empty, which is nobody's signature, for what is not hexadecimal."""
    try:
        return bytes.fromhex(text)
    except ValueError:
        return b""


def _from_base64(text: str) -> bytes:
    """With or without its padding; empty for what is not base64."""
    try:
        return base64.b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4), validate=True)
    except (binascii.Error, ValueError):
        return b""
