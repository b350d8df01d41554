"""Runs programs in a sandbox, as far as this computer offers one."""

import asyncio
import os
import platform
import shutil
import subprocess  # nosec B404  # for words of our own, without a shell
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from patchbay.domain.engine import NOT_ISOLATED, Isolation, IsolationKind
from patchbay.domain.errors import NotSupported
from patchbay.integration.sandbox.bubblewrap import FOLDER, Bubblewrap, Launch
from patchbay.integration.sandbox.processes import run_process
from patchbay.integration.sandbox.program import Limits, ProcessResult, Program, confine_argv
from patchbay.integration.sandbox.seccomp import has_filter

_FOLDER = "patchbay-code-"
_LEFT_SECONDS = 24 * 3600
"""Age at which the folder of a program is surely nobody's any more; none may run nearly as long."""
_NEEDED_ON_WINDOWS = ("SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC")
_TRIAL_SECONDS = 10
_WORDS_IN_DETAIL = 200
_ROOT_USERS = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns"

NO_NETWORK = (
    "Ask an admin to turn on “Programs may use the network” (Settings, Engine, or "
    "`patchbay engine settings --program-network yes`), or turn off “Network access” in this step."
)


@dataclass(frozen=True, slots=True)
class SandboxSupport:
    """What this computer offers. `bubblewrap` is its path, or None."""

    isolation: Isolation
    bubblewrap: str | None = None
    own_user: bool = False


class Sandbox:
    """Runs programs of one workspace. They never see the folders and files in `hidden`.

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
        self._found: SandboxSupport | None = None

    @property
    def isolation(self) -> Isolation:
        """How programs are isolated; not at all before `prepare`."""
        return self._found.isolation if self._found is not None else NOT_ISOLATED

    async def prepare(self) -> Isolation:
        """Find out what this computer offers, once per process, by running a program isolated."""
        if self._found is None:
            self._found = await asyncio.to_thread(_find, self._search)
        return self._found.isolation

    async def run(self, program: Program, given: bytes, time_zone: str = "UTC") -> ProcessResult:
        """Run a program to its end with this standard input, and end all that it started.

        Raises `NotSupported` when it asks for the network and may not have it, or when its sandbox can't be
        started, and `OSError` when the program can't be started.
        """
        if program.network and not self._may_use_network():
            raise NotSupported(
                "This program asks for the network, which programs may not use here.",
                meaning="It was not run.",
                todo=NO_NETWORK,
                feature="programNetwork",
            )
        await self.prepare()
        if self._found is None or self._found.bubblewrap is None:
            return await self._run_unisolated(program, given, time_zone)
        bubblewrap = Bubblewrap(self._found.bubblewrap, self._hidden, self._found.own_user)
        with bubblewrap.launch(program) as launch:
            environment = _environment(FOLDER, time_zone)
            ended = await run_process(launch, given, program.limits, Path("/"), environment)
            failed = _failed_to_start(launch, ended)
        if failed:
            raise _cant_isolate(ended.printed.decode("utf-8", "replace").strip())
        return ended

    async def _run_unisolated(self, program: Program, given: bytes, time_zone: str) -> ProcessResult:
        """In an empty folder that is removed afterwards."""
        launch = Launch(_direct_words(program))
        folder = Path(tempfile.mkdtemp(prefix=_FOLDER))
        try:
            return await run_process(
                launch, given, program.limits, folder, _environment(str(folder), time_zone)
            )
        finally:
            await asyncio.to_thread(_remove, folder, time.time() - _LEFT_SECONDS)


def _failed_to_start(launch: Launch, ended: ProcessResult) -> bool:
    """Whether what starts the program failed, and wasn't ended for a limit of the program."""
    return ended.code is not None and ended.code > 0 and not launch.has_started()


def _cant_isolate(said: str) -> NotSupported:
    detail = said.splitlines()[-1][:_WORDS_IN_DETAIL] if said else ""
    return NotSupported(
        f"The program was not run: its sandbox could not be started{f' ({detail})' if detail else ''}.",
        meaning="Something that isolates programs was changed or removed since Patchbay started.",
        todo="Run “patchbay doctor” to see what is missing, then restart Patchbay.",
        feature="isolation",
    )


@cache
def _find(search: str | None) -> SandboxSupport:
    """The best this computer offers, and in plain words how, or why not and what to do."""
    if not sys.platform.startswith("linux"):
        return _none(f"Programs can't be isolated on {platform.system() or 'this system'}.")
    if not has_filter(platform.machine()):
        return _none(f"Programs can't be isolated on this kind of processor ({platform.machine()}).")
    path = shutil.which("bwrap", path=search)
    if path is None:
        return _none("Bubblewrap is not installed. Install the package “bubblewrap” and restart Patchbay.")
    said: str | None = None
    for own_user in (True, False) if os.geteuid() == 0 else (False,):
        if (said := _trial(Bubblewrap(path, (), own_user))) is None:
            isolation = Isolation(kind=IsolationKind.BUBBLEWRAP, detail=_isolated_words(own_user))
            return SandboxSupport(isolation, path, own_user)
    return _none(_refused_words(said or ""))


def _none(detail: str) -> SandboxSupport:
    return SandboxSupport(Isolation(kind=IsolationKind.NONE, detail=detail))


def _trial(bubblewrap: Bubblewrap) -> str | None:
    """Run an empty program. None when that works, otherwise what was said."""
    try:
        with bubblewrap.launch(Program(limits=Limits(seconds=_TRIAL_SECONDS))) as launch:
            done = subprocess.run(  # nosec B603  # words of our own, without a shell
                launch.words, stdin=subprocess.DEVNULL, capture_output=True, timeout=_TRIAL_SECONDS, cwd="/",
                env=_environment(FOLDER, "UTC"), pass_fds=launch.descriptors, check=False,
            )  # fmt: skip
    except (OSError, subprocess.SubprocessError, NotSupported) as error:
        return str(error)
    said = done.stderr.decode("utf-8", "replace").strip()
    return (said or f"it ended with {done.returncode}") if done.returncode else None


def _isolated_words(own_user: bool) -> str:
    how = "a user ID of its own" if own_user else "a user namespace of its own"
    return f"Each program runs under bubblewrap, with {how}."


def _refused_words(said: str) -> str:
    """Why bubblewrap doesn't work, and what to do."""
    lines = said.splitlines() or [""]
    words = f"Bubblewrap is installed but doesn't work here ({lines[-1][:_WORDS_IN_DETAIL]})."
    with suppress(OSError):
        if Path(_ROOT_USERS).read_text("ascii").strip() == "1":
            return (
                f"{words} AppArmor keeps programs from creating user namespaces: install an AppArmor profile "
                "for bwrap (on Ubuntu, the package “apparmor-profiles”) and restart Patchbay."
            )
    if "Unknown option" in said:
        return f"{words} Install bubblewrap 0.8 or newer and restart Patchbay."
    return f"{words} The container or system must allow user namespaces; see “Running the service”."


def _direct_words(program: Program) -> list[str]:
    """Where a process can limit itself, Python sets the limits and then becomes the program."""
    if os.name == "posix" or program.script is not None:
        return confine_argv(program, isolated=False)
    return list(program.command)


def _environment(folder: str, time_zone: str) -> dict[str, str]:
    """Nothing of ours but what a process cannot do without: no keys, no home, no search path."""
    if os.name == "nt":
        kept = {name: os.environ[name] for name in _NEEDED_ON_WINDOWS if name in os.environ}
        return {**kept, "USERPROFILE": folder, "TEMP": folder, "TMP": folder, "PATH": folder}
    return {"HOME": folder, "TMPDIR": folder, "PATH": folder, "LANG": "C.UTF-8", "TZ": time_zone}


def _remove(folder: Path, before: float) -> None:
    """This one, and those unchanged since `before`: who was killed could not remove them."""
    shutil.rmtree(folder, ignore_errors=True)
    for other in folder.parent.glob(f"{_FOLDER}*"):
        with suppress(OSError):
            if other.lstat().st_mtime < before:
                shutil.rmtree(other, ignore_errors=True)
