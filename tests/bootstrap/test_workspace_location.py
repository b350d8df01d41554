"""The data folder of a server on PostgreSQL says where its data is, and nothing creates a file in it."""

import argparse
import json
import os
import re
import subprocess
import sys
from unittest.mock import AsyncMock

import pytest
from tests.support.forms import long_form
from tests.support.patience import PATIENCE
from tests.support.postgres_databases import location_on

from patchbay.bootstrap.data_key import create_data_key
from patchbay.bootstrap.workspace_location import record_server, recorded_server, require_own_database
from patchbay.cli import engine as engine_commands
from patchbay.cli.main import main
from patchbay.domain.engine import EngineHealth, EngineState
from patchbay.domain.errors import Conflict
from patchbay.platform.paths import AppPaths
from patchbay.storage.postgresql.address import parse_address

URL = "postgresql://ada@db.example.org:5433/work?sslmode=verify-full&sslrootcert=%2Fetc%2Fca%20one.pem"


@pytest.fixture
def paths(tmp_path):
    paths = AppPaths.choose(str(tmp_path / "data"))
    paths.prepare()
    return paths


@pytest.fixture
def location(request):
    yield from location_on("postgresql", request)


@pytest.mark.parametrize(
    "url", [URL, "postgresql:///work?host=%2Frun%2Fpostgresql", "postgresql://a%40b@[::1]:5432/%C3%BC"]
)
def test_the_url_of_an_address_is_the_one_it_was_parsed_from(url):
    address = parse_address(url, "pw-93b1c")

    assert address.url == url
    assert parse_address(address.url, "pw-93b1c") == address


@pytest.mark.parametrize(
    "command",
    [("flow", "list"), ("engine", "resume"), ("serve", "--port", "0"), ("doctor", "--repair")],
    ids=" ".join,
)
def test_commands_without_database_say_where_the_data_is_and_create_nothing(paths, command, capsys):
    record_server(paths, parse_address(URL, "pw-93b1c"))

    code = main(["--data-dir", str(paths.data), *command])

    said = capsys.readouterr().err
    assert code == 1
    assert f"The workspace of {paths.data} is in {URL}" in said
    assert f"--database {URL}" in said
    assert not paths.database.exists()
    assert "pw-93b1c" not in paths.database_record.read_text("utf-8")


def test_backups_and_restores_name_the_server(paths, tmp_path, capsys):
    record_server(paths, parse_address(URL))
    (tmp_path / "backup").touch()

    assert main(["--data-dir", str(paths.data), "backup", str(tmp_path / "new")]) == 1
    assert main(["--data-dir", str(paths.data), "restore", str(tmp_path / "backup")]) == 1

    assert capsys.readouterr().err.count(f"The workspace of {paths.data} is in {URL}.") == 2
    assert not paths.database.exists()


def test_doctor_names_the_server(paths, capsys):
    record_server(paths, parse_address(URL))

    assert main(["--data-dir", str(paths.data), "doctor", "--json"]) == 0

    found = json.loads(capsys.readouterr().out)
    assert found["engine"] == "no server is running in this data folder"
    assert URL in found["database"]
    assert not paths.database.exists()


def test_a_folder_without_a_server_is_used_as_before(paths):
    record_server(paths, paths.data / "other.db")
    record_server(paths, None)
    require_own_database(paths)

    assert recorded_server(paths) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"database": 7}',
        "\udcff",
        "[" * 8_000,
        json.dumps({"database": "postgresql:///a", "more": "a" * 8_192}),
        json.dumps({"database": "x; id"}),
        json.dumps({"database": "postgresql://ada:pw@evil.example.org/a"}),
    ],
    ids=range(8),
)
def test_a_damaged_record_still_keeps_commands_from_creating_a_workspace(paths, text):
    paths.database_record.write_text(text, "utf-8", "surrogateescape")

    with pytest.raises(Conflict, match="is damaged") as caught:
        require_own_database(paths)

    assert str(paths.database_record) in caught.value.text()
    assert "--database and its URL" in caught.value.todo


def test_a_damaged_record_of_a_move_names_itself(paths):
    paths.moved.write_text("{", "utf-8")

    with pytest.raises(Conflict, match="moved elsewhere") as caught:
        require_own_database(paths)

    assert str(paths.moved) in caught.value.text()
    assert "--database and the URL" in caught.value.todo


def test_a_planted_address_is_shown_encoded(paths):
    paths.database_record.write_text(json.dumps({"database": "postgresql://a/b\x1b[2J; id"}), "utf-8")

    assert recorded_server(paths) == "postgresql://a/b%1B%5B2J%3B%20id"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("[" * 8_000, "elsewhere"),
        ('{"to": "other; id"}', "elsewhere"),
        ('{"to": "/srv/a\\u001b[2J"}', "elsewhere"),
        ('{"to": "/srv/patchbay data"}', "to /srv/patchbay data"),
        (json.dumps({"to": URL}), f"to {URL}"),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="the paths are of Unix")
def test_a_moved_workspace_names_only_addresses_and_folders(paths, text, place):
    paths.moved.write_text(text, "utf-8")

    with pytest.raises(Conflict) as caught:
        require_own_database(paths)

    assert caught.value.happened.startswith(f"This workspace was moved {place}.")


@pytest.fixture
def start(paths, location, tmp_path):
    """Starts `patchbay serve` or `worker` in the folder, on a server; stops it at the end."""
    create_data_key(tmp_path / "key")
    given = ("--data-dir", str(paths.data), "--database", location.url)
    started = []

    def run(*command, until):
        words = (*given, "--data-key-file", str(tmp_path / "key"), *command)
        environment = {**os.environ, "PGPASSWORD": str(location.password)}
        program = subprocess.Popen(
            [sys.executable, "-m", "patchbay", *words], env=environment, stdout=subprocess.PIPE, text=True
        )
        started.append(program)
        while not program.stdout.readline().startswith(until):
            assert program.poll() is None
        return program

    yield run
    for program in started:
        program.terminate()
        program.communicate()


@pytest.mark.timeout(6 * PATIENCE)
def test_commands_reach_a_server_while_it_runs_and_are_refused_afterwards(paths, location, start, capsys):
    server = start("serve", "--port", "0", "--no-runs", until="running nothing")
    commands = ("flow", "list"), ("engine", "status"), ("engine", "resume"), ("doctor",)

    reached = [main(["--data-dir", str(paths.data), *command]) for command in commands]
    said = capsys.readouterr().out
    server.terminate()
    server.wait()
    refused = main(["--data-dir", str(paths.data), "flow", "list"])

    assert (reached, refused) == ([0, 0, 0, 0], 1)
    assert said.count("This server runs nothing (--no-runs); workers run the flows.") == 2
    assert re.search(
        r"^Engine +running at http://127.0.0.1.*, runs nothing \(--no-runs\)$", said, re.MULTILINE
    )
    assert recorded_server(paths) == location.url
    assert not paths.database.exists()


@long_form
def test_a_worker_records_its_database(paths, location, start):
    start("worker", until="running flows")

    assert recorded_server(paths) == location.url


@pytest.mark.parametrize(
    ("health", "said"),
    [
        ({"state": EngineState.STOPPED}, "They continue while a server, a worker, or the window runs."),
        ({"state": EngineState.RUNNING, "runs_flows": False}, "Runs resumed. This server runs nothing"),
    ],
)
async def test_resuming_says_who_runs_the_flows(health, said, capsys):
    backend = AsyncMock()
    backend.resume_runs.return_value = EngineHealth(**health)

    await engine_commands.resume(backend, argparse.Namespace(json=False))

    assert said in capsys.readouterr().out


def test_missing_files_and_folders_are_named(paths, tmp_path, capsys):
    given = ("--data-dir", str(paths.data))

    assert main([*given, "data-key", "create", str(tmp_path / "none" / "key")]) == 1
    assert f"There is no folder {tmp_path / 'none'}" in capsys.readouterr().err
    options = ("--database", URL, "--database-password-file", str(tmp_path / "nofile"))
    assert main([*given, *options, "flow", "list"]) == 1
    assert (
        f"There is no file {tmp_path / 'nofile'}, which should contain the password."
        in capsys.readouterr().err
    )
