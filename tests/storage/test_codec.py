"""What a payload may be: as long and as deep as it can be shown again."""

import pytest

from patchbay.domain.errors import PayloadTooLarge
from patchbay.storage.codec import MOST_LEVELS, from_text, to_text


def nested(levels: int, *, objects: bool = False):
    value = "bottom"
    for _ in range(levels):
        value = {"in": value} if objects else [value]
    return value


@pytest.mark.parametrize("objects", [True, False])
def test_what_is_nested_within_reason_comes_back(objects):
    value = nested(MOST_LEVELS, objects=objects)

    assert from_text(to_text(value)) == value


@pytest.mark.parametrize("levels", [MOST_LEVELS + 2, 900, 50_000])
@pytest.mark.parametrize("objects", [True, False])
def test_what_nothing_could_show_again_is_refused_in_words(levels, objects):
    with pytest.raises(PayloadTooLarge, match="nested more than"):
        to_text(nested(levels, objects=objects))


def test_many_things_side_by_side_are_not_deep():
    value = [{"a": [1]}] * 10_000

    assert from_text(to_text(value)) == value
