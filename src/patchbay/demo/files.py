"""The data the demo is made from: JSON under `resources/demo`, icons under `resources/icons/apps`."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import patchbay


@cache
def resources_folder() -> Path:
    """`patchbay/resources` in an installed wheel, the top-level `resources` in a checkout."""
    package = Path(patchbay.__file__).parent
    candidates = (package / "resources", package.parent.parent / "resources")
    found = next((folder for folder in candidates if (folder / "demo").is_dir()), None)
    if found is None:
        raise FileNotFoundError("The files of the demo are missing; install the program again.")
    return found


@cache
def load_json(name: str) -> Any:
    """One of the JSON files. Shared: treat it as read-only."""
    return json.loads((resources_folder() / "demo" / f"{name}.json").read_text("utf-8"))


def load_icon(app_key: str) -> str:
    """The glyph of an app; empty when there is none."""
    path = resources_folder() / "icons" / "apps" / f"{app_key}.svg"
    return path.read_text("utf-8") if path.is_file() else ""
