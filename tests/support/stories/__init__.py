"""Scenarios of the contract suite, run in local and remote workspaces.

Each lists the operations it covers.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from tests.support.operation_recorder import OperationRecorder

Run = Callable[[OperationRecorder], Awaitable[None]]


@dataclass(frozen=True)
class Story:
    """A sequence of calls, with assertions about the results."""

    name: str
    covers: frozenset[str]
    run: Run


STORIES: list[Story] = []


def story(*covers: str) -> Callable[[Run], Run]:
    """Add a function to the stories."""

    def add(run: Run) -> Run:
        STORIES.append(Story(run.__name__, frozenset(covers), run))
        return run

    return add
