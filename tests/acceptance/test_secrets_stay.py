"""A secret goes to the service it is for, and is found nowhere else: not on disk, not in any output."""

import base64
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.support import flow_files as files
from tests.support import patient
from tests.support.counterparty import Counterparty
from tests.support.forms import long_form
from tests.support.keyring_session import keyring_session, needs_gnome_keyring
from tests.support.processes import Done, Interface, Service

MARKER = "MARKER5ecretKey0123456789abcdef"
CALLERS_TOKEN = "CALLER5token-of-the-webhook-caller"

pytestmark = [
    long_form,
    needs_gnome_keyring,
    pytest.mark.skipif(sys.platform != "linux", reason="other systems show processes elsewhere"),
]


@dataclass
class Place:
    """A service whose only connection uses the marker, and everything the program printed so far."""

    folder: Path
    service: Service
    interface: Interface
    connection: str
    hook: str
    flow: str
    printed: list[Done]

    def command(self, *words: object) -> Done:
        done = self.service.command(*words)
        self.printed.append(done)
        return done

    def run(self, count: int) -> dict[str, Any]:
        """Start the flow and give its newest execution once `count` have ended."""
        patient.post(self.hook, json={}, headers={"Authorization": f"Bearer {CALLERS_TOKEN}"})
        newest: dict[str, Any] = self.interface.finished("Watch", count)[0]
        return newest

    def secrets(self) -> tuple[str, ...]:
        return (MARKER, CALLERS_TOKEN, self.interface.key)


@pytest.fixture
def place(tmp_path: Path, party: Counterparty) -> Iterator[Place]:
    party.key = MARKER
    flow_file = files.write(
        tmp_path / "flow.json",
        files.flow(
            "Watch", files.catch(), files.step("changedetection", "createWatch", url="https://a.example")
        ),
    )
    with (
        keyring_session(tmp_path / "session") as session,
        Service(tmp_path / "data", "--debug", env=session, fresh=True) as service,
    ):
        fields = ["--field", "screenName=Watch", "--field", f"instanceUrl={party.address}"]
        words = [
            "connection",
            "add",
            "--app",
            "changedetection",
            *fields,
            "--secret-stdin",
            "apiKey",
            "--json",
        ]
        added = service.command(*words, stdin=f"{MARKER}\n")
        [flow] = service.command("flow", "import", flow_file, "--json").json
        interface = Interface(service)
        step = interface.data(f"/v1/flows/{flow['id']}")["steps"][1]["id"]
        change = {"connectionId": added.json["id"]}
        interface.http.patch(f"/v1/steps/{step}", json=change).raise_for_status()
        for each in interface.data(f"/v1/flows/{flow['id']}")["steps"]:
            interface.http.post(f"/v1/steps/{each['id']}/skip-test").raise_for_status()
        published = service.command("flow", "publish", flow["id"])
        assert published.code == 0
        hook = f"{service.address}/webhooks/flows/{flow['id']}"
        yield Place(tmp_path, service, interface, added.json["id"], hook, flow["id"], [added, published])
        interface.close()


def test_a_connections_key_is_found_nowhere_but_at_its_service(place, party):
    party.answers["/api/v1/watch"] = (200, {"id": "w1", "yourKey": MARKER})
    succeeded = place.run(1)
    party.answers["/api/v1/watch"] = (500, {"error": f"The key {MARKER} has used up its quota."})
    failed = place.run(2)
    party.key = "withdrawn-in-the-meantime"
    party.answers["/api/v1/systeminfo"] = (403, {"message": f"Who is {MARKER}?"})
    tested = place.command("connection", "test", place.connection, "--json")
    look_everywhere(place, [succeeded, failed])

    assert (succeeded["status"], failed["status"], tested.code) == ("success", "failure", 1)
    assert "has used up its quota" in str(failed["note"])
    assert {call.headers["x-api-key"] for call in party.seen if call.path.startswith("/api/v1")} == {MARKER}
    assert not [
        done for done in place.printed if any(secret in done.out + done.err for secret in place.secrets())
    ]
    assert shown_by_the_system(place) == []
    assert found_on_disk(place) == []
    place.service.process.stop(quiet=False)
    assert found_on_disk(place) == []


def look_everywhere(place: Place, executions: list[dict[str, Any]]) -> None:
    """Have everything printed that could tell."""
    for execution in executions:
        place.command("execution", "show", execution["id"], "--json")
        place.command("execution", "show", execution["id"])
    place.command("execution", "list", "--json")
    place.command("connection", "list", "--json")
    place.command("flow", "export", place.flow)
    place.command("flow", "show", place.flow, "--json")
    place.command("doctor", "--json")
    answered = place.interface.http.get("/v1/connections")
    place.printed.append(Done(answered.status_code, answered.text, ""))


def shown_by_the_system(place: Place) -> list[str]:
    """Where the running service shows a secret to other programs."""
    process = Path(f"/proc/{place.service.process.pid}")
    return [name for name in ("cmdline", "environ") if holds(process / name, place.secrets())]


def found_on_disk(place: Place) -> list[str]:
    """Every file that holds a secret: database, its journal, logs, vault, keyring, standard error."""
    everything = [path for path in place.folder.rglob("*") if path.is_file()]
    assert {"patchbay.db", "patchbay.log", "data.stderr"} <= {path.name for path in everything}
    return [path.name for path in everything if holds(path, place.secrets())]


def holds(path: Path, secrets: tuple[str, ...]) -> bool:
    content = path.read_bytes()
    return any(form in content for secret in secrets for form in forms(secret))


def forms(secret: str) -> list[bytes]:
    """The secret as it stands and in encodings that hide it from a plain search."""
    raw = secret.encode()
    return [
        raw,
        raw[::-1],
        base64.b64encode(raw).rstrip(b"="),
        raw.hex().encode(),
        secret.encode("utf-16-le"),
    ]
