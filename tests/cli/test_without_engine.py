"""What commands say while no engine is running for the data folder."""

import json

import pytest
from tests.support import flow_files as files
from tests.support.processes import program, run

NO_ENGINE = "No engine is running for this workspace."


@pytest.fixture
def patchbay(tmp_path):
    """Run a command in one data folder."""

    def command(*words, stdin=""):
        return run(program(*words, data=tmp_path / "data"), stdin=stdin)

    return command


def imported(patchbay, tmp_path, *steps):
    file = files.write(tmp_path / "flow.json", files.flow("Orders", *steps))
    done = patchbay("flow", "import", file, "--publish", "--json")
    assert done.code == 0, done.err
    return done.json[0]["id"]


def nap():
    return files.step("delay", "delayFor", delayForUnit="hours", delayForValue="1")


def test_a_run_that_has_to_wait_says_that_no_engine_continues_it(patchbay, tmp_path):
    flow = imported(patchbay, tmp_path, files.catch(), nap(), files.trimmed("a"))

    done = patchbay("flow", "run", flow, "--input", "-", "--json", stdin="{}")

    assert (done.code, done.json["state"]) == (0, "waiting")
    assert "No engine is running now." in done.err
    assert "patchbay serve or the window" in done.err


def test_resuming_and_continuing_name_what_to_start(patchbay, tmp_path):
    flow = imported(patchbay, tmp_path, files.catch(), nap(), files.trimmed("a"))
    waiting = patchbay("flow", "run", flow, "--input", "-", "--json", stdin="{}").json["id"]

    for word in ("resume", "continue"):
        refused = patchbay("execution", word, waiting)

        assert (refused.code, refused.out) == (1, "")
        assert NO_ENGINE in refused.err
        assert "Start “patchbay serve” or open the window" in refused.err


def test_a_waiting_execution_is_resumed_and_not_run_again(patchbay, tmp_path):
    flow = imported(patchbay, tmp_path, files.catch(), nap(), files.trimmed("a"))
    waiting = patchbay("flow", "run", flow, "--input", "-", "--json", stdin="{}").json["id"]

    refused = patchbay("execution", "retry", waiting)

    assert refused.code == 1
    assert "The status of this one is waiting. It continues by itself" in refused.err
    assert f"patchbay execution resume {waiting}" in refused.err
    assert "from the start" not in refused.err


def test_an_execution_that_has_finished_is_shown_and_not_refreshed(patchbay, tmp_path):
    flow = imported(patchbay, tmp_path, files.catch(), files.trimmed("a"))
    finished = patchbay("flow", "run", flow, "--input", "-", "--json", stdin="{}").json["id"]

    refused = patchbay("execution", "cancel", finished)

    assert "This execution has already finished. Its status is success." in refused.err
    assert f"patchbay execution show {finished}" in refused.err
    assert "Refresh" not in refused.err


def test_running_a_webhook_flow_without_data_names_the_option(patchbay, tmp_path):
    flow = imported(patchbay, tmp_path, files.catch(), files.trimmed("a"))

    refused = patchbay("flow", "run", flow)

    assert refused.code == 1
    assert "This webhook hasn't received a request yet." in refused.err
    assert "--input FILE" in refused.err
    assert "test again" not in refused.err


def test_a_webhook_is_shown_without_referring_to_an_address_that_is_not_there(patchbay, tmp_path):
    flow = imported(patchbay, tmp_path, files.catch(), files.trimmed("a"))

    shown = patchbay("flow", "show", flow).out

    assert "The webhook address is shown while patchbay serve or the window runs." in shown
    assert "Unsigned: anyone who knows the webhook address can start the flow." in shown


def test_every_command_says_the_same_about_isolation(patchbay):
    resumed = patchbay("engine", "resume", "--json")
    status = patchbay("engine", "status")
    doctor = patchbay("doctor", "--json")

    isolation = resumed.json["isolation"]
    assert doctor.json["programs"].endswith(isolation["detail"])
    assert doctor.json["programs"].startswith("not isolated" if isolation["kind"] == "none" else "isolated")
    assert f"programs: {doctor.json['programs']}" in status.out


def test_an_incomplete_import_says_how_to_complete_it(patchbay, tmp_path):
    document = files.flow("Orders", files.step("webhook", "nothing"), files.trimmed("a"))
    file = files.write(tmp_path / "flow.json", document)
    first = patchbay("flow", "import", file, "--publish")
    document["steps"][0]["key"] = "catchRawWebhook"
    document["steps"][0]["parameters"] = {"workSynchronously": False}
    file.write_text(json.dumps(document))

    again = patchbay("flow", "import", file, "--publish")

    assert (first.code, again.code) == (1, 0)
    assert "Complete the drafts in the window. Or delete them" in first.err
    assert "imported as a new flow" in first.err
    assert len(patchbay("flow", "list", "--json").json) == 2


def test_an_error_of_a_step_is_printed_as_sentences(patchbay, tmp_path):
    program_step = files.step("formatter", "text", transform="parseStringifiedJson", input="{")
    flow = imported(patchbay, tmp_path, files.catch(), program_step)
    failed = patchbay("flow", "run", flow, "--input", "-", "--json", stdin="{}").json["id"]

    shown = patchbay("execution", "show", failed)
    document = patchbay("execution", "show", failed, "--json").json

    error = document["executionSteps"][1]["errorDetails"]
    assert {"kind", "happened", "meaning", "todo"} <= set(error)
    assert f"error:   {error['happened']}" in shown.out
    assert '"happened"' not in shown.out


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "isn't valid JSON: it is empty."),
        (b"\x89PNG\r\n", "isn't valid JSON: it isn't a text in UTF-8."),
        (b'{"a": 1 "b"}', "a comma or a closing bracket is missing at line 1, column 9."),
    ],
)
def test_a_file_that_cannot_be_imported_is_explained(patchbay, tmp_path, content, said):
    file = tmp_path / "flow.json"
    file.write_bytes(content)

    refused = patchbay("flow", "import", file)

    assert refused.code == 1
    assert said in refused.err
