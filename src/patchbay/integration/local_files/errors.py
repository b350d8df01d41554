"""Errors of the operating system, as errors that people can act on."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from patchbay.domain.errors import AppError, Conflict, Forbidden, NotFound, TimedOut, Unreachable

_FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))
_AWAY = tuple(
    number
    for name in ("EIO", "ENXIO", "ENODEV", "ESTALE", "ETIMEDOUT", "EHOSTDOWN", "EHOSTUNREACH", "ENOTCONN")
    if (number := getattr(errno, name, None)) is not None
)
"""What drives report that were disconnected."""


@contextmanager
def translate_errors(path: object) -> Iterator[None]:
    """Turn the `OSError`s of the block into `AppError`s about this path."""
    try:
        yield
    except OSError as error:
        raise _error(str(path)[:200], error) from error


def link_error(path: object) -> Forbidden:
    """The error for a symbolic link, a junction, or a folder that was replaced by one."""
    return Forbidden(
        f"“{str(path)[:200]}” is a symbolic link, or is reached through one.",
        meaning="Links aren't followed, because they could lead out of the allowed folder.",
        todo="Use the path that the link leads to, and have its folder allowed.",
    )


def not_a_file_error(path: object, *, is_folder: bool) -> Forbidden:
    """The error for a folder, a device, a pipe, or a socket."""
    what = "is a folder" if is_folder else "isn't a regular file"
    return Forbidden(f"“{str(path)[:200]}” {what}.", meaning="Only regular files can be used.")


def linked_file_error(path: object) -> Forbidden:
    """The error for a file with several names, one of which can be outside of the allowed folder."""
    return Forbidden(
        f"“{str(path)[:200]}” has several names (hard links).",
        meaning="Such a file isn't used, because it could be one from outside of the allowed folder.",
        todo="Replace it by a copy, or delete its other names.",
    )


def own_data_error(path: object) -> Forbidden:
    """The error for Patchbay's own files, and for those of the kernel."""
    return Forbidden(
        f"“{str(path)[:200]}” belongs to Patchbay or to the system.",
        meaning="Steps can't read or change such files, even inside an allowed folder.",
    )


def own_data_below_error(path: object) -> Forbidden:
    """The error for writing next to Patchbay's own folder, with a library that could reach into it."""
    return Forbidden(
        f"“{str(path)[:200]}” can't be changed: a folder below its own belongs to Patchbay.",
        meaning="A malicious file could damage Patchbay's data.",
        todo="Move the file to a folder of its own.",
    )


def not_confined_error(path: object) -> Forbidden:
    """The error for writing with a library where the system can't restrict it to a folder."""
    return Forbidden(
        f"“{str(path)[:200]}” can't be changed on this computer.",
        meaning="The system can't keep a change inside the folder, which takes Linux with Landlock.",
        todo="Only read the file here, or run the flow on a computer with Landlock.",
    )


def slow_error(path: object) -> TimedOut:
    """The error for work that took too long, and was ended."""
    return TimedOut(
        f"“{str(path)[:200]}” took too long.",
        meaning="Nothing was changed.",
        todo="Check that its drive is fast enough.",
    )


def _error(path: str, error: OSError) -> AppError:
    number, said = error.errno, error.strerror or type(error).__name__
    if isinstance(error, FileExistsError):
        return Conflict(f"“{path}” already exists.", meaning="Nothing was changed.")
    if isinstance(error, FileNotFoundError):
        return NotFound(f"“{path}” doesn't exist.", todo="Check the path.")
    if number in (errno.ELOOP, errno.ENOTDIR):
        return link_error(path)
    if isinstance(error, PermissionError):
        return Forbidden(
            f"The operating system denies access to “{path}” ({said}).",
            todo="Give access to the user that Patchbay runs as.",
        )
    if number in _FULL:
        return AppError(f"The disk of “{path}” is full.", todo="Free space on it.")
    if number in _AWAY:
        return Unreachable(
            f"Couldn't reach “{path}” ({said}).", todo="Check that its drive is connected, then retry."
        )
    return AppError(f"Couldn't use “{path}”: {said}.")
