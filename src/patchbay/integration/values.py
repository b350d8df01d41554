"""Reads what people typed into steps: numbers, switches, texts. Raises `ValidationFailed` in words."""

from decimal import Decimal

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.conditions import as_number
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.variables import as_text

_YES = ("true", "yes", "on", "1")
_LARGEST_FLOAT = Decimal("1e300")

__all__ = ["as_number", "as_text", "flag", "number", "plain_number", "refuse", "text_of"]


def text_of(parameters: JsonObject, key: str) -> str:
    """A parameter as text; empty when it is missing."""
    return as_text(parameters.get(key))


def flag(value: Json, default: bool = False) -> bool:
    """A switch: booleans, and the texts true, yes, on, 1 and their opposites."""
    if isinstance(value, bool):
        return value
    text = as_text(value).strip().lower()
    return text in _YES if text else default


def number(parameters: JsonObject, key: str, label: str) -> Decimal:
    """A parameter that must be a number."""
    value = parameters.get(key)
    found = as_number(value)
    if found is None:
        shown = as_text(value).strip()
        raise refuse(key, f"{label}: “{shown[:60]}” is not a number." if shown else f"Enter {label}.")
    return found


def plain_number(value: Decimal) -> int | float:
    """The JSON number: whole when it is whole, or beyond what a float can hold."""
    whole = value == value.to_integral_value() or abs(value) > _LARGEST_FLOAT
    return int(value) if whole else float(value)


def refuse(key: str, message: str, todo: str = "") -> ValidationFailed:
    """The error for one parameter."""
    return ValidationFailed({key: [message]}, happened=message, todo=todo)
