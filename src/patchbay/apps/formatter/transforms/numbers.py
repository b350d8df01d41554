"""The table of number transforms: key, label, inputs, function."""

from decimal import Decimal
from random import SystemRandom

from patchbay.domain.base import Json, JsonObject
from patchbay.integration import Argument, dropdown, rows, text
from patchbay.integration.values import as_number, json_number, number, parameter_error, text_of

from ..catalogue import Cost, Now, Transform
from . import arithmetic, number_formats, phone

NEGATIVE = "makeNegative"
_GROUPING_NAMES = {"0": "1,234,567.89", "1": "1.234.567,89", "2": "1 234 567.89", "3": "1 234 567,89"}
_NUMBER = text("input", "Number", required=True)
_GROUPING = dropdown("toFormat", "Format", list(_GROUPING_NAMES.items()), value="0")


def _calculate(given: JsonObject, now: Now) -> Json:
    entered = given.get("values")
    inputs = (
        [row.get("input") if isinstance(row, dict) else row for row in entered]
        if isinstance(entered, list)
        else []
    )
    values: list[Decimal] = []
    for value in inputs:
        parsed = as_number(value)
        if parsed is None:
            raise parameter_error("values", f"“{str(value)[:60]}” isn't a number.")
        values.append(parsed)

    operation = text_of(given, "mathOperation")
    if operation == NEGATIVE and len(values) > 1:
        return [json_number(arithmetic.calculate(operation, [value])) for value in values]
    return json_number(arithmetic.calculate(operation, values))


def _random(given: JsonObject, now: Now) -> Json:
    low, high = number(given, "lowerRange", "Lowest number"), number(given, "upperRange", "Highest number")
    decimals = int(as_number(given.get("decimalPoints")) or 0)
    return json_number(arithmetic.random_number(low, high, decimals, SystemRandom()))


def _format(given: JsonObject, now: Now) -> Json:
    mark = text_of(given, "inputDecimalMark")
    if mark not in (",", "."):
        mark = "."
    return arithmetic.format_number(text_of(given, "input"), mark, text_of(given, "toFormat"))


def _phone(given: JsonObject, now: Now) -> Json:
    country = text_of(given, "phoneNumberCountryCode") or "US"
    return phone.format_phone_number(text_of(given, "phoneNumber"), text_of(given, "toFormat"), country)


def _calculate_fields() -> tuple[Argument, ...]:
    operations = [(key, label) for key, (label, _) in arithmetic.OPERATIONS.items()]
    return (
        dropdown("mathOperation", "Operation", operations, required=True),
        rows("values", "Numbers", [text("input", "Number", required=True)], required=True, add="Add number"),
    )


def _random_fields() -> tuple[Argument, ...]:
    return (
        text("lowerRange", "Lowest number", required=True),
        text("upperRange", "Highest number", required=True),
        text("decimalPoints", "Decimals", value="0"),
    )


def _format_fields() -> tuple[Argument, ...]:
    marks = ((".", "Point (1234.5)"), (",", "Comma (1234,5)"))
    return (
        text("input", "Input", required=True),
        dropdown("inputDecimalMark", "Input decimal separator", marks, required=True, value="."),
        dropdown("toFormat", "Format", list(_GROUPING_NAMES.items()), required=True, value="0"),
    )


def _phone_fields() -> tuple[Argument, ...]:
    return (
        text("phoneNumber", "Phone number", required=True),
        dropdown("toFormat", "Format", list(phone.FORMATS.items()), required=True),
        dropdown(
            "phoneNumberCountryCode",
            "Country",
            phone.countries(),
            value="US",
            variables=True,
            description="Used for numbers without a leading +.",
        ),
    )


def _round(given: JsonObject, now: Now) -> Json:
    decimals = int(as_number(given.get("decimals")) or 0)
    value = number(given, "input", "a number")
    return json_number(number_formats.round_number(value, decimals, text_of(given, "rounding")))


def _round_fields() -> tuple[Argument, ...]:
    roundings = [(key, label) for key, (label, _) in number_formats.ROUNDINGS.items()]
    return (
        _NUMBER,
        text("decimals", "Decimals", value="0", description="-2 rounds to hundreds."),
        dropdown("rounding", "Round", roundings, value="nearest"),
    )


def _parse(given: JsonObject, now: Now) -> Json:
    return json_number(
        number_formats.parse_number(text_of(given, "input"), text_of(given, "inputDecimalMark"))
    )


def _parse_fields() -> tuple[Argument, ...]:
    marks = (("auto", "Detect automatically"), (".", "Point (1234.5)"), (",", "Comma (1234,5)"))
    return (
        text("input", "Input", required=True, placeholder="1.234,50 €"),
        dropdown("inputDecimalMark", "Input decimal separator", marks, value="auto"),
    )


def _currency(given: JsonObject, now: Now) -> str:
    value, grouping = number(given, "input", "an amount"), text_of(given, "toFormat")
    currency = text_of(given, "currency").strip().upper() or "EUR"
    return number_formats.format_currency(value, currency[:10], grouping, text_of(given, "position"))


def _currency_fields() -> tuple[Argument, ...]:
    currencies = [(code, f"{code} ({sign})") for code, sign in number_formats.CURRENCIES.items()]
    return (
        _NUMBER,
        dropdown("currency", "Currency", currencies, required=True, value="EUR", variables=True),
        _GROUPING,
        dropdown("position", "Currency sign", [*number_formats.POSITIONS.items()], value="before"),
    )


def _percent(given: JsonObject, now: Now) -> str:
    decimals = int(as_number(given.get("decimals")) or 0)
    value = number(given, "input", "a number")
    return number_formats.format_percent(value, decimals, text_of(given, "toFormat"))


def _percent_fields() -> tuple[Argument, ...]:
    share = text("input", "Share", required=True, description="1 is 100%.")
    return (share, text("decimals", "Decimals", value="0"), _GROUPING)


NUMBERS = (
    Transform("performMathOperation", "Calculate", _calculate, _calculate_fields),
    Transform("randomNumber", "Random number", _random, _random_fields),
    Transform("formatNumber", "Format number", _format, _format_fields),
    Transform("formatCurrency", "Format as currency", _currency, _currency_fields),
    Transform("formatPercent", "Format as percentage", _percent, _percent_fields),
    Transform(
        "formatBytes",
        "Format as file size",
        lambda given, now: number_formats.format_bytes(number(given, "input", "a number of bytes")),
        lambda: (text("input", "Number of bytes", required=True),),
    ),
    Transform("roundNumber", "Round", _round, _round_fields),
    Transform("parseNumber", "Parse number", _parse, _parse_fields),
    Transform("formatPhoneNumber", "Format phone number", _phone, _phone_fields, Cost.UNBOUNDED),
)
