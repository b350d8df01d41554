"""A client in its own process that asks a service for its health every 20 ms, and what it measured."""

import contextlib
import http.client
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from tests.support.patience import PATIENCE

EVERY = 0.02
_LONGEST = 300.0


class Ping(NamedTuple):
    """One request: when it was sent (`time.monotonic`), how many seconds it took, and the status or 0."""

    at: float
    seconds: float
    status: int


class Pinging:
    """Pings `address`/healthcheck from a process of its own while the block runs."""

    def __init__(self, address: str, log: Path) -> None:
        self._address, self._log = address, log

    def __enter__(self) -> "Pinging":
        words = [sys.executable, "-m", "tests.support.pinging", self._address]
        with self._log.open("wb") as out:
            self._popen = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out)
        ends = time.monotonic() + PATIENCE
        while not self.all():
            assert time.monotonic() < ends, "the pinging client did not begin"
            time.sleep(EVERY)
        return self

    def __exit__(self, *_: object) -> None:
        self._popen.send_signal(signal.SIGTERM)
        try:
            self._popen.wait(10)
        except subprocess.TimeoutExpired:
            self._popen.kill()
            self._popen.wait()

    def all(self) -> list[Ping]:
        """Every answered ping so far."""
        lines = self._log.read_text("ascii").splitlines(keepends=True)
        words = (line.split() for line in lines if line.endswith("\n"))
        return [Ping(float(at), float(seconds), int(status)) for at, seconds, status in words]

    def next(self, count: int) -> list[Ping]:
        """So many pings, all sent after now; waits for them."""
        now, ends = time.monotonic(), time.monotonic() + _LONGEST
        while len(found := [ping for ping in self.all() if ping.at >= now]) < count:
            assert time.monotonic() < ends, "the service does not answer any more"
            time.sleep(EVERY)
        return found

    def settled(self, start: float) -> list[Ping]:
        """The pings under way at `start` or sent since, once one has been sent and answered after now."""
        now, ends = time.monotonic(), time.monotonic() + _LONGEST
        while not (found := self.all()) or found[-1].at < now:
            assert time.monotonic() < ends, "the service does not answer any more"
            time.sleep(EVERY)
        return [ping for ping in found if ping.at + ping.seconds >= start]


def waits(pings: list[Ping]) -> list[float]:
    """Milliseconds that a client coming by every 20 ms would have waited.

    One ping that took a second stands for the fifty that could not be sent meanwhile.
    """
    found: list[float] = []
    for ping in pings:
        left = ping.seconds
        while left > 0:
            found.append(left * 1000)
            left -= EVERY
    return found


def percentile(milliseconds: list[float], percent: int) -> float:
    """This percentile; of a few values, the largest."""
    if len(milliseconds) < 100:
        return max(milliseconds, default=0.0)
    return statistics.quantiles(milliseconds, n=100)[percent - 1]


def p99(milliseconds: list[float]) -> float:
    return percentile(milliseconds, 99)


def _ping_on(address: str) -> None:
    place = urlsplit(address)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=_LONGEST)
    due = time.monotonic()
    while True:
        at, status = time.monotonic(), 0
        try:
            connection.request("GET", "/healthcheck")
            answer = connection.getresponse()
            answer.read()
            status = answer.status
        except (OSError, http.client.HTTPException):
            connection.close()
        print(f"{at:.6f} {time.monotonic() - at:.6f} {status}", flush=True)
        due = max(due + EVERY, time.monotonic())
        time.sleep(max(0.0, due - time.monotonic()))


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError):
        _ping_on(sys.argv[1])
