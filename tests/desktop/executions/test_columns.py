"""The numbers, order, and widths of the columns of the executions table."""

import pytest
from tests.support.fake_workspace import NOW

from patchbay.desktop.executions import columns as at

KEYS = [column.key for column in at.columns(lambda: NOW)]


def test_every_column_has_the_number_of_its_place():
    numbers = {
        name.lower(): value for name, value in vars(at).items() if name.isupper() and type(value) is int
    }

    assert {key: numbers.get(key) for key in KEYS} == {key: place for place, key in enumerate(KEYS)}
    assert sorted(value for name, value in numbers.items() if name[0] != "_") == list(range(len(KEYS)))


def test_columns_that_can_be_hidden_are_listed_by_their_own_key():
    assert {key: KEYS.index(key) for key in at.OPTIONAL_COLUMNS} == at.OPTIONAL_COLUMNS


@pytest.mark.parametrize("available_width", [400, 2000])
def test_every_column_has_a_width(qapp, available_width):
    assert sorted(at.widths(available_width)) == list(range(len(KEYS)))
