"""Flows through which planted secrets could travel: a signed webhook, programs, a called flow, failures."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from tests.support import flow_files as files
from tests.support.counterparty import Call, Counterparty
from tests.support.processes import Interface, Service

_OWN = uuid4().hex
"""No other run of these tests, at the same time, plants the same."""
KEY = f"PLANTED/5ecret+Key={_OWN}"
PASSWORD = f"PLANTED=password/of the basic login {_OWN}"
SIGNING = f"PLANTED-signing+token/of-the-sender-{_OWN}"
CALLER = f"PLANTED-authorization/of-a-caller-{_OWN}"
PASSPHRASE = f"PLANTED passphrase of 8 words and more {_OWN}"
VARIABLE = f"PLANTED-value-of-a-variable-{_OWN}"
HEADER = "X-Sender"
"""Where the sender puts its token: a name that does not sound secret."""
CANARY = "CANARY-goes-wherever-data-go-0123"
"""No secret: a search that does not find it looks in the wrong places."""

TOLD = "/api/v1/told"
LOGIN = "/login"
REFUSED = "/api/v1/refused"
HEARD = "/heard"
HELD = "/held"

_PROGRAM = """
import os, urllib.request
print(dict(os.environ), open("/proc/self/environ").read(), open("/proc/self/cmdline").read())
with open(os.path.join(os.environ["TMPDIR"], "kept"), "w") as kept:
    kept.write(str(inputs))
urllib.request.urlopen(inputs["held"]).read()
raise RuntimeError(f"{dict(os.environ)} {inputs}")
"""


@dataclass(frozen=True)
class Flows:
    """Ids of the flows, by what they do."""

    main: str
    answers: str
    hears: str


def _main(party: Counterparty) -> dict[str, Any]:
    """Signed call → program → called flow → refused request."""
    rows = [
        {"key": name, "value": f"{{{{step.#1.{name}}}}}"} for name in ("headers", "body", "query", "missing")
    ]
    rows.append({"key": "held", "value": f"{party.address}{HELD}"})
    program = files.step("code", "runPython", inputs=rows, codeSnippet=_PROGRAM, allowNetwork=True)
    given = {"dataAs": "json", "json": "{{step.#1.body}}", "wait": True}
    call = files.step("patchbay", "callFlow", flow=files.an_id("Answers"), **given)
    trigger = files.catch(wait=True)
    trigger["parameters"] |= {"deliveries": "header", "deliveryHeader": "X-Event"}
    refused = files.request("POST", f"{party.address}{REFUSED}", "{{step.#3.answer}}")
    return files.flow("Main", trigger, {**program, "continueOnError": True}, call, refused)


def _answers(party: Counterparty) -> dict[str, Any]:
    return files.flow(
        "Answers",
        files.step("patchbay", "called"),
        files.request("GET", f"{party.address}{TOLD}"),
        files.request("GET", f"{party.address}{LOGIN}"),
        files.step(
            "patchbay",
            "answer",
            dataAs="json",
            json='{"told": {{step.#2.data | json}}, "login": {{step.#3.data | json}}}',
        ),
    )


def _hears(party: Counterparty) -> dict[str, Any]:
    data = '{"error": {{step.#1.error | json}}, "flow": "{{step.#1.flow.name}}"}'
    return files.flow(
        "Hears",
        files.step("patchbay", "flowFailed", flow="any"),
        files.request("POST", f"{party.address}{HEARD}", data),
    )


class Teller(Counterparty):
    """A third party that answers with what it was asked with."""

    def answer(self, call: Call) -> tuple[int, Any]:
        """As the counterparty does; what it tells back is in the answers and refusals."""
        if call.path == LOGIN:
            if "authorization" not in call.headers:
                return 401, {"message": "Who are you?"}
            return 200, {"headers": call.headers, "password": PASSWORD}
        status, told = super().answer(call)
        if status == 200 and call.path == TOLD:
            told = {"canary": CANARY, "yourKey": KEY, "headers": call.headers, KEY: "as a name"}
        if status == 200 and call.path == REFUSED:
            status, told = 500, {"error": f"{CANARY}: {KEY} has used up its quota", "asked": call.headers}
        return status, told


def connect(interface: Interface, party: Counterparty) -> dict[str, str]:
    """A key in a header, a password and a signing token; ids by name."""
    check = {"baseUrl": party.address, "checkUrl": "/api/v1/systeminfo"}
    header = {**check, "kind": "header", "headerName": "X-Api-Key", "apiKey": KEY, "screenName": "Key"}
    basic = {
        **check,
        "checkUrl": LOGIN,
        "kind": "basic",
        "username": "ada",
        "password": PASSWORD,
        "screenName": "Login",
    }
    signing = {"scheme": "token", "headerName": HEADER, "token": SIGNING, "screenName": "Sender"}
    made = {}
    for name, app, data in (
        ("key", "http", header),
        ("login", "http", basic),
        ("signing", "signing-secret", signing),
    ):
        answer = interface.http.post("/v1/connections", json={"appKey": app, "formattedData": data})
        assert answer.status_code in (200, 201), answer.text
        made[name] = str(answer.json()["data"]["id"])
    return made


def furnish(service: Service, interface: Interface, party: Counterparty, folder: Path) -> Flows:
    """Everything connected, set up and published."""
    connections = connect(interface, party)
    documents = [_answers(party), _hears(party), _main(party)]
    file = files.write(folder / "flows.json", documents)
    made = service.command("flow", "import", file, "--json")
    assert made.code == 0, made.err
    answers, hears, main = (str(item["id"]) for item in made.json)
    uses = {answers: {1: "key", 2: "login"}, hears: {}, main: {0: "signing", 3: "key"}}
    for flow, places in uses.items():
        steps = interface.data(f"/v1/flows/{flow}")["steps"]
        for place, name in places.items():
            change = {"connectionId": connections[name]}
            interface.http.patch(f"/v1/steps/{steps[place]['id']}", json=change).raise_for_status()
        if flow == main:
            parameters = {**steps[2]["parameters"], "flow": answers}
            interface.http.patch(
                f"/v1/steps/{steps[2]['id']}", json={"parameters": parameters}
            ).raise_for_status()
        for step in steps:
            interface.http.post(f"/v1/steps/{step['id']}/skip-test").raise_for_status()
        answer = interface.http.patch(f"/v1/flows/{flow}/status", json={"active": True})
        assert answer.status_code == 200, answer.text
    return Flows(main, answers, hears)
