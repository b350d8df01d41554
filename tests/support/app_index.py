"""The index of the built-in apps, made from their definitions; run as a program, this writes it."""

from pathlib import Path

import patchbay.apps
from patchbay.domain.base import AppKey
from patchbay.integration import App
from patchbay.integration.app_index import INDEX_FILE, index_app
from patchbay.integration.registry import AppRegistry, built_in_apps

FILE = Path(patchbay.apps.__path__[0]) / INDEX_FILE


def lines() -> dict[AppKey, str]:
    """The line of each app, by key."""
    apps = sorted(AppRegistry(built_in_apps()).all(), key=lambda app: app.key)
    return {app.app_key: _line(app) for app in apps}


def _line(app: App) -> str:
    return index_app(app).model_dump_json(by_alias=True, exclude_defaults=True)


def written() -> set[str]:
    """The lines of the file."""
    return {line.removesuffix(",") for line in FILE.read_text("utf-8").splitlines()[1:-1]}


def write() -> None:
    """Write the file with a line for each app, so that two added apps can be merged."""
    FILE.write_text("[\n" + ",\n".join(lines().values()) + "\n]\n", "utf-8")


if __name__ == "__main__":
    write()
