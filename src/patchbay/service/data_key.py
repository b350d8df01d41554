"""The data key: AES-256-GCM over one value, bound to its place."""

import json
import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from patchbay.domain.base import ConnectionId
from patchbay.storage.repositories.secrets import Sealed

FORMAT = 1
NONCE_BYTES = 12
KEY_BYTES = 32

_CHECK_TEXT = b"patchbay data key"


class DataKey:
    """A key in memory; shows nothing of itself. For a wrong key or damaged value it raises `InvalidTag`."""

    __slots__ = ("_cipher", "_profile", "key_id")

    def __init__(self, profile: str, key_id: str, raw: bytes) -> None:
        self._profile, self.key_id = profile, key_id
        self._cipher = AESGCM(raw)

    def seal(self, connection_id: ConnectionId, plain: bytes) -> Sealed:
        """Encrypt a value for one connection; elsewhere it does not open."""
        nonce, associated_data = os.urandom(NONCE_BYTES), self._associated_data(FORMAT, connection_id)
        return Sealed(
            connection_id, FORMAT, self.key_id, nonce, self._cipher.encrypt(nonce, plain, associated_data)
        )

    def open(self, sealed: Sealed) -> bytes:
        return self._decrypt(
            sealed.nonce, sealed.ciphertext, self._associated_data(sealed.format, sealed.connection_id)
        )

    def check_value(self) -> bytes:
        """What tells this key from every other, without telling anything of it."""
        nonce = os.urandom(NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, _CHECK_TEXT, self._check_associated_data())

    def require(self, check: bytes) -> None:
        """Raise `InvalidTag` unless the check value is one of this key."""
        self._decrypt(check[:NONCE_BYTES], check[NONCE_BYTES:], self._check_associated_data())

    def _decrypt(self, nonce: bytes, ciphertext: bytes, associated_data: bytes) -> bytes:
        try:
            return self._cipher.decrypt(nonce, ciphertext, associated_data)
        except (ValueError, TypeError):  # an empty nonce, or text where bytes should be
            raise InvalidTag from None

    def _associated_data(self, version: int, connection_id: ConnectionId) -> bytes:
        return json.dumps([version, self._profile, connection_id, self.key_id]).encode()

    def _check_associated_data(self) -> bytes:
        return json.dumps(["check", FORMAT, self._profile, self.key_id]).encode()
