"""Runs programs in a sandbox, isolated if the system supports it."""

import asyncio
import os
import platform
import shutil
import subprocess  # only fixed arguments, without a shell
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from patchbay.domain.engine import NOT_ISOLATED, Isolation, IsolationKind
from patchbay.domain.errors import NotSupported
from patchbay.integration.installed_programs import find_program
from patchbay.integration.sandbox.bubblewrap import SANDBOX_FOLDER, Bubblewrap, Launch
from patchbay.integration.sandbox.processes import run_process
from patchbay.integration.sandbox.program import Limits, ProcessResult, Program, confine_argv
from patchbay.integration.sandbox.seccomp import supports_machine

_FOLDER_PREFIX = "patchbay-code-"
_STALE_FOLDER_SECONDS = 24 * 3600
"""Age at which a program's folder is certainly unused; no program may run nearly as long."""
_NEEDED_ON_WINDOWS = ("SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC")
_PROBE_TIMEOUT_SECONDS = 10
_MAX_DETAIL_LENGTH = 200
_USERNS_RESTRICTION_FILE = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns"

NETWORK_NOT_ALLOWED_HINT = (
    "Ask an admin to turn on “Programs can use the network” (Settings → Engine, or "
    "`patchbay engine settings --program-network yes`), or turn off “Network access” in this step."
)


@dataclass(frozen=True, slots=True)
class SandboxSupport:
    """The isolation this system supports. `bubblewrap` is its path, or None."""

    isolation: Isolation
    bubblewrap: str | None = None
    own_user: bool = False


class Sandbox:
    """Runs the programs of one workspace. The files and folders in `hidden` are never visible to them.

    `search` is where to look for bubblewrap, by default the search path. `may_use_network` says whether an
    admin allows the network to programs that ask for it.
    """

    def __init__(
        self,
        hidden: Sequence[Path] = (),
        *,
        search: str | None = None,
        may_use_network: Callable[[], bool] = lambda: False,
    ) -> None:
        self._may_use_network = may_use_network
        self._hidden, self._search = tuple(hidden), search
        self._support: SandboxSupport | None = None

    @property
    def isolation(self) -> Isolation:
        """The isolation of programs; none before `prepare`."""
        return self._support.isolation if self._support is not None else NOT_ISOLATED

    async def prepare(self) -> Isolation:
        """Detect isolation support, once per process, by running an isolated test program."""
        if self._support is None:
            self._support = await asyncio.to_thread(_detect_support, self._search)
        return self._support.isolation

    async def run(self, program: Program, stdin: bytes, time_zone: str = "UTC") -> ProcessResult:
        """Run a program with this standard input, then end all processes it started.

        Raises `NotSupported` if it requests the network without permission or its sandbox can't be started,
        and `OSError` if the program can't be started.
        """
        if program.network and not self._may_use_network():
            raise NotSupported(
                "This program needs network access, which isn't allowed here.",
                meaning="The program wasn't run.",
                todo=NETWORK_NOT_ALLOWED_HINT,
                feature="programNetwork",
            )
        await self.prepare()
        if self._support is None or self._support.bubblewrap is None:
            return await self._run_unisolated(program, stdin, time_zone)
        bubblewrap = Bubblewrap(self._support.bubblewrap, self._hidden, self._support.own_user)
        with bubblewrap.launch(program) as launch:
            environment = _environment(SANDBOX_FOLDER, time_zone)
            process_result = await run_process(launch, stdin, program.limits, Path("/"), environment)
            # The launcher failed, and not because of a limit of the program.
            failed = process_result.code is not None and process_result.code > 0 and not launch.has_started()
        if failed:
            error_output = process_result.printed.decode("utf-8", "replace").strip()
            detail = error_output.splitlines()[-1][:_MAX_DETAIL_LENGTH] if error_output else ""
            raise NotSupported(
                (
                    "The program wasn't run because its sandbox couldn't be "
                    f"started{f' ({detail})' if detail else ''}."
                ),
                meaning="A component that isolates programs was changed or removed after Patchbay started.",
                todo="Run “patchbay doctor” to see what is missing, then restart Patchbay.",
                feature="isolation",
            )
        return process_result

    async def _run_unisolated(self, program: Program, stdin: bytes, time_zone: str) -> ProcessResult:
        """Run it in an empty folder that is removed afterwards."""
        # If a process can limit itself, Python sets the limits and then executes the program.
        can_limit_itself = os.name == "posix" or program.script is not None
        launch = Launch(confine_argv(program, isolated=False) if can_limit_itself else list(program.command))
        async with empty_folder() as folder:
            return await run_process(
                launch, stdin, program.limits, folder, _environment(str(folder), time_zone)
            )


@asynccontextmanager
async def empty_folder() -> AsyncIterator[Path]:
    """A new folder that only this user can open, and that is removed afterwards."""
    folder = Path(tempfile.mkdtemp(prefix=_FOLDER_PREFIX))
    try:
        yield folder
    finally:
        await asyncio.to_thread(_remove_folders, folder, time.time() - _STALE_FOLDER_SECONDS)


@cache
def _detect_support(search: str | None) -> SandboxSupport:
    """The best isolation of this computer, and a text for users: how, or why not and what to do."""
    if not sys.platform.startswith("linux"):
        return _not_isolated(f"Programs can't be isolated on {platform.system() or 'this system'}.")
    if not supports_machine(platform.machine()):
        return _not_isolated(f"Programs can't be isolated on this kind of processor ({platform.machine()}).")
    path = find_program("bwrap", search)
    if path is None:
        return _not_isolated(
            "Bubblewrap isn't installed. Install the package “bubblewrap” and restart Patchbay."
        )
    error_output: str | None = None
    for own_user in (True, False) if os.geteuid() == 0 else (False,):
        if (error_output := _try_bubblewrap(Bubblewrap(path, (), own_user))) is None:
            own = "user ID" if own_user else "user namespace"
            detail = f"Each program runs under bubblewrap with its own {own}."
            isolation = Isolation(kind=IsolationKind.BUBBLEWRAP, detail=detail)
            return SandboxSupport(isolation, path, own_user)
    return _not_isolated(_bubblewrap_problem(error_output or ""))


def _not_isolated(detail: str) -> SandboxSupport:
    return SandboxSupport(Isolation(kind=IsolationKind.NONE, detail=detail))


def _try_bubblewrap(bubblewrap: Bubblewrap) -> str | None:
    """Run an empty program. Returns None if that works, otherwise the error output."""
    try:
        with bubblewrap.launch(Program(limits=Limits(seconds=_PROBE_TIMEOUT_SECONDS))) as launch:
            completed = subprocess.run(  # noqa: S603  # fixed arguments, without a shell
                launch.argv,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_PROBE_TIMEOUT_SECONDS,
                cwd="/",
                env=_environment(SANDBOX_FOLDER, "UTC"),
                pass_fds=launch.descriptors,
                check=False,
            )
    except (OSError, subprocess.SubprocessError, NotSupported) as error:
        return str(error)
    error_output = completed.stderr.decode("utf-8", "replace").strip()
    return (error_output or f"exit code {completed.returncode}") if completed.returncode else None


def _bubblewrap_problem(error_output: str) -> str:
    """Why bubblewrap doesn't work, and what to do."""
    lines = error_output.splitlines() or [""]
    words = f"Bubblewrap is installed but doesn't work here ({lines[-1][:_MAX_DETAIL_LENGTH]})."
    with suppress(OSError):
        if Path(_USERNS_RESTRICTION_FILE).read_text("ascii").strip() == "1":
            return (
                f"{words} AppArmor prevents programs from creating user namespaces. Install an AppArmor "
                "profile for bwrap (on Ubuntu, the package “apparmor-profiles”) and restart Patchbay."
            )
    if "Unknown option" in error_output:
        return f"{words} Install bubblewrap 0.8 or newer and restart Patchbay."
    return (
        f"{words} The container or system must allow user namespaces. See “Isolation of programs” in the "
        "documentation."
    )


def _environment(folder: str, time_zone: str) -> dict[str, str]:
    """A minimal environment: no keys, no home, no search path of ours."""
    if os.name == "nt":
        environment_kept = {name: os.environ[name] for name in _NEEDED_ON_WINDOWS if name in os.environ}
        return {**environment_kept, "USERPROFILE": folder, "TEMP": folder, "TMP": folder, "PATH": folder}
    return {"HOME": folder, "TMPDIR": folder, "PATH": folder, "LANG": "C.UTF-8", "TZ": time_zone}


def _remove_folders(folder: Path, before: float) -> None:
    """Remove this folder, and those unchanged since `before`, which killed processes couldn't remove."""
    shutil.rmtree(folder, ignore_errors=True)
    for other in folder.parent.glob(f"{_FOLDER_PREFIX}*"):
        with suppress(OSError):
            if other.lstat().st_mtime < before:
                shutil.rmtree(other, ignore_errors=True)
