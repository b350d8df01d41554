"""Texts from templates: `{name}` is replaced by a value, once or for each item of a list."""

import re

from patchbay.domain.base import Json
from patchbay.domain.variables import look_up
from patchbay.integration.values import as_text, parameter_error

MAX_LENGTH = 10_000_000
_PLACEHOLDER = re.compile(r"\{([^{}\s][^{}]{0,199})\}")


def fill_template(template: str, value: Json, separator: str) -> str:
    """The template filled in with an object; with a list, once per item, with the separator in between.

    `{customer.name}` is a value inside of another one, `{number}` the position of an item, and `{item}` the
    item itself. A name without a value is left out.
    """
    items = value if isinstance(value, list) else [value]
    made: list[str] = []
    left = MAX_LENGTH
    for number, item in enumerate(items, 1):
        text = _filled(template, item, number, left)
        left -= len(text) + len(separator)
        made.append(text)
    return separator.join(made)


def _filled(template: str, item: Json, number: int, left: int) -> str:
    length = len(template)

    def value(match: re.Match[str]) -> str:
        nonlocal length
        text = as_text(_value(item, match[1].strip(), number))
        length += len(text) - len(match[0])
        _check_length(left - length)
        return text

    _check_length(left - length)
    return _PLACEHOLDER.sub(value, template)


def _value(item: Json, name: str, number: int) -> Json:
    found, value = look_up(item, tuple(name.split(".")))
    if found:
        return value
    return {"item": item, "number": number}.get(name)


def _check_length(left: int) -> None:
    if left < 0:
        raise parameter_error(
            "template",
            f"The result would be longer than {MAX_LENGTH:,} characters.",
            "Use a shorter template, or fewer items.",
        )
