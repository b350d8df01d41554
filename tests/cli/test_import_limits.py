"""Flow files are read within limits, from any kind of path, and rejected with short messages."""

import io
import json
import os
import threading

import pytest

from patchbay.cli.flows import read_exports
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.flow_import import MAX_FILE_BYTES, MAX_FLOWS


def _refused(name) -> ValidationFailed:
    with pytest.raises(ValidationFailed) as refused:
        read_exports(str(name))
    return refused.value


@pytest.mark.skipif(os.name == "nt", reason="There are no such files on Windows.")
@pytest.mark.parametrize("kind", ["fifo", "device", "folder"])
def test_what_is_not_a_file_is_not_read(tmp_path, kind):
    path = tmp_path / "flows.json"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to("/dev/zero")
    found: list[ValidationFailed] = []

    reading = threading.Thread(target=lambda: found.append(_refused(path)), daemon=True)
    reading.start()
    reading.join(10)

    assert "isn't a file" in found[0].text()


def test_a_file_that_is_too_large_is_not_read_whole(tmp_path):
    path = tmp_path / "flows.json"
    with path.open("wb") as file:
        file.truncate(3_000_000_000)

    assert "is larger than 20 MB" in _refused(path).text()


def test_standard_input_is_limited_too(monkeypatch):
    endless = io.StringIO("[" + " " * MAX_FILE_BYTES)
    monkeypatch.setattr("sys.stdin", endless)

    assert "is larger than 20 MB" in _refused("-").text()


def test_a_file_of_many_values_or_flows_is_refused_at_once(tmp_path):
    path = tmp_path / "flows.json"

    path.write_text("[" + ",".join(["{}"] * 2_000_000) + "]")
    assert "more than 1000000 values" in _refused(path).text()
    path.write_text("[" + ",".join(["{}"] * (MAX_FLOWS + 1)) + "]")
    assert f"has {MAX_FLOWS + 1:,} flows" in _refused(path).text()


def test_the_first_problems_are_listed_with_the_number_of_the_others(tmp_path):
    path = tmp_path / "flows.json"
    path.write_text(json.dumps([{"name": f"No steps {number}"} for number in range(1, 5_001)]))

    refused = _refused(path)

    assert refused.happened == "5,000 of 5,000 flows can't be imported."
    assert "No steps 20”" in refused.meaning
    assert "No steps 21”" not in refused.meaning
    assert "And 4,980 more." in refused.meaning
