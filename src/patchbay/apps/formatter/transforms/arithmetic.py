"""Numbers: calculate, pick at random, and format by country."""

from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal, DecimalException, localcontext
from random import Random

from patchbay.integration.values import parameter_error

_PRECISION = Context(prec=50)
MAX_DECIMALS = 15
_RANDOM_LIMIT = Decimal("1e12")
_LARGEST = Decimal("1e300")
_MAX_DIGITS = 400
_TOO_LARGE = "The result is too large."

GROUPINGS = {"0": (",", "."), "1": (".", ","), "2": (" ", "."), "3": (" ", ",")}
"""Number formats: thousands separator and decimal separator."""


def _product(values: Sequence[Decimal]) -> Decimal:
    result = Decimal(1)
    for value in values:
        result *= value
    return result


def _difference(values: Sequence[Decimal]) -> Decimal:
    return values[0] - sum(values[1:], Decimal(0))


def _quotient(values: Sequence[Decimal]) -> Decimal:
    result = values[0]
    for value in values[1:]:
        result /= value
    return result


def _remainder(values: Sequence[Decimal]) -> Decimal:
    """The remainder, with the sign of the first number."""
    result = values[0]
    for value in values[1:]:
        result %= value
    return result


OPERATIONS: dict[str, tuple[str, Callable[[Sequence[Decimal]], Decimal]]] = {
    "add": ("Add", lambda values: sum(values, Decimal(0))),
    "subtract": ("Subtract", _difference),
    "multiply": ("Multiply", _product),
    "divide": ("Divide", _quotient),
    "modulo": ("Remainder (modulo)", _remainder),
    "makeNegative": ("Negate", lambda values: -values[0]),
    "average": ("Average", lambda values: sum(values, Decimal(0)) / len(values)),
    "minimum": ("Smallest", min),
    "maximum": ("Largest", max),
}


def calculate(operation: str, values: Sequence[Decimal]) -> Decimal:
    """The result with 50 digits of precision."""
    if operation not in OPERATIONS:
        raise parameter_error("mathOperation", "Choose an operation.")
    if not values:
        raise parameter_error("values", "Enter at least one number.")
    try:
        with localcontext(_PRECISION):
            result = OPERATIONS[operation][1](values)
    except ZeroDivisionError:
        raise parameter_error("values", "Can't divide by zero.") from None
    except DecimalException:
        raise parameter_error("values", _TOO_LARGE) from None
    if abs(result) > _LARGEST:
        raise parameter_error("values", _TOO_LARGE)
    return result


def random_number(low: Decimal, high: Decimal, decimals: int, random: Random) -> Decimal:
    """A random number from `low` to `high` (inclusive) with this many decimals."""
    if max(abs(low), abs(high)) > _RANDOM_LIMIT:
        raise parameter_error("upperRange", "The numbers are too large.")
    if low > high:
        raise parameter_error("lowerRange", "The lowest number is greater than the highest.")
    if not 0 <= decimals <= MAX_DECIMALS:
        raise parameter_error("decimalPoints", f"Choose 0 to {MAX_DECIMALS} decimal places.")
    step = Decimal(10) ** -decimals
    first = int((low / step).to_integral_value(rounding="ROUND_CEILING"))
    last = int((high / step).to_integral_value(rounding="ROUND_FLOOR"))
    if first > last:
        raise parameter_error("decimalPoints", "This range contains no number with so few decimal places.")
    return (random.randint(first, last) * step).quantize(step, ROUND_HALF_UP)  # not for security


def format_number(text: str, decimal_mark: str, grouping: str) -> str:
    """A number with thousands separators; its decimals are unchanged."""
    thousands, point = GROUPINGS.get(grouping, GROUPINGS["0"])
    other = "," if decimal_mark == "." else "."
    plain = (
        "".join(text.split()).replace("’", "").replace("'", "").replace(other, "").replace(decimal_mark, ".")
    )
    sign, digits = ("-", plain[1:]) if plain.startswith(("-", "−")) else ("", plain.lstrip("+"))
    whole, dot, decimals = digits.partition(".")
    if len(digits) > _MAX_DIGITS:
        raise parameter_error("input", f"Numbers can have at most {_MAX_DIGITS} digits.")
    if not (whole or decimals).isdecimal() or (dot and decimals and not decimals.isdecimal()):
        raise parameter_error("input", f"“{text[:60]}” isn't a number.")
    grouped = f"{int(whole or 0):,}".replace(",", thousands)
    return sign + grouped + (point + decimals if decimals else "")
