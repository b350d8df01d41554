"""What ran, as people and scripts act on it: retried, run anew, cancelled, exported; and the engine."""

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.support import flow_files as files
from tests.support.counterparty import Counterparty
from tests.support.forms import long_form
from tests.support.processes import Done, Service, at_once, program

ITEM = {"body": {"n": 7}}


@dataclass
class WindowController:
    """A served folder; every run of the flow `broken` fails as long as the third party has no /shelf."""

    service: Service
    party: Counterparty
    folder: Path
    broken: str
    sleepy: str

    def __call__(self, *words: object, stdin: str = "") -> Done:
        return self.service.command(*words, stdin=stdin)

    def failed_run(self, n: int = 1) -> str:
        self.party.answers["/shelf"] = (404, {"message": "No shelf"})
        done = self(
            "flow", "run", self.broken, "--input", "-", "--json", stdin=json.dumps({"body": {"n": n}})
        )
        assert done.code == 1, done.err
        return str(done.json["id"])

    def mend(self) -> None:
        self.party.answers["/shelf"] = (200, {"ok": True})


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, party: Counterparty) -> Iterator[WindowController]:
    folder = tmp_path_factory.mktemp("runs")
    shelf = files.request("PUT", f"{party.address}/shelf", '{"n": {{step.#1.body.n}}}')
    nap = files.step("delay", "delayFor", delayForUnit="hours", delayForValue="1")
    flows = [files.flow("Broken", files.catch(), shelf), files.flow("Sleepy", files.catch(), nap, shelf)]
    with Service(folder / "data") as service:
        made = service.command(
            "flow", "import", files.write(folder / "flows.json", flows), "--publish", "--json"
        )
        broken, sleepy = (item["id"] for item in made.json)
        yield WindowController(service, party, folder, broken, sleepy)


@long_form
def test_a_failed_run_is_retried_until_it_works(desk):
    failed = desk.failed_run()

    again = desk("execution", "retry", failed, "--json")
    desk.mend()
    then = desk("execution", "retry", again.json["id"])
    shown = desk("execution", "show", then.out.split()[0])
    refused = desk("execution", "retry", then.out.split()[0])
    came_of_it = desk("execution", "list", "--origin", failed, "--json")

    assert (again.code, again.json["originId"], again.json["originKind"]) == (1, failed, "retry")
    assert (then.code, then.out.split()[1]) == (0, "success")
    assert f"retry of {again.json['id']}" in shown.out
    assert [item["id"] for item in came_of_it.json] == [again.json["id"]]
    assert (refused.code, refused.out) == (1, "")
    assert "fail" in refused.err


@long_form
def test_a_run_is_repeated_with_the_same_or_other_data(desk):
    desk.mend()
    first = desk("flow", "run", desk.broken, "--input", "-", "--json", stdin=json.dumps(ITEM)).json["id"]

    same = desk("execution", "replay", first, "--json")
    other = desk(
        "execution", "replay", first, "--input", "-", "--newest", "--json", stdin='{"body": {"n": 8}}'
    )

    assert [done.code for done in (same, other)] == [0, 0]
    assert [call.body for call in desk.party.seen[-3:]] == ['{"n": 7}', '{"n": 7}', '{"n": 8}']
    assert {done.json["originKind"] for done in (same, other)} == {"replay"}


@long_form
def test_a_sleeping_run_is_cancelled(desk):
    sleeping = desk("flow", "run", desk.sleepy, "--input", "-", "--json", stdin="{}").json

    cancelled = desk("execution", "cancel", sleeping["id"], "--json")
    refused = desk("execution", "cancel", sleeping["id"])

    assert (sleeping["state"], cancelled.code, cancelled.json["state"]) == ("waiting", 0, "cancelled")
    assert (refused.code, refused.out) == (1, "")


@long_form
def test_all_that_failed_are_retried_at_once(desk):
    for n in range(3):
        desk.failed_run(n)
    desk.mend()
    words = ("execution", "retry", "--all", "--flow", desk.broken, "--json")

    done = desk(*words)
    nothing = desk(*words)

    assert (done.code, done.json["done"], done.json["finished"]) == (0, 3, True)
    assert (nothing.code, nothing.json["total"]) == (0, 0)


def test_one_or_all_never_both_nor_neither(desk):
    assert [desk("execution", "retry", *words).code for words in ((), ("--all", "x"))] == [2, 2]


@long_form
def test_what_a_loop_did_is_shown_item_by_item(desk):
    loop = {"structuralType": "each", "parameters": {"list": "{{step.#1.body.names}}"}}
    inside = files.trimmed("{{step.#2.item}} {{step.#1.body.nothing}}") | {
        "parentStepId": files.an_id("Loop/2")
    }
    file = files.write(desk.folder / "loop.json", files.flow("Loop", files.catch(), loop, inside))
    [made] = desk("flow", "import", file, "--publish", "--json").json
    names = json.dumps({"body": {"names": [" Ada", "Bob "]}})
    run = desk("flow", "run", made["id"], "--input", "-", "--json", stdin=names).json

    steps = desk("flow", "show", made["id"]).out.splitlines()
    shown = desk("execution", "show", run["id"]).out

    assert [line for line in steps if line.lstrip()[0] in "23"] == [
        "  2. each  completed",
        "    3. formatter / text  completed",
    ]
    assert "each: success" in shown
    assert "formatter / text, item 1: success" in shown
    assert "formatter / text, item 2: success" in shown
    assert '"output": "Bob"' in shown
    assert "warning: " in shown


def test_executions_are_exported_as_a_table_or_a_document_a_line(desk):
    desk.failed_run()
    table, lines = desk.folder / "runs.csv", desk.folder / "runs.txt"
    data, flow = desk.service.data, ("--flow", desk.broken)

    said = at_once(
        {
            "table": program("execution", "export", table, *flow, "--json", data=data),
            "lines": program("execution", "export", "--format", "jsonl", lines, *flow, data=data),
            "out": program("execution", "export", "--format", "jsonl", "-", *flow, data=data),
            "list": program("execution", "list", *flow, "--limit", "1000", "--json", data=data),
            "failed": program(
                "execution", "export", "-", "--format", "csv", "--status", "failure", data=data
            ),
        }
    )

    listed = said["list"].json
    rows = list(csv.DictReader(table.read_text("utf-8").splitlines()))
    assert [row["id"] for row in rows] == [item["id"] for item in listed]
    assert {row["flow"] for row in rows} == {"Broken"}
    assert [json.loads(line) for line in lines.read_text("utf-8").splitlines()] == listed
    assert said["out"].out == lines.read_text("utf-8")
    assert said["table"].json == {"file": str(table), "format": "csv", "executions": len(listed)}
    assert str(len(listed)) in said["lines"].out
    states = {row["state"] for row in csv.DictReader(said["failed"].out.splitlines())}
    assert states == {"failure"}


@long_form
def test_an_export_that_cannot_be_written_is_reported(desk):
    there, data = desk.folder / "there.csv", desk.service.data
    there.mkdir()
    said = at_once(
        {
            "form": program("execution", "export", desk.folder / "runs.xlsx", data=data),
            "both": program("execution", "export", "-", "--format", "csv", "--json", data=data),
            "place": program("execution", "export", desk.folder / "no" / "runs.csv", data=data),
            "taken": program("execution", "export", there, data=data),
        }
    )

    assert {name: (done.code, done.out) for name, done in said.items()} == {
        "form": (2, ""),
        "both": (2, ""),
        "place": (1, ""),
        "taken": (1, ""),
    }
    assert "--format csv or jsonl" in said["form"].err
    assert "couldn't be written" in said["place"].err
    assert sorted(path.name for path in desk.folder.glob("*.part")) == []


@long_form
def test_while_all_runs_are_paused_they_wait_and_commands_say_so(desk):
    desk.mend()
    paused = desk("engine", "pause", "--json")
    waiting = desk("flow", "run", desk.broken, "--input", "-", "--json", stdin=json.dumps(ITEM))
    status = desk("engine", "status", "--json")
    told = desk("engine", "status")
    doctor = desk("doctor", "--json").json
    resumed = desk("engine", "resume")

    assert (paused.json["state"], waiting.code, waiting.json["state"]) == ("paused", 0, "queued")
    assert "when they are resumed" in waiting.err
    assert (status.json["health"]["queued"], status.json["storage"]["bytes"] > 0) == (1, True)
    assert told.out.startswith("paused")
    assert doctor["engine"].endswith("all runs are paused")
    assert (resumed.code, resumed.out) == (0, "Runs resumed.\n")


@long_form
def test_a_paused_flow_keeps_what_comes_in_until_it_is_resumed(desk):
    desk.mend()
    paused = desk("flow", "pause", desk.broken)
    waiting = desk("flow", "run", desk.broken, "--input", "-", "--json", stdin=json.dumps(ITEM))
    shown = desk("flow", "show", desk.broken)
    resumed = desk("flow", "resume", desk.broken, "--json")

    assert (paused.code, paused.out) == (0, "Broken is paused. New events are queued until it is resumed.\n")
    assert (waiting.json["state"], shown.out.splitlines()[0]) == ("queued", "Broken  (paused)")
    assert (resumed.code, resumed.json["status"]) == (0, "published")


@long_form
def test_the_engine_is_set(desk):
    changed = desk(
        "engine",
        "settings",
        "--max-concurrent",
        "3",
        "--keep-successes",
        "7",
        "--keep-failures",
        "forever",
        "--limit",
        "http-request=10/60",
        "--json",
    )
    told = desk("engine", "settings")
    back = desk("engine", "settings", "--limit", "http-request=none", "--keep-most", "all", "--json")
    wrong = desk("engine", "settings", "--limit", "http-request=often")
    tidied = desk("engine", "tidy", "--json")

    assert (changed.code, changed.json["maxConcurrent"]) == (0, 3)
    assert changed.json["retention"] == {"successDays": 7, "failureDays": None, "most": 1_000_000}
    assert changed.json["appLimits"] == {"http-request": {"calls": 10, "seconds": 60}}
    assert "failures forever" in told.out
    assert (back.json["appLimits"], back.json["retention"]["most"]) == ({}, None)
    assert (wrong.code, wrong.out) == (2, "")
    assert tidied.json["removed"] == 0


@long_form
def test_commands_act_on_a_folder_without_a_running_server(desk, party, tmp_path):
    flow = files.flow("Alone", files.catch(), files.request("PUT", f"{party.address}/alone"))
    party.answers["/alone"] = (404, {})
    with Service(tmp_path / "data") as service:
        [made] = service.command(
            "flow", "import", files.write(tmp_path / "f", flow), "--publish", "--json"
        ).json
        failed = service.command("flow", "run", made["id"], "--input", "-", "--json", stdin="{}").json
    party.answers["/alone"] = (200, {})

    retried = service.command("execution", "retry", failed["id"], "--json")
    stopped = service.command("engine", "pause", "--json")
    doctor = service.command("doctor", "--json").json
    held = service.command("flow", "run", made["id"], "--input", "-", "--json", stdin="{}")
    cancelled = service.command("execution", "cancel", held.json["id"], "--json")

    assert (retried.code, retried.json["state"]) == (0, "success")
    assert doctor["engine"] == "stopped, all runs are paused"
    assert (stopped.json["state"], held.json["state"]) == ("stopped", "queued")
    assert (cancelled.code, cancelled.json["state"]) == (0, "cancelled")
