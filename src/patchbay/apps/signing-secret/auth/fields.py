"""The form. The schemes that need nothing but a secret come first.

No field decides where the secret goes: it checks calls that come in and is never sent.
"""

from typing import Any

from patchbay.integration import AuthField, Option, screen_name_field

_SCHEMES = (
    ("github", "GitHub: X-Hub-Signature-256"),
    ("standard", "Standard Webhooks: webhook-signature, also Svix"),
    ("stripe", "Stripe: Stripe-Signature"),
    ("hmac", "HMAC of the body in a header of your choice"),
    ("token", "The same token in every call"),
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
    shown = {"scheme": list(schemes)} if schemes else {}
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
    _choice("scheme", "How calls are signed", _SCHEMES),
    _field(
        "secret", "Signing secret", "github", "standard", "stripe", "hmac", required=True,
        description="As the sender shows it, or one you make up and enter there. Nobody can be asked whether "
        "it is right: the first signed call tells.",
    ),
    _field("headerName", "Header", "hmac", "token", required=True, placeholder="X-Signature"),
    _field(
        "headerPrefix", "Before the signature", "hmac", placeholder="sha256=",
        description="What stands before it in the header, if anything.",
    ),
    _choice("algorithm", "Algorithm", _ALGORITHMS, "hmac"),
    _choice("encoding", "The signature is written", _ENCODINGS, "hmac"),
    _field(
        "token", "Token", "token", required=True,
        description="The whole value of the header, such as the secret token of GitLab or Telegram.",
    ),
    _field("username", "User name", "basic", required=True),
    _field("password", "Password", "basic", required=True),
)  # fmt: skip
