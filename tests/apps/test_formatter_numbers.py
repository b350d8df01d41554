"""Every number transform."""

from decimal import Decimal
from importlib import import_module
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.app_calls import act

from patchbay.domain.errors import ValidationFailed

arithmetic = import_module("patchbay.apps.formatter.transforms.arithmetic")


async def numbers(transform: str, **more: Any) -> Any:
    return (await act("formatter", "numbers", {"transform": transform, **more}))["output"]


def rows(*values: object) -> list[dict]:
    return [{"input": value} for value in values]


@pytest.mark.parametrize(
    ("operation", "values", "wanted"),
    [
        ("add", ("0.1", "0.2"), 0.3),
        ("add", ("1", 2, "3.0"), 6),
        ("subtract", ("10", "3", "2.5"), 4.5),
        ("multiply", ("1.5", "-2"), -3),
        ("divide", ("10", "4"), 2.5),
        ("divide", ("9", "3", "3"), 1),
        ("makeNegative", ("5",), -5),
        ("average", ("1", "2"), 1.5),
        ("minimum", ("3", "-1"), -1),
        ("maximum", ("3", "-1"), 3),
        ("modulo", ("-7", "3"), -1),
        ("modulo", ("7.5", "-2"), 1.5),
        ("makeNegative", ("5", "-1"), [-5, 1]),
        ("add", ("12345678901234567890", "1"), 12345678901234567891),
    ],
)
async def test_calculate(operation, values, wanted):
    assert await numbers("performMathOperation", mathOperation=operation, values=rows(*values)) == wanted


@pytest.mark.parametrize(
    ("operation", "values", "words"),
    [
        ("divide", ("1", "0"), "divide by zero"),
        ("divide", ("0", "0"), "divide by zero|too large"),
        ("modulo", ("1", "0"), "divide by zero|too large"),
        ("add", ("1", "two"), "“two” isn't a number"),
        ("add", (), "at least one number"),
        ("power", ("1",), "Choose an operation"),
        ("multiply", ("1e200", "1e200"), "too large"),
    ],
)
async def test_what_cannot_be_calculated_is_reported(operation, values, words):
    with pytest.raises(ValidationFailed, match=words):
        await numbers("performMathOperation", mathOperation=operation, values=rows(*values))


@given(st.integers(-1000, 1000), st.integers(0, 1000), st.integers(0, 4), st.integers())
def test_a_random_number_stays_in_its_range(low, width, decimals, seed):
    high = low + width

    number = arithmetic.random_number(Decimal(low), Decimal(high), decimals, Random(seed))

    assert low <= number <= high
    assert -number.as_tuple().exponent <= decimals


@pytest.mark.parametrize(
    ("low", "high", "decimals"), [("2", "1", "0"), ("0.1", "0.2", "0"), ("1", "2", "99"), ("1", "1e999", "0")]
)
async def test_a_range_without_numbers_is_reported(low, high, decimals):
    with pytest.raises(ValidationFailed):
        await numbers("randomNumber", lowerRange=low, upperRange=high, decimalPoints=decimals)


async def test_random_number_through_the_action():
    assert await numbers("randomNumber", lowerRange="7", upperRange="7") == 7


@pytest.mark.parametrize(
    ("given", "mark", "to", "wanted"),
    [
        ("1234567.891", ".", "0", "1,234,567.891"),
        ("1234567.891", ".", "1", "1.234.567,891"),
        ("1234567.891", ".", "2", "1 234 567.891"),
        ("1234567.891", ".", "3", "1 234 567,891"),
        ("1.234,50", ",", "0", "1,234.50"),
        ("-999", ".", "0", "-999"),
        ("1 000", ".", "0", "1,000"),
        (".5", ".", "0", "0.5"),
        ("5.", ".", "0", "5"),
        ("0012", ".", "0", "12"),
        (1234.5, ".", "1", "1.234,5"),
    ],
)
async def test_format_number(given, mark, to, wanted):
    assert await numbers("formatNumber", input=given, inputDecimalMark=mark, toFormat=to) == wanted


@pytest.mark.parametrize("given", ["", "abc", "1.2.3", "--1", ".", "12a"])
async def test_an_invalid_number_is_reported(given):
    with pytest.raises(ValidationFailed, match="isn't a number"):
        await numbers("formatNumber", input=given, inputDecimalMark=".", toFormat="0")


@pytest.mark.parametrize(
    ("number", "to", "country", "wanted"),
    [
        ("(415) 555-2671", "e164", "US", "+14155552671"),
        ("(415) 555-2671", "international", None, "+1 415 555 2671"),
        ("+49 30 901820", "national", "US", "030 901820"),
        ("030 901820", "international", "DE", "+49 30 901820"),
        ("030 901820 ext. 5", "international", "DE", "+49 30 901820 ext. 5"),
        ("+14155552671", "rfc3966", "US", "tel:+1-415-555-2671"),
    ],
)
async def test_format_phone_number(number, to, country, wanted):
    given = {"phoneNumber": number, "toFormat": to, "phoneNumberCountryCode": country}

    assert await numbers("formatPhoneNumber", **given) == wanted


@pytest.mark.parametrize(
    ("number", "to"),
    [("hello", "e164"), ("1", "e164"), ("", "e164"), ("+1415555267199999999", "e164"), ("+14155552671", "x")],
)
async def test_an_invalid_phone_number_is_reported(number, to):
    with pytest.raises(ValidationFailed):
        await numbers("formatPhoneNumber", phoneNumber=number, toFormat=to)
