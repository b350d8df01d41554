"""`ctx.programs`: runs installed programs that an admin allows, as the system user that runs Patchbay.

Unlike the sandbox, they aren't isolated: they are programs of this computer, which a flow's author can only
choose from a list. They are started without a shell and by their full path, so no value can become a command.
"""

import getpass
import ntpath
import os
import stat
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from patchbay.domain.errors import AppError, Forbidden
from patchbay.integration.local_files import AllowedPath, FileAccess
from patchbay.integration.sandbox.bubblewrap import Launch
from patchbay.integration.sandbox.processes import run_process
from patchbay.integration.sandbox.program import Limits, ProcessResult, supervised_argv

ALLOW_HINT = (
    "Ask an admin to allow the program in Settings → Engine, or with "
    "`patchbay engine settings --allow-program PATH`."
)
MAX_MEGABYTES = 4_096
"""Memory of a program with everything it starts."""
_SHOWN = 200
_MAX_LENGTH = 4_000
# fmt: off
_SHELLS = frozenset((
    "sh", "bash", "dash", "ash", "zsh", "fish", "ksh", "csh", "tcsh", "busybox", "cmd", "powershell", "pwsh",
))
# fmt: on
_PATH = "/usr/local/bin:/usr/bin:/bin"
_KEPT_ON_WINDOWS = ("SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "USERPROFILE", "TEMP", "TMP", "USERNAME")


@dataclass(frozen=True, slots=True)
class ProgramCall:
    """What to start: the path of an allowed program, its arguments, and the folder to start it in."""

    path: str
    arguments: tuple[str, ...]
    folder: AllowedPath
    stdin: bytes = b""
    seconds: int = 60
    time_zone: str = "UTC"


class ProgramAccess:
    """The programs that an admin allows, at this moment. Belongs to one workspace."""

    def __init__(self, allowed: Callable[[], Sequence[str]], files: FileAccess) -> None:
        self._allowed, self._files = allowed, files

    @property
    def allowed(self) -> Sequence[str]:
        """The full paths of the allowed programs."""
        return self._allowed()

    def find_rejection(self, label: str, entered: object) -> Forbidden | None:
        """Why a step with this program can't run; None if it can. Doesn't look at the disk."""
        if isinstance(entered, str) and entered in self.allowed:
            return None
        if not entered:
            return Forbidden(
                f"{label} has no program.", meaning="No step was run.", todo="Choose a program in the step."
            )
        return Forbidden(
            f"{label} runs “{str(entered)[:_SHOWN]}”, which isn't an allowed program.",
            meaning="No step was run.",
            todo=ALLOW_HINT,
        )

    async def run(self, call: ProgramCall) -> ProcessResult:
        """Run a program, then end all processes it started. Raises `Forbidden` if it can't be used."""
        if (rejection := self.find_rejection("This step", call.path)) is not None:
            raise rejection
        await self._files.require_folder(call.folder)
        roots = tuple(self._files.allowed_folders)
        if problem := await self._files.run(lambda: find_program_problem(call.path, roots), call.folder):
            raise Forbidden(problem, meaning="The program wasn't run.", todo=ALLOW_HINT)
        argv = supervised_argv((call.path, *call.arguments))
        limits = Limits(seconds=call.seconds, megabytes=MAX_MEGABYTES)
        try:
            return await run_process(
                Launch(argv), call.stdin, limits, Path(str(call.folder)), environment(call.time_zone)
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or type(error).__name__
            raise AppError(
                f"Couldn't start “{call.path[:_SHOWN]}”: {reason}.",
                meaning="The program wasn't run.",
                todo="Check its arguments and its permissions, then run the step again.",
            ) from error


def find_program_problem(path: str, folders: Sequence[str], *, windows: bool = os.name == "nt") -> str:
    """Why a program can't be allowed or run, as a sentence; empty if it can. Looks at the disk.

    `folders` are those whose files steps can change: a program in one of them could be replaced by a flow.
    """
    shown = path[:_SHOWN]
    if len(path) > _MAX_LENGTH or "\0" in path or not _is_full(path, windows):
        return f"“{shown}” isn't the full path of a program."
    if windows and not path.lower().endswith(".exe"):
        return (
            f"“{shown}” isn't an .exe file. Batch files and scripts need a shell, which values could misuse."
        )
    real = os.path.realpath(path)
    if any(_stem(one) in _SHELLS for one in (path, real)):
        return (
            f"“{shown}” is a shell, in which every value could become a command. Allow a program or script."
        )
    try:
        status = os.stat(real)
    except OSError:
        return f"There is no program “{shown}” on the computer that runs the flows."
    if not stat.S_ISREG(status.st_mode) or not os.access(real, os.X_OK):
        return f"“{shown}” isn't a program that can be run."
    if not windows and status.st_mode & stat.S_IWOTH:
        return f"Every user of the computer can change “{shown}”. Remove that permission first."
    if any(_is_below(one, folder) for one in (path, real) for folder in folders):
        return f"“{shown}” is in a folder for files, where a flow could replace it. Move it elsewhere."
    return ""


def _is_full(path: str, windows: bool) -> bool:
    if not windows:
        return os.path.normpath(path) == path and path.startswith("/") and not path.startswith("//")
    drive, rest = ntpath.splitdrive(path)
    return len(drive) == 2 and rest.startswith("\\") and ntpath.normpath(path) == path


def _stem(path: str) -> str:
    name = path.replace("\\", "/").rpartition("/")[2].lower()
    return name.removesuffix(".exe")


def _is_below(path: str, folder: str) -> bool:
    around = os.path.normcase(os.path.realpath(folder))
    return os.path.normcase(path).startswith(os.path.join(around, ""))


def environment(time_zone: str) -> dict[str, str]:
    """A minimal environment: the user's home folder and a fixed search path, nothing else of ours."""
    if sys.platform == "win32":
        kept = {name: os.environ[name] for name in _KEPT_ON_WINDOWS if name in os.environ}
        system = os.path.join(os.environ.get("SYSTEMROOT", r"C:\Windows"), "System32")
        return {**kept, "PATH": system, "NoDefaultCurrentDirectoryInExePath": "1"}
    name = _user_name()
    return {
        "HOME": os.path.expanduser("~"),
        "USER": name,
        "LOGNAME": name,
        "PATH": _PATH,
        "LANG": "C.UTF-8",
        "TZ": time_zone,
    }


def _user_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "user"
