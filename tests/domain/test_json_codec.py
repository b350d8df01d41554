"""The fast codec reads and writes like Python's `json`, with and without orjson."""

import json
import math
from datetime import date
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchbay.domain import json_codec
from patchbay.domain.json_codec import decode_json, decode_strictly, encode_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)
TEXTS = (
    "123456789012345678901234567890",
    "-9223372036854775809",
    "18446744073709551616",
    "1" * 400,
    "NaN",
    "[Infinity, -Infinity]",
    "1e400",
    '"\\ud800"',
    '"\\ud83d\\ude00"',
    "-0",
    "-0.0",
    '{"a": 1, "a": 2}',
    " [1] ",
)


class Colour(StrEnum):
    RED = "red"


@pytest.fixture(params=["orjson", "json"], autouse=True)
def codec(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "json":
        monkeypatch.setattr(json_codec, "orjson", None)
    else:
        pytest.importorskip("orjson")


@given(VALUES)
def test_what_is_written_is_read_again_unchanged(value):
    for text in (encode_json(value), json.dumps(value)):
        assert _exactly(decode_json(text)) == _exactly(json.loads(text)) == _exactly(value)


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text[:20])
def test_unusual_texts_are_read_like_by_json(text):
    assert _exactly(decode_json(text)) == _exactly(json.loads(text))


@pytest.mark.parametrize("text", ["", "{", "[1,]", "nul", "01", "\ufeff1", "[" * 100_000])
def test_what_json_rejects_is_rejected(text):
    with pytest.raises((ValueError, RecursionError)) as expected:
        json.loads(text)
    with pytest.raises(expected.type) as actual:
        decode_json(text)

    assert str(actual.value) == str(expected.value)


@pytest.mark.parametrize(
    "value",
    [
        2**64,
        -(2**70),
        math.nan,
        [math.inf, None],
        {"a": math.nan, "b": None},
        "\ud800",
        {1: 2},
        (1, 2),
        Colour.RED,
        "ä\u2028",
    ],
    ids=repr,
)
def test_unusual_values_are_written_like_by_json(value):
    assert encode_json(value) == json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@pytest.mark.parametrize(
    "value",
    [{1, 2}, b"x", date(2026, 1, 1), object(), {"a": date(2026, 1, 1)}],
    ids=["set", "bytes", "date", "object", "date in an object"],
)
def test_what_is_not_json_is_not_written(value):
    with pytest.raises(TypeError):
        encode_json(value)


def _exactly(value: Any) -> str:
    """Distinguishes what compares equal: 1 and 1.0 and true, 0.0 and -0.0, NaN from nothing."""
    return repr(value)


@pytest.mark.parametrize("text", [*TEXTS, "null", "[1,]", "01", "\ufeff1"])
def test_what_is_read_strictly_is_read_by_json_alike(text):
    value = decode_strictly(text)

    assert value is None or repr(value) == repr(json.loads(text))


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", "1e400", '"\\ud800"', "1" * 30, "[1,]"])
def test_texts_that_need_a_check_are_not_read_strictly(text):
    assert decode_strictly(text) is None
