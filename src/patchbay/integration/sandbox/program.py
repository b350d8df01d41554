"""A program to run in a sandbox, its limits and result, and the Python interpreter that runs it."""

import sys
import sysconfig
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from patchbay.domain.errors import NotSupported


@dataclass(frozen=True, slots=True)
class Limits:
    """A program's limits: seconds, megabytes of memory, processes and threads."""

    seconds: int = 30
    megabytes: int = 256
    processes: int = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program to run: one of Patchbay's Python scripts, or a command.

    It can read `readable` besides the system. With `result_descriptor` a command writes its result to
    descriptor 3, and what it prints counts as printed; a script arranges that itself. `network` opens all of
    the network to it, this computer's own services included, but no Unix socket.
    """

    script: Path | None = None
    command: tuple[str, ...] = ()
    readable: tuple[Path, ...] = ()
    result_descriptor: bool = True
    network: bool = False
    limits: Limits = Limits()


@dataclass(frozen=True, slots=True)
class ProcessResult:
    """The result of a process. `code` is negative for a signal.

    `printed` holds the first of `printed_bytes` bytes, `last` the last. `timed_out` and `limit_exceeded`
    ("result", "printed", "memory") say why Patchbay ended the process.
    """

    code: int | None
    result: bytes
    printed: bytes
    last: bytes
    printed_bytes: int
    timed_out: bool = False
    limit_exceeded: str | None = None


# The interpreter that runs Patchbay, without its virtual environment and packages

CONFINE_SCRIPT = Path(__file__).with_name("confine.py")
FROZEN_ENTRY = "run-program"
"""First word by which the packaged program, which has no interpreter beside it, runs `confine.py`."""
_PACKAGE_STORES = (Path("/nix/store"), Path("/gnu/store"))
"""Where every file may need any other, and everybody may read all of them."""


def confine_argv(program: Program, *, isolated: bool, started: str | None = None) -> list[str]:
    """The command that starts Python to set the limits and then execute the program.

    `started` is the descriptor it writes to and closes just before.
    """
    limits = program.limits
    argv = [*_python_command(), f"megabytes={limits.megabytes}", f"seconds={limits.seconds}"]
    if isolated:
        argv += [f"processes={limits.processes}", *([f"started={started}"] if started else [])]
    elif sys.platform.startswith("linux"):
        argv.append("supervise=yes")
    if program.script is not None:
        return [*argv, "script", str(program.script)]
    if program.command:
        return [*argv, "result-command" if program.result_descriptor else "command", *program.command]
    return argv


def _python_command() -> list[str]:
    """Isolated mode: no packages, no settings of the user, nothing written beside it."""
    if getattr(sys, "frozen", False):
        return [sys.executable, FROZEN_ENTRY]
    if not sys.executable:
        raise NotSupported(
            "Patchbay can't find its Python interpreter, so it can't run programs.", feature="python"
        )
    return [str(_executable()), "-I", "-S", "-B", "-X", "utf8", str(CONFINE_SCRIPT)]


def _executable() -> Path:
    """The interpreter itself where it is known: a virtual environment only points to it."""
    if not sys.platform.startswith("linux"):
        return Path(sys.executable)
    return Path(sys.executable).resolve()


@cache
def python_files() -> tuple[Path, ...]:
    """The files a sandbox must expose for Python to start."""
    if getattr(sys, "frozen", False):
        return (Path(sys.executable).resolve().parent,)
    executable = _executable()
    if store := next((store for store in _PACKAGE_STORES if executable.is_relative_to(store)), None):
        return (store, CONFINE_SCRIPT)
    libraries = {Path(sys.base_prefix) / "lib", Path(sysconfig.get_path("stdlib"))}
    return (executable, *sorted(filter(Path.is_dir, libraries)), CONFINE_SCRIPT)
