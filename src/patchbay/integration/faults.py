"""A broken rule of the contract, before it is known in which file it stands."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple


class Fault(NamedTuple):
    """The property of `App` it is about, what is wrong as a sentence, and a word that stands where it is."""

    about: str
    message: str
    word: str = ""


def repeated(
    about: str, what: str, keys: Iterable[str], *, word: str = "", by_key: bool = False
) -> Iterator[Fault]:
    """One fault for each key that is there more than once; `by_key`: the key is the word to look for."""
    for key, count in Counter(keys).items():
        if count > 1:
            yield Fault(about, f"The {what} “{key}” is defined {count} times.", key if by_key else word)
