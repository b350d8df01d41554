"""What `app show` prints, and how imports of files that don't fit an app are explained."""

import pytest
from tests.support import flow_files as files
from tests.support.processes import program, run


@pytest.fixture
def patchbay(tmp_path):
    """Run a command in one data folder."""

    def command(*words, stdin=""):
        return run(program(*words, data=tmp_path / "data"), stdin=stdin)

    return command


def publish(patchbay, tmp_path, *steps):
    file = files.write(tmp_path / "flow.json", files.flow("Orders", *steps))
    return patchbay("flow", "import", file, "--publish")


def test_parameters_are_listed_with_key_label_values_and_default(patchbay):
    shown = patchbay("app", "show", "webhook").out

    assert (
        "    workSynchronously: Wait for the flow to finish (required; one of true, false; default false)"
        in shown
    )
    assert 'deliveryHeader: Delivery ID header (required; used only if deliveries is "header")' in shown


def test_an_app_that_cannot_be_loaded_fails_with_the_reason(patchbay, tmp_path):
    folder = tmp_path / "data" / "apps" / "notes"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("import nothing_like_this")

    shown = patchbay("app", "show", "notes")
    doctor = patchbay("doctor", "--json")

    assert shown.code == 1
    assert "can't be used: " in shown.out
    assert "nothing_like_this" in shown.out
    assert "patchbay app check notes" in shown.out
    assert doctor.code == 1
    assert doctor.json["apps"] == "can't be loaded: notes. See why with: patchbay app show KEY"


def test_required_parameters_that_a_file_leaves_out_get_their_default(patchbay, tmp_path):
    done = publish(patchbay, tmp_path, files.step("webhook", "catchRawWebhook"), files.trimmed("a"))

    assert (done.code, "published" in done.out) == (0, True), done.out


def test_a_missing_parameter_is_named_by_its_key(patchbay, tmp_path):
    every = files.step("scheduler", "everyNMinutes", intervall=5)

    done = publish(patchbay, tmp_path, every, files.trimmed("a"))

    assert done.code == 1
    assert "Step 1: “Minutes” is required. (parameter interval)" in done.out
    assert "Step 1: “intervall” isn't a parameter of “Every N minutes”." in done.out


def test_a_number_that_is_out_of_range_is_named(patchbay, tmp_path):
    every = files.step("scheduler", "everyNMinutes", interval=90)

    done = publish(patchbay, tmp_path, every, files.trimmed("a"))

    assert done.code == 1
    assert "“90” can't be used as a number of minutes. Use a whole number from 1 to 59." in done.out


def test_an_unknown_comparison_keeps_a_flow_from_being_published(patchbay, tmp_path):
    done = publish(patchbay, tmp_path, files.catch(), files.only_if("7", ">", "1"), files.trimmed("a"))

    assert done.code == 1
    assert (
        "Step 2: “>” isn't a valid comparison. Use one of equal, not_equal, greater_than, less_than"
        in done.out
    )


def test_an_unknown_action_is_called_one(patchbay, tmp_path):
    done = publish(patchbay, tmp_path, files.catch(), files.step("datastore", "setvalue"))

    assert "Step 2: Datastore has no action “setvalue”. Choose another one." in done.out
    assert "setValue" in done.out


def test_a_variable_of_an_unknown_step_names_the_step(patchbay, tmp_path):
    done = publish(patchbay, tmp_path, files.catch(), files.trimmed("{{step.nope.body}}"))

    assert "Step 2: It uses a variable of step “nope”, which isn't in this flow." in done.out
