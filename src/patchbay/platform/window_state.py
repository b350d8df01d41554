"""The window state file."""

import json
from pathlib import Path
from typing import Any

from patchbay.platform.paths import write_private


class WindowState:
    """The size and layout of the window, in a small JSON file. An unreadable file counts as empty."""

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
