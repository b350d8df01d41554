"""A key store whose keys are derived from one data key, so that any number of computers can have it."""

import base64

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from patchbay.domain.errors import SecretsUnavailable
from patchbay.domain.ports import KeyStoreKind
from patchbay.service.key_stores import KEY_BYTES

KEY_NAME_PREFIX = "dek:"
"""What the names of keys begin with. Other names are those of stored values, which this store can't have."""
_KEY_LABEL = b"patchbay named key 1\0"
_FINGERPRINT_LABEL = b"patchbay data key fingerprint 1"
_FINGERPRINT_BYTES = 16


class DataKeyStore:
    """Derives each key from the data key and the key's name, with HKDF-SHA256. Stores nothing."""

    place = "Credentials are encrypted in the database; their key is derived from the data key in a file."
    kind = KeyStoreKind.DATA_KEY_FILE
    holds_items = False
    max_characters: int | None = None

    def __init__(self, data_key: bytes) -> None:
        self._data_key = data_key
        self.fingerprint = _derive(data_key, _FINGERPRINT_LABEL, _FINGERPRINT_BYTES).hex()
        """Identifies the data key without revealing it."""

    async def get(self, name: str) -> str | None:
        """Derive the key of this name; None for other values."""
        if not name.startswith(KEY_NAME_PREFIX):
            return None
        # allow blocking: HKDF takes microseconds
        return base64.b64encode(_derive(self._data_key, _KEY_LABEL + name.encode(), KEY_BYTES)).decode()

    async def set(self, name: str, value: str) -> None:
        """Raise `SecretsUnavailable` unless this is the value that is derived anyway."""
        if await self.get(name) != value:
            raise SecretsUnavailable(
                "A data key can't store other keys or passwords.",
                reason="key_wrong",
                meaning="All keys are derived from the data key (--data-key-file). Nothing was changed.",
                todo="Use the data key that the value was made with, a system keyring, or a passphrase vault "
                "(--passphrase-file).",
            )

    async def delete(self, name: str) -> None:
        """Do nothing: a derived key isn't stored."""


def data_key_required(fingerprint: str) -> SecretsUnavailable:
    """The error for a database with a data key that was opened without one."""
    return SecretsUnavailable(
        "The credentials are encrypted with a data key, which wasn't given.",
        reason="key_not_found",
        meaning=f"Its fingerprint is {fingerprint}. Steps that need a connection can't run without it.",
        todo="Start with --data-key-file FILE, where “patchbay data-key check FILE” shows this fingerprint.",
    )


def wrong_data_key(expected: str, given: str) -> SecretsUnavailable:
    """The error for another data key than that of the database."""
    return SecretsUnavailable(
        "This isn't the data key of this database.",
        reason="key_wrong",
        meaning=f"The database needs the one with the fingerprint {expected}; this one has {given}. "
        "Nothing was changed.",
        todo="Start with the file that the other servers use (--data-key-file).",
    )


def not_under_data_key() -> SecretsUnavailable:
    """The error for secrets whose key is in a keyring or vault, while a data key is given."""
    return SecretsUnavailable(
        "The credentials aren't encrypted with a data key.",
        reason="key_wrong",
        meaning="Their key is in the system keyring or in a passphrase vault. Nothing was changed.",
        todo="Encrypt them with “patchbay data-key apply”, or start without a data key.",
    )


def _derive(data_key: bytes, label: bytes, length: int) -> bytes:
    return HKDF(algorithm=SHA256(), length=length, salt=None, info=label).derive(data_key)
