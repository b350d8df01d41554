"""The worker process: reads calls from stdin, runs them within limits, and writes results.

`workers.py` runs this file as a script and uses the message format from here. Until the first call, it only
imports the standard library, so that it starts within milliseconds.

A message consists of the lengths of head and body (12 bytes), the head (JSON), and the body. The body
contains one value after another: text and bytes as they are, everything else as JSON. Nothing is ever
unpickled.
"""

import json
import os
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from types import ModuleType
from typing import Any, BinaryIO

Head = dict[str, Any]

LENGTHS = struct.Struct(">IQ")
WRITES_FILES = "--writes-files"
"""The option of a process whose call can write files."""
STARTED_MARKER = b"\x01"
"""Sent when the function is loaded; its time limit starts now."""
INTERPRETER_MEGABYTES = 64
"""Memory for the interpreter and libraries, in addition to the limit of a call."""
GRACE_SECONDS = 5
"""How long after its time limit a call is stopped by a timer signal if the parent hasn't stopped it."""
RETIRE_MEGABYTES = 160
"""A worker that has used this much memory is retired, because it never returns it."""


def encode_values(values: Sequence[Any]) -> tuple[list[list[Any]], list[bytes]]:
    """The kinds and lengths of values, and their bytes. Raises `TypeError` or `ValueError` for others."""
    kinds: list[list[Any]] = []
    parts: list[bytes] = []
    for value in values:
        if isinstance(value, str):
            kind, part = "text", value.encode("utf-8", "surrogatepass")
        elif isinstance(value, (bytes, bytearray, memoryview)):
            kind, part = "bytes", bytes(value)
        else:
            text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
            kind, part = "json", text.encode("utf-8", "surrogatepass")
        kinds.append([kind, len(part)])
        parts.append(part)
    return kinds, parts


def decode_values(kinds: Sequence[Sequence[Any]], body: bytes) -> list[Any]:
    """The values that `encode_values` wrote."""
    values, start = list[Any](), 0
    for kind, length in kinds:
        part = body[start : start + length]
        start += length
        if kind == "text":
            values.append(part.decode("utf-8", "surrogatepass"))
        else:
            values.append(part if kind == "bytes" else json.loads(part.decode("utf-8", "surrogatepass")))
    return values


def pack(head: Head, parts: Sequence[bytes]) -> bytes:
    """A whole message."""
    head_bytes = json.dumps(head, separators=(",", ":")).encode()
    lengths = LENGTHS.pack(len(head_bytes), sum(map(len, parts)))
    return b"".join((lengths, head_bytes, *parts))


def make_call(head: Head, body: bytes, on_started: Callable[[], None]) -> tuple[Head, list[bytes]]:
    """Run one call; return the reply's head and body. `on_started` is called once the function is loaded."""
    try:
        function = _load_function(head)
        _load_error_format()
        arguments = decode_values(head["values"], body)
        on_started()
        with _limited(head["seconds"], head["megabytes"]):
            result = function(*arguments)
            is_tuple = isinstance(result, tuple)
            kinds, parts = encode_values(result if is_tuple else [result])
    except MemoryError:
        return {"failed": "memory", "retire": True}, []
    except BaseException as error:  # noqa: BLE001  the function can raise anything
        return {"failed": "error", "retire": _should_retire(), **_describe_error(error)}, []
    if sum(map(len, parts)) > head["output_bytes"]:
        return {"failed": "output", "retire": _should_retire()}, []
    return {"values": kinds, "several": is_tuple, "retire": _should_retire()}, parts


def _load_function(head: Head) -> Callable[..., Any]:
    """Import the function to call. `mounts`: packages that exist only in memory, like that of user apps."""
    for name in head["path"]:
        if name not in sys.path:
            sys.path.append(name)
    for name, folders in head["mounts"].items():
        if name not in sys.modules:
            package = ModuleType(name)
            package.__path__ = folders
            sys.modules[name] = package
    found: Any = import_module(head["module"])
    for name in head["function"].split("."):
        found = getattr(found, name)
    return found  # type: ignore[no-any-return]


def _load_error_format() -> None:
    """Import what an `AppError` is written with: a function can give up opening files, modules included."""
    if "patchbay.domain.errors" in sys.modules:
        import_module("patchbay.domain.error_wire")


def _describe_error(error: BaseException) -> Head:
    """An `AppError` as it is; of others, only type and location: the message may contain a secret."""
    errors = sys.modules.get("patchbay.domain.errors")
    if errors is not None and isinstance(error, errors.AppError):
        from patchbay.domain.error_wire import to_wire

        return {"error": to_wire(error)}
    places, trace = [], error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        places.append(f"{code.co_filename}:{trace.tb_lineno} in {code.co_name}")
        trace = trace.tb_next
    return {"type": type(error).__name__, "places": places[-20:]}


if sys.platform == "win32":

    @contextmanager
    def _limited(seconds: float, megabytes: int) -> Iterator[None]:
        """The parent's job object limits the memory on Windows."""
        yield

    def _should_retire() -> bool:
        return False

    def drop_privileges(*, writes_files: bool) -> None:
        """Assign the process to a job object that ends it together with its parent."""

else:
    import resource
    import signal

    @contextmanager
    def _limited(seconds: float, megabytes: int) -> Iterator[None]:
        """Limit memory, and set a timer signal that ends the process after `seconds` if the parent can't.

        macOS ignores the limit on memory.
        """
        _, max_bytes = resource.getrlimit(resource.RLIMIT_DATA)
        signal.setitimer(signal.ITIMER_REAL, seconds + GRACE_SECONDS)
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_DATA, (INTERPRETER_MEGABYTES + megabytes << 20, max_bytes))
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            with suppress(ValueError, OSError):
                resource.setrlimit(resource.RLIMIT_DATA, (max_bytes, max_bytes))

    def _should_retire() -> bool:
        return _peak_memory() > RETIRE_MEGABYTES << 20

    def _peak_memory() -> int:
        """The peak memory use of this process in bytes.

        Not `ru_maxrss` on Linux: it starts with the memory of the parent, so if that is large, every worker
        would be retired.
        """
        if sys.platform == "linux":
            with suppress(OSError), open("/proc/self/status", encoding="ascii", errors="replace") as status:
                return next((int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM")), 0)
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << (0 if sys.platform == "darwin" else 10)

    def drop_privileges(*, writes_files: bool) -> None:
        """Drop what calculations don't need: writing files, starting processes, priority, and the network."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        file_size = () if writes_files else (resource.RLIMIT_FSIZE,)
        for limit in (*file_size, resource.RLIMIT_CORE, resource.RLIMIT_NPROC):
            with suppress(ValueError, OSError):
                resource.setrlimit(limit, (0, 0))
        if not writes_files:  # it can hold locks of files, for which other programs wait
            with suppress(OSError):
                os.nice(10)
        if sys.platform == "linux":
            # End with the parent, gain no privileges, and, where namespaces are allowed, have no network.
            import ctypes

            end_with_parent, no_new_privileges = 1, 38
            new_user, new_network = 0x10000000, 0x40000000
            with suppress(OSError, AttributeError):
                libc = ctypes.CDLL(None)
                # Root needs no user namespace, and would lose access to other users' files in one.
                libc.unshare(new_network if os.geteuid() == 0 else new_user | new_network)
                libc.prctl(no_new_privileges, 1, 0, 0, 0)
                libc.prctl(end_with_parent, signal.SIGKILL, 0, 0, 0)


def _read_message(stream: BinaryIO) -> tuple[Head, bytes] | None:
    lengths = stream.read(LENGTHS.size)
    if len(lengths) < LENGTHS.size:
        return None
    head_length, body_length = LENGTHS.unpack(lengths)
    head = json.loads(stream.read(head_length))
    return head, stream.read(body_length)


def main() -> None:
    """Run calls until stdin is closed, which also happens when the parent ends.

    A process that writes files runs only one, since the call restricts it to its folder.
    """
    writes_files = WRITES_FILES in sys.argv[1:]
    calls, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
    null_device = os.open(os.devnull, os.O_RDWR)
    os.dup2(null_device, 0)
    os.dup2(2, 1)  # redirect prints, so they don't corrupt the protocol
    drop_privileges(writes_files=writes_files)
    with suppress(BrokenPipeError):
        while (call := _read_message(calls)) is not None:
            head, parts = make_call(*call, on_started=lambda: _write_all(replies, STARTED_MARKER))
            del call
            head["retire"] = head["retire"] or writes_files
            _write_all(replies, pack(head, parts))
            if head["retire"]:
                return


def _write_all(stream: Any, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[stream.write(left) :]


if __name__ == "__main__":
    main()
