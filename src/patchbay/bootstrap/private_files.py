"""Reads secrets from files that only their owner can read."""

import os
import stat
import sys
from pathlib import Path

from patchbay.domain.charsets import decode_text_file
from patchbay.domain.errors import ValidationFailed
from patchbay.platform.access_lists import is_private

MAX_BYTES = 64 * 1024
_OPEN_FLAGS = (
    os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
)
"""Opening a pipe must not wait for its other end."""


def read_private_text(file: Path, secret_name: str, option: str) -> str:
    """Read a secret (`secret_name`) from a file that only its owner can read, given by `option`.

    Strips line breaks at the end. Follows links: what counts is the file that they lead to.
    """
    try:
        with os.fdopen(os.open(file, _OPEN_FLAGS), "rb") as opened:
            about = os.fstat(opened.fileno())
            _require_private(file, about, secret_name, option)
            raw = opened.read(MAX_BYTES + 1)
    except FileNotFoundError as error:
        raise ValidationFailed(
            {option: ["there is no such file"]},
            happened=f"There is no file {file}, which should contain the {secret_name}.",
            todo="Check the path.",
        ) from error
    except OSError as error:
        raise ValidationFailed(
            {option: [error.strerror or ""]}, happened=f"{file} can't be read: {error.strerror}."
        ) from error
    if len(raw) > MAX_BYTES:
        raise ValidationFailed(
            {option: ["it is too large"]},
            happened=f"{file} is too large for a {secret_name}.",
            meaning=f"It has more than {MAX_BYTES // 1024} KB.",
        )
    try:
        text = decode_text_file(raw).rstrip("\r\n")
    except UnicodeDecodeError:
        raise ValidationFailed(
            {option: ["it isn't a text file"]},
            happened=f"{file} isn't a text file in UTF-8 or UTF-16.",
            todo="Save it as UTF-8.",
        ) from None  # the original error contains the file
    if not text:
        raise ValidationFailed({option: ["it is empty"]}, happened=f"{file} contains no {secret_name}.")
    return text


def _require_private(file: Path, about: os.stat_result, secret_name: str, option: str) -> None:
    if not stat.S_ISREG(about.st_mode):
        raise ValidationFailed(
            {option: ["it isn't a regular file"]},
            happened=f"{file} isn't a regular file, so no {secret_name} was read from it.",
            todo="Use a file that you own and only you can read.",
        )
    if sys.platform != "win32" and about.st_uid not in (os.geteuid(), 0):
        raise ValidationFailed(
            {option: ["it belongs to another user"]},
            happened=f"{file} belongs to another user, so its {secret_name} wasn't used.",
            todo="Use a file that you own and only you can read.",
        )
    if sys.platform != "win32" and about.st_mode & 0o077 and not _is_credential(file, about):
        raise ValidationFailed(
            {option: ["it can be read by others"]},
            happened=f"{file} can be read by other users, so its {secret_name} wasn't used.",
            todo=f"Make it private with: chmod 600 {file}",
        )
    if not is_private(file):
        raise ValidationFailed(
            {option: ["it can be read by others"]},
            happened=f"{file} can be read by other users, so its {secret_name} wasn't used.",
            todo=f'Make it private with: icacls "{file}" /inheritance:r /grant:r "%USERNAME%:F"',
        )


def _is_credential(file: Path, about: os.stat_result) -> bool:
    """Whether systemd made this file for this service. It lets the service's user read it by an access list,
    whose mask looks like a right of the group.
    """
    if about.st_mode & 0o337:
        return False
    folder = Path(os.environ.get("CREDENTIALS_DIRECTORY", ""))
    if not folder.is_absolute() or file.resolve().parent != folder.resolve():
        return False
    parent = folder.stat()
    return parent.st_uid in (os.geteuid(), 0) and not parent.st_mode & 0o022
