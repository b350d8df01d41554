"""A secret goes to the service it is for and is found nowhere else, wherever secrets are kept."""

import base64
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.support.counterparty import Counterparty
from tests.support.forms import in_forms, long_form
from tests.support.kept_connection import FLOW, Kept, call_hook, furnish
from tests.support.keyring_scenes import play
from tests.support.keyring_session import needs_gnome_keyring
from tests.support.keyring_states import session
from tests.support.planted import MARKER, forms, holds, in_files, in_processes
from tests.support.processes import Done, Interface, Service

PASSPHRASE = "MARKER-passphrase of 8 words and more"
DATA_KEY = base64.b64encode(bytes(range(100, 132))).decode()
WATCH = "/api/v1/watch"
SYSTEM = "/api/v1/systeminfo"

pytestmark = [
    needs_gnome_keyring,
    pytest.mark.skipif(sys.platform != "linux", reason="other systems show processes elsewhere"),
]


@dataclass
class Place:
    """A running service whose connection uses the marker, and everything that was printed and answered."""

    folder: Path
    service: Service
    interface: Interface
    kept: Kept
    env: dict[str, str]
    printed: list[str] = field(default_factory=list)

    def command(self, *words: object) -> Done:
        done = self.service.command(*words)
        self.printed += [done.out, done.err]
        return done

    def get(self, path: str) -> None:
        self.printed.append(self.interface.http.get(path).text)

    def secrets(self) -> list[str]:
        return [MARKER, PASSPHRASE, DATA_KEY, self.interface.key]


@contextmanager
def place(folder: Path, party: Counterparty, home: str) -> Iterator[Place]:
    party.key = MARKER
    options: list[str] = []
    for name, text in (("passphrase", PASSPHRASE), ("data-key", DATA_KEY)):
        outside = folder.with_name(name)
        outside.write_text(text)
        outside.chmod(0o600)
        if home == name:
            options = [f"--{name}-file", str(outside)]
    with (
        session(folder / "session") as here,
        Service(folder / "data", "--debug", *options, env=here.env, fresh=True) as service,
    ):
        kept = furnish(service, party)
        interface = Interface(service)
        if home == "items":
            interface.http.post("/v1/secrets/move", json={"to": home}).raise_for_status()
        try:
            yield Place(folder, service, interface, kept, here.env)
        finally:
            interface.close()


def run_flows(made: Place, party: Counterparty) -> list[str]:
    """The third party tells the secret back: in an answer, in a refusal, in words."""
    statuses = []
    for number, (status, body) in enumerate(
        [
            (200, {"id": "w1", "yourKey": MARKER, "deep": [{"key": MARKER}]}),
            (500, {"error": f"The key {MARKER} has used up its quota.", "request": {"x-api-key": MARKER}}),
            (401, {"message": f"Who is {MARKER}?"}),
        ],
        1,
    ):
        party.answers[WATCH] = (status, body)
        call_hook(made.service, made.kept)
        newest = made.interface.finished(FLOW, number)[0]
        statuses.append(str(newest["status"]))
        made.command("execution", "show", newest["id"], "--json")
        made.command("execution", "show", newest["id"])
        made.get(f"/v1/executions/{newest['id']}/execution-steps")
    return statuses


def ask_everything(made: Place) -> None:
    """Have everything printed and answered that could tell."""
    flow = made.kept.flow
    for words in (
        ["connection", "test", made.kept.connection, "--json"],
        ["connection", "list", "--json"],
        ["execution", "list", "--json"],
        ["flow", "export", flow],
        ["flow", "show", flow, "--json"],
        ["doctor", "--json"],
        ["api-key", "list", "--json"],
    ):
        made.command(*words)
    made.interface.http.post("/v1/templates", json={"name": "Shared", "flowId": flow}).raise_for_status()
    for path in (
        "/v1/connections",
        "/v1/templates",
        "/v1/executions",
        "/v1/info",
        "/v1/secrets",
        "/v1/flows",
    ):
        made.get(path)


HOMES = in_forms(["sealed", "items", "passphrase", "data-key"], short=["items"])
"""In short, a window looks at sealed secrets below, and `test_planted_engine.py` has a passphrase."""


@pytest.mark.parametrize("home", HOMES)
def test_a_planted_secret_is_found_nowhere(tmp_path, party, home):
    with place(tmp_path / "all", party, home) as made:
        statuses = run_flows(made, party)
        ask_everything(made)
        shown = [secret for secret in made.secrets() if in_processes(secret)]
        written = {secret: in_files(made.folder, secret) for secret in made.secrets()}
        token = json.loads((made.kept.data / "service.json").read_text())["token"]
        held_token = in_files(made.folder, token)
        party.answers.clear()
    after = {secret: in_files(made.folder, secret) for secret in made.secrets()}
    told = [text for text in made.printed if any(holds(text.encode(), each) for each in made.secrets())]

    assert statuses == ["success", "failure", "failure"]
    assert any(call.headers.get("x-api-key") == MARKER for call in party.seen)
    assert told == []
    assert shown == []
    assert set(map(tuple, written.values())) == {()}
    assert set(map(tuple, after.values())) == {()}
    assert held_token == ["data/service.json"]
    assert {"patchbay.db", "patchbay.log"} <= {path.name for path in made.folder.rglob("*")}


@long_form
def test_no_widget_of_the_window_tells_a_planted_secret(tmp_path, party):
    with place(tmp_path / "all", party, "sealed") as made:
        run_flows(made, party)
        party.answers[SYSTEM] = (403, {"message": f"Who is {MARKER}?"})
        try:
            seen = play("planted", made.kept.data, party, made.env)
        finally:
            party.answers.clear()

    assert seen["control"] == ["QLabel the control"]
    assert seen["places"] == {"form": [], "refused": [], "executions": [], "execution": [], "editor": []}
    assert in_files(made.folder, MARKER) == []
    assert (made.kept.data / "window.json").exists()


@pytest.mark.parametrize("form", sorted(forms(MARKER)))
def test_the_search_finds_a_secret_that_is_there(tmp_path, form):
    (tmp_path / "found.bin").write_bytes(b"before" + form + b"after")
    (tmp_path / "other.bin").write_bytes(b"before and after")

    assert in_files(tmp_path, MARKER) == ["found.bin"]


def test_the_search_finds_a_secret_in_a_process_and_inside_base64(tmp_path):
    words = [sys.executable, "-c", "print('up', flush=True); input()", MARKER]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        found = in_processes(MARKER)
        child.communicate(b"\n")
    (tmp_path / "header").write_bytes(base64.b64encode(f"ada:{MARKER}:more".encode()))

    assert f"/proc/{child.pid}/cmdline" in found
    assert in_files(tmp_path, MARKER) == ["header"]
