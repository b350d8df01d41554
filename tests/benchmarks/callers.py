"""Callers of the HTTP interface that cost little themselves, so that the service is what is measured."""

import json
import socket
import threading
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode, urlsplit

SECONDS = 30.0


class Caller:
    """One kept connection to a service, with a key."""

    def __init__(self, address: str, key: str) -> None:
        parts = urlsplit(address)
        self._host = parts.netloc
        self._key = key
        self._socket = socket.create_connection((parts.hostname, parts.port or 80), SECONDS)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def request(self, path: str, method: str = "GET", body: object = None, **headers: str) -> bytes:
        """A request, as the bytes that travel."""
        data = b"" if body is None else json.dumps(body).encode()
        more = {"host": self._host, "x-api-token": self._key, **headers}
        if data:
            more |= {"content-type": "application/json", "content-length": str(len(data))}
        lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in more.items()), "", ""]
        return "\r\n".join(lines).encode() + data

    def send(self, request: bytes) -> tuple[int, bytes, bytes]:
        """Status, head and body of the answer."""
        self._socket.sendall(request)
        received = self._socket.recv(1 << 16)
        while b"\r\n\r\n" not in received:
            received += self._more()
        head, _, body = received.partition(b"\r\n\r\n")
        while len(body) < _length(head):
            body += self._more()
        return int(head[9:12]), head, body

    def data(self, path: str, **query: Any) -> Any:
        """The whole answer as JSON; it must be a success."""
        status, _, body = self.send(self.request(f"{path}?{urlencode(query)}" if query else path))
        assert status == 200, body
        return json.loads(body)

    def timed(self, request: bytes) -> float:
        """Milliseconds until the answer is complete; it must be a success, or unchanged."""
        start = time.perf_counter()
        status, _, body = self.send(request)
        taken = (time.perf_counter() - start) * 1000
        assert status in (200, 204, 304), body
        return taken

    def close(self) -> None:
        self._socket.close()

    def _more(self) -> bytes:
        part = self._socket.recv(1 << 16)
        if not part:
            raise ConnectionError("The service closed the connection.")
        return part


def _length(head: bytes) -> int:
    for each in head.split(b"\r\n")[1:]:
        name, _, value = each.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    return 0


class Crowd:
    """Callers that repeat one request, each on a thread and connection of its own, while the block runs.

    Each calls again `every` seconds after it last began, or as soon as it was answered with 0.
    """

    def __init__(self, count: int, caller: Callable[[], Caller], path: str, every: float = 0.0) -> None:
        self._caller = caller
        self._path = path
        self._every = every
        self._ends = threading.Event()
        self._answered = [0] * count
        self._threads = [
            threading.Thread(target=self._call, args=(number,), daemon=True) for number in range(count)
        ]

    @property
    def answered(self) -> int:
        return sum(self._answered)

    def __enter__(self) -> "Crowd":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ends.set()
        for thread in self._threads:
            thread.join()

    def _call(self, number: int) -> None:
        caller = self._caller()
        request = caller.request(self._path)
        self._ends.wait(self._every * number / len(self._threads))
        while not self._ends.is_set():
            start = time.perf_counter()
            caller.timed(request)
            self._answered[number] += 1
            if self._every:
                self._ends.wait(max(0.0, self._every - (time.perf_counter() - start)))
        caller.close()
