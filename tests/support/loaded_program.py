"""The program, loaded once. Commands and services are forks of this process.

Loading takes most of their time. A fork is a process of its own, with its own arguments, environment,
standard streams, and exit. It doesn't show how the program is loaded, and its `/proc` entry has the command
line and the environment of this process: windows, and tests of these things, start processes anew. It
derives keys from passphrases without the third of a second that this takes on purpose.
Run by `forked_commands.py` as `python -m tests.support.loaded_program DESCRIPTOR`.
"""

import gc
import json
import os
import selectors
import signal
import socket
import sys
import time
from typing import Any

import keyring  # noqa: F401  loaded for the forks, as are those below; chooses its backend at its first use
import secretstorage  # noqa: F401
import uvicorn.lifespan.off  # noqa: F401

from patchbay.__main__ import main
from patchbay.bootstrap import http_listeners, local, workspace_runtime  # noqa: F401
from patchbay.cli import serve  # noqa: F401
from patchbay.client import remote  # noqa: F401
from patchbay.integration.registry import built_in_apps
from patchbay.server import app, listener, metrics  # noqa: F401
from patchbay.service import (
    flow_export,  # noqa: F401
    key_stores,
)

LONGEST_REQUEST = 1 << 20
STREAMS = 3


class LoadedProgram:
    """Forks for each request that comes over `control`, until its other end is closed.

    A request is a JSON object (arguments, environment, folder) with four descriptors: the standard streams
    of the command, and a socket for its process id and, at its end, its exit code.
    """

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._running: dict[int, socket.socket] = {}
        self._woken, self._wakes = socket.socketpair()
        self._wakes.setblocking(False)
        self._ready = selectors.DefaultSelector()
        for source in (control, self._woken):
            self._ready.register(source, selectors.EVENT_READ)

    def serve(self) -> bool:
        """Whether this process is now a command, rather than at its end."""
        signal.set_wakeup_fd(self._wakes.fileno())
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        while True:
            for key, _ in self._ready.select():
                if key.fileobj is self._woken:
                    self._woken.recv(4096)
                    self._report_ended()
                    continue
                request, descriptors, *_ = socket.recv_fds(self._control, LONGEST_REQUEST, STREAMS + 1)
                if not request:
                    return False
                if self._fork(descriptors) == 0:
                    self._become(json.loads(request), descriptors[:STREAMS])
                    return True

    def _fork(self, descriptors: list[int]) -> int:
        told = socket.socket(fileno=descriptors[STREAMS])
        pid = os.fork()
        if pid == 0:
            told.close()
            return 0
        self._running[pid] = told
        told.send(str(pid).encode())
        for descriptor in descriptors[:STREAMS]:
            os.close(descriptor)
        return pid

    def _report_ended(self) -> None:
        for pid, told in list(self._running.items()):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                told.send(str(os.waitstatus_to_exitcode(status)).encode())
                self._running.pop(pid).close()

    def _become(self, request: dict[str, Any], streams: list[int]) -> None:
        """Close what belongs to the loaded program, and take what belongs to the command."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        self._ready.close()
        for one in (self._control, self._woken, self._wakes, *self._running.values()):
            one.close()
        for target, descriptor in enumerate(streams):
            os.dup2(descriptor, target)
            os.close(descriptor)
        os.environ.clear()
        os.environ.update(request["environment"])
        time.tzset()
        os.chdir(request["folder"])
        sys.argv[1:] = request["arguments"]


if __name__ == "__main__":
    for _ in built_in_apps():
        pass  # their modules are loaded
    key_stores.MEMORY_KIB, key_stores.ITERATIONS = 1024, 1
    gc.freeze()
    if LoadedProgram(socket.socket(fileno=int(sys.argv[1]))).serve():
        main()
