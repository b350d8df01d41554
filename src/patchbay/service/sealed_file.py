"""A file encrypted under a passphrase, written and read as a stream.

    magic, version | Argon2id's parameters and salt | the file's key, wrapped | chunk 0 | chunk 1 | …

The file's key is random; only its wrapping depends on the passphrase. Each chunk is AES-256-GCM under that
key. The whole head, the chunk's number and whether it is the last are authenticated with it, so that a chunk
that is changed, moved or missing, at the end too, is noticed. Parameters are stored, so they may grow.
"""

import os
import struct
from typing import BinaryIO

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from patchbay.domain.errors import ValidationFailed
from patchbay.service.key_homes import ITERATIONS, LANES, MEMORY_KIB
from patchbay.service.passphrase_kdf import InvalidKdfParameters, derive_key, has_valid_cost

MAGIC, VERSION = b"PATCHBAY BACKUP", 1
CHUNK_BYTES = 1 << 20

_HEAD = struct.Struct(">15sBIII16s12s")
"""Magic, version, memory in KiB, iterations, lanes, salt, nonce of the wrapped key."""
_TAG_BYTES, _KEY_BYTES = 16, 32
_WRAPPED_BYTES = _KEY_BYTES + _TAG_BYTES
HEAD_BYTES = _HEAD.size + _WRAPPED_BYTES


class EncryptedFileWriter:
    """Encrypts what is written to it. Only `finish` makes the file whole."""

    def __init__(self, file: BinaryIO, passphrase: str) -> None:
        self._file, self._buffer, self._number = file, bytearray(), 0
        key, nonce = os.urandom(_KEY_BYTES), os.urandom(12)
        fixed_head = _HEAD.pack(MAGIC, VERSION, MEMORY_KIB, ITERATIONS, LANES, os.urandom(16), nonce)
        self._head = fixed_head + _wrapping_key(fixed_head, passphrase).encrypt(nonce, key, fixed_head)
        self._cipher = AESGCM(key)
        file.write(self._head)

    def write(self, data: bytes) -> int:
        self._buffer += data
        while len(self._buffer) > CHUNK_BYTES:
            self._write_chunk(bytes(self._buffer[:CHUNK_BYTES]), last=False)
            del self._buffer[:CHUNK_BYTES]
        return len(data)

    def finish(self) -> None:
        """Write the last chunk; without it the file does not open."""
        self._write_chunk(bytes(self._buffer), last=True)
        self._buffer.clear()

    def _write_chunk(self, plain: bytes, *, last: bool) -> None:
        associated_data = _associated_data(self._head, self._number, last)
        self._file.write(self._cipher.encrypt(_nonce(self._number), plain, associated_data))
        self._number += 1


class EncryptedFileReader:
    """Decrypts while it is read. Raises `ValidationFailed` for everything that is not as it was written."""

    def __init__(self, file: BinaryIO, passphrase: str) -> None:
        self._file, self._buffer, self._number = file, b"", 0
        self._head = _check_head(file.read(HEAD_BYTES))
        fixed_head, wrapped = self._head[: _HEAD.size], self._head[_HEAD.size :]
        try:
            key = _wrapping_key(fixed_head, passphrase).decrypt(
                _HEAD.unpack(fixed_head)[-1], wrapped, fixed_head
            )
        except InvalidTag:
            raise restore_error(
                "The passphrase does not open this backup.",
                "It is another one than at the export, or the beginning of the file was changed.",
            ) from None
        self._cipher = AESGCM(key)
        self._next_chunk = file.read(CHUNK_BYTES + _TAG_BYTES)
        self._ended = False

    def read(self, size: int = -1) -> bytes:
        while not self._ended and (size < 0 or len(self._buffer) < size):
            self._buffer += self._read_chunk()
        cut = len(self._buffer) if size < 0 else size
        taken, self._buffer = self._buffer[:cut], self._buffer[cut:]
        return taken

    def _read_chunk(self) -> bytes:
        sealed, self._next_chunk = self._next_chunk, self._file.read(CHUNK_BYTES + _TAG_BYTES)
        self._ended = not self._next_chunk
        try:
            plain = self._cipher.decrypt(
                _nonce(self._number), sealed, _associated_data(self._head, self._number, self._ended)
            )
        except (InvalidTag, ValueError):
            raise damaged_backup_error() from None
        self._number += 1
        return plain


def restore_error(happened: str, meaning: str) -> ValidationFailed:
    """The error for a file that cannot be restored."""
    return ValidationFailed(
        {"file": [happened]}, happened=happened, meaning=f"{meaning} Nothing was changed."
    )


def damaged_backup_error() -> ValidationFailed:
    return restore_error(
        "The backup is damaged or incomplete.", "A part of it is missing or not as it was written."
    )


def _check_head(head: bytes) -> bytes:
    if not head.startswith(MAGIC):
        raise restore_error("This file is not a backup made by Patchbay.", "It begins differently.")
    if len(head) < HEAD_BYTES:
        raise damaged_backup_error()
    _, version, memory, iterations, lanes, _, _ = _HEAD.unpack(head[: _HEAD.size])
    if version != VERSION:
        raise restore_error("The backup was made by a newer version of Patchbay.", "Update Patchbay first.")
    if not has_valid_cost(memory, iterations, lanes):
        raise damaged_backup_error()
    return head


def _wrapping_key(fixed_head: bytes, passphrase: str) -> AESGCM:
    _, _, memory, iterations, lanes, salt, _ = _HEAD.unpack(fixed_head)
    try:
        key = derive_key(passphrase, salt, memory_kib=memory, iterations=iterations, lanes=lanes)
    except InvalidKdfParameters:
        raise damaged_backup_error() from None
    return AESGCM(key)


def _nonce(number: int) -> bytes:
    """A number is enough: the key is this file's own."""
    return number.to_bytes(12, "big")


def _associated_data(head: bytes, number: int, last: bool) -> bytes:
    return head + number.to_bytes(8, "big") + (b"last" if last else b"more")
