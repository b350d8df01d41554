"""Words: capitalisation, and English plurals."""

import re

_WORD = re.compile(r"\w+(?:['’]\w+)*")
_LAST_WORD_REVERSED = re.compile(r"(\W*)([A-Za-z]+)")

_UNCHANGED = frozenset((
    "advice", "aircraft", "bison", "data", "deer", "equipment", "feedback", "fish", "furniture",
    "hardware", "headquarters", "homework", "information", "knowledge", "luggage", "money", "moose",
    "music", "news", "offspring", "police", "research", "rice", "salmon", "series", "sheep", "shrimp",
    "software", "species", "swine", "traffic", "trout", "weather",
))  # fmt: skip
_IRREGULAR = {
    "person": "people", "man": "men", "woman": "women", "child": "children", "tooth": "teeth",
    "foot": "feet", "goose": "geese", "mouse": "mice", "louse": "lice", "ox": "oxen", "die": "dice",
    "quiz": "quizzes", "leaf": "leaves", "loaf": "loaves", "thief": "thieves", "shelf": "shelves",
    "half": "halves", "wolf": "wolves", "calf": "calves", "elf": "elves", "self": "selves",
    "knife": "knives", "life": "lives", "wife": "wives", "hero": "heroes", "potato": "potatoes",
    "tomato": "tomatoes", "echo": "echoes", "veto": "vetoes", "torpedo": "torpedoes", "index": "indices",
    "matrix": "matrices", "vertex": "vertices", "appendix": "appendices", "analysis": "analyses",
    "basis": "bases", "crisis": "crises", "thesis": "theses", "axis": "axes", "hypothesis": "hypotheses",
    "diagnosis": "diagnoses", "criterion": "criteria", "phenomenon": "phenomena", "datum": "data",
    "medium": "media", "curriculum": "curricula", "cactus": "cacti", "focus": "foci", "fungus": "fungi",
    "nucleus": "nuclei", "stimulus": "stimuli", "radius": "radii", "alumnus": "alumni",
}  # fmt: skip
_PLURALS = frozenset(_IRREGULAR.values())
_COMPOUND = re.compile(r"(?<=.)(man|woman|child|person|mouse|tooth|foot|wife|life|shelf|self)$")
_NOT_MEN = frozenset(("human", "german", "roman", "norman", "ottoman", "talisman", "shaman"))
_HISSING = re.compile(r"(s|x|z|ch|sh)$")
_CONSONANT_Y = re.compile(r"(?<=[^aeiou])y$|(?<=qu)y$")
_ALREADY_PLURAL = re.compile(r"(?<![sui])s$")


def capitalize(text: str) -> str:
    """Capitalise every word."""
    return _WORD.sub(lambda match: match[0][:1].title() + match[0][1:].lower(), text)


def pluralize(text: str) -> str:
    """Pluralise the last English word, keeping its case. Plurals are unchanged."""
    # Search from the end: from the start, the pattern would be tried at every word.
    match = _LAST_WORD_REVERSED.match(text[::-1])
    if match is None:
        return text
    first, end = len(text) - match.end(2), len(text) - match.end(1)
    word = text[first:end]
    return text[:first] + _in_case_of(word, _plural(word.lower())) + text[end:]


def _plural(word: str) -> str:
    if word in _UNCHANGED or word in _PLURALS:
        return word
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word not in _NOT_MEN and (end := _COMPOUND.search(word)):
        return word[: end.start()] + _IRREGULAR[end[0]]
    if _ALREADY_PLURAL.search(word) and len(word) > 3:
        return word
    if _CONSONANT_Y.search(word):
        return word[:-1] + "ies"
    return word + ("es" if _HISSING.search(word) else "s")


def _in_case_of(word: str, plural: str) -> str:
    if word.isupper() and len(word) > 1:
        return plural.upper()
    common = next(
        (i for i, (a, b) in enumerate(zip(word.lower(), plural, strict=False)) if a != b), len(word)
    )
    kept = word[:common] + plural[common:]
    return kept[0].upper() + kept[1:] if word[0].isupper() else kept
