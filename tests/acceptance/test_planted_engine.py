"""What the engine keeps, hands on and shows of runs holds no secret: neither ours nor that of a caller."""

import json
import sqlite3
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.support import planted_flows as planted
from tests.support.counterparty import Counterparty
from tests.support.forms import long_form
from tests.support.planted import holds, in_files, in_processes
from tests.support.planted_flows import CALLER, CANARY, KEY, PASSPHRASE, PASSWORD, SIGNING, VARIABLE
from tests.support.processes import Done, Interface, Service, until

MASK = "•••"

pytestmark = [
    long_form,
    pytest.mark.skipif(sys.platform != "linux", reason="other systems show processes elsewhere"),
]


@dataclass
class Seen:
    """Everything that was printed and answered, by what said it, and where secrets were found, and when."""

    folder: Path
    service: Service
    interface: Interface
    flows: planted.Flows
    keys: list[str] = field(default_factory=list)
    said: dict[str, str] = field(default_factory=dict)
    in_files: dict[str, list[str]] = field(default_factory=dict)
    in_processes: dict[str, list[str]] = field(default_factory=dict)
    canary: dict[str, list[str]] = field(default_factory=dict)
    statuses: dict[str, int] = field(default_factory=dict)
    runs: list[Any] = field(default_factory=list)
    heard: list[str] = field(default_factory=list)
    sent: dict[str, str] = field(default_factory=dict)

    def secrets(self) -> tuple[str, ...]:
        return KEY, PASSWORD, SIGNING, CALLER, PASSPHRASE, *self.keys, self.interface.key

    def command(self, *words: object, stdin: str = "") -> Done:
        done = self.service.command(*words, stdin=stdin)
        self.said[" ".join(map(str, words))] = done.out + done.err
        return done

    def ask(self, method: str, path: str, **more: Any) -> Any:
        answer = self.interface.http.request(method, path, **more)
        self.said[f"{method} {path} {more or ''}"] = answer.text
        return answer

    def call(self, ending: str, number: int, *, token: str = SIGNING) -> httpx.Response:
        """Deliver an event; everything in it holds what proves who calls."""
        answer = httpx.post(
            f"{self.service.address}/webhooks/flows/{self.flows.main}{ending}",
            params={"canary": CANARY, "t": SIGNING},
            headers={
                planted.HEADER: token,
                "Authorization": f"Bearer {CALLER}",
                "X-Access-Key": CALLER,
                "X-Event": f"{number}-{SIGNING}",
            },
            json={"canary": CANARY, "token": SIGNING, "list": [{"deep": SIGNING}]},
            timeout=40,
        )
        self.said[f"webhook{ending} {number}"] = f"{answer.headers} {answer.text}"
        self.statuses[f"{ending} {number}"] = answer.status_code
        return answer

    def look_at_processes(self, when: str) -> None:
        self.in_processes |= {f"{secret} {when}": in_processes(secret) for secret in self.secrets()}

    def look(self, when: str) -> None:
        found = {secret: in_files(self.folder, secret) for secret in self.secrets()}
        self.in_files |= {f"{secret} {when}": places for secret, places in found.items() if places}
        self.canary[when] = in_files(self.folder, CANARY)


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    folder = tmp_path_factory.mktemp("planted")
    (folder / "tmp").mkdir()
    outside = tmp_path_factory.mktemp("outside") / "passphrase"
    outside.write_text(PASSPHRASE)
    outside.chmod(0o600)
    env = {"TMPDIR": str(folder / "tmp"), "PLANTED_VARIABLE": VARIABLE}
    with (
        planted.Teller(key=KEY) as party,
        Service(
            folder / "data", "--debug", "--passphrase-file", str(outside), env=env, fresh=True
        ) as service,
    ):
        interface = Interface(service)
        made = Seen(folder, service, interface, planted.furnish(service, interface, party, folder))
        with listening(made):
            journey(made, party)
            acts(made)
        shows(made, outside)
        made.look("running")
        killed(made, party)
    made.look("stopped")
    made.sent = {call.path: f"{call.headers} {call.body}" for call in party.seen}
    made.heard = [call.body for call in party.seen if call.path == planted.HEARD]
    return made


@contextmanager
def listening(made: Seen) -> Iterator[None]:
    """Follow the live events meanwhile."""
    lines: list[str] = []
    headers = {"x-api-token": made.interface.key}

    def follow() -> None:
        with (
            suppress(httpx.HTTPError),
            httpx.stream("GET", f"{made.service.address}/v1/events", headers=headers, timeout=40) as stream,
        ):
            for line in stream.iter_lines():
                lines.append(line)
                if over.is_set():
                    return

    over = threading.Event()
    thread = threading.Thread(target=follow, daemon=True)
    thread.start()
    until(lambda: lines)
    yield
    over.set()
    made.said["live events"] = "\n".join(lines)


def journey(made: Seen, party: Counterparty) -> None:
    """One event all the way, looked at while its program runs; then some that are turned away or tests."""
    made.command("engine", "settings", "--program-network", "yes")
    caller = threading.Thread(target=made.call, args=("/sync", 1))
    caller.start()
    until(lambda: planted.HELD in party.paths())
    made.look("program")
    made.look_at_processes("program")
    made.in_processes["variable"] = in_processes(VARIABLE)
    made.in_processes["program"] = in_processes("child/run.py")
    party.release.set()
    caller.join()
    made.call("", 2, token=f"not {SIGNING}")
    made.call("", 1)
    made.call("/test", 3)
    made.interface.finished("Hears")


def killed(made: Seen, party: Counterparty) -> None:
    """The service is killed while a program runs, and started again."""
    party.release.clear()
    before = party.paths().count(planted.HELD)
    made.call("", 5)
    until(lambda: party.paths().count(planted.HELD) > before)
    made.service.process.kill()
    made.look("killed")
    party.release.set()
    made.interface.close()
    made.keys.append(made.interface.key)
    made.service.start()
    made.interface = Interface(made.service)
    made.runs += made.interface.finished("Main")[:1]
    made.ask("GET", f"/v1/executions/{made.runs[-1]['id']}/execution-steps")
    made.look_at_processes("again")
    made.interface.close()


def acts(made: Seen) -> None:
    """Everything that is done about a failure; each of these fails once more."""
    [failed] = [run for run in made.interface.finished("Main") if run["status"] == "failure"]
    item = {"body": {"canary": CANARY, "edited": "yes"}}
    made.command("execution", "retry", failed["id"], "--json")
    made.command("execution", "replay", failed["id"], "--newest", "--input", "-", stdin=json.dumps(item))
    made.command("execution", "retry", "--all", "--since", "1h", "--flow", made.flows.main, "--json")
    made.ask("POST", f"/v1/flows/{made.flows.main}/pause")
    made.call("", 4)
    made.ask("POST", f"/v1/flows/{made.flows.main}/resume")
    job = made.ask("POST", "/v1/execution-retries", json={"flowId": made.flows.main}).json()["data"]
    until(lambda: made.ask("GET", f"/v1/execution-retries/{job['id']}").json()["data"]["finished"])
    until(lambda: len(made.interface.finished("Hears")) >= failures(made))


def failures(made: Seen) -> int:
    """How many executions of the flow have failed, once all have ended."""
    return [run["status"] for run in made.interface.finished("Main")].count("failure")


def shows(made: Seen, passphrase: Path) -> None:
    """Have everything printed, answered and written that could tell."""
    for name in ("Main", "Answers", "Hears"):
        made.runs += made.interface.finished(name)
    for run in made.runs:
        made.ask("GET", f"/v1/executions/{run['id']}/execution-steps")
    made.command("execution", "show", made.runs[0]["id"])
    for form in ("csv", "jsonl"):
        made.command("execution", "export", "--format", form, made.folder / f"out.{form}")
    made.command("flow", "export", made.flows.main)
    made.command("engine", "status", "--json")
    made.command("engine", "tidy", "--json")
    made.command("--passphrase-file", passphrase, "backup", made.folder / "all.backup")
    for path in ("executions", "flows", "connections", "engine", "storage", "health", "info", "statistics"):
        made.ask("GET", f"/v1/{path}")
    for flow in (made.flows.main, made.flows.answers, made.flows.hears):
        made.ask("GET", f"/v1/flows/{flow}")
        made.ask("GET", f"/v1/flows/{flow}/samples")


def test_the_secrets_were_used_and_every_part_of_the_journey_was_made(seen):
    calls = {ending: seen.statuses[ending] for ending in ("/sync 1", " 1", " 2", "/test 3", " 4", " 5")}
    texts = "\n".join(seen.said.values())
    origins = {run["originKind"] for run in seen.runs}

    assert KEY in seen.sent[planted.TOLD]
    assert "Basic " in seen.sent[planted.LOGIN]
    assert calls == {"/sync 1": 502, " 1": 204, " 2": 401, "/test 3": 204, " 4": 204, " 5": 204}
    assert origins == {None, "retry", "replay", "call", "failure"}
    assert f"{CANARY}: {MASK} has used up its quota" in texts
    assert "Basic " in texts
    assert "was stopped while" in texts


def test_no_secret_is_in_any_file_before_while_and_after_it_is_used(seen):
    assert seen.in_files == {}


def test_no_secret_is_in_the_words_or_the_environment_of_any_process(seen):
    """What was set for the service stands in its environment, and in nothing it starts."""
    found = {what: where for what, where in seen.in_processes.items() if where}
    program, [variable] = found.pop("program"), found.pop("variable")

    assert found == {}
    assert program
    assert variable.endswith("/environ")
    assert Path(variable).parent not in {Path(each).parent for each in program}


def test_nothing_that_was_printed_or_answered_tells_a_secret(seen):
    secrets = (*seen.secrets(), VARIABLE)
    told = {
        what: secret for what, text in seen.said.items() for secret in secrets if holds(text.encode(), secret)
    }

    assert told == {}


def test_a_third_party_gets_its_own_secret_and_no_other(seen):
    own = {planted.TOLD: KEY, planted.REFUSED: KEY, planted.LOGIN: PASSWORD}
    got = {
        (path, secret)
        for path, text in seen.sent.items()
        for secret in (*seen.secrets(), VARIABLE)
        if holds(text.encode(), secret)
    }

    assert got <= set(own.items()) | {("/api/v1/systeminfo", KEY)}
    assert set(own.items()) <= got


def test_flows_that_receive_failures_get_the_words_without_the_secret(seen):
    assert len(seen.heard) >= 6
    assert all(f"{CANARY}: {MASK} has used up its quota" in body for body in seen.heard)


def test_the_search_looks_where_the_data_are(seen):
    """What is no secret and goes the same ways is found in all places but the sealed one."""
    said = {what.split(" {")[0] for what, text in seen.said.items() if CANARY in text}
    folders = {Path(place).parts[0] for place in seen.canary["program"]}

    assert {"data/patchbay.db", "out.csv", "out.jsonl"} <= {
        place.removesuffix("-wal") for place in seen.canary["running"]
    }
    assert "data/patchbay.db" in seen.canary["stopped"]
    assert {"data"} <= folders <= {"data", "tmp"}  # isolated programs keep nothing on the disk
    assert [place for place in seen.canary["running"] if place.startswith("tmp")] == []
    assert (seen.folder / "all.backup").stat().st_size > 0
    assert "all.backup" not in seen.canary["stopped"]
    assert f"execution show {seen.runs[0]['id']}" in said
    assert "execution" in seen.said["live events"]
    assert "rejected 1 request" in (seen.folder / "data" / "logs" / "patchbay.log").read_text()
    with closing(sqlite3.connect(seen.folder / "data" / "patchbay.db")) as database:
        ids = database.execute("SELECT internal_id FROM execution WHERE internal_id LIKE 'x-event:%'")
        assert sorted(ids) == [(f"x-event:{number}-{MASK}",) for number in (1, 4, 5)]
