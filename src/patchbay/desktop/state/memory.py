"""Small choices that a screen remembers between runs: which view, which order."""

from collections.abc import Callable, Mapping
from typing import Any


class Memory:
    """Choices by name. Without `load` and `save` they last as long as the object (tests, the tour)."""

    def __init__(
        self,
        load: Callable[[], Mapping[str, Any]] | None = None,
        save: Callable[[dict[str, Any]], None] | None = None,
    ) -> None:
        self._load, self._save = load, save
        self._choices: dict[str, Any] = dict(load()) if load else {}

    def get(self, name: str, otherwise: str = "") -> str:
        """What was chosen last; `otherwise` when nothing was, or nothing that can be understood."""
        value = self._choices.get(name, otherwise)
        return value if isinstance(value, str) else otherwise

    def put(self, name: str, value: str) -> None:
        self._choices[name] = value
        if self._load and self._save:
            self._save({**self._load(), name: value})
