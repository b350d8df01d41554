"""Payload limits: size and nesting."""

from typing import Any

import pytest

from patchbay.domain.errors import PayloadTooLarge
from patchbay.storage.codec import MAX_NESTING, decode_payload, encode_payload


def nested(levels: int, *, objects: bool = False):
    value: Any = "bottom"
    for _ in range(levels):
        value = {"in": value} if objects else [value]
    return value


@pytest.mark.parametrize("objects", [True, False])
def test_what_is_nested_within_reason_comes_back(objects):
    value = nested(MAX_NESTING, objects=objects)

    assert decode_payload(encode_payload(value)) == value


@pytest.mark.parametrize("levels", [MAX_NESTING + 2, 900, 50_000])
@pytest.mark.parametrize("objects", [True, False])
def test_what_nothing_could_show_again_is_rejected_with_a_clear_error(levels, objects):
    with pytest.raises(PayloadTooLarge, match="nested more than"):
        encode_payload(nested(levels, objects=objects))


def test_wide_json_is_not_deep():
    value: list[Any] = [{"a": [1]}] * 10_000

    assert decode_payload(encode_payload(value)) == value
