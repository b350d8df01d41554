"""Texts split into lists, and lists joined to a text."""

from collections.abc import Sequence

from patchbay.domain.base import Json
from patchbay.integration.values import as_text, parameter_error

MAX_PARTS = 100_000
MAX_LENGTH = 10_000_000
_ESCAPES = {"\\n": "\n", "\\t": "\t"}


def split_text(text: str, separator: str) -> list[Json]:
    """The parts between the separators, without spaces around them; without a separator, the lines."""
    separator = _ESCAPES.get(separator, separator) or "\n"
    if text.count(separator) >= MAX_PARTS:
        raise parameter_error("separator", f"The text has more than {MAX_PARTS:,} parts.", "Split it first.")
    return [part.strip() for part in text.split(separator)] if text else []


def join_list(items: Sequence[Json], separator: str) -> str:
    """The items as one text with the separator in between."""
    separator = _ESCAPES.get(separator, separator)
    texts = [as_text(item) for item in items]
    if sum(map(len, texts)) + len(separator) * len(texts) > MAX_LENGTH:
        raise parameter_error("separator", f"The result would be longer than {MAX_LENGTH:,} characters.")
    return separator.join(texts)


def truncate_text(text: str, length: int, ending: str) -> str:
    """The text, or its beginning with the ending, at most this long."""
    if length < 0:
        raise parameter_error("length", "The length can't be negative.")
    return text if len(text) <= length else (text[: max(0, length - len(ending))] + ending)[:length]
