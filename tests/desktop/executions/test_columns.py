"""The numbers, order, and widths of the columns of the executions table."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QLocale
from tests.support.fake_workspace import NOW, execution, flows

from patchbay.desktop.core import language
from patchbay.desktop.core.language import use_language
from patchbay.desktop.executions import columns as at
from patchbay.domain.clock import DAY_MS

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


@pytest.fixture
def _english_again() -> Iterator[None]:
    yield
    use_language("en", "language")


@pytest.mark.usefixtures("_english_again")
@pytest.mark.parametrize("name", ["en_GB", "en_US", "de"])
def test_only_a_start_in_another_year_is_shown_without_its_time(name):
    language._State.formats = QLocale(name)
    run = execution(1, flows())

    long_ago, _ = at.started_text(run, run.created_at + 400 * DAY_MS)
    lately, _ = at.started_text(run, run.created_at + 3 * DAY_MS)

    assert "2025" in long_ago
    assert ":" not in long_ago
    assert ":" in lately
