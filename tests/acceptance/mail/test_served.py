"""Mail in and out of a served folder: a webhook sends a message, its arrival starts another flow."""

import json
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support import flow_files as files
from tests.support import patient
from tests.support.mail_service import ADA, PASSWORD, MailService, needs_mail_service
from tests.support.processes import Done, Interface, Service

pytestmark = needs_mail_service


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Service]:
    passphrase = tmp_path / "passphrase"
    passphrase.write_text("correct horse")
    passphrase.chmod(0o600)
    with Service(tmp_path / "data", "--passphrase-file", str(passphrase), "--debug") as running:
        yield running


def connected(served: Service, server: MailService, app: str) -> Done:
    fields = {**server.account(app), "useTls": "false"}
    words = [f"--field={key}={value}" for key, value in fields.items() if key != "password"]
    command = ["connection", "add", "--app", app, *words, "--secret-stdin", "password", "--json"]
    return served.command(*command, stdin=f"{PASSWORD}\n")


def published(served: Service, interface: Interface, file: Path, accounts: dict[str, str]) -> str:
    """The id of the flow in the file, live, each step with the account of its app."""
    [flow] = served.command("flow", "import", file, "--json").json
    for step in interface.data(f"/v1/flows/{flow['id']}")["steps"]:
        change = {"connectionId": accounts.get(step["appKey"])}
        interface.http.patch(f"/v1/steps/{step['id']}", json=change).raise_for_status()
        interface.http.post(f"/v1/steps/{step['id']}/skip-test").raise_for_status()
    assert served.command("flow", "publish", flow["id"]).code == 0
    return str(flow["id"])


def test_a_webhook_sends_a_message_whose_arrival_starts_another_flow_and_the_password_stays_secret(
    served, server, tmp_path
):
    server.empty(ADA)
    made = {app: connected(served, server, app) for app in ("smtp", "imap")}
    accounts = {app: done.json["id"] for app, done in made.items()}
    interface = Interface(served)
    send = files.step(
        "smtp", "sendEmail", fromEmail=ADA, to=ADA, subject="{{step.#1.body.subject}}", body="Hällo"
    )
    out = files.write(tmp_path / "out.json", files.flow("Out", files.catch(), send))
    arrival = files.step("imap", "newMail", folder="INBOX")
    into = files.write(
        tmp_path / "in.json", files.flow("In", arrival, files.trimmed(" {{step.#1.subject}} "))
    )
    published(served, interface, into, accounts)
    hook = f"{served.address}/webhooks/flows/{published(served, interface, out, accounts)}"

    patient.post(hook, json={"subject": "Grüße per Webhook"}).raise_for_status()
    [sent], [heard] = interface.finished("Out"), interface.finished("In")

    assert (sent["status"], heard["status"]) == ("success", "success")
    last = interface.steps(heard["id"])[-1]
    assert last["dataOut"]["output"] == "Grüße per Webhook"
    shown = [served.command("execution", "show", one["id"], "--json") for one in (sent, heard)]
    printed = "".join(done.out + done.err for done in [*made.values(), *shown])
    assert PASSWORD not in printed + interface.http.get("/v1/connections").text
    interface.close()
    served.process.stop(quiet=False)
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {"patchbay.db", "patchbay.log"} <= {path.name for path in kept}
    forms = [PASSWORD.encode(), json.dumps(PASSWORD).strip('"').encode(), b64encode(PASSWORD.encode())]
    assert [path.name for path in kept if any(form in path.read_bytes() for form in forms)] == []
