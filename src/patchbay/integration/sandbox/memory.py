"""How much memory a running program uses, looked at from outside it.

The system limits each process by itself; what all of them take together is counted here. What can't be
counted is denied in `seccomp.py`: memory that is shared without a file, and larger buffers of sockets.
"""

import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from patchbay.integration.sandbox.bubblewrap import FILE_SYSTEMS
from patchbay.integration.sandbox.confine import descendants

SOCKET_BYTES = 512 << 10
"""What counts for each socket: the usual buffers of both directions, with the kernel's overhead."""
FILE_BYTES = 1 << 10
"""What counts for each file in memory, even an empty one. What files contain has a limit of its own."""
_UNKNOWN = 1 << 60
"""For what exists and can't be measured: more than any limit."""
_GONE = (FileNotFoundError, ProcessLookupError)


@dataclass(frozen=True, slots=True)
class Measured:
    """The process that was started, process 1 of its namespace, and whether the network is its own too."""

    pid: int
    init: int | None = None
    own_network: bool = False


def uses_more(program: Measured, most: int) -> bool:
    """Whether a program uses more bytes. Looks closely only where a quick look says so."""
    found = descendants(program.pid)
    kernel = _files(program.init) + SOCKET_BYTES * _sockets(program, found) + sum(map(_page_tables, found))
    return sum(map(_resident, found)) + kernel > most and sum(map(_own, found)) + kernel > most


def _resident(pid: int) -> int:
    """Bytes of memory that hold no file, including what is shared with other processes."""
    return _sum_lines(Path(f"/proc/{pid}/status"), (b"RssAnon:", b"RssShmem:", b"VmSwap:"))


def _page_tables(pid: int) -> int:
    """What the kernel takes to keep track of the memory, which can be more than the memory itself."""
    return _sum_lines(Path(f"/proc/{pid}/status"), (b"VmPTE:",))


def _own(pid: int) -> int:
    """The same with only the process's part of what is shared; all of it where the process hides that."""
    own = _sum_lines(Path(f"/proc/{pid}/smaps_rollup"), (b"Pss_Anon:", b"Pss_Shmem:", b"SwapPss:"))
    return _resident(pid) if own >= _UNKNOWN else own


def _sum_lines(file: Path, names: tuple[bytes, ...]) -> int:
    """The sum of these lines of a file of the system, in bytes.

    A program chooses its name, which is one of the lines. The system escapes line feeds in it, but nothing
    else that could separate lines.
    """
    try:
        lines = file.read_bytes().split(b"\n")
        return sum(int(line.split()[1]) << 10 for line in lines if line.startswith(names))
    except _GONE:
        return 0
    except (OSError, ValueError, IndexError):
        return _UNKNOWN


def _files(init: int | None) -> int:
    """What the files in memory take of the kernel's own memory."""
    if init is None or sys.platform == "win32":
        return 0
    found = 0
    for path in FILE_SYSTEMS:
        inside = f"/proc/{init}/root{path}"
        try:
            if os.stat(inside).st_dev == _device(path):
                continue  # still ours: bubblewrap hasn't put its own there yet
            state = os.statvfs(inside)
            found += FILE_BYTES * (state.f_files - state.f_ffree)
        except _GONE:
            continue
        except OSError:
            return _UNKNOWN
    return found


def _device(path: str) -> int | None:
    with suppress(OSError):
        return os.stat(path).st_dev
    return None


def _sockets(program: Measured, found: Iterable[int]) -> int:
    """How many sockets there are; in a network of its own also those that no process has open any more."""
    if program.init is None:
        return 0
    if not program.own_network:
        return len({name for pid in found if pid != program.init for name in _open_sockets(pid)})
    try:
        used = Path(f"/proc/{program.init}/net/sockstat").read_bytes().split(b"\n")[0]
        return int(used.removeprefix(b"sockets: used "))
    except _GONE:
        return 0
    except (OSError, ValueError):
        return _UNKNOWN


def _open_sockets(pid: int) -> Iterable[str]:
    """The sockets of a process. Its threads may each have open files of their own."""
    with suppress(*_GONE):
        for task in os.listdir(f"/proc/{pid}/task"):
            folder = f"/proc/{pid}/task/{task}/fd"
            with suppress(OSError):
                for name in os.listdir(folder):
                    with suppress(OSError):
                        target = os.readlink(f"{folder}/{name}")
                        if target.startswith("socket:"):
                            yield target
