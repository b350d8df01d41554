"""What the contract suite tells in both homes: each story says which operations it covers."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from tests.support.teller import Teller


@dataclass(frozen=True)
class Story:
    """A sequence of calls with what must come of them."""

    name: str
    covers: frozenset[str]
    tell: Callable[[Teller], Awaitable[None]]


STORIES: list[Story] = []


def story(
    *covers: str,
) -> Callable[[Callable[[Teller], Awaitable[None]]], Callable[[Teller], Awaitable[None]]]:
    """Add a function to the stories."""

    def add(tell: Callable[[Teller], Awaitable[None]]) -> Callable[[Teller], Awaitable[None]]:
        STORIES.append(Story(tell.__name__, frozenset(covers), tell))
        return tell

    return add
