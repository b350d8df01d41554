"""The `patchbay` of a terminal whose commands run as forks of the loaded program, where the system can."""

import json
import os
import socket
import sys
import threading
from pathlib import Path
from typing import Any

from tests.support.forked_commands import COMMAND, Fork, can_fork
from tests.support.processes import COMMAND_SECONDS

LONGEST_REQUEST = 1 << 20
HANDING_OVER = """#!{python} -IS
import json, os, socket, sys
with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as commands:
    commands.connect({address!r})
    request = [[*{options!r}, *sys.argv[1:]], dict(os.environ), os.getcwd()]
    socket.send_fds(commands, [json.dumps(request).encode()], [0, 1, 2])
    sys.exit(int(commands.recv(32)))
"""
"""A program that has its command run elsewhere, with its standard streams."""


class TypedCommands:
    """Runs the commands of one program file, until it is closed."""

    def __init__(self, program: Path, *options: str) -> None:
        """Write the program, which puts these options before each command."""
        self._waiting = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        address = program.with_name(f"{program.name}.socket")
        self._waiting.bind(str(address))
        self._waiting.listen()
        program.write_text(
            HANDING_OVER.format(python=sys.executable, address=str(address), options=list(options))
        )
        program.chmod(0o755)
        self._thread = threading.Thread(target=self._run_all)
        self._thread.start()

    def close(self) -> None:
        self._waiting.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._waiting.close()

    def _run_all(self) -> None:
        while True:
            try:
                typed, _ = self._waiting.accept()
            except OSError:  # it is closed
                return
            with typed:
                request, streams, *_ = socket.recv_fds(typed, LONGEST_REQUEST, 3)
                typed.send(str(_run(json.loads(request), streams)).encode())


def _run(request: list[Any], streams: list[int]) -> int:
    words, environment, folder = request
    try:
        command = Fork([*COMMAND, *words], environment, streams, folder)
    finally:
        for stream in streams:
            os.close(stream)
    return command.wait(COMMAND_SECONDS)


def can_run_typed() -> bool:
    return can_fork(COMMAND, os.environ)
