"""Fires bombs at a served workspace while another process pings it, and says what each did."""

import json
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from tests.support import flow_files as files
from tests.support.bombs.interface import Bomb, Targets
from tests.support.bombs.steps import with_trigger
from tests.support.pinging import Ping, Pinging, p99, waits
from tests.support.processes import Interface, Service, until

ENDS_WITHIN = 150.0
"""Seconds in which whatever a bomb began must have ended."""
_IDLE_PINGS = 150
_SENT_APART = 20_000
"""Texts longer than this don't fit into a flow; they arrive as parts of a webhook's form."""
_ENDED = ("success", "failure", "filtered", "cancelled")


@dataclass(frozen=True)
class Hit:
    """What a bomb did: how it ended, and how long the client that pings had to wait meanwhile."""

    name: str
    ended: str
    seconds: float
    waits: list[float]
    grown_mb: float
    failed_pings: int

    @property
    def row(self) -> str:
        worst = max(self.waits, default=0.0)
        return (
            f"{self.name[:60]:60} {self.ended[:24]:24} {self.seconds:7.2f} s  worst {worst:7.0f} ms"
            f"  p99 {p99(self.waits):7.0f} ms  {self.grown_mb:+6.0f} MB"
        )


def _processor_wait() -> float:
    """Seconds that a second of processor time takes here: more than 1 while other programs compute."""
    started, used = time.monotonic(), time.process_time()
    while (spent := time.process_time() - used) < 1.0:
        sum(range(10_000))
    return (time.monotonic() - started) / spent


class Range:
    """A served workspace to fire at."""

    def __init__(self, service: Service, pings: Pinging) -> None:
        self.service, self._pings = service, pings
        self.hits: list[Hit] = []
        self.interface = Interface(service)
        self._http = self.interface.http
        self._http.timeout = httpx.Timeout(ENDS_WITHIN)
        self._number = 0
        self.targets = self._make_targets()
        self.until_idle()
        self.idle_p99 = p99(waits(pings.next(_IDLE_PINGS)))
        """Milliseconds that pings took before the first bomb: what the computer itself makes of them."""
        self.processor_wait = _processor_wait()
        """How many times longer arithmetic took than it used the processor, before the first bomb."""

    def close(self) -> None:
        self.interface.close()

    # Firing

    def fire(self, name: str, act: Callable[[], str]) -> Hit:
        """Do this, and measure until it has ended."""
        before, start = self._peak_mb(), time.monotonic()
        ended = act()
        seconds = time.monotonic() - start
        pings = self._pings.settled(start)
        hit = Hit(name, ended, seconds, waits(pings), self._peak_mb() - before, _failed(pings))
        self.hits.append(hit)
        return hit

    def request(self, bomb: Bomb) -> str:
        """Send it, and wait for the runs it began."""
        asked = bomb(self.targets)
        headers = {"content-type": asked.kind} if asked.content else {}
        answer = self._http.request(asked.method, asked.path, content=asked.content, headers=headers)
        self.until_idle()
        return _said(answer)

    def webhook(self, bomb: tuple[dict[str, str], bytes]) -> str:
        """Send this to a published webhook."""
        headers, body = bomb
        path = f"/webhooks/flows/{self.targets.live}"
        answer = httpx.post(self.service.address + path, content=body, headers=headers, timeout=ENDS_WITHIN)
        self.until_idle()
        return _said(answer)

    def step(self, bomb: tuple[str, str, Any], item: dict[str, Any] | None = None) -> str:
        """Publish a flow with this step, start it, and wait for the end of its run.

        `item` is sent to it, for parameters that refer to the trigger as `TRIGGER`.
        """
        app, key, parameters = bomb
        self._number += 1
        name, parts = f"Bomb {self._number}", _Parts()
        document = files.flow(name, files.catch(), {"appKey": app, "key": key, "parameters": {}})
        trigger = document["steps"][0]["id"]
        parameters = parts.of(with_trigger(parameters, f"{trigger}.body"), trigger)
        document["steps"][1]["parameters"] = parameters
        try:
            flow_id = self.publish(document)
        except Refused as refused:
            return f"refused: {refused}"
        answer = httpx.post(
            f"{self.service.address}/webhooks/flows/{flow_id}",
            files=parts.files(item or {}),
            timeout=ENDS_WITHIN,
        )
        if answer.status_code >= 300:
            return _said(answer)
        return str(until(lambda: self._end_of(name), ENDS_WITHIN, every=0.1))

    def connect(self, app: str, **fields: Any) -> str:
        """A connection with these credentials; its id."""
        body = {"appKey": app, "formattedData": fields}
        return str(_data(self._http.post("/v1/connections", json=body))["id"])

    def poll(self, name: str, trigger: files.Document, connection: str) -> Callable[[int], str]:
        """Publish a flow that a polled trigger starts. The answer waits for so many runs of it."""
        document = files.flow(name, trigger, files.trimmed("x"))
        self.publish(document, connection)

        def arrived(count: int) -> str:
            def look() -> bool:
                query: dict[str, str | int] = {"name": name, "limit": 1}
                found = self._http.get("/v1/executions", params=query).json()["meta"]["count"]
                return bool(found >= count)

            until(look, 4 * ENDS_WITHIN, every=0.2)
            self.until_idle()
            return f"{count} runs"

        return arrived

    # Looking

    def _end_of(self, name: str) -> str:
        runs = self._http.get("/v1/executions", params={"name": name}).json()["data"]
        return str(runs[0]["state"]) if runs and runs[0]["finishedAt"] else ""

    def until_idle(self) -> None:
        """Wait until nothing runs or is queued."""

        def idle() -> bool:
            health = self.interface.data("/v1/health")
            return bool(health["running"] + health["queued"] == 0)

        until(idle, ENDS_WITHIN, every=0.1)

    def _peak_mb(self) -> float:
        """The largest memory of the service so far, in MB; 0 where the system does not tell it."""
        if sys.platform != "linux":
            return 0.0
        status = Path(f"/proc/{self.service.process.pid}/status").read_text("ascii")
        found = re.search(r"VmHWM:\s+(\d+) kB", status)
        return int(found[1]) / 1000 if found else 0.0

    # Making targets

    def publish(self, document: dict[str, Any], connection: str | None = None) -> str:
        """A flow with these steps, live; its id. Raises `Refused`."""
        made = _data(self._http.post("/v1/flows/import", json=document))
        if connection is not None:
            _data(self._http.patch(f"/v1/steps/{made['steps'][0]['id']}", json={"connectionId": connection}))
        for step in made["steps"]:
            _data(self._http.post(f"/v1/steps/{step['id']}/skip-test"))
        _data(self._http.patch(f"/v1/flows/{made['id']}/status", json={"active": True}))
        return str(made["id"])

    def _make_targets(self) -> Targets:
        user = self.interface.data("/v1/users")[0]["id"]
        live = self.publish(files.flow("Live", files.catch(), files.trimmed("{{step.#1.body}}")))
        draft = _data(
            self._http.post("/v1/flows/import", json=files.flow("Draft", files.catch(), files.trimmed("x")))
        )
        return Targets(user=user, live=live, draft=draft["id"], step=draft["steps"][1]["id"])


class Refused(Exception):
    """The interface would not take the flow of a bomb."""


class _Parts:
    """Long texts of parameters, as parts of the form that starts the flow."""

    def __init__(self) -> None:
        self._texts: list[str] = []

    def of(self, parameters: Any, trigger: str) -> Any:
        """The parameters with references in place of long texts."""
        if isinstance(parameters, str) and len(parameters) > _SENT_APART:
            self._texts.append(parameters)
            return f"{{{{step.{trigger}.body.t{len(self._texts)}}}}}"
        if isinstance(parameters, list):
            return [self.of(item, trigger) for item in parameters]
        if isinstance(parameters, dict):
            return {key: self.of(item, trigger) for key, item in parameters.items()}
        return parameters

    def files(self, item: dict[str, Any]) -> list[tuple[str, tuple[None, bytes]]]:
        """All fields of the form: the long texts, and what the item holds."""
        fields: list[tuple[str, Any]] = [("none", ""), *item.items()]
        fields += [(f"t{number}", text) for number, text in enumerate(self._texts, 1)]
        return [
            (name, (None, one.encode("utf-8", "surrogatepass")))
            for name, value in fields
            for one in (value if isinstance(value, list) else [value])
        ]


@contextmanager
def shooting_range(place: Path) -> Iterator[Range]:
    """A server on a fresh folder, with a process that pings it."""
    passphrase = place / "passphrase"
    passphrase.write_text("correct horse battery staple")
    passphrase.chmod(0o600)
    words = ("--passphrase-file", str(passphrase))
    with (
        Service(place / "data", *words, fresh=True) as service,
        Pinging(service.address, place / "pings.txt") as pings,
    ):
        made = Range(service, pings)
        try:
            yield made
        finally:
            made.close()


def report(hits: list[Hit]) -> str:
    """A table, the slowest first, and one line for all together."""
    together = [wait for hit in hits for wait in hit.waits]
    rows = [hit.row for hit in sorted(hits, key=lambda hit: -max(hit.waits, default=0.0))]
    figures = f"p99 {p99(together):.0f} ms, worst {max(together, default=0):.0f} ms"
    last = f"{len(hits)} bombs, {len(together):,} pings: {figures}"
    return "\n".join([*rows, last])


def _failed(pings: list[Ping]) -> int:
    return sum(ping.status != 200 for ping in pings)


def _said(answer: httpx.Response) -> str:
    return f"{answer.status_code}, {len(answer.content):,} bytes"


def _data(answer: httpx.Response) -> Any:
    if answer.status_code >= 400:
        raise Refused(f"{answer.status_code} {json.loads(answer.text)['meta']['happened'][:60]}")
    return answer.json()["data"]


__all__ = ["ENDS_WITHIN", "Hit", "Range", "report", "shooting_range"]
