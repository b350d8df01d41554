"""Decides which installed programs steps may run: none that someone else could replace, and no shells."""

import ntpath
import os
import stat
import sys
from collections.abc import Sequence

_SHOWN = 200
_MAX_LENGTH = 4_000
_MAX_LINKS = 40
# fmt: off
_SHELLS = frozenset((
    "sh", "bash", "dash", "ash", "zsh", "fish", "ksh", "csh", "tcsh", "busybox", "cmd", "powershell", "pwsh",
))
# fmt: on
_VIRTUAL_FOLDERS = ("/proc", "/dev", "/sys")
"""Folders of Unix whose paths lead elsewhere in each process."""
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


class UnsafeProgram(Exception):
    """A program can't be allowed or run. The text says why, as a sentence."""


def find_program_problem(path: str, folders: Sequence[str], *, windows: bool = os.name == "nt") -> str:
    """Why a program can't be allowed or run, as a sentence; empty if it can. Looks at the disk."""
    try:
        require_safe_program(path, folders, windows=windows)
    except UnsafeProgram as problem:
        return str(problem)
    return ""


def require_safe_program(path: str, folders: Sequence[str], *, windows: bool = os.name == "nt") -> str:
    """The file that the path of a program leads to. Raises `UnsafeProgram`. Looks at the disk.

    `folders` are those whose files steps can change: a program in one of them could be replaced by a flow.
    """
    shown = path[:_SHOWN]
    if len(path) > _MAX_LENGTH or "\0" in path or not _is_full(path, windows):
        raise UnsafeProgram(f"“{shown}” isn't the full path of a program.")
    if windows and not path.lower().endswith(".exe"):
        raise UnsafeProgram(
            f"“{shown}” isn't an .exe file. Batch files and scripts need a shell, which values could misuse."
        )
    try:
        passed = [os.path.realpath(path)] if windows else _follow(path)
        if any(_stem(one) in _SHELLS for one in (path, passed[-1])):
            raise UnsafeProgram(
                f"“{shown}” is a shell, in which every value could become a command. "
                "Allow a program or script."
            )
        status = os.stat(passed[-1])
    except PermissionError:
        raise UnsafeProgram(f"The user that runs Patchbay isn't allowed to look at “{shown}”.") from None
    except (OSError, ValueError):
        raise UnsafeProgram(f"There is no program “{shown}” on the computer that runs the flows.") from None
    if not stat.S_ISREG(status.st_mode) or not os.access(passed[-1], os.X_OK):
        raise UnsafeProgram(f"“{shown}” isn't a program that can be run.")
    if any(is_below(one, folder) for one in (path, *passed) for folder in folders):
        raise UnsafeProgram(
            f"“{shown}” is in a folder for files, where a flow could replace it. Move it elsewhere."
        )
    return passed[-1]


def is_below(path: str, folder: str) -> bool:
    """Whether a real path is inside this folder. Looks at the disk."""
    around = os.path.normcase(os.path.realpath(folder))
    return os.path.normcase(path).startswith(os.path.join(around, ""))


def _follow(path: str) -> list[str]:
    """The folders and links on the way to a file of Unix, and the file, each checked by `_require_protected`.

    Raises `OSError` if there is none.
    """
    reached, passed, links = "/", ["/"], 0
    _require_protected(reached, os.lstat(reached))
    pending = path.split("/")[::-1]
    while pending:
        name = pending.pop()
        if name in ("", "."):
            continue
        if name == "..":
            reached = os.path.dirname(reached)
            passed.append(reached)
            continue
        here = os.path.join(reached, name)
        if here in _VIRTUAL_FOLDERS:
            raise UnsafeProgram(f"“{path[:_SHOWN]}” leads through {here}, which isn't the same everywhere.")
        status = os.lstat(here)
        _require_protected(here, status)
        passed.append(here)
        if not stat.S_ISLNK(status.st_mode):
            reached = here
            continue
        links += 1
        if links > _MAX_LINKS:
            raise OSError(f"more than {_MAX_LINKS} links")
        target = os.readlink(here)
        reached = "/" if target.startswith("/") else reached
        pending += target.split("/")[::-1]
    return [*passed, reached]


def _require_protected(path: str, status: os.stat_result) -> None:
    """Raise `UnsafeProgram` if others can change a file, folder, or link.

    In a sticky folder such as /tmp, others can add files, but can't replace those of the user or of root.
    """
    if sys.platform == "win32":
        return
    if status.st_uid not in (0, os.geteuid()):
        raise UnsafeProgram(
            f"“{path[:_SHOWN]}” belongs to another user of the computer, who could replace the program. "
            "It must belong to root or to the user that runs Patchbay."
        )
    is_sticky = stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX
    if status.st_mode & _OTHERS_WRITE and not is_sticky and not stat.S_ISLNK(status.st_mode):
        raise UnsafeProgram(
            f"Other users of the computer can change “{path[:_SHOWN]}”, and so replace the program. "
            "Take the permission to write from its group and from others first."
        )


def _is_full(path: str, windows: bool) -> bool:
    if not windows:
        return os.path.normpath(path) == path and path.startswith("/") and not path.startswith("//")
    drive, rest = ntpath.splitdrive(path)
    return len(drive) == 2 and rest.startswith("\\") and ntpath.normpath(path) == path


def _stem(path: str) -> str:
    name = path.replace("\\", "/").rpartition("/")[2].lower()
    return name.removesuffix(".exe")
