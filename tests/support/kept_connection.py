"""A data folder with one connection and a published flow that uses it, made through the program itself."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support import flow_files as files
from tests.support import patient
from tests.support.counterparty import Counterparty
from tests.support.processes import Done, Interface, Service

FLOW = "Watch"


@dataclass(frozen=True)
class Kept:
    """What is in the folder."""

    data: Path
    connection: str
    flow: str


def add_words(party: Counterparty, name: str = "Mine") -> list[str]:
    """The words that connect the third party; its key is read from standard input."""
    fields = ["--field", f"screenName={name}", "--field", f"instanceUrl={party.address}"]
    return ["connection", "add", "--app", "changedetection", *fields, "--secret-stdin", "apiKey", "--json"]


def furnish(service: Service, party: Counterparty) -> Kept:
    """Connect, and publish a flow: webhook → a step that needs the connection."""
    added = service.command(*add_words(party), stdin=f"{party.key}\n")
    assert added.code == 0, added.err
    step = files.step("changedetection", "createWatch", url="https://a.example")
    document = files.flow(FLOW, files.catch(), step)
    file = files.write(service.data.with_name("flow.json"), document)
    [flow] = service.command("flow", "import", file, "--json").json
    interface = Interface(service)
    steps = interface.data(f"/v1/flows/{flow['id']}")["steps"]
    change = {"connectionId": added.json["id"]}
    interface.http.patch(f"/v1/steps/{steps[1]['id']}", json=change).raise_for_status()
    for each in steps:
        interface.http.post(f"/v1/steps/{each['id']}/skip-test").raise_for_status()
    interface.close()
    published = service.command("flow", "publish", flow["id"])
    assert published.code == 0, published.err
    return Kept(service.data, added.json["id"], flow["id"])


def call_hook(service: Service, kept: Kept) -> None:
    """Start the flow."""
    patient.post(f"{service.address}/webhooks/flows/{kept.flow}", json={}).raise_for_status()


def listed(service: Service) -> dict[str, Any]:
    """What the terminal says about the only connection."""
    [connection] = service.command("connection", "list", "--json").json
    return dict(connection)


def told(done: Done) -> str:
    return done.out + done.err
