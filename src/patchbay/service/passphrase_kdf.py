"""Argon2id with bounds: parameters come from files that others may have written.

A file that asks for more than the bounds was not written by Patchbay; deriving its key would take the
computer's memory or minutes of its time before anything else about the file can be checked.
"""

from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

MAX_MEMORY_KIB, MAX_ITERATIONS, MAX_LANES = 1 << 19, 32, 16
MAX_WORK_KIB = 1 << 22
"""Memory times iterations: about four seconds."""
KEY_BYTES = 32


class InvalidKdfParameters(ValueError):
    """The parameters are out of bounds, or there isn't enough memory for them."""


def derive_key(passphrase: str, salt: bytes, *, memory_kib: int, iterations: int, lanes: int) -> bytes:
    """A key of 32 bytes. Raises `InvalidKdfParameters` before any memory is taken."""
    if not has_valid_cost(memory_kib, iterations, lanes) or len(salt) < 8:
        raise InvalidKdfParameters
    derive = Argon2id(
        salt=salt, length=KEY_BYTES, iterations=iterations, lanes=lanes, memory_cost=memory_kib
    )  # fmt: skip
    try:
        return derive.derive(passphrase.encode())
    except MemoryError as error:
        raise InvalidKdfParameters from error


def has_valid_cost(memory_kib: int, iterations: int, lanes: int) -> bool:
    return (
        1 <= lanes <= MAX_LANES
        and 1 <= iterations <= MAX_ITERATIONS
        and 8 * lanes <= memory_kib <= MAX_MEMORY_KIB
        and memory_kib * iterations <= MAX_WORK_KIB
    )
