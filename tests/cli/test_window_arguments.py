"""What the window is started with: a file or a link may stand in place of a command."""

import pytest

from patchbay.cli.parser import parse


@pytest.mark.parametrize(
    ("words", "target"),
    [
        (["flow.json"], "flow.json"),
        (["--workspace", "local", "/data/ada/Flow.JSON"], "/data/ada/Flow.JSON"),
        (["--new-window", "./flow"], "./flow"),
        (["patchbay://flows"], "patchbay://flows"),
        (["--open", "flow"], "flow"),
        ([], None),
    ],
)
def test_a_file_or_link_opens_in_the_window(words, target):
    options = parse(words)

    assert options.entry is None
    assert options.open == target


def test_commands_are_still_commands():
    assert parse(["flow", "list"]).entry.name == "flow list"
    assert parse(["--data-dir", "x.json", "doctor"]).entry.name == "doctor"


def test_a_mistyped_command_is_not_taken_for_a_file(capsys):
    with pytest.raises(SystemExit):
        parse(["flwo"])

    assert "flwo" in capsys.readouterr().err
