"""The file with the data key that several computers share: reading and creating it."""

import base64
import binascii
import os
from pathlib import Path

from patchbay.bootstrap.private_files import read_private_text
from patchbay.domain.errors import Conflict, NotFound, StorageFault, ValidationFailed
from patchbay.domain.file_moves import delete_file
from patchbay.platform.paths import DATA_KEY_FILE_VARIABLE, PRIVATE
from patchbay.service.data_key_store import DataKeyStore
from patchbay.service.key_stores import KEY_BYTES

VARIABLE = "PATCHBAY_DATA_KEY"
"""The name of the key in an environment file. As an environment variable it is rejected."""
_OPTION = "data-key-file"
_LEAST_DIFFERENT_BYTES = 12
"""A random key of 32 bytes practically always has more (the chance of fewer is below 10^-20)."""


def open_data_key(file: Path) -> DataKeyStore:
    """The key store of the data key in this file. Raises `ValidationFailed`, also if others can read it."""
    require_no_key_in_environment()
    return DataKeyStore(read_data_key(file))


def require_no_key_in_environment() -> None:
    """Raise `ValidationFailed` if an environment variable contains the data key."""
    if os.environ.get(VARIABLE):
        raise ValidationFailed(
            {_OPTION: ["the key is in the environment"]},
            happened=f"The environment variable {VARIABLE} contains a data key, so nothing was started.",
            meaning="Other programs of this user can read it there, and it ends up in dumps and reports.",
            todo=f"Leave it in a file, and give that file with --{_OPTION} or {DATA_KEY_FILE_VARIABLE}.",
        )


def read_data_key(file: Path) -> bytes:
    """Read the data key: base64 alone, or the line `PATCHBAY_DATA_KEY=` of an environment file."""
    values = _find_values(read_private_text(file, "data key", _OPTION))
    key = _decode(values[0]) if len(values) == 1 else None
    if key is None:
        raise ValidationFailed(
            {_OPTION: ["it contains no data key"]},
            happened=f"{file} contains no data key.",
            meaning=f"A data key is one line: {KEY_BYTES} random bytes in base64, also behind {VARIABLE}=. "
            "The file may be damaged or incomplete.",
            todo="Copy it again from another server, or create one with “patchbay data-key create FILE”.",
        )
    if len(set(key)) < _LEAST_DIFFERENT_BYTES:
        raise ValidationFailed(
            {_OPTION: ["it isn't random"]},
            happened=f"The data key in {file} isn't random, so it wasn't used.",
            todo="Create one with “patchbay data-key create FILE”.",
        )
    return key


def create_data_key(file: Path) -> DataKeyStore:
    """Create a data key in a new file that only this user can read. Raises `Conflict` if the file exists."""
    key = os.urandom(KEY_BYTES)
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE)
    except FileExistsError:
        raise Conflict(
            f"{file} already exists.",
            meaning="A data key is never overwritten: secrets would be lost.",
            todo="Choose another name.",
        ) from None
    except FileNotFoundError as error:
        raise NotFound(
            f"There is no folder {file.parent}, so no data key was created.",
            todo="Create it first, with access only for you or the user of the server.",
        ) from error
    except OSError as error:
        raise _not_written(file, error) from error
    try:
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(base64.b64encode(key) + b"\n")
            opened.flush()
            os.fsync(opened.fileno())
        _store_name(file.parent)
        return DataKeyStore(read_data_key(file))
    except OSError as error:
        delete_file(file)
        raise _not_written(file, error) from error
    except BaseException:
        delete_file(file)
        raise


def _find_values(text: str) -> list[str]:
    """The values that may be the data key: those of its variable, or else the only line."""
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.startswith(("#", ";"))]
    named = [line.removeprefix(f"{VARIABLE}=").strip() for line in lines if line.startswith(f"{VARIABLE}=")]
    return [
        value[1:-1] if value[:1] == value[-1:] and value[:1] in "'\"" else value for value in named or lines
    ]


def _decode(text: str) -> bytes | None:
    try:
        key = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return key if len(key) == KEY_BYTES else None


def _store_name(folder: Path) -> None:
    """Make the name of a new file durable, where folders can be synchronised."""
    if hasattr(os, "O_DIRECTORY"):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _not_written(file: Path, error: OSError) -> StorageFault:
    return StorageFault(f"{file} can't be written: {error.strerror}.", todo="Choose another location.")
