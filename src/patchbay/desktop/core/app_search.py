"""Searches apps by name, keywords, category, description, and events; matching names come first."""

from collections.abc import Sequence

from patchbay.desktop.core.names import NO_MATCH, name_rank
from patchbay.domain.apps import AppInfo

KEYWORD_MATCH = NO_MATCH + 1
"""Ranks below those of names, the best first."""
CATEGORY_MATCH = NO_MATCH + 2
EVENT_MATCH = NO_MATCH + 3
TEXT_MATCH = NO_MATCH + 4
_START_OF_WORD = 2


def app_rank(query: str, app: AppInfo) -> int | None:
    """How well an app matches the query, lower is better; None if it doesn't.

    An app matches if its texts, including the names of its events, contain every word of the query.
    """
    event_names = tuple(event.name for event in app.events or ())
    texts = (app.name, app.key, app.category, app.description, *app.keywords, *event_names)
    searchable = "\n".join(texts).casefold()
    if not all(word in searchable for word in query.casefold().split()):
        return None
    rank = name_rank(query, app.name)
    if rank < NO_MATCH:
        return rank
    for names, found in (
        ((app.key, *app.keywords), KEYWORD_MATCH),
        ((app.category,), CATEGORY_MATCH),
        (event_names, EVENT_MATCH),
    ):
        if starts_word(query, names):
            return found
    return TEXT_MATCH


def starts_word(query: str, names: Sequence[str]) -> bool:
    """Whether one of the names has the query at the start of a word."""
    return any(name_rank(query, name) <= _START_OF_WORD for name in names)
