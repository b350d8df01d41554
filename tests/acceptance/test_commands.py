"""The command line as scripts rely on it: one document, exit codes, and no question without a terminal."""

import json
import signal
import socket
import stat
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

import pytest
from tests.support import flow_files as files
from tests.support.counterparty import Counterparty
from tests.support.forms import long_form
from tests.support.patience import PATIENCE
from tests.support.processes import Process, Service, at_once, program, run


@dataclass
class WindowController:
    service: Service
    flow: str
    execution: str


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, party: Counterparty) -> Iterator[WindowController]:
    """A served folder with one flow that ran once."""
    folder = tmp_path_factory.mktemp("commands")
    file = files.write(folder / "flow.json", files.nightly(f"{party.address}/ran"))
    with Service(folder / "data") as service:
        [flow] = service.command("flow", "import", file, "--publish", "--json").json
        ran = service.command("flow", "run", flow["id"], "--json").json
        yield WindowController(service, flow["id"], ran["id"])


def test_json_is_exactly_one_document_and_nothing_beside_it(desk, tmp_path):
    flow = desk.flow
    words = {
        "doctor": ["doctor"],
        "flows": ["flow", "list"],
        "flow": ["flow", "show", flow],
        "export": ["flow", "export", flow],
        "executions": ["execution", "list", "--limit", "5"],
        "filtered": ["execution", "list", "--flow", flow, "--status", "failure", "--since", "2h"],
        "execution": ["execution", "show", desk.execution],
        "connections": ["connection", "list"],
        "apps": ["app", "list"],
        "app": ["app", "show", "changedetection"],
        "check": ["app", "check", "changedetection"],
        "engine": ["engine", "status"],
        "settings": ["engine", "settings"],
        "users": ["user", "list"],
        "keys": ["api-key", "list"],
    }

    said = at_once({name: program(*each, "--json", data=desk.service.data) for name, each in words.items()})

    assert {name: (done.code, done.err) for name, done in said.items()} == dict.fromkeys(words, (0, ""))
    assert all(json.loads(done.out) is not None for done in said.values())
    assert said["executions"].json[0]["id"] == desk.execution
    assert said["filtered"].json == []
    assert said["execution"].json["executionSteps"]
    assert said["users"].json[0]["id"]
    assert "running at" in said["doctor"].json["engine"]


@long_form
def test_a_command_for_a_running_service_loads_no_engine_and_no_storage(desk):
    """Most of its time would go into loading what only the service needs."""
    listed = run(program("flow", "list", data=desk.service.data), env={"PYTHONPROFILEIMPORTTIME": "1"})

    loaded = {line.rpartition("|")[2].strip() for line in listed.err.splitlines()}
    assert "patchbay.client.remote" in loaded
    assert not {"sqlalchemy", "patchbay.engine", "patchbay.integration.registry"} & loaded


@long_form
def test_tables_for_people_name_what_there_is(desk):
    listed = desk.service.command("execution", "list")
    shown = desk.service.command("execution", "show", desk.execution)

    assert listed.out.splitlines()[0].split() == ["ID", "STATUS", "STARTED", "FLOW", "NOTE"]
    assert desk.execution in listed.out
    assert "http-request / customRequest: success" in shown.out


def test_executions_are_found_by_their_data_and_by_the_name_of_their_flow(desk, tmp_path):
    data, file = desk.service.data, tmp_path / "found.jsonl"
    said = at_once(
        {
            "by data": program("execution", "list", "--search", '"STATUS": 200', "--json", data=data),
            "nowhere": program("execution", "list", "--search", "nowhere at all", "--json", data=data),
            "wrong name": program("execution", "list", "--name", "nothing like it", "--json", data=data),
            "export": program("execution", "export", "--search", '"status":200', file, data=data),
        }
    )

    assert [run["id"] for run in said["by data"].json] == [desk.execution]
    assert said["nowhere"].json == said["wrong name"].json == []
    assert said["export"].out == f"1 executions written to {file}.\n"
    assert json.loads(file.read_text())["id"] == desk.execution


@pytest.mark.parametrize(
    "words",
    [
        ["nonsense"],
        ["flow"],
        ["flow", "frobnicate"],
        ["flow", "show"],
        ["flow", "list", "--limit", "1"],
        ["execution", "list", "--limit", "0"],
        ["execution", "export"],
        ["engine", "settings", "--max-concurrent", "0"],
        ["serve", "--port", "99999"],
        ["tour"],
    ],
)
def test_words_that_make_no_sense_end_with_2(words, tmp_path):
    done = run(program(*words, data=tmp_path / "data"))

    assert (done.code, done.out) == (2, "")
    assert "usage: patchbay" in done.err
    assert not (tmp_path / "data").exists()


def test_values_that_make_no_sense_end_with_2_and_say_what_to_use(desk):
    data = desk.service.data
    said = at_once(
        {
            "status": program("execution", "list", "--status", "weird", data=data),
            "since": program("execution", "list", "--since", "yesterday", data=data),
            "field": program("connection", "add", "--app", "changedetection", "--field", "x", data=data),
        }
    )

    assert [done.code for done in said.values()] == [2, 2, 2]
    assert "filtered" in said["status"].err
    assert "such as 2h" in said["since"].err
    assert "screenName" in said["field"].err


def test_what_fails_ends_with_1_a_sentence_and_no_output(desk, tmp_path):
    data, nobody = desk.service.data, files.an_id("nobody")
    bad = tmp_path / "bad.json"
    bad.write_text('{"name": "no steps"}')
    words = {
        f"There is no flow with the ID {nobody}. List them with: patchbay flow": ["flow", "show", nobody],
        f"There is no execution with the ID {nobody}. List them with": ["execution", "show", nobody],
        f"There is no connection with the ID {nobody}. List them with": ["connection", "test", nobody],
        "There is no app": ["app", "show", "nobody"],
        "can't be read: No such file": ["flow", "import", tmp_path / "missing.json"],
        "isn't an exported flow": ["flow", "import", bad],
        "doesn't use connections": ["connection", "add", "--app", "http-request"],
        "is already in use": ["serve", "--port", "0"],
    }

    said = at_once({part: program(*each, data=data) for part, each in words.items()})

    assert {part: (done.code, done.out) for part, done in said.items()} == dict.fromkeys(words, (1, ""))
    assert {part: done.err for part, done in said.items() if part not in done.err} == {}
    assert not any("Traceback" in done.err for done in said.values())


def test_a_data_folder_that_cannot_be_used_is_reported(tmp_path):
    (tmp_path / "file").touch()

    done = run(program("flow", "list", data=tmp_path / "file"))

    assert done.code == 1
    assert done.err.startswith("The data folder")
    assert "--data-dir" in done.err


def test_everything_the_program_writes_is_closed_to_other_users(desk):
    data = desk.service.data
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (data, *data.rglob("*"))}

    assert modes[data] == 0o700
    assert modes[data / "service.json"] == 0o600
    assert modes[data / "patchbay.db"] == 0o600


def test_a_taken_port_is_reported_and_the_folder_is_free_again(desk, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = run(program("serve", "--port", port, data=tmp_path / "data"))

    assert (refused.code, refused.out) == (1, "")
    assert f"Port {port}" in refused.err
    with Service(tmp_path / "data"):
        pass


def test_nothing_is_asked_when_standard_input_is_not_a_terminal(tmp_path):
    done = run(program("connection", "add", "--app", "better-stack", data=tmp_path / "data"), stdin="")

    assert (done.code, done.out) == (2, "")
    assert "without Screen name and API Key" in done.err
    assert "--field screenName=… --secret-stdin apiKey" in done.err


@long_form
def test_ctrl_c_ends_a_waiting_command_and_the_service_with_130(tmp_path, party):
    waiting = subprocess.Popen(
        program("flow", "import", "-", data=tmp_path / "one"),
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    served = Process(program("serve", "--port", "0", data=tmp_path / "two"), tmp_path / "said")
    served.listening()
    assert waiting.stdin is not None
    waiting.stdin.write("[" + " " * 200_000)  # more than a pipe holds: done once the command reads

    waiting.send_signal(signal.SIGINT)
    served.popen.send_signal(signal.SIGINT)
    with suppress(BrokenPipeError):
        waiting.stdin.close()
    assert waiting.stderr is not None
    words = waiting.stderr.read()
    waiting.wait(PATIENCE)
    waiting.stderr.close()
    code = served.popen.wait(10)
    served.kill()

    assert (waiting.returncode, words) == (130, "")
    assert (code, served.said) == (130, "")
