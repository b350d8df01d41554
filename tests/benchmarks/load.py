"""A load of webhook calls, as a process of its own so that it isn't measured with the server.

`python -m tests.benchmarks.load URL COUNT CONNECTIONS` sends COUNT requests over so many connections, each as
soon as the one before was answered, and prints {"started", "ended", "statuses"} (times in seconds).
"""

import asyncio
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

BODY: dict[str, Any] = {
    "order": 4711,
    "customer": {"name": "  Ada Lovelace ", "mail": "ada@example.org", "city": "London"},
    "lines": [{"sku": f"A-{number}", "quantity": number, "price": 9.5} for number in range(1, 6)],
    "note": "Please ring twice. " * 8,
}


class Sender(asyncio.Protocol):
    """One connection, which sends a request whenever the last one was answered."""

    def __init__(self, request: bytes, turns: Iterator[int], statuses: "Counter[int]") -> None:
        self._request, self._turns, self._statuses = request, turns, statuses
        self._received = b""
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._send()

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, end, body = self._received.partition(b"\r\n\r\n")
        if end and len(body) >= _content_length(head):
            self._statuses[int(head[9:12])] += 1
            self._received = b""
            self._send()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.done.done():
            self.done.set_exception(exc or ConnectionError("The server closed the connection."))

    def _send(self) -> None:
        if next(self._turns, None) is None:
            self.done.set_result(None)
            self._transport.close()
        else:
            self._transport.write(self._request)


def _content_length(head: bytes) -> int:
    _, found, rest = head.lower().partition(b"\r\ncontent-length:")
    return int(rest.partition(b"\r\n")[0]) if found else 0


async def send_load(url: str, count: int, connections: int) -> dict[str, Any]:
    """Send the requests; returns the times of the first one and the last answer, and all statuses."""
    parts, body = urlsplit(url), json.dumps(BODY).encode()
    head = (
        f"POST {parts.path} HTTP/1.1\r\nhost: {parts.netloc}\r\nuser-agent: bench\r\n"
        f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    turns, statuses = iter(range(count)), Counter[int]()
    loop = asyncio.get_running_loop()
    started = time.time()
    senders = []
    for _ in range(connections):
        _, sender = await loop.create_connection(
            lambda: Sender(head.encode() + body, turns, statuses), parts.hostname, parts.port
        )
        senders.append(sender.done)
    await asyncio.gather(*senders)
    return {"started": started, "ended": time.time(), "statuses": statuses}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(send_load(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))))
