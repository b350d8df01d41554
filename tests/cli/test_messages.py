"""Messages of commands that change nothing, or whose arguments aren't valid."""

import os
import subprocess

import pytest
from tests.support import flow_files as files
from tests.support.processes import program, run

from patchbay.__main__ import main
from patchbay.cli.parser import parse


@pytest.fixture
def patchbay(tmp_path):
    """Run a command in one data folder."""

    def command(*words):
        return run(program(*words, data=tmp_path / "data"))

    return command


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--keep-successes", "never", "“never” isn't a whole number from 1 to 3,650 or “forever”"),
        ("--max-concurrent", "0", "“0” isn't a whole number from 1 to 200"),
    ],
)
def test_a_limit_names_its_bounds_and_its_word_for_no_limit(patchbay, option, value, said):
    refused = patchbay("engine", "settings", option, value)

    assert refused.code == 2
    assert said in refused.err


def test_publishing_and_resuming_what_already_runs_says_so(patchbay, tmp_path):
    file = files.write(tmp_path / "flow.json", files.flow("Orders", files.catch(), files.trimmed("a")))
    patchbay("flow", "import", file, "--publish")

    assert patchbay("flow", "publish", "Orders").out == "Orders was already published as version 1.\n"
    assert patchbay("flow", "resume", "Orders").out == "Orders wasn't paused. It is published.\n"
    patchbay("flow", "pause", "Orders")
    assert patchbay("flow", "resume", "Orders").out == "Orders is resumed.\n"


def test_a_short_start_of_an_execution_id_is_called_short(patchbay):
    refused = patchbay("execution", "show", "abc")

    assert refused.code == 1
    assert "“abc” is too short. Enter at least 4 characters of the ID." in refused.err


def test_resuming_all_runs_without_an_engine_says_that_nothing_runs(patchbay):
    assert "They continue while a server, a worker, or the window runs." in patchbay("engine", "resume").out


def test_the_start_of_an_option_is_not_taken_for_the_option(capsys):
    with pytest.raises(SystemExit):
        parse(["flow", "run", "Orders", "--data", "{}"])

    assert "unknown argument: --data" in capsys.readouterr().err


def test_an_unknown_option_prints_the_usage_of_its_command(capsys):
    with pytest.raises(SystemExit):
        parse(["worker", "--helth-port", "8790"])

    printed = capsys.readouterr().err
    assert printed.startswith("usage: patchbay worker ")
    assert printed.endswith("patchbay worker: error: unknown argument: --helth-port 8790\n")


def test_ctrl_c_while_the_program_loads_prints_nothing(monkeypatch, capsys):
    def interrupt():
        raise KeyboardInterrupt

    monkeypatch.setattr("patchbay.__main__.prepare_standard_streams", interrupt)

    with pytest.raises(SystemExit) as ended:
        main()

    assert ended.value.code == 130
    assert capsys.readouterr() == ("", "")


def test_a_server_that_runs_nothing_needs_a_database_that_others_can_use(patchbay):
    refused = patchbay("serve", "--no-runs", "--port", "0")

    assert refused.code == 1
    assert "A server that runs nothing needs a PostgreSQL database." in refused.err


def test_a_reader_that_has_left_is_no_error(tmp_path):
    reader, writer = os.pipe()
    os.close(reader)
    words = program("app", "list", data=tmp_path / "data")

    done = subprocess.run(words, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)

    os.close(writer)
    assert (done.returncode, done.stderr) == (1, "")
