"""Small files are read within bounds, whatever is in them."""

import os
import tracemalloc

import pytest

from patchbay.domain.small_files import MAX_JSON_BYTES, MAX_LEVELS, read_json_object, read_small_file

DEEP = 200_000


def _nested(levels: int) -> str:
    return '{"a":' * levels + "1" + "}" * levels


@pytest.mark.parametrize("text", ['{"a": [1, "ä", {"b": null}]}', _nested(MAX_LEVELS), "{}"])
def test_an_object_is_read(tmp_path, text):
    file = tmp_path / "state.json"
    file.write_text(text, "utf-8")

    assert isinstance(read_json_object(file), dict)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"a": "\xff"}',
        rb'{"a": "\ud800"}',
        rb'{"\udc00": 1}',
        b'{"a": ' + b"9" * 5_000 + b"}",
        _nested(MAX_LEVELS + 1).encode(),
        _nested(900).encode(),
        _nested(MAX_JSON_BYTES // 6 - 1).encode(),
        b'{"a": "' + b"x" * MAX_JSON_BYTES + b'"}',
    ],
    ids=str,
)
def test_any_other_content_is_a_value_error(tmp_path, content):
    file = tmp_path / "state.json"
    file.write_bytes(content)

    with pytest.raises(ValueError):
        read_json_object(file)


def test_nesting_that_the_parser_rejects_is_a_value_error(tmp_path):
    file = tmp_path / "state.json"
    file.write_text("[" * DEEP + "]" * DEEP, "utf-8")

    with pytest.raises(ValueError, match="nested too deeply"):
        read_json_object(file, max_bytes=3 * DEEP)


def test_a_file_that_cannot_be_read_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_json_object(tmp_path / "state.json")


def test_a_large_file_is_not_read(tmp_path):
    file = tmp_path / "large"
    with file.open("wb") as opened:
        opened.truncate(64 << 20)

    tracemalloc.start()
    try:
        with pytest.raises(ValueError):
            read_small_file(file, 1024)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert peak < 1 << 20


def test_a_file_of_exactly_the_limit_is_read(tmp_path):
    file = tmp_path / "file"
    file.write_bytes(b"x" * 100)

    assert read_small_file(file, 100) == b"x" * 100
    with pytest.raises(ValueError):
        read_small_file(file, 99)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "state.json")

    with pytest.raises(ValueError, match="not a file"):
        read_small_file(tmp_path / "state.json", MAX_JSON_BYTES)
