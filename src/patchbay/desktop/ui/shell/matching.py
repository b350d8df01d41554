"""Finding by a few letters: which entries match what was typed, how well, and at which letters."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from patchbay.desktop.ui.kit.actions import Action

SELECTION, ACTIONS = "For the selection", "Actions"

PREFIX_SCORE, WORD_SCORE, LETTER_SCORE = 12, 8, 5


@dataclass(frozen=True)
class Match:
    """How well words fit a text, and where their letters stand in it."""

    score: int
    positions: tuple[int, ...] = ()


@dataclass(frozen=True)
class PaletteRow:
    """A line of the palette: the title of a group, or an action with its matched letters."""

    title: str
    action: Action | None = None
    positions: tuple[int, ...] = ()


def match(query: str, text: str) -> Match | None:
    """All words of the query as parts of the text, in any order; else its letters in order."""
    query_words, lower_text = query.lower().split(), text.lower()
    if not query_words:
        return Match(0)
    parts = [_match_word(word, lower_text) for word in query_words]
    if all(parts):
        found = [part for part in parts if part is not None]
        positions = sorted({index for part in found for index in part.positions})
        return Match(sum(part.score for part in found) + 20 - len(text) // 8, tuple(positions))
    return _match_initials("".join(query_words), lower_text)


def _match_word(word: str, text: str) -> Match | None:
    best: Match | None = None
    at = text.find(word)
    while at >= 0:
        score = len(word) * LETTER_SCORE + (
            PREFIX_SCORE if at == 0 else WORD_SCORE if _starts_word(text, at) else 0
        )
        if best is None or score > best.score:
            best = Match(score, tuple(range(at, at + len(word))))
        at = text.find(word, at + 1)
    return best


def _match_initials(query: str, text: str) -> Match | None:
    """Beginnings of words in order, as in `gma` for "Go to My Apps"."""
    positions_found: list[int] = []
    for letter in query:
        after = positions_found[-1] + 1 if positions_found else 0
        if positions_found and after < len(text) and text[after] == letter:
            positions_found.append(after)
            continue
        start = next(
            (at for at in range(after, len(text)) if text[at] == letter and _starts_word(text, at)), -1
        )
        if start < 0:
            return None
        positions_found.append(start)
    return Match(
        len(positions_found) * WORD_SCORE - (positions_found[-1] - positions_found[0]) // 4,
        tuple(positions_found),
    )


def _starts_word(text: str, at: int) -> bool:
    return at == 0 or not text[at - 1].isalnum()


def rank(
    query: str, actions: Iterable[Action], recent: Sequence[str] = (), limit: int = 8
) -> tuple[PaletteRow, ...]:
    """Rows for what was typed: groups in the order they first appear, the best of each first.

    A leading `>` leaves out objects. Without words, what was used last comes first.
    """
    only_actions = query.startswith(">")
    query_words = query.lstrip(">").strip()
    groups: dict[str, list[tuple[int, int, Action, Match]]] = {}
    for index, action in enumerate(actions):
        if only_actions and action.group not in (SELECTION, ACTIONS):
            continue
        if found := _match_action(query_words, action):
            age = recent.index(action.id) if action.id in recent else len(recent)
            groups.setdefault(action.group, []).append((-found.score, age * 1000 + index, action, found))
    rows: list[PaletteRow] = []
    for group, entries in groups.items():
        rows.append(PaletteRow(group))
        for _, _, action, found in sorted(entries, key=lambda entry: entry[:2])[:limit]:
            rows.append(PaletteRow(action.title, action, found.positions))
    return tuple(rows)


def _match_action(query_words: str, action: Action) -> Match | None:
    title = match(query_words, action.title)
    if title is not None:
        return title
    hint = match(query_words, f"{action.title} {action.hint}") if len(query_words) > 2 else None
    return Match(hint.score - 30) if hint and hint.score > 20 else None
