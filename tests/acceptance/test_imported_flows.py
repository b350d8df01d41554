"""Flows that Automatisch exported give the same results here, or importing them says what differs."""

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from tests.support import automatisch_flows as upstream
from tests.support import flow_files as files
from tests.support import patient
from tests.support.automatisch_flows import CASES, COMPARISONS, SCHEDULES, exported
from tests.support.processes import Done, Interface, Service, until

CATCH = files.catch(wait=True)
ANSWER = files.step(
    "webhook",
    "respondWith",
    statusCode="202",
    body='{"is": "{{step.#1.body.a}}"}',
    headers=[{"key": "X-Kind", "value": "{{step.#1.query.kind}}"}, {"key": "", "value": "x"}],
)
GENERAL = ("stops at the first step that fails", "same delivery ID", "credentials, such as Authorization")


def flows() -> list[files.Document]:
    conditions = files.only_if("{{step.#1.body.a}}", "{operator}", "{{step.#1.body.b}}")
    found = [exported(name, CATCH, case.step) for name, case in CASES.items()]
    for operator in COMPARISONS:
        step = json.loads(json.dumps(conditions).replace("{operator}", operator))
        found.append(exported(f"filter {operator}", CATCH, step, files.respond(200, "on")))
    wait = files.step("delay", "delayFor", delayForUnit="minutes", delayForValue="30")
    until_then = files.step("delay", "delayUntil", delayUntil="2099-01-01")
    after = files.trimmed("{{step.#2.delayForUnit}}")
    found += [
        exported("delayFor", files.catch(), wait, after),
        exported("delayUntil", files.catch(), until_then, after),
    ]
    found += [
        exported("catchRawWebhook", files.catch(), files.trimmed("x")),
        exported("respondWith", CATCH, ANSWER, files.trimmed("after")),
    ]
    for key, (parameters, _) in SCHEDULES.items():
        found.append(exported(key, files.step("scheduler", key, **parameters), files.trimmed("x")))
    return found


@dataclass(frozen=True)
class World:
    service: Service
    interface: Interface
    imported: Done
    shown: Done

    def flow(self, name: str) -> dict[str, Any]:
        return next(flow for flow in self.imported.json if flow["name"] == name)

    def notes(self, name: str) -> str:
        return " ".join(self.flow(name).get("notes", []))

    def call(self, name: str, body: Any, *, wait: bool = True, method: str = "POST", **more: Any) -> Any:
        address = f"{self.service.address}/webhooks/flows/{self.flow(name)['id']}{'/sync' if wait else ''}"
        return patient.request(method, address, json=body, **more)

    def newest(self, name: str) -> dict[str, Any]:
        return self.interface.data("/v1/executions", flowId=self.flow(name)["id"])[0]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("imported")
    file = files.write(folder / "flows.json", flows())
    with Service(folder / "data") as service:
        imported = service.command("flow", "import", file, "--publish", "--json")
        assert (imported.code, imported.err) == (0, "")
        interface = Interface(service)
        yield World(service, interface, imported, service.command("flow", "import", file))
        interface.close()


@pytest.mark.parametrize("name", CASES)
def test_a_step_gives_the_result_it_gave_or_the_import_says_why_not(world, name):
    case = CASES[name]
    if case.step["appKey"] == "code" and not shutil.which("node"):
        pytest.skip("Node.js is not installed")

    answer = world.call(name, case.body)
    steps = world.interface.steps(world.newest(name)["id"])

    assert answer.status_code == 204, (answer.text, steps[-1])
    assert case.holds(steps[1]["dataOut"]), steps[1]["dataOut"]
    assert case.note in world.notes(name)


@pytest.mark.parametrize("operator", COMPARISONS)
def test_a_filter_continues_only_where_its_condition_holds(world, operator):
    value, matches, differs = COMPARISONS[operator]
    name = f"filter {operator}"

    passed = world.call(name, {"a": value, "b": matches})
    steps = world.interface.steps(world.newest(name)["id"])
    stopped = world.call(name, {"a": value, "b": differs})

    assert (passed.status_code, passed.text) == (200, "on")
    condition = {"key": value, "operator": operator, "value": matches}
    assert steps[1]["dataOut"] == {"or": [{"and": [condition]}]}
    assert stopped.status_code == 422
    assert ("reads it as 0" in world.notes(name)) == ("than" in operator)


@pytest.mark.parametrize("name", ["delayFor", "delayUntil"])
def test_a_delay_holds_the_run_without_ending_it(world, name):
    assert world.call(name, {}, wait=False).status_code == 204

    def waiting() -> Any:
        newest = world.interface.data("/v1/executions", flowId=world.flow(name)["id"])
        return newest and newest[0]["state"] == "waiting" and newest[0]

    held = until(waiting)
    delay = world.interface.steps(held["id"])[1]["dataOut"]
    assert held["finishedAt"] is None
    assert {"delayForUnit": "minutes", "delayForValue": 30}.items() <= delay.items() or (
        delay["delayUntil"] == "2099-01-01"
    )


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH"])
def test_a_webhook_takes_every_method_and_answers_at_once(world, method):
    answer = world.call("catchRawWebhook", {"a": 1}, wait=False, method=method, params={"q": "1"})

    done = until(lambda: (newest := world.newest("catchRawWebhook"))["finishedAt"] and newest)
    raw = world.interface.steps(done["id"])[0]["dataOut"]
    assert (answer.status_code, answer.content) == (204, b"")
    assert raw["query"] == {"q": "1"}
    assert raw["headers"]["content-type"] == "application/json"
    assert raw["body"] == {"a": 1} or method == "GET"


def test_a_waiting_caller_gets_the_response_and_the_steps_after_it_run(world):
    answer = world.call("respondWith", {"a": "here"}, params={"kind": "good"})

    assert (answer.status_code, answer.json(), answer.headers["x-kind"]) == (202, {"is": "here"}, "good")
    done = until(lambda: (newest := world.newest("respondWith"))["finishedAt"] and newest)
    steps = world.interface.steps(done["id"])
    assert steps[1]["dataOut"] == {
        "statusCode": 202,
        "headers": {"X-Kind": "good"},
        "body": '{"is": "here"}',
    }
    assert steps[2]["dataOut"] == {"output": "after"}
    assert "the flow ends there" in world.notes("respondWith")


@pytest.mark.parametrize("key", SCHEDULES)
def test_a_schedule_fires_when_it_did_and_gives_the_same_names(world, key):
    flow = world.flow(key)
    trigger = world.interface.data(f"/v1/flows/{flow['id']}")["steps"][0]["id"]

    world.interface.http.post(f"/v1/steps/{trigger}/test").raise_for_status()
    at = world.interface.steps(world.newest(key)["id"])[0]["dataOut"]

    assert SCHEDULES[key][1](at), at
    assert at["millisecond"] == 0
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:00\.000(Z|[+-]\d\d:\d\d)", at["ISO_date_time"])
    assert re.fullmatch(rf"[A-Z][a-z]{{2}} {at['day']}, {at['year']}", at["pretty_date"])
    assert re.fullmatch(r"\d{1,2}:\d\d:00 [AP]M", at["pretty_time"])
    assert "time zone of the flow" in world.notes(key)


def test_each_difference_is_said_once_with_the_flows_it_concerns(world):
    assert "Different" not in world.shown.out
    differences = world.shown.err.partition("Different from Automatisch:\n")[2]

    assert differences
    for piece in (*GENERAL, *{case.note for case in upstream.CASES.values() if case.note}):
        assert differences.count(piece) == 1, piece
    assert "capitalize: step 2)" in differences
    assert "and 2 more)" in differences or " more)" in differences
