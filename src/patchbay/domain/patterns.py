"""Regular expressions that people enter: limits on their size, and a time limit per search.

A pattern can take exponential time, so it runs in a worker process, never on the event loop or in the window.
"""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import regex

MAX_PATTERN = 500
MAX_REPETITION = 100_000
TIME_LIMIT = 1.0
"""Seconds that one pattern may take on one text."""

_REPETITION = re.compile(r"\{\s*(\d*)\s*(?:,\s*(\d*)\s*)?\}")

SLOW_PATTERN = "The pattern took more than 1 second on this text."
SLOW_PATTERN_TODO = "Make the pattern more specific. Nested repetitions are the usual cause."


class InvalidPattern(ValueError):
    """The pattern can't be used. The text is a sentence; `todo` says what to change."""

    def __init__(self, happened: str, todo: str = "") -> None:
        super().__init__(happened)
        self.todo = todo


def compile_pattern(
    pattern: str, *, ignore_case: bool = False, multiline: bool = False
) -> "regex.Pattern[str]":
    """Compile a pattern. Raises `InvalidPattern`."""
    import regex  # takes 15 ms to import; the window rarely needs it

    repetition = 1
    for low, high in _REPETITION.findall(pattern):
        repetition *= max(int(low[:9] or 0), int(high[:9] or 0), 1)
    if len(pattern) > MAX_PATTERN or repetition > MAX_REPETITION:
        raise InvalidPattern(
            "The pattern is too large.", "Use fewer repetitions, or split it into two steps."
        )
    flags = (regex.IGNORECASE if ignore_case else 0) | (regex.MULTILINE if multiline else 0)
    try:
        return regex.compile(pattern, flags)
    except (regex.error, OverflowError, RecursionError) as error:
        raise InvalidPattern(f"The pattern isn't valid: {error}.") from None


def contains_match(pattern: "regex.Pattern[str]", text: str) -> bool:
    """Whether the pattern matches anywhere in the text. Raises `TimeoutError` after `TIME_LIMIT` seconds."""
    return pattern.search(text, timeout=TIME_LIMIT) is not None
