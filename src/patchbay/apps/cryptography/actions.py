"""Actions. They need no connection and send no requests."""

from patchbay.integration import Action, Argument, Context, OnInterrupted, dropdown, text
from patchbay.integration.values import parameter_error, text_of

from .signing import ENCODINGS, hmac_sha256, rsa_sha256

_MESSAGE = text(
    "message",
    "Message",
    required=True,
    multiline=True,
    description="Exactly the text that the receiver gets, including spaces and line breaks.",
)
_OUTPUT_ENCODING = dropdown(
    "outputEncoding",
    "Output encoding",
    (("base64", "Base64"), ("base64url", "Base64 for URLs, without padding"), ("hex", "Hexadecimal")),
    required=True,
    variables=True,
    value="hex",
)


def _algorithm(value: str, label: str) -> Argument:
    return dropdown("algorithm", "Algorithm", ((value, label),), required=True, variables=True, value=value)


def _require_algorithm(ctx: Context, supported: str) -> None:
    chosen = text_of(ctx.parameters, "algorithm")
    if chosen != supported:
        raise parameter_error("algorithm", f"“{chosen[:60]}” isn't supported.", f"Choose {supported}.")


def _encode(ctx: Context, content: bytes) -> str:
    """The bytes in the chosen encoding."""
    chosen = text_of(ctx.parameters, "outputEncoding")
    if chosen not in ENCODINGS:
        raise parameter_error(
            "outputEncoding", f"“{chosen[:60]}” isn't an encoding.", f"Choose one of {', '.join(ENCODINGS)}."
        )
    return ENCODINGS[chosen](content)


async def _run_hmac(ctx: Context) -> None:
    _require_algorithm(ctx, "sha256")
    key = text_of(ctx.parameters, "secretKey")
    if not key:
        raise parameter_error(
            "secretKey", "The secret key is empty.", "Without a key, anyone can create the HMAC."
        )
    ctx.set_action_item({"hash": _encode(ctx, hmac_sha256(key, text_of(ctx.parameters, "message")))})


async def _run_signature(ctx: Context) -> None:
    _require_algorithm(ctx, "RSA-SHA256")
    signature = rsa_sha256(text_of(ctx.parameters, "privateKey"), text_of(ctx.parameters, "message"))
    ctx.set_action_item({"signature": _encode(ctx, signature)})


create_hmac = Action(
    key="createHmac",
    name="Create HMAC",
    description="Calculates an authentication code of a message with a secret key.",
    supports_connections=False,
    on_interrupted=OnInterrupted.REPEAT,
    arguments=(
        _algorithm("sha256", "HMAC-SHA256"),
        _MESSAGE,
        text("secretKey", "Secret key", required=True),
        _OUTPUT_ENCODING,
    ),
    run=_run_hmac,
)

create_signature = Action(
    key="createSignature",
    name="Create signature",
    description="Signs a message with a private RSA key.",
    supports_connections=False,
    on_interrupted=OnInterrupted.REPEAT,
    arguments=(
        _algorithm("RSA-SHA256", "RSA-SHA256 (PKCS #1 v1.5)"),
        _MESSAGE,
        text(
            "privateKey",
            "Private key",
            required=True,
            multiline=True,
            description="In PEM format, without a password.",
        ),
        _OUTPUT_ENCODING,
    ),
    run=_run_signature,
)
