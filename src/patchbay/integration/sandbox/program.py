"""A program to run in a sandbox, its limits and result, and the Python interpreter that runs it."""

import sys
import sysconfig
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from patchbay.domain.errors import NotSupported
from patchbay.integration.installed_programs import python_interpreter


@dataclass(frozen=True, slots=True)
class Limits:
    """A program's limits: seconds, megabytes of memory, and number of processes and threads."""

    seconds: int = 30
    megabytes: int = 256
    processes: int = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program to run: one of Patchbay's Python scripts, or a command.

    It can read `readable` and the system. With `result_descriptor`, a command writes its result to descriptor
    3, separate from its prints; a script sets that up itself. `network` allows it the whole network,
    including this computer's own services, but no Unix sockets.
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

    `printed` is the beginning of `printed_bytes` bytes, `last` the end. `timed_out` and `limit_exceeded`
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
_PACKAGE_STORES = (Path("/nix/store"), Path("/gnu/store"))
"""System folders that are exposed as a whole: files depend on each other, and all users can read them."""


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


def supervised_argv(command: tuple[str, ...], file: str) -> list[str]:
    """The command that runs a program without limits of its own, and ends everything it started.

    `file` is what is executed, under the name that is the first part of the command. Only Linux needs a
    process for that, and has one; elsewhere, the name is executed.
    """
    if not sys.platform.startswith("linux"):
        return [*command]
    return [*_python_command(), "supervise=yes", f"file={file}", "command", *command]


def _python_command() -> list[str]:
    """Isolated mode: no packages, no user settings, and no bytecode files."""
    if not sys.executable:
        raise NotSupported(
            "Patchbay can't find its Python interpreter, so it can't run programs.", feature="python"
        )
    return [str(_executable()), "-I", "-S", "-B", "-X", "utf8", str(CONFINE_SCRIPT)]


def _executable() -> Path:
    """The actual interpreter, if known: that of a virtual environment is a link."""
    if not sys.platform.startswith("linux"):
        return python_interpreter()
    return Path(sys.executable).resolve()


@cache
def python_files() -> tuple[Path, ...]:
    """The files a sandbox must expose for Python to start."""
    executable = _executable()
    if store := next((store for store in _PACKAGE_STORES if executable.is_relative_to(store)), None):
        return (store, CONFINE_SCRIPT)
    libraries = {Path(sys.base_prefix) / "lib", Path(sysconfig.get_path("stdlib"))}
    return (executable, *sorted(filter(Path.is_dir, libraries)), CONFINE_SCRIPT)
