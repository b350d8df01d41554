"""Where the window was and how its panes stood: kept apart from the settings, lost without harm."""

import json
from pathlib import Path
from typing import Any

from patchbay.platform.paths import write_private


class WindowState:
    """A small JSON file; anything unreadable counts as empty."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> dict[str, Any]:
        try:
            state = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return state if isinstance(state, dict) else {}

    def save(self, state: dict[str, Any]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        write_private(self._path, json.dumps(state))
