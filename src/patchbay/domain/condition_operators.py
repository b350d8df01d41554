"""The comparisons of conditions: what each is called, which kinds of values it suits, and when it matches.

Operands are values whose references are replaced. A comparison never raises for a value it can't compare: it
doesn't match.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from enum import Enum, StrEnum, auto

from patchbay.domain.base import Json
from patchbay.domain.date_parsing import Moment, find_date_time, is_whole_day, parse_span
from patchbay.domain.json_limits import MAX_JSON_VALUES, read_json
from patchbay.domain.patterns import compile_pattern, contains_match
from patchbay.domain.variables import as_text

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
_MAX_DIGITS = 400
_TRUE_TEXTS = ("true", "yes", "on", "1")
_FALSE_TEXTS = ("false", "no", "off", "0")
_EMPTY_TEXTS = ("", "[]", "{}")
_DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1}

IGNORING_CASE = "_ignoring_case"
"""The end of the key of each comparison that ignores upper and lower case."""

Matches = Callable[[Json, Json, Moment], bool]


class ValueKind(StrEnum):
    """Kinds of values that comparisons suit."""

    TEXT = auto()
    NUMBER = auto()
    BOOLEAN = auto()
    DATE = auto()
    LIST = auto()


class Operand(Enum):
    """What a comparison compares with."""

    NONE = auto()
    VALUE = auto()
    LIST = auto()
    """A list, or a text with commas or line breaks between the items."""
    PATTERN = auto()
    DATE = auto()
    SPAN = auto()
    """A number of units of time: "7 days"."""


@dataclass(frozen=True, slots=True)
class Operator:
    """A comparison. `kinds` is empty if it suits every kind of value."""

    key: str
    label: str
    matches: Matches
    kinds: frozenset[ValueKind] = frozenset()
    operand: Operand = Operand.VALUE
    ignores_case: bool = False

    @property
    def base_key(self) -> str:
        """The key of the same comparison that distinguishes upper and lower case."""
        return self.key.removesuffix(IGNORING_CASE)

    def suits(self, kind: ValueKind) -> bool:
        """Whether the comparison makes sense for values of this kind."""
        return not self.kinds or kind in self.kinds


def as_number(value: Json) -> Decimal | None:
    """The number in a value, or None.

    Only plain decimal notation with a point counts, such as 7 or -1.5e3.
    """
    if isinstance(value, bool):
        return None
    text = as_text(value).strip()
    return Decimal(text) if len(text) <= _MAX_DIGITS and _NUMBER.fullmatch(text) else None


def as_list(value: Json) -> list[Json]:
    """The items of a list or of its JSON text. A blank text has none; any other value is the only item."""
    if isinstance(value, list):
        return value
    text = as_text(value).strip()
    if text.startswith("["):
        try:
            found = read_json(text, MAX_JSON_VALUES)
        except ValueError:
            return [value]
        return found if isinstance(found, list) else [value]
    return [value] if text else []


def _options(value: Json) -> list[str]:
    """The items to choose from: a list, or a text separated by line breaks, otherwise by commas."""
    if isinstance(value, list) or as_text(value).lstrip().startswith("["):
        return [as_text(item) for item in as_list(value)]
    text = as_text(value)
    return [part for item in text.split("\n" if "\n" in text else ",") if (part := item.strip())]


def _text(compare: Callable[[str, str], bool], fold: Callable[[str], str]) -> Matches:
    return lambda left, right, moment: compare(fold(as_text(left)), fold(as_text(right)))


def _one_of(fold: Callable[[str], str]) -> Matches:
    return lambda left, right, moment: fold(as_text(left)) in set(map(fold, _options(right)))


def _includes(fold: Callable[[str], str]) -> Matches:
    def matches(left: Json, right: Json, moment: Moment) -> bool:
        wanted = fold(as_text(right))
        return any(fold(as_text(item)) == wanted for item in as_list(left))

    return matches


def _pattern(fold: Callable[[str], str]) -> Matches:
    def matches(left: Json, right: Json, moment: Moment) -> bool:
        """Raises `InvalidPattern` and `TimeoutError`."""
        return contains_match(compile_pattern(as_text(right), ignore_case=fold is not str), as_text(left))

    return matches


def _numeric(compare: Callable[[Decimal, Decimal], bool]) -> Matches:
    """A comparison of numbers. It never matches if either side isn't a number."""

    def matches(left: Json, right: Json, moment: Moment) -> bool:
        one, other = as_number(left), as_number(right)
        return one is not None and other is not None and compare(one, other)

    return matches


def _date_operand(value: Json, moment: Moment) -> tuple[datetime, bool] | None:
    """The date to compare with, and whether it is a whole day; None if it isn't a date."""
    text = as_text(value).strip()
    word = text.lower()
    if word == "now":
        return moment.local, False
    if word in _DAYS:
        noon = moment.day_of(moment.local) + timedelta(days=_DAYS[word], hours=12)
        return moment.day_of(noon), True
    found = find_date_time(text, moment)
    return None if found is None else (found, is_whole_day(text))


def _dated(compare: Callable[[datetime, datetime], bool], *, by_day: bool = False) -> Matches:
    """A comparison of dates; with a date without a time of day, or `by_day`, it compares days."""

    def matches(left: Json, right: Json, moment: Moment) -> bool:
        one, other = find_date_time(as_text(left), moment), _date_operand(right, moment)
        if one is None or other is None:
            return False
        try:
            if by_day or other[1]:
                return compare(moment.day_of(one), moment.day_of(other[0]))
            return compare(one.astimezone(UTC), other[0].astimezone(UTC))
        except (OverflowError, ValueError):  # at the first and the last day there is
            return False

    return matches


def _relative(compare: Callable[[datetime, datetime, datetime], bool], times: int) -> Matches:
    """A comparison of a date with now and the time a span away from it, before (`times` -1) or after it."""

    def matches(left: Json, right: Json, moment: Moment) -> bool:
        found, span = find_date_time(as_text(left), moment), parse_span(as_text(right))
        if found is None or span is None:
            return False
        try:
            then = span.after(moment.local, times)
            return compare(*(time.astimezone(UTC) for time in (found, moment.local, then)))
        except (OverflowError, ValueError):
            return False

    return matches


def _is_empty(left: Json, right: Json, moment: Moment) -> bool:
    return left in ([], {}) or as_text(left).strip() in _EMPTY_TEXTS


def _is_one_of_texts(texts: tuple[str, ...]) -> Matches:
    return lambda left, right, moment: as_text(left).strip().lower() in texts


def _not(matches: Matches) -> Matches:
    return lambda left, right, moment: not matches(left, right, moment)


_TEXTS = frozenset({ValueKind.TEXT})
_TEXTS_OR_NUMBERS = frozenset({ValueKind.TEXT, ValueKind.NUMBER})
_NUMBERS = frozenset({ValueKind.NUMBER})
_DATES = frozenset({ValueKind.DATE})
_LISTS = frozenset({ValueKind.LIST})
_BOOLEANS = frozenset({ValueKind.BOOLEAN})
_NOT_LISTS = frozenset(ValueKind) - _LISTS


def _with_case_variants(
    key: str,
    label: str,
    negated: str,
    make: Callable[[Callable[[str], str]], Matches],
    kinds: frozenset[ValueKind],
    operand: Operand = Operand.VALUE,
) -> tuple[Operator, ...]:
    """A comparison, its opposite, and both ignoring upper and lower case."""
    plain = (
        Operator(key, label, make(str), kinds, operand),
        Operator(f"not_{key}", negated, _not(make(str)), kinds, operand),
    )
    folded = (make(str.casefold), _not(make(str.casefold)))
    return plain + tuple(
        replace(
            one,
            key=one.key + IGNORING_CASE,
            label=f"{one.label} (ignoring case)",
            matches=matches,
            ignores_case=True,
        )
        for one, matches in zip(plain, folded, strict=True)
    )


def _of_text(
    key: str,
    label: str,
    negated: str,
    compare: Callable[[str, str], bool],
    kinds: frozenset[ValueKind] = _TEXTS,
) -> tuple[Operator, ...]:
    return _with_case_variants(key, label, negated, lambda fold: _text(compare, fold), kinds)


_ALL = (
    *_of_text("equal", "equals", "doesn't equal", lambda left, right: left == right, _NOT_LISTS),
    Operator("greater_than", "is greater than", _numeric(lambda one, other: one > other), _NUMBERS),
    Operator("less_than", "is less than", _numeric(lambda one, other: one < other), _NUMBERS),
    Operator("greater_than_or_equal", "is at least", _numeric(lambda one, other: one >= other), _NUMBERS),
    Operator("less_than_or_equal", "is at most", _numeric(lambda one, other: one <= other), _NUMBERS),
    *_of_text("contains", "contains", "doesn't contain", lambda left, right: right in left),
    *_of_text("starts_with", "starts with", "doesn't start with", str.startswith),
    *_of_text("ends_with", "ends with", "doesn't end with", str.endswith),
    *_with_case_variants("one_of", "is one of", "isn't one of", _one_of, _TEXTS_OR_NUMBERS, Operand.LIST),
    *_with_case_variants(
        "matches_pattern",
        "matches the pattern",
        "doesn't match the pattern",
        _pattern,
        _TEXTS,
        Operand.PATTERN,
    ),
    *_with_case_variants("includes", "includes the item", "doesn't include the item", _includes, _LISTS),
    Operator("date_before", "is before", _dated(lambda one, other: one < other), _DATES, Operand.DATE),
    Operator("date_after", "is after", _dated(lambda one, other: one > other), _DATES, Operand.DATE),
    Operator(
        "same_day",
        "is on the day",
        _dated(lambda one, other: one == other, by_day=True),
        _DATES,
        Operand.DATE,
    ),
    Operator(
        "in_last",
        "is in the last",
        _relative(lambda it, now, then: then <= it <= now, -1),
        _DATES,
        Operand.SPAN,
    ),
    Operator(
        "in_next",
        "is in the next",
        _relative(lambda it, now, then: now <= it <= then, 1),
        _DATES,
        Operand.SPAN,
    ),
    Operator(
        "older_than", "is older than", _relative(lambda it, now, then: it < then, -1), _DATES, Operand.SPAN
    ),
    Operator("is_true", "is true", _is_one_of_texts(_TRUE_TEXTS), _BOOLEANS, Operand.NONE),
    Operator("is_false", "is false", _is_one_of_texts(_FALSE_TEXTS), _BOOLEANS, Operand.NONE),
    Operator("is_empty", "is empty", _is_empty, operand=Operand.NONE),
    Operator("is_not_empty", "isn't empty", _not(_is_empty), operand=Operand.NONE),
)

OPERATORS: dict[str, Operator] = {operator.key: operator for operator in _ALL}


def case_variant(key: str, *, ignoring_case: bool) -> str | None:
    """The key of the same comparison that ignores or distinguishes case; None if there is no such one."""
    base = key.removesuffix(IGNORING_CASE)
    if base + IGNORING_CASE not in OPERATORS:
        return None
    return base + IGNORING_CASE if ignoring_case else base
