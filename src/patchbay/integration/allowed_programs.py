"""`ctx.programs`: runs installed programs that an admin allows, as the system user that runs Patchbay.

Unlike the sandbox, they aren't isolated: they are programs of this computer, which a flow's author can only
choose from a list. They are started without a shell and by their full path, so no value can become a command.
"""

import getpass
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from patchbay.domain.base import JsonObject
from patchbay.domain.errors import AppError, Forbidden
from patchbay.integration.local_files import AllowedPath, FileAccess
from patchbay.integration.program_paths import UnsafeProgram, is_below, require_safe_program
from patchbay.integration.sandbox.bubblewrap import Launch
from patchbay.integration.sandbox.processes import run_process
from patchbay.integration.sandbox.program import Limits, ProcessResult, supervised_argv
from patchbay.integration.sandbox.runner import empty_folder

ALLOW_HINT = (
    "Ask an admin to allow the program in Settings → Engine, or with "
    "`patchbay engine settings --allow-program PATH`."
)
MAX_MEGABYTES = 4_096
"""Memory of a program with everything it starts."""
_SHOWN = 200
_PATH = "/usr/local/bin:/usr/bin:/bin"
_KEPT_ON_WINDOWS = ("SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "USERPROFILE", "TEMP", "TMP", "USERNAME")


class ProgramFailed(AppError):
    """An installed program failed, or was stopped. `output` is what it printed, for the execution."""

    def __init__(self, happened: str, *, output: JsonObject, meaning: str = "", todo: str = "") -> None:
        super().__init__(happened, meaning=meaning, todo=todo)
        self.output = output


@dataclass(frozen=True, slots=True)
class ProgramCall:
    """What to start: the path of an allowed program, its arguments, and the folder to start it in.

    Without a folder, it gets a new one that is deleted afterwards.
    """

    path: str
    arguments: tuple[str, ...]
    folder: AllowedPath | None = None
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
        if call.folder is not None:
            await self._files.require_folder(call.folder)
        file = await self._files.run(
            lambda: self._require_safe(call), *([call.folder] if call.folder is not None else [])
        )
        argv = supervised_argv((call.path, *call.arguments), file)
        limits = Limits(seconds=call.seconds, megabytes=MAX_MEGABYTES)
        try:
            async with _working_folder(call.folder) as folder:
                return await run_process(
                    Launch(argv), call.stdin, limits, folder, environment(call.time_zone)
                )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or type(error).__name__
            raise AppError(
                f"Couldn't start “{call.path[:_SHOWN]}”: {reason}.",
                meaning="The program wasn't run.",
                todo="Check its arguments and its permissions, then run the step again.",
            ) from error

    def _require_safe(self, call: ProgramCall) -> str:
        """The file to run. Raises `Forbidden` if others could replace it, or the files of its new folder."""
        folders = tuple(self._files.allowed_folders)
        try:
            file = require_safe_program(call.path, folders)
        except UnsafeProgram as problem:
            raise Forbidden(str(problem), meaning="The program wasn't run.", todo=ALLOW_HINT) from None
        temporary = os.path.join(os.path.realpath(tempfile.gettempdir()), "new")
        if call.folder is None and any(is_below(temporary, folder) for folder in folders):
            raise Forbidden(
                "The program would run in the folder for temporary files, whose files steps can change.",
                meaning="The program wasn't run.",
                todo="Enter a working folder in the step.",
            )
        return file


@asynccontextmanager
async def _working_folder(chosen: AllowedPath | None) -> AsyncIterator[Path]:
    if chosen is not None:
        yield Path(str(chosen))
        return
    async with empty_folder() as folder:
        yield folder


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
