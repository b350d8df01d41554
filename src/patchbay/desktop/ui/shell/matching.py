"""Finding by a few letters: which entries match what was typed, how well, and at which letters."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from patchbay.desktop.ui.kit.actions import Action

SELECTION, ACTIONS = "For the selection", "Actions"

START, WORD, RUN = 12, 8, 5


@dataclass(frozen=True)
class Match:
    """How well words fit a text, and where their letters stand in it."""

    score: int
    letters: tuple[int, ...] = ()


@dataclass(frozen=True)
class Row:
    """A line of the palette: the title of a group, or an action with its matched letters."""

    title: str
    action: Action | None = None
    letters: tuple[int, ...] = ()


def match(query: str, text: str) -> Match | None:
    """All words of the query as parts of the text, in any order; else its letters in order."""
    words, low = query.lower().split(), text.lower()
    if not words:
        return Match(0)
    parts = [_part(word, low) for word in words]
    if all(parts):
        found = [part for part in parts if part is not None]
        letters = sorted({place for part in found for place in part.letters})
        return Match(sum(part.score for part in found) + 20 - len(text) // 8, tuple(letters))
    return _letters("".join(words), low)


def _part(word: str, text: str) -> Match | None:
    best: Match | None = None
    at = text.find(word)
    while at >= 0:
        score = len(word) * RUN + (START if at == 0 else WORD if _starts(text, at) else 0)
        if best is None or score > best.score:
            best = Match(score, tuple(range(at, at + len(word))))
        at = text.find(word, at + 1)
    return best


def _letters(query: str, text: str) -> Match | None:
    """Beginnings of words in order, as in `gma` for "Go to My Apps"."""
    places: list[int] = []
    for letter in query:
        after = places[-1] + 1 if places else 0
        if places and after < len(text) and text[after] == letter:
            places.append(after)
            continue
        start = next((at for at in range(after, len(text)) if text[at] == letter and _starts(text, at)), -1)
        if start < 0:
            return None
        places.append(start)
    return Match(len(places) * WORD - (places[-1] - places[0]) // 4, tuple(places))


def _starts(text: str, at: int) -> bool:
    return at == 0 or not text[at - 1].isalnum()


def rank(
    query: str, actions: Iterable[Action], recent: Sequence[str] = (), limit: int = 8
) -> tuple[Row, ...]:
    """Rows for what was typed: groups in the order they first appear, the best of each first.

    A leading `>` leaves out objects. Without words, what was used last comes first.
    """
    only_actions = query.startswith(">")
    words = query.lstrip(">").strip()
    groups: dict[str, list[tuple[int, int, Action, Match]]] = {}
    for place, action in enumerate(actions):
        if only_actions and action.group not in (SELECTION, ACTIONS):
            continue
        if found := _fit(words, action):
            age = recent.index(action.id) if action.id in recent else len(recent)
            groups.setdefault(action.group, []).append((-found.score, age * 1000 + place, action, found))
    rows: list[Row] = []
    for group, entries in groups.items():
        rows.append(Row(group))
        for _, _, action, found in sorted(entries, key=lambda entry: entry[:2])[:limit]:
            rows.append(Row(action.title, action, found.letters))
    return tuple(rows)


def _fit(words: str, action: Action) -> Match | None:
    title = match(words, action.title)
    if title is not None:
        return title
    hint = match(words, f"{action.title} {action.hint}") if len(words) > 2 else None
    return Match(hint.score - 30) if hint and hint.score > 20 else None
