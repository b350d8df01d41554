"""The window state file."""

import json
import logging
from pathlib import Path
from typing import Any

from patchbay.domain.small_files import read_json_object
from patchbay.platform.paths import write_private

log = logging.getLogger("window-state")

_MAX_BYTES = 1 << 20
"""Views remember their columns and filters in it, so it may be larger than other such files."""


class WindowState:
    """The size and layout of the window, in a small JSON file. An unreadable file counts as empty."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> dict[str, Any]:
        try:
            return read_json_object(self._path, _MAX_BYTES)
        except (OSError, ValueError):
            return {}

    def save(self, state: dict[str, Any]) -> None:
        """Store the state. If that fails, it is only logged, because the window must close all the same."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_private(self._path, json.dumps(state))
        except OSError as error:
            log.warning("%s couldn't be written: %s", self._path.name, error)
