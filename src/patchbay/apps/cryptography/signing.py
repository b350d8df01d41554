"""HMAC-SHA256 and RSA-SHA256 (PKCS #1 v1.5), and how their bytes become text."""

import base64
import hashlib
import hmac
from collections.abc import Callable, Mapping

from patchbay.domain.errors import ValidationFailed
from patchbay.integration.values import parameter_error

MAX_KEY_LENGTH = 7000
"""Max. characters of a private key: enough for 8192 bits. Checking larger ones takes seconds."""

ENCODINGS: Mapping[str, Callable[[bytes], str]] = {
    "base64": lambda content: base64.b64encode(content).decode(),
    "base64url": lambda content: base64.urlsafe_b64encode(content).decode().rstrip("="),
    "hex": bytes.hex,
}


def hmac_sha256(key: str, message: str) -> bytes:
    """The HMAC-SHA256 of a message; both are encoded in UTF-8."""
    return hmac.new(_encode(key), _encode(message), hashlib.sha256).digest()


def rsa_sha256(private_key: str, message: str) -> bytes:
    """The signature of a message with an RSA key in PEM format. Errors don't contain the key."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    # In JSON files and environment variables, line breaks are often written as \n.
    pem = private_key.replace("\\n", "\n").strip()
    if len(pem) > MAX_KEY_LENGTH:
        raise _key_error("The private key is too long.", "Use an RSA key of at most 8192 bits.")
    try:
        key = load_pem_private_key(_encode(pem), password=None)
        if not isinstance(key, RSAPrivateKey):
            raise _key_error("The private key isn't an RSA key.", "Enter an RSA key.")
        return key.sign(_encode(message), PKCS1v15(), SHA256())
    except TypeError:
        raise _key_error(
            "The private key is protected by a password.", "Remove it, for example with openssl pkey."
        ) from None
    except (ValueError, UnsupportedAlgorithm):
        raise _key_error(
            "Couldn't read the private key.",
            "Enter it in PEM format, with the lines that begin with -----BEGIN and -----END.",
        ) from None


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _key_error(message: str, todo: str) -> ValidationFailed:
    return parameter_error("privateKey", message, todo)
