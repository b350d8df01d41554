"""What the editor shows in the user's language and formats, while what it stores stays the same."""

from collections.abc import Iterator

import pytest

from patchbay.desktop.core import language
from patchbay.desktop.core.condition_labels import UNIT_LABELS, comparison_label, result_text
from patchbay.desktop.core.language import Catalogue, use_language
from patchbay.desktop.editor.view_models.retry_policy import parse_amount
from patchbay.desktop.editor.view_models.step_labels import conditions_text
from patchbay.domain.base import Json, JsonObject
from patchbay.domain.condition_operators import OPERATORS
from patchbay.domain.date_parsing import UNITS, Moment

GERMAN = """<TS version="2.1" language="de"><context><name>patchbay</name>
<message><source>{one} and {other}</source><comment>conditions</comment><translation>{one} und {other}</translation></message>
</context></TS>"""  # noqa: E501


@pytest.fixture(autouse=True)
def _english_again() -> Iterator[None]:
    yield
    use_language("en", "language")


def test_every_comparison_and_unit_has_a_label() -> None:
    assert {key: comparison_label(item) for key, item in OPERATORS.items()} == {
        key: item.label for key, item in OPERATORS.items()
    }
    assert tuple(UNIT_LABELS) == UNITS


def test_a_time_span_in_a_condition_names_its_unit() -> None:
    condition: JsonObject = {"key": "created", "operator": "in_last", "value": "7 days"}
    assert conditions_text([{"and": [condition]}]) == "created is in the last 7 days"


@pytest.mark.parametrize(
    ("operator", "value", "text"),
    [
        ("in_next", "2 days", "“7” is in the next “2 days”: no"),
        ("less_than", "10", "“7” is less than “10”: yes"),
        ("is_empty", "old text", "“7” is empty: no"),
        ("matches_pattern", "7", "“7” matches the pattern “7”: checked when the step runs"),
        ("unknown", "7", "“7” unknown “7”: no"),
    ],
)
def test_a_condition_is_described_with_its_result(operator: str, value: str, text: str) -> None:
    condition: JsonObject = {"key": "7", "operator": operator, "value": value}
    assert result_text(condition, Moment(1_790_000_000_000)) == text


def test_conditions_are_joined_as_the_language_joins_them() -> None:
    catalogue = Catalogue("de")
    catalogue.read(GERMAN)
    language._State.catalogue = catalogue
    conditions: list[Json] = [
        {"key": name, "operator": "greater_than", "value": "1"} for name in ("size", "age")
    ]
    assert conditions_text([{"and": conditions}]) == "size > 1 und age > 1"


@pytest.mark.parametrize(
    ("code", "typed", "number"),
    [("en", "1,200", 1200), ("de", "1.200", 1200), ("de", "1 200", 1200), ("de", "1,200", None)],
)
def test_a_number_is_read_as_its_formats_write_it(code: str, typed: str, number: int | None) -> None:
    use_language(code, "language")
    assert parse_amount(typed, 1, 3600)[0] == number


def test_the_limits_of_a_number_are_shown_in_its_formats() -> None:
    use_language("de", "language")
    assert "3.600" in parse_amount("0", 1, 3600)[1]
