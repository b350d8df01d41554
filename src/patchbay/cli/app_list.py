"""`patchbay app list` for this computer: lists the apps without opening the workspace, which takes longer.

If all apps are in the index of the built-in apps, it isn't even necessary to import what loads apps.
"""

import argparse
import json
from collections.abc import Iterable
from importlib.metadata import entry_points
from pathlib import Path

import patchbay.apps
from patchbay.cli import output
from patchbay.platform.paths import AppPaths

Row = tuple[str, str, str]
"""Key, name, and description of an app."""


def print_apps(rows: Iterable[Row]) -> None:
    """Print the apps as a table."""
    print(output.printable(output.table(("KEY", "NAME", "DESCRIPTION"), list(rows))))


def list_local(options: argparse.Namespace, paths: AppPaths) -> int:
    """List the apps with their keys; for an app that can't be loaded, the reason."""
    rows = [] if _has_other_apps(paths.apps) else _indexed_rows()
    if {key for key, _, _ in rows} != _built_in_keys():
        rows = _loaded_rows(paths.apps)
    print_apps(rows)
    return 0


def _has_other_apps(user_folder: Path) -> bool:
    """Whether there are apps besides the built-in ones."""
    return any(user_folder.glob("*/")) or bool(entry_points(group="patchbay.apps"))


def _built_in_keys() -> set[str]:
    return {path.parent.name for path in _FOLDER.glob("*/__init__.py")}


def _indexed_rows() -> list[Row]:
    """The indexed apps, by name."""
    infos = [entry["info"] for entry in json.loads((_FOLDER / "index.json").read_bytes())]
    infos.sort(key=lambda info: info["name"].casefold())
    return [(info["key"], info["name"], info.get("description", "")) for info in infos]


def _loaded_rows(user_folder: Path) -> list[Row]:
    """All apps, by name."""
    from patchbay.integration.registry import load_apps

    infos = load_apps(user_folder).infos()
    return [(info.key, info.name, info.broken or info.description) for info in infos]


_FOLDER = Path(patchbay.apps.__path__[0])
