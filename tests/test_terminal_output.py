"""Text from others can't control the user's terminal."""

import json

import pytest

from patchbay.cli import output

HOSTILE = "a\x1b]0;owned\x07\x9b2J\u202eb\x00\r"


def _obeyed(text: str) -> list[str]:
    return [sign for sign in text if not sign.isprintable() and sign != "\n"]


def test_nothing_a_terminal_obeys_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    output.data({}, as_json=False, text=output.table(["Name"], [[f"{HOSTILE}\nforged"], ["other"]]))
    output.print_message(HOSTILE)
    printed = capsys.readouterr()

    assert _obeyed(printed.out) == _obeyed(printed.err) == []
    assert len(printed.out.splitlines()) == 3


def test_json_stays_json(capsys: pytest.CaptureFixture[str]) -> None:
    output.data({"name": HOSTILE}, as_json=True, text="")
    printed = capsys.readouterr().out

    assert _obeyed(printed) == []
    assert json.loads(printed) == {"name": HOSTILE}
