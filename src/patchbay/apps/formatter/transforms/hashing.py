"""Hashes of texts, with or without a secret key."""

import hashlib
import hmac
from base64 import b64encode

from patchbay.integration.values import parameter_error

ALGORITHMS = {"sha256": "SHA-256", "sha512": "SHA-512", "sha384": "SHA-384", "sha1": "SHA-1", "md5": "MD5"}
ENCODINGS = {"hex": "Hexadecimal", "base64": "Base64"}


def hash_text(text: str, algorithm: str, key: str, encoding: str) -> str:
    """The hash of the text in UTF-8; with a key, its HMAC."""
    if algorithm not in ALGORITHMS:
        raise parameter_error("algorithm", "Choose an algorithm.")
    content = text.encode("utf-8", "replace")
    if key:
        digest = hmac.new(key.encode("utf-8", "replace"), content, algorithm).digest()
    else:
        digest = hashlib.new(algorithm, content, usedforsecurity=False).digest()
    return b64encode(digest).decode("ascii") if encoding == "base64" else digest.hex()
