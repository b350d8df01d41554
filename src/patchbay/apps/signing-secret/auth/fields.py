"""The fields of the form. Schemes that need only a secret come first.

No field decides where the secret is sent: it verifies incoming requests, and is never sent.
"""

from typing import Any

from patchbay.domain.base import Json
from patchbay.integration import AuthField, Option, screen_name_field

_SCHEMES = (
    ("github", "GitHub: X-Hub-Signature-256"),
    ("standard", "Standard Webhooks: webhook-signature, also Svix"),
    ("stripe", "Stripe: Stripe-Signature"),
    ("hmac", "HMAC of the body in a custom header"),
    ("token", "Token in a header"),
    ("basic", "User name and password"),
)
_ALGORITHMS = (("sha256", "SHA-256"), ("sha1", "SHA-1"), ("sha512", "SHA-512"))
_ENCODINGS = (("hex", "Hexadecimal"), ("base64", "Base64"))


def _field(key: str, label: str, *schemes: str, **more: Any) -> AuthField:
    return AuthField(
        key=key, label=label, visible_if={"scheme": list(schemes)}, decides_destination=False, **more
    )


def _choice(key: str, label: str, options: tuple[tuple[str, str], ...], *schemes: str) -> AuthField:
    choices = tuple(Option(label=text, value=value) for value, text in options)
    shown: dict[str, Json] = {"scheme": [*schemes]} if schemes else {}
    return AuthField(
        key=key,
        label=label,
        options=choices,
        value=options[0][0],
        required=True,
        visible_if=shown,
        decides_destination=False,
    )


fields = (
    screen_name_field(),
    _choice("scheme", "Signature type", _SCHEMES),
    _field(
        "secret",
        "Signing secret",
        "github",
        "standard",
        "stripe",
        "hmac",
        required=True,
        description="Copy it from the sender, or choose one and enter it there. It can't be verified until "
        "the first signed request arrives.",
    ),
    _field("headerName", "Header", "hmac", "token", required=True, placeholder="X-Signature"),
    _field(
        "headerPrefix",
        "Signature prefix",
        "hmac",
        placeholder="sha256=",
        description="Text before the signature in the header, if any.",
    ),
    _choice("algorithm", "Algorithm", _ALGORITHMS, "hmac"),
    _choice("encoding", "Signature encoding", _ENCODINGS, "hmac"),
    _field(
        "token",
        "Token",
        "token",
        required=True,
        description="The full header value, such as the secret token of GitLab or Telegram.",
    ),
    _field("username", "User name", "basic", required=True),
    _field("password", "Password", "basic", required=True),
)
