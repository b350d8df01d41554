"""Runs commands as forks of a process that has loaded the program (`loaded_program.py`), where it can."""

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

COMMAND = [sys.executable, "-m", "patchbay"]
_INHERITED = dict(os.environ)
"""The environment in which the loaded program starts."""


def can_fork(words: Sequence[str], env: Mapping[str, str]) -> bool:
    """Whether it is a command of the program, in an environment that doesn't change how Python starts."""
    changed = (name for name in {*env, *_INHERITED} if env.get(name) != _INHERITED.get(name))
    starts_alike = not any(name.startswith(("PYTHON", "LC_", "LANG")) for name in changed)
    return sys.platform == "linux" and list(words[:3]) == COMMAND and starts_alike


def run_fork(
    words: Sequence[str], stdin: str, env: Mapping[str, str], seconds: float
) -> tuple[int, str, str]:
    """The exit code, standard output, and standard error of a command. Raises `subprocess.TimeoutExpired`."""
    request = {"arguments": words[len(COMMAND) :], "environment": dict(env), "folder": os.getcwd()}
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with (
        tempfile.TemporaryFile() as asked,
        tempfile.TemporaryFile() as said,
        tempfile.TemporaryFile() as errors,
    ):
        asked.write(stdin.encode())
        asked.seek(0)
        with ours, theirs:
            descriptors = [asked.fileno(), said.fileno(), errors.fileno(), theirs.fileno()]
            _loaded_program().send(json.dumps(request).encode(), descriptors)
            theirs.close()
            code = _ended(ours, words, seconds)
        said.seek(0)
        errors.seek(0)
        return code, said.read().decode(), errors.read().decode()


def _ended(told: socket.socket, words: Sequence[str], seconds: float) -> int:
    told.settimeout(seconds)
    pid = int(told.recv(32))
    try:
        return int(told.recv(32))
    except TimeoutError:
        os.kill(pid, signal.SIGKILL)
        raise subprocess.TimeoutExpired(words, seconds) from None


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
