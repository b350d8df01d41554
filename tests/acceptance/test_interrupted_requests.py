"""Requests cut off by a kill: what may be repeated is, the rest asks and can be continued."""

from pathlib import Path
from typing import Any

import pytest
from tests.support import flow_files as files
from tests.support.counterparty import Call, Counterparty
from tests.support.forms import long_form
from tests.support.processes import Interface, Service, until

pytestmark = [long_form, pytest.mark.timeout(180)]

FLOWS = {"Reads": ("GET", False), "Pays": ("POST", False), "Notes": ("PATCH", True)}
"""By name: the method of the request that is cut off, and whether its step says that it is safe to repeat."""


def publish(service: Service, folder: Path, address: str) -> list[str]:
    made = []
    for name, (method, safe) in FLOWS.items():
        request = files.request(method, f"{address}/held/{name}?key=hidden", "{}")
        request["parameters"]["mayRepeat"] = safe
        after = files.request("POST", f"{address}/after/{name}", "{}", {"Idempotency-Key": "typed"})
        made.append(files.flow(name, files.catch(), request, after))
    file = files.write(folder / "flows.json", made)
    return [flow["id"] for flow in service.command("flow", "import", file, "--publish", "--json").json]


def sent(party: Counterparty, path: str) -> list[Call]:
    return [call for call in party.seen if call.path.startswith(path)]


def finished(interface: Interface, name: str) -> Any:
    return interface.finished(name)[0]


def test_a_killed_request_is_repeated_by_its_method_and_one_that_asks_can_be_continued(
    tmp_path: Path,
) -> None:
    data = tmp_path / "data"
    with Counterparty() as party:
        service = Service(data).start()
        interface = Interface(service)
        for flow_id in publish(service, tmp_path, party.address):
            assert interface.http.post(f"/webhooks/flows/{flow_id}", json={}).status_code == 204
        until(lambda: len(sent(party, "/held")) == len(FLOWS))
        service.process.kill()
        party.release.set()
        interface.close()

        with Service(data) as service:
            interface = Interface(service)
            read, paid, noted = (finished(interface, name) for name in FLOWS)
            error = interface.steps(paid["id"])[-1]["errorDetails"]
            done = service.command("execution", "continue", paid["id"], "--json")
            not_interrupted = service.command("execution", "continue", read["id"])
            interface.close()

    assert (read["state"], noted["state"], paid["state"]) == ("success", "success", "failure")
    assert [len(sent(party, f"/held/{name}")) for name in FLOWS] == [2, 1, 2]
    first, second = sent(party, "/held/Notes")
    assert first.headers["idempotency-key"] == second.headers["idempotency-key"]
    assert "idempotency-key" in sent(party, "/held/Pays")[0].headers
    assert "idempotency-key" not in sent(party, "/held/Reads")[0].headers
    host = party.address.removeprefix("http://")
    assert error["kind"] == "OutcomeUnknown"
    assert error["request"] == f"POST {host}/held/Pays"
    assert host in error["todo"]
    assert done.code == 0, done.err
    assert [call.headers["idempotency-key"] for call in sent(party, "/after/Pays")] == ["typed"]
    assert not_interrupted.code != 0
