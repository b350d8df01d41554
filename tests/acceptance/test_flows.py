"""Flows imported and published from the terminal, started by calls and schedules, over real processes."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from tests.support import flow_files as files
from tests.support import patient
from tests.support.counterparty import Counterparty
from tests.support.forms import long_form
from tests.support.processes import Interface, Service, program, run, until


@dataclass
class World:
    """A service with published flows; `ids` by name."""

    service: Service
    interface: Interface
    ids: dict[str, str]

    def hook(self, name: str, *, wait: bool = False) -> str:
        return f"{self.service.address}/webhooks/flows/{self.ids[name]}" + ("/sync" if wait else "")


def documents(party: Counterparty) -> list[files.Document]:
    url = party.address
    return [
        files.orders(f"{url}/orders"),
        files.nightly(f"{url}/nightly"),
        files.flow("Broken", files.catch(), files.request("GET", f"{url}/broken")),
        files.flow(
            "Answering",
            files.catch(wait=True),
            files.respond(201, '{"hello": "{{step.#1.body.name}}"}'),
            files.request("POST", f"{url}/after", "told {{step.#1.body.name}}"),
        ),
        files.flow("Answering badly", files.catch(wait=True), files.request("GET", f"{url}/broken")),
    ]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, party: Counterparty) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("flows")
    party.answers["/broken"] = (501, {"error": "The printer is on fire."})
    file = files.write(folder / "flows.json", documents(party))
    with Service(folder / "data") as service:
        imported = service.command("flow", "import", file, "--publish", "--json")
        assert (imported.code, imported.err) == (0, "")
        interface = Interface(service)
        yield World(service, interface, {item["name"]: item["id"] for item in imported.json})
        interface.close()


def test_a_call_runs_through_every_step_and_shows_up(world, party):
    answer = patient.post(world.hook("Orders"), json={"customer": "  Ada Lovelace ", "total": 40})
    [execution] = world.interface.finished("Orders")
    steps = world.interface.steps(execution["id"])

    assert (answer.status_code, answer.content) == (204, b"")
    assert execution["status"] == "success"
    assert [step["status"] for step in steps] == ["success"] * 4
    assert steps[0]["dataOut"]["body"] == {"customer": "  Ada Lovelace ", "total": 40}
    assert steps[1]["dataIn"]["input"] == "  Ada Lovelace "
    assert steps[1]["dataOut"] == {"output": "Ada Lovelace"}
    assert steps[3]["dataIn"]["data"] == '{"customer": "Ada Lovelace"}'
    assert steps[3]["dataOut"]["data"]["received"] == '{"customer": "Ada Lovelace"}'
    assert party.paths().count("/orders") == 1


def test_a_filter_that_does_not_match_ends_the_run_and_says_why(world, party):
    before = party.paths().count("/orders"), len(world.interface.executions("Orders"))

    patient.post(world.hook("Orders"), json={"customer": "Bob", "total": 3})
    newest = world.interface.finished("Orders", before[1] + 1)[0]

    assert (newest["state"], newest["status"]) == ("filtered", "success")
    assert "is greater than" in newest["note"]
    assert party.paths().count("/orders") == before[0]


def test_a_refused_request_is_a_failure_with_the_third_partys_answer(world):
    answer = patient.post(world.hook("Broken"), json={})
    [execution] = world.interface.finished("Broken")
    shown = world.service.command("execution", "show", execution["id"], "--json")

    assert answer.status_code == 204
    assert (execution["status"], shown.code) == ("failure", 0)
    failed = shown.json["executionSteps"][1]
    assert failed["status"] == "failure"
    assert failed["dataOut"] is None
    assert failed["errorDetails"]["status"] == 501
    assert failed["errorDetails"]["response"] == {"error": "The printer is on fire."}
    assert "The printer is on fire." in shown.json["note"]


def test_a_waiting_caller_gets_the_flows_answer_and_later_steps_still_run(world, party):
    answer = patient.post(world.hook("Answering", wait=True), json={"name": "Ada"})
    [execution] = world.interface.finished("Answering")

    assert (answer.status_code, answer.json()) == (201, {"hello": "Ada"})
    assert execution["status"] == "success"
    assert "told Ada" in [call.body for call in party.seen if call.path == "/after"]


def test_a_waiting_caller_of_a_failing_flow_gets_an_error_without_the_third_partys_message(world):
    answer = patient.post(world.hook("Answering badly", wait=True), json={})

    assert answer.status_code == 502
    assert "errors" in answer.json()
    assert "printer" not in answer.text


def test_the_address_of_a_synchronous_flow_ends_with_sync(world):
    shown = world.service.command("flow", "show", world.ids["Answering"], "--json").json

    assert shown["steps"][0]["webhookUrl"] == world.hook("Answering", wait=True)


def test_a_call_to_a_draft_shows_what_arrived_and_runs_no_action(world, party, tmp_path):
    file = files.write(tmp_path / "draft.json", files.orders(f"{party.address}/draft", "Draft"))
    [draft] = world.service.command("flow", "import", file, "--json").json
    world.ids["Draft"] = draft["id"]

    answer = patient.post(world.hook("Draft"), json={"customer": "Eve", "total": 99})
    [execution] = world.interface.finished("Draft")

    assert answer.status_code == 204
    assert execution["testRun"] is True
    assert len(world.interface.steps(execution["id"])) == 1
    assert "/draft" not in party.paths()


def test_unknown_flows_other_triggers_and_looking_methods_start_nothing(world):
    unknown = patient.post(f"{world.service.address}/webhooks/flows/{files.an_id('nobody')}", json={})
    scheduled = patient.post(world.hook("Nightly"), json={})
    head = httpx.head(world.hook("Orders"))
    delete = httpx.delete(world.hook("Orders"))
    before = len(world.interface.executions("Orders"))

    assert unknown.status_code == 404
    assert "No flow has this webhook address" in unknown.text
    assert scheduled.status_code == 409
    assert (head.status_code, delete.status_code) == (200, 405)
    assert len(world.interface.executions("Orders")) == before


def test_a_flow_run_by_hand_answers_with_its_execution_and_its_exit_code_tells_the_end(world, tmp_path):
    item = files.write(tmp_path / "item.json", {"body": {"customer": " Grace ", "total": 11}})

    ran = world.service.command("flow", "run", world.ids["Orders"], "--input", item, "--json")
    nightly = world.service.command("flow", "run", world.ids["Nightly"], "--json")
    broken = world.service.command("flow", "run", world.ids["Broken"], "--input", item, "--json")

    assert (ran.code, ran.json["status"], ran.json["stepsDone"]) == (0, "success", 4)
    assert (nightly.code, nightly.json["status"]) == (0, "success")
    assert (broken.code, broken.json["status"]) == (1, "failure")
    assert "The printer is on fire." in broken.err


def test_what_is_exported_can_be_imported_again(world, tmp_path):
    export = world.service.command("flow", "export", world.ids["Orders"])
    file = tmp_path / "again.json"
    file.write_text(export.out)

    [again] = world.service.command("flow", "import", file, "--json").json
    copy = world.service.command("flow", "show", again["id"], "--json").json

    assert again["id"] not in (world.ids["Orders"], export.json["id"])
    assert [step["appKey"] for step in copy["steps"]] == ["webhook", "formatter", "filter", "http-request"]
    assert copy["steps"][1]["id"] in copy["steps"][3]["parameters"]["data"]


def test_publishing_an_incomplete_flow_says_what_is_missing(world, tmp_path):
    unfinished = files.flow("Unfinished", files.catch(), files.step("http-request", "customRequest"))
    file = files.write(
        tmp_path / "unfinished.json", [unfinished, files.flow("Fine", files.catch(), files.trimmed("a"))]
    )

    imported = world.service.command("flow", "import", file, "--publish", "--json")
    by_name = {item["name"]: item for item in imported.json}
    published = world.service.command("flow", "publish", by_name["Unfinished"]["id"])
    shown = world.service.command("flow", "show", by_name["Fine"]["id"], "--json").json
    revision = shown["updatedAt"]
    world.service.command("flow", "unpublish", shown["id"])
    outdated = world.service.command("flow", "publish", shown["id"], "--revision", str(revision))
    told = world.service.command("flow", "show", shown["id"]).out
    newest = told.split("revision ")[1].split()[0]
    again = world.service.command("flow", "publish", shown["id"], "--revision", newest)

    assert imported.code == 1
    assert "Step 2" in imported.err
    assert by_name["Fine"]["published"] is True
    assert by_name["Unfinished"]["published"] is False
    assert published.code == 1
    assert "Step 2" in published.err
    assert outdated.code == 1
    assert "changed since you opened it" in outdated.err
    assert again.code == 0


def test_a_schedule_missed_while_the_service_was_off_is_caught_up_once(tmp_path: Path, party: Counterparty):
    data = tmp_path / "data"
    file = files.write(tmp_path / "nightly.json", files.nightly(f"{party.address}/caught-up"))
    imported = run(program("flow", "import", file, "--publish", "--json", data=data))
    with closing(sqlite3.connect(data / "patchbay.db")) as db, db:
        changed = db.execute("UPDATE trigger_state SET next_due_at = next_due_at - 3 * 86400000").rowcount
    assert (imported.code, changed) == (0, 1)

    with Service(data):
        until(lambda: "/caught-up" in party.paths())

    listed = run(program("execution", "list", "--json", data=data)).json
    assert [item["status"] for item in listed] == ["success"]


@long_form
def test_a_stopping_server_finishes_the_running_step(tmp_path: Path, party: Counterparty):
    data = tmp_path / "data"
    document = files.flow("Held", files.catch(), files.request("GET", f"{party.address}/held"))
    file = files.write(tmp_path / "held.json", document)
    with Service(data) as service:
        [flow] = service.command("flow", "import", file, "--publish", "--json").json
        patient.post(f"{service.address}/webhooks/flows/{flow['id']}", json={})
        until(lambda: "/held" in party.paths())
        service.process.popen.terminate()
        until(lambda: not _answers(service))
        party.release.set()

    [execution] = run(program("execution", "list", "--json", data=data)).json
    assert execution["status"] == "success"


def _answers(service: Service) -> bool:
    """Whether the service still takes calls."""
    try:
        return patient.get(f"{service.address}/healthcheck").is_success
    except httpx.TransportError:
        return False
