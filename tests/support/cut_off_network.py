"""A network of its own for one program that can be cut off: packets are lost, no connection is closed."""

import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache

HERE, THERE = "198.18.77.1", "198.18.77.2"
"""The two ends of the cable."""


@cache
def why_no_networks() -> str:
    """Why networks can't be created here; empty if they can."""
    if shutil.which("ip") is None:
        return "iproute2 isn't installed (Debian: iproute2)"
    if os.geteuid() != 0:
        return "only root may create network namespaces"
    try:
        with cut_off_network():
            return ""
    except subprocess.CalledProcessError as error:
        return f"network namespaces can't be created: {error.stderr.decode().strip()}"


class CutOffNetwork:
    """Programs in it reach only `HERE`, and only while it is connected."""

    def __init__(self) -> None:
        self.name, self._cable = f"patchbay-{os.getpid()}", f"pb{os.getpid()}"

    def create(self) -> None:
        other_end = f"{self._cable}o"
        _ip("netns", "add", self.name)
        _ip("link", "add", self._cable, "type", "veth", "peer", "name", other_end, "netns", self.name)
        _ip("addr", "add", f"{HERE}/30", "dev", self._cable)
        _ip("-netns", self.name, "addr", "add", f"{THERE}/30", "dev", other_end)
        _ip("-netns", self.name, "link", "set", "lo", "up")
        _ip("-netns", self.name, "link", "set", other_end, "up")
        self.connect()

    def remove(self) -> None:
        with suppress(subprocess.CalledProcessError):
            _ip("netns", "delete", self.name)
        with suppress(subprocess.CalledProcessError):
            _ip("link", "delete", self._cable)  # in case a program still keeps the other end

    def connect(self) -> None:
        _ip("link", "set", self._cable, "up")

    def cut(self) -> None:
        _ip("link", "set", self._cable, "down")

    def command(self, words: Sequence[str]) -> list[str]:
        """The command that runs a program in it."""
        return ["ip", "netns", "exec", self.name, *words]


@contextmanager
def cut_off_network() -> Iterator[CutOffNetwork]:
    """A connected network while the block runs."""
    network = CutOffNetwork()
    try:
        network.create()
        yield network
    finally:
        network.remove()


@contextmanager
def forwarded(port: int) -> Iterator[int]:
    """A port of `HERE` that leads to a port of this computer while the block runs."""
    forwarder = _Forwarder(port)
    try:
        yield forwarder.port
    finally:
        forwarder.close()


class _Forwarder:
    def __init__(self, target: int) -> None:
        self._target = target
        self._sockets = [socket.create_server((HERE, 0))]
        self.port = int(self._sockets[0].getsockname()[1])
        self._threads: list[threading.Thread] = []
        self._run(self._accept)

    def close(self) -> None:
        for opened in self._sockets:
            with suppress(OSError):
                opened.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        for opened in self._sockets:
            opened.close()

    def _accept(self) -> None:
        with suppress(OSError):  # shut down at the end
            while True:
                near = self._sockets[0].accept()[0]
                self._sockets.append(near)
                far = socket.create_connection(("127.0.0.1", self._target))
                self._sockets.append(far)
                self._run(_copy, near, far)
                self._run(_copy, far, near)

    def _run(self, function: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=function, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while received := source.recv(65_536):
            target.sendall(received)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, timeout=30)
