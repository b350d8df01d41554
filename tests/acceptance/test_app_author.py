"""Writing an app: the guide followed to the letter, and how broken apps are reported."""

import json
import shutil
import socket
import sqlite3
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.support.forms import in_forms, long_form
from tests.support.guide import Block, Reader, Said, blocks, prints
from tests.support.ports import free_port
from tests.support.processes import Interface, Process, Service, program, run, until

GUIDE = Path(__file__).parents[2] / "docs" / "app-authors" / "write-an-app.md"
pytestmark = [
    pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed"),
    pytest.mark.timeout(180),
]


class Followed:
    """The guide after it was followed, and what each of its commands said."""

    def __init__(self, reader: Reader, port: int, options: list[str]) -> None:
        self.reader = reader
        self.port = port
        self.options = options
        self.said: list[tuple[Block, Said]] = []
        self.printed: list[tuple[Block, Said]] = []

    @property
    def data(self) -> Path:
        return self.reader.folder / "practice"

    @property
    def app(self) -> Path:
        return self.data / "apps" / "notes"

    def notes(self, name: str) -> list[Any]:
        """What the notes service has in a list, newest first."""
        address = f"http://127.0.0.1:{self.port}/notes?list={name}"
        asked = urllib.request.Request(address, headers={"X-Notes-Key": "open-sesame"})
        with urllib.request.urlopen(asked, timeout=10) as answer:
            found: list[Any] = json.load(answer)
        return found

    def write_note(self, name: str, text: str) -> None:
        body = json.dumps({"list": name, "text": text}).encode()
        headers = {"X-Notes-Key": "open-sesame"}
        with urllib.request.urlopen(
            urllib.request.Request(f"http://127.0.0.1:{self.port}/notes", body, headers), timeout=10
        ):
            pass

    def follow(self) -> None:
        for block in blocks(GUIDE, {"8765": str(self.port)}):
            if block.language in ("python", "json"):
                self.reader.save(block.words, block.content)
            elif block.words == "in a second terminal":
                self.reader.leave_running(block.content)
                until(self._listens)
            elif block.language == "sh":
                self.said.append((block, self.reader.type(block.content)))
            elif not block.words:
                self.printed.append((block, self.said[-1][1]))

    def _listens(self) -> bool:
        with socket.socket() as caller:
            return caller.connect_ex(("127.0.0.1", self.port)) == 0


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Followed]:
    folder = tmp_path_factory.mktemp("guide")
    passphrase = folder / "passphrase"  # this machine has no keyring
    passphrase.write_text("correct horse\n")
    passphrase.chmod(0o600)
    options = ["--passphrase-file", str(passphrase)]
    reader = Reader(folder, *options)
    guide = Followed(reader, free_port(), options)
    try:
        guide.follow()
        yield guide
    finally:
        reader.close()


def test_every_command_of_the_guide_ends_as_it_says(followed):
    ended = [(block.content, said.code, said.out) for block, said in followed.said]

    assert len(ended) >= 7
    assert [
        item
        for item, (block, _) in zip(ended, followed.said, strict=True)
        if (item[1] != 0) != (block.words == "fails")
    ] == []


def test_every_answer_in_the_guide_is_what_is_printed(followed):
    assert [
        (block.content, said.out) for block, said in followed.printed if not prints(block.content, said.out)
    ] == []
    assert len(followed.printed) >= 6


def test_the_flow_of_the_guide_did_what_it_says(followed):
    assert [note["text"] for note in followed.notes("done")][-1:] == ["Seen: Buy milk"]


def test_a_breach_is_reported_as_in_the_guide(followed, tmp_path):
    [example] = [block for block in blocks(GUIDE, {}) if block.words == "example"]
    broken = tmp_path / "notes"
    shutil.copytree(followed.app, broken)
    file = broken / "auth" / "verify_credentials.py"
    kept = [line for line in file.read_text().splitlines(keepends=True) if "ctx.http.get" not in line]
    file.write_text("".join(kept))

    checked = run(program("app", "check", broken, data=tmp_path / "data"))

    assert (checked.code, checked.out) == (1, example.content)


def test_new_notes_start_the_flow_by_themselves(followed):
    followed.write_note("inbox", "Call Bob")
    with closing(sqlite3.connect(followed.data / "patchbay.db")) as db, db:
        assert db.execute("UPDATE trigger_state SET next_due_at = 1").rowcount == 1

    words = program(*followed.options, "serve", "--port", 0, data=followed.data)
    service = Process(words, followed.data.with_name("serve.stderr"))
    service.listening()
    try:
        until(
            lambda: [note for note in followed.notes("done") if note["text"] == "Seen: Call Bob"], seconds=20
        )
    finally:
        service.stop()


@long_form
def test_a_new_app_keeps_the_contract_and_its_own_tests_pass(tmp_path):
    made = run(program("app", "new", "my-shop", tmp_path / "apps", "--json", data=tmp_path / "data"))
    folder = Path(made.json["folder"])

    checked = run(program("app", "check", folder, data=tmp_path / "data"))
    tested = run([*program()[:1], str(folder / "tests" / "test_app.py")])

    assert (made.code, folder) == (0, tmp_path / "apps" / "my-shop")
    assert (checked.code, checked.out) == (0, "my-shop passed all checks.\n")
    assert tested.out.count(": ok") == 4
    assert not [path for path in folder.rglob("*") if path.is_file() and b"my-app" in path.read_bytes()]


@long_form
def test_a_running_service_loads_new_and_changed_apps(tmp_path):
    with Service(tmp_path / "data") as service, closing(Interface(service)) as interface:
        names = {app["key"]: app["name"] for app in interface.data("/v1/apps")}
        assert "guestpress" not in names
        folder = Path(service.command("app", "new", "guestpress", "--json").json["folder"])

        refused = service.command(
            "connection", "add", "--app", "guestpress", "--secret-stdin", "apiKey", stdin="key\n"
        )
        assert "There is no app" not in refused.err
        assert "Guestpresss" not in "".join(
            path.read_text() for path in folder.rglob("*") if path.suffix in (".py", ".md")
        )
        entry = folder / "__init__.py"
        entry.write_text(entry.read_text().replace('name="Guestpress"', 'name="Guest book"'))
        names = {app["key"]: app["name"] for app in interface.data("/v1/apps")}
        assert names["guestpress"] == "Guest book"
        entry.write_text("raise RuntimeError('out of order')")
        assert "out of order" in interface.data("/v1/apps/guestpress")["broken"]
        shutil.rmtree(folder)
        assert "guestpress" not in {app["key"] for app in interface.data("/v1/apps")}


@pytest.mark.parametrize("words", [("Shop", "."), ("webhook", "."), ("../shop", ".")])
def test_a_key_that_cannot_be_used_is_refused_and_nothing_is_written(tmp_path, words):
    refused = run(program("app", "new", words[0], tmp_path / "apps", data=tmp_path / "data"))

    assert (refused.code, refused.out) == (1, "")
    assert "key" in refused.err
    assert not (tmp_path / "apps").exists()


def test_a_folder_that_holds_something_is_left_alone(tmp_path):
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "mine.txt").write_text("mine")

    refused = run(program("app", "new", "shop", tmp_path, data=tmp_path / "data"))

    assert refused.code == 1
    assert [path.name for path in (tmp_path / "shop").iterdir()] == ["mine.txt"]


BROKEN = {
    "raises": ("raise RuntimeError('out of order')", "out of order"),
    "exits": ("import os, sys; sys.exit(3)", "SystemExit"),
    "hangs": ("while True: pass", "timed out"),
    "empty": ("", "doesn't define"),
}


WITHOUT_A_WAIT = tuple(key for key in BROKEN if key != "hangs")


@pytest.mark.parametrize("keys", in_forms([WITHOUT_A_WAIT, tuple(BROKEN)], short=[WITHOUT_A_WAIT]), ids=len)
def test_broken_apps_are_listed_with_their_reason_and_stop_nothing(tmp_path, keys):
    data = tmp_path / "data"
    broken = {key: BROKEN[key] for key in keys}
    for key, (code, _) in broken.items():
        (data / "apps" / key).mkdir(parents=True)
        (data / "apps" / key / "__init__.py").write_text(code)
    run(program("app", "new", "shop", data=data))

    with Service(data) as service:
        interface = Interface(service)
        served = {app["key"]: app for app in interface.data("/v1/apps")}
        listed = {app["key"]: app for app in service.command("app", "list", "--json").json}
        interface.close()

    for key, (_, reason) in broken.items():
        assert reason in served[key]["broken"]
        assert reason in listed[key]["broken"]
    assert served["shop"]["broken"] is None
