"""Runs the program as forks of a process that has loaded it (`loaded_program.py`), where the system can."""

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import IO

COMMAND = [sys.executable, "-m", "patchbay"]
_INHERITED = dict(os.environ)
"""The environment in which the loaded program starts."""
_READ_AT_START = ("PYTHON", "LC_", "LANG", "LD_", "MALLOC_", "GLIBC_", "SSL_", "OPENSSL_")
_READ_LATER = {"PYTHON_KEYRING_BACKEND"}
"""Read by the keyring package at its first use, which comes after the fork."""


def can_fork(words: Sequence[str], env: Mapping[str, str]) -> bool:
    """Whether it is a command of the program, in an environment that doesn't change how Python starts."""
    changed = {name for name in {*env, *_INHERITED} if env.get(name) != _INHERITED.get(name)}
    starts_alike = not any(name.startswith(_READ_AT_START) for name in changed - _READ_LATER)
    return sys.platform == "linux" and list(words[:3]) == COMMAND and starts_alike


class Fork:
    """A running fork, with the part of `subprocess.Popen` that tests use."""

    def __init__(
        self, words: Sequence[str], env: Mapping[str, str], streams: Sequence[int], folder: str | None = None
    ) -> None:
        """`folder`: where it runs, if not here."""
        place = folder or os.getcwd()
        request = {"arguments": words[len(COMMAND) :], "environment": dict(env), "folder": place}
        self._words = words
        self._told, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            _loaded_program().send(json.dumps(request).encode(), [*streams, theirs.fileno()])
        self.pid = int(self._told.recv(32))
        self.returncode: int | None = None
        self.stdout: IO[bytes] | None = None

    def poll(self) -> int | None:
        """The exit code, if it has ended."""
        return self._read_exit_code(0)

    def wait(self, timeout: float | None = None) -> int:
        """The exit code, once it has ended. Raises `subprocess.TimeoutExpired`."""
        code = self._read_exit_code(timeout)
        if code is None:
            assert timeout is not None
            raise subprocess.TimeoutExpired(self._words, timeout)
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def _read_exit_code(self, seconds: float | None) -> int | None:
        if self.returncode is None and _readable(self._told, seconds):
            self.returncode = int(self._told.recv(32))
            self._told.close()
        return self.returncode


def _readable(told: socket.socket, seconds: float | None) -> bool:
    ready = select.poll()
    ready.register(told, select.POLLIN)
    return bool(ready.poll(None if seconds is None else seconds * 1000))


def start_fork(words: Sequence[str], env: Mapping[str, str], errors: int) -> Fork:
    """A fork without standard input whose standard output is a pipe, read from `stdout`."""
    reads, writes = os.pipe()
    try:
        with open(os.devnull, "rb") as nothing:
            started = Fork(words, env, [nothing.fileno(), writes, errors])
    except BaseException:
        os.close(reads)
        raise
    finally:
        os.close(writes)
    started.stdout = os.fdopen(reads, "rb")
    return started


def run_fork(
    words: Sequence[str], stdin: str, env: Mapping[str, str], seconds: float
) -> tuple[int, str, str]:
    """The exit code, standard output, and standard error of a command. Raises `subprocess.TimeoutExpired`."""
    with (
        tempfile.TemporaryFile() as asked,
        tempfile.TemporaryFile() as said,
        tempfile.TemporaryFile() as errors,
    ):
        asked.write(stdin.encode())
        asked.seek(0)
        command = Fork(words, env, [asked.fileno(), said.fileno(), errors.fileno()])
        try:
            code = command.wait(seconds)
        except subprocess.TimeoutExpired:
            command.kill()
            command.wait()
            raise
        said.seek(0)
        errors.seek(0)
        return code, said.read().decode(), errors.read().decode()


class _LoadedProgram:
    def __init__(self) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._lock = threading.Lock()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.support.loaded_program", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=_INHERITED,
                cwd=Path(__file__).parents[2],
            )
        atexit.register(self._end)

    def send(self, request: bytes, descriptors: list[int]) -> None:
        with self._lock:
            socket.send_fds(self._control, [request], descriptors)

    def _end(self) -> None:
        self._control.close()
        self._process.wait()


@cache
def _loaded_program() -> _LoadedProgram:
    return _LoadedProgram()
