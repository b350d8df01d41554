"""Files that a step sends: names and texts from others are read in linear time."""

import pytest

from patchbay.domain.errors import ValidationFailed
from patchbay.integration.files import FileArgument, clean_file_name

LONG = 1_000_000
"""Characters with which quadratic time would be hours."""


@pytest.mark.parametrize(
    ("name", "cleaned"),
    [
        ("report.csv", "report.csv"),
        ("C:\\\\files\\report.csv", "report.csv"),
        ("../../etc/passwd", "passwd"),
        ("a/b\\c/..", "file"),
        ("folder/", "file"),
        ("", "file"),
        ("a" * LONG, "a" * 200),
        ("a" * LONG + "/b", "b"),
        ("/" * LONG, "file"),
    ],
)
def test_names_lose_their_folders(name, cleaned):
    assert clean_file_name(name, "file") == cleaned


@pytest.mark.parametrize("end", ["", ";base64", "," + "a"])
def test_a_long_text_that_begins_like_a_data_address_is_rejected_at_once(end):
    with pytest.raises(ValidationFailed, match="base64"):
        list(FileArgument("file").files("data:" + "a" * LONG + end, is_base64=True))


def test_a_data_address_with_parameters_is_decoded():
    found = list(FileArgument("file").files("data:text/plain;charset=utf-8;base64,aGk=", is_base64=True))

    assert [(file.content, file.type) for file in found] == [(b"hi", "text/plain")]
