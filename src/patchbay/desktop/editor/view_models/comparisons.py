"""Which comparisons suit a value, and the parts of a time span in a condition."""

import re

from patchbay.desktop.core.condition_labels import comparison_label
from patchbay.desktop.core.language import tr
from patchbay.desktop.editor.view_models.variables import ValueCatalog
from patchbay.domain.base import Json
from patchbay.domain.condition_operators import OPERATORS, ValueKind, as_number
from patchbay.domain.date_parsing import UNITS, Moment, find_date_time
from patchbay.domain.variables import Reference, as_text, look_up, split

ALL_COMPARISONS = "all comparisons"
"""Stands for “show the others too” among the choices of comparisons."""

_SPAN_UNIT = re.compile(r"\s*\b(second|minute|hour|day|week|month|year)s?\s*$", re.IGNORECASE)
_LOOKS_LIKE_DATE = re.compile(r"\d{1,4}[-./]\d{1,2}[-./]\d{1,4}")
DEFAULT_UNIT = "days"


def kinds_of_operand(stored: Json, catalog: ValueCatalog, moment: Moment) -> frozenset[ValueKind]:
    """The kinds of the value that a condition checks; empty if it is unknown."""
    pieces = split(as_text(stored).strip())
    if len(pieces) != 1 or not isinstance(pieces[0], Reference):
        return frozenset()
    reference = pieces[0]
    found, value = look_up(catalog.samples.get(reference.step_id), reference.path)
    return kinds_of_value(value, moment) if found else frozenset()


def kinds_of_value(value: Json, moment: Moment) -> frozenset[ValueKind]:
    """The kinds of a sample; a text can also be a number or a date. Empty if the sample says nothing."""
    if isinstance(value, bool):
        return frozenset({ValueKind.BOOLEAN})
    if isinstance(value, int | float):
        is_time = find_date_time(str(value), moment) is not None if isinstance(value, int) else False
        return frozenset({ValueKind.NUMBER, ValueKind.DATE} if is_time else {ValueKind.NUMBER})
    if isinstance(value, list):
        return frozenset({ValueKind.LIST})
    if not isinstance(value, str) or not value.strip():
        return frozenset()
    kinds = {ValueKind.TEXT}
    if as_number(value) is not None:
        kinds.add(ValueKind.NUMBER)
    if _LOOKS_LIKE_DATE.search(value[:100]) and find_date_time(value, moment) is not None:
        kinds.add(ValueKind.DATE)
    return frozenset(kinds)


def comparison_choices(
    kinds: frozenset[ValueKind], chosen: str, *, show_all: bool = False
) -> list[tuple[str, str]]:
    """The comparisons to offer for a value of these kinds, as (key, label).

    Those that ignore case aren't listed: a switch beside the comparison turns them on. The chosen one stays
    among the choices. If some are left out, the last choice is `ALL_COMPARISONS`.
    """
    listed = [operator for operator in OPERATORS.values() if not operator.ignores_case]
    if not kinds or show_all:
        return [(operator.key, comparison_label(operator)) for operator in listed]
    suitable = [
        (operator.key, comparison_label(operator))
        for operator in listed
        if operator.key == chosen or any(map(operator.suits, kinds))
    ]
    return [*suitable, (ALL_COMPARISONS, tr("All comparisons…"))]


def split_span(text: str) -> tuple[str, str]:
    """The number and the unit of a time span such as "7 days". The number may be a variable."""
    found = _SPAN_UNIT.search(text)
    if found is None:
        return text, DEFAULT_UNIT
    unit = f"{found[1].lower()}s"
    return text[: found.start()], unit if unit in UNITS else "minutes"


def join_span(number: str, unit: str) -> str:
    """The stored form of a time span; empty without a number."""
    return f"{number.strip()} {unit}" if number.strip() else ""
