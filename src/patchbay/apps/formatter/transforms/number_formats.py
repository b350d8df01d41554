"""Numbers: round them, read them as people write them, and write them as amounts, shares, and sizes."""

import re
from decimal import (
    ROUND_CEILING,
    ROUND_FLOOR,
    ROUND_HALF_EVEN,
    ROUND_HALF_UP,
    Context,
    Decimal,
    DecimalException,
)

from patchbay.integration.values import parameter_error

from .arithmetic import GROUPINGS, MAX_DECIMALS

ROUNDINGS = {
    "nearest": ("To the nearest", ROUND_HALF_UP),
    "even": ("To the nearest, halves to even", ROUND_HALF_EVEN),
    "up": ("Up", ROUND_CEILING),
    "down": ("Down", ROUND_FLOOR),
}
CURRENCIES = {
    "EUR": "€", "USD": "$", "GBP": "£", "CHF": "CHF", "JPY": "¥", "AUD": "A$", "CAD": "C$", "CNY": "CN¥",
    "CZK": "Kč", "DKK": "kr.", "HUF": "Ft", "INR": "₹", "NOK": "kr", "PLN": "zł", "SEK": "kr", "BRL": "R$",
}  # fmt: skip
POSITIONS = {"before": "Before: €12.50", "after": "After: 12.50 €"}
_WITHOUT_DECIMALS = ("JPY",)
_UNITS = ("B", "KB", "MB", "GB", "TB", "PB")
_SIGNS = re.compile(r"[^\d.,\-−]+")
_CONTEXT = Context(prec=420)
_LARGEST = Decimal("1e300")


def round_number(value: Decimal, decimals: int, rounding: str) -> Decimal:
    """The number with at most this many decimals; negative ones round to tens, hundreds, and so on."""
    if not -MAX_DECIMALS <= decimals <= MAX_DECIMALS:
        raise parameter_error("decimals", f"Choose -{MAX_DECIMALS} to {MAX_DECIMALS} decimal places.")
    if abs(value) > _LARGEST:
        raise parameter_error("input", "The number is too large.")
    mode = ROUNDINGS.get(rounding, ROUNDINGS["nearest"])[1]
    try:
        return value.quantize(Decimal(1).scaleb(-decimals), mode, _CONTEXT)
    except DecimalException:
        raise parameter_error("input", "The number is too large.") from None


def parse_number(text: str, decimal_mark: str) -> Decimal:
    """The number in a text such as “1.234,50 €”; `auto` takes the last mark that can be a decimal mark."""
    plain = _SIGNS.sub("", text[:400]).replace("−", "-")
    mark = _decimal_mark(plain) if decimal_mark not in (".", ",") else decimal_mark
    plain = plain.replace("," if mark == "." else ".", "").replace(mark, ".")
    if not re.fullmatch(r"-?(\d+(\.\d*)?|\.\d+)-?", plain, re.ASCII):
        raise parameter_error("input", f"“{text.strip()[:60]}” isn't a number.")
    number = Decimal(plain.strip("-"))
    return -number if "-" in plain else number


def _decimal_mark(plain: str) -> str:
    """The last mark if it occurs once, and either isn't followed by three digits or has another before it."""
    last = max((",", "."), key=plain.rfind)
    other = "," if last == "." else "."
    before, _, after = plain.rpartition(last)
    digits = len(after.strip("-"))
    is_grouping = plain.count(last) > 1 or (digits == 3 and other not in before and last == ",")
    return other if is_grouping else last


def format_currency(value: Decimal, currency: str, grouping: str, position: str) -> str:
    """The amount with the sign of its currency, such as €1,234.50."""
    decimals = 0 if currency in _WITHOUT_DECIMALS else 2
    text = write_number(value, decimals, grouping)
    sign = CURRENCIES.get(currency, currency)
    if position == "after":
        return f"{text} {sign}"
    minus, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
    return f"{minus}{sign}{' ' if sign.isalpha() else ''}{digits}"


def format_percent(value: Decimal, decimals: int, grouping: str) -> str:
    """A share as a percentage: 0.125 is 12.5%."""
    return f"{write_number(value * 100, decimals, grouping)}%"


def format_bytes(value: Decimal) -> str:
    """A number of bytes as a size with at most one decimal, such as 1.5 MB."""
    size, unit = abs(value), 0
    while size >= 1000 and unit < len(_UNITS) - 1:
        size, unit = size / 1000, unit + 1
    rounded = round_number(size, 1, "nearest") if unit else round_number(size, 0, "nearest")
    text = f"{rounded:f}".removesuffix(".0")
    return f"{'-' if value < 0 else ''}{text} {_UNITS[unit]}"


def write_number(value: Decimal, decimals: int, grouping: str) -> str:
    """The number with exactly this many decimals, and marks between thousands."""
    thousands, point = GROUPINGS.get(grouping, GROUPINGS["0"])
    if not 0 <= decimals <= MAX_DECIMALS:
        raise parameter_error("decimals", f"Choose 0 to {MAX_DECIMALS} decimal places.")
    text = f"{round_number(value, decimals, 'nearest'):,f}"
    return text.replace(",", "\0").replace(".", point).replace("\0", thousands)
