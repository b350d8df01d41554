"""A host that answers 429 holds back only the steps that call it, for a bounded time, until released."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.support import flow_files as files
from tests.support.counterparty import Counterparty
from tests.support.forms import long_form
from tests.support.processes import Interface, Service, until

pytestmark = pytest.mark.timeout(180)


@contextmanager
def serving(data: Path) -> Iterator[tuple[Service, Interface]]:
    with Service(data) as service:
        interface = Interface(service)
        try:
            yield service, interface
        finally:
            interface.close()


def publish(service: Service, folder: Path, name: str, url: str) -> str:
    """A flow that passes a webhook call on to this URL; returns its ID."""
    document = files.flow(name, files.catch(), files.request("POST", url, "{}"))
    file = files.write(folder / f"{name}.json", document)
    return str(service.command("flow", "import", file, "--publish", "--json").json[0]["id"])


def call(interface: Interface, flow_id: str) -> None:
    assert interface.http.post(f"/webhooks/flows/{flow_id}", json={}).status_code == 204


def waiting(interface: Interface, name: str, count: int = 1) -> list[Any]:
    def found() -> list[Any]:
        runs = [run for run in interface.executions(name) if run["state"] == "waiting"]
        return runs if len(runs) >= count else []

    return until(found)


def succeeded(interface: Any, run_id: str) -> bool:
    return bool(interface.data(f"/v1/executions/{run_id}")["state"] == "success")


def minutes_left(run: Any) -> float:
    return float((run["wakeAt"] / 1000 - time.time()) / 60)


@long_form
def test_a_host_that_asks_to_wait_a_day_holds_back_only_itself_and_is_released(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with Counterparty() as busy, Counterparty() as fine:
        host = busy.address.removeprefix("http://")
        tomorrow = datetime.now(UTC) + timedelta(days=1)
        busy.answers["/orders"] = (429, {"error": "Too many requests"})
        busy.headers["/orders"] = {"Retry-After": f"{tomorrow:%a, %d %b %Y %H:%M:%S GMT}"}
        with serving(data) as (service, interface):
            at_busy = publish(service, tmp_path, "Busy", f"{busy.address}/orders")
            elsewhere = publish(service, tmp_path, "Elsewhere", f"{fine.address}/orders")
            call(interface, at_busy)
            [refused] = waiting(interface, "Busy")
            call(interface, at_busy)
            both = waiting(interface, "Busy", 2)
            call(interface, elsewhere)

            [passed] = interface.finished("Elsewhere")

            assert passed["state"] == "success"
            assert all(minutes_left(run) <= 15.5 for run in both)
            assert all(host in run["note"] for run in both)
            assert {run["waitsFor"] for run in both} == {"limit"}
            del busy.answers["/orders"]
            service.command("execution", "resume", refused["id"])
            assert {run["state"] for run in interface.finished("Busy", 2)} == {"success"}

            busy.answers["/orders"] = (429, {})
            service.command("engine", "settings", "--max-retry-after", "3600")
            call(interface, at_busy)
            [first] = waiting(interface, "Busy")
            assert 50 < minutes_left(first) < 61
            call(interface, at_busy)
            held = waiting(interface, "Busy", 2)
            del busy.answers["/orders"]

        with serving(data) as (service, interface):
            for run in held:
                until(partial(succeeded, interface, run["id"]))
