"""Argon2id with bounds: parameters come from files that others may have written.

A file that asks for more than the bounds was not written by Patchbay; deriving its key would take the
computer's memory or minutes of its time before anything else about the file can be checked.
"""

from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

MOST_MEMORY_KIB, MOST_ITERATIONS, MOST_LANES = 1 << 19, 32, 16
MOST_WORK_KIB = 1 << 22
"""Memory times iterations: about four seconds."""
KEY_BYTES = 32


class UnacceptableParameters(ValueError):
    """The parameters are out of bounds, or there isn't enough memory for them."""


def derive_key(passphrase: str, salt: bytes, *, memory_kib: int, iterations: int, lanes: int) -> bytes:
    """A key of 32 bytes. Raises `UnacceptableParameters` before any memory is taken."""
    if not acceptable(memory_kib, iterations, lanes) or len(salt) < 8:
        raise UnacceptableParameters
    derive = Argon2id(
        salt=salt, length=KEY_BYTES, iterations=iterations, lanes=lanes, memory_cost=memory_kib
    )  # fmt: skip
    try:
        return derive.derive(passphrase.encode())
    except MemoryError as error:
        raise UnacceptableParameters from error


def acceptable(memory_kib: int, iterations: int, lanes: int) -> bool:
    return (
        1 <= lanes <= MOST_LANES
        and 1 <= iterations <= MOST_ITERATIONS
        and 8 * lanes <= memory_kib <= MOST_MEMORY_KIB
        and memory_kib * iterations <= MOST_WORK_KIB
    )
