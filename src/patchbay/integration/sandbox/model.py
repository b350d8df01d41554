"""What a sandbox is told about a program, and what it tells about a process that ended."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Limits:
    """What a program may use: seconds of time and megabytes of memory, and how many processes and threads."""

    seconds: int = 30
    megabytes: int = 256
    processes: int = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program to run: a Python script of ours, or the words of a command.

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
    """A process that ended. `code` is negative for a signal.

    `printed` holds the first of `printed_bytes` bytes, `last` the last. `timed_out` and `too_much` ("result",
    "printed", "memory") say why it was ended by us.
    """

    code: int | None
    result: bytes
    printed: bytes
    last: bytes
    printed_bytes: int
    timed_out: bool = False
    too_much: str | None = None
