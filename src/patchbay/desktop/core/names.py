"""Names in lists: best match and sort order; and the warning before folders are deleted."""

import re
from collections.abc import Sequence

from patchbay.desktop.core.language import tr

PERMANENT_DELETE_WARNING = tr(
    "Its flows become uncategorised and keep running. This server can't move them back into a folder."
)
"""The warning before a folder is deleted, if that can't be undone."""
NO_MATCH = 5
"""The rank of a name that doesn't contain the words of the query."""
_DIGITS = re.compile(r"([0-9]+)")


def name_rank(query: str, name: str) -> int:
    """The rank of a name for a query, ignoring case.

    0: equals it, 1: starts with it, 2: has it at the start of a word, 3: contains it, 4: contains each of its
    words; `NO_MATCH` for others.
    """
    wanted, text = " ".join(query.casefold().split()), name.casefold()
    if text == wanted:
        return 0
    if text.startswith(wanted):
        return 1
    if any(text.startswith(wanted, at) for at in range(1, len(text)) if not text[at - 1].isalnum()):
        return 2
    if wanted in text:
        return 3
    return 4 if all(word in text for word in wanted.split()) else NO_MATCH


def best_match(query: str, entries: Sequence[str | tuple[str, ...]]) -> int | None:
    """The index of the best match, the first of equal ones; None without entries.

    An entry is its name, or a tuple of alternative names.
    """

    def rank(at: int) -> int:
        entry = entries[at]
        return min(name_rank(query, name) for name in ((entry,) if isinstance(entry, str) else entry))

    return min(range(len(entries)), key=rank, default=None)


def by_name(name: str) -> tuple[str | tuple[int, str], ...]:
    """A sort key for names, case-insensitive and with numbers by value: "Orders 9" before "orders 40".

    Texts and numbers alternate, beginning with a text, so that two keys can always be compared.
    Numbers compare by length and then by digits: Python doesn't read very long ones.
    """
    pieces = _DIGITS.split(name.casefold())
    return tuple(
        (len(digits := piece.lstrip("0")), digits) if at % 2 else piece for at, piece in enumerate(pieces)
    )
