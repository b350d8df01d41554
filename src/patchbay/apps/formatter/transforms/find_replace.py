"""Find and replace, with regular expressions that can't hang; find an email address or a number."""

import re

import regex

from patchbay.domain.errors import ValidationFailed
from patchbay.domain.patterns import (
    SLOW_PATTERN,
    SLOW_PATTERN_TODO,
    TIME_LIMIT,
    InvalidPattern,
    compile_pattern,
)
from patchbay.integration.values import parameter_error

MAX_LENGTH = 10_000_000

_EMAIL = re.compile(r"(?<![\w.+-])[A-Za-z0-9][\w.+'-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.)+[A-Za-z]{2,24}")
_NUMBER = re.compile(r"-?[0-9]+(?:[.,][0-9]+)*")
_GROUP = re.compile(r"\$(?:(\$)|(&)|(\d{1,2})|<(\w+)>)")


def extract_email_address(text: str) -> str:
    """The first email address, or an empty string."""
    found = _EMAIL.search(text)
    return found[0] if found else ""


def extract_number(text: str) -> str:
    """The first number as written, such as `-1,234.50` or `1.234,50`, or an empty string."""
    found = _NUMBER.search(text)
    return found[0] if found else ""


def replace_text(text: str, find: str, replacement: str) -> str:
    """Replace every occurrence of a text. Checks the length of the result before building it."""
    if not find:
        return text
    _check_length(len(text) + text.count(find) * (len(replacement) - len(find)))
    return text.replace(find, replacement)


def replace_pattern(text: str, pattern: str, replacement: str, *, ignore_case: bool = False) -> str:
    """Replace every match of a pattern. `$1`, `$<name>`, and `$&` insert parts of the match, `$$` a `$`.

    Limited to one second and to a maximum length of the result.
    """
    found, length = compile_pattern_field(pattern, ignore_case), len(text)

    def filled(match: "regex.Match[str]") -> str:
        nonlocal length
        made = _fill_groups(replacement, match)
        length += len(made) - (match.end() - match.start())
        _check_length(length)
        return made

    try:
        return found.sub(filled, text, timeout=TIME_LIMIT)
    except TimeoutError:
        raise slow_pattern_error() from None


def _check_length(length: int) -> None:
    if length > MAX_LENGTH:
        raise parameter_error(
            "replace",
            f"The result would be longer than {MAX_LENGTH:,} characters.",
            "Use a shorter replacement, or split the input.",
        )


def compile_pattern_field(pattern: str, ignore_case: bool, key: str = "find") -> "regex.Pattern[str]":
    """The pattern, ready to use. Raises `ValidationFailed` for the field `key`."""
    try:
        return compile_pattern(pattern, ignore_case=ignore_case)
    except InvalidPattern as error:
        raise parameter_error(key, str(error), error.todo) from None


def slow_pattern_error(key: str = "find") -> ValidationFailed:
    """The error for a pattern that takes too long, for the field `key`."""
    return parameter_error(key, SLOW_PATTERN, SLOW_PATTERN_TODO)


def _fill_groups(replacement: str, match: "regex.Match[str]") -> str:
    def value(token: re.Match[str]) -> str:
        dollar, whole, number, name = token.groups()
        if dollar:
            return "$"
        if whole:
            return str(match[0])
        try:
            return match[name or int(number)] or ""
        except IndexError:
            return token[0]

    return _GROUP.sub(value, replacement)
