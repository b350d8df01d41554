"""`patchbay app check`: verify an app against the contract; every breach with file and line."""

import argparse
from pathlib import Path

from patchbay.cli import output
from patchbay.domain.errors import NotFound
from patchbay.integration import checker
from patchbay.platform.paths import AppPaths


def run(options: argparse.Namespace, paths: AppPaths) -> int:
    folder = _folder(options.app, paths)
    breaches = checker.check(folder)
    document = [{"file": str(item.file), "line": item.line, "message": item.message} for item in breaches]
    lines = [f"{item.file}:{item.line}: {item.message}" for item in breaches]
    output.data(document, as_json=options.json, text="\n".join(lines) or f"{folder.name} keeps the contract.")
    return 1 if breaches else 0


def _folder(name: str, paths: AppPaths) -> Path:
    """A folder given by path, the user's own app, or a built-in one."""
    import patchbay.apps

    built_in = Path(patchbay.apps.__file__).parent
    for folder in (Path(name), paths.apps / name, built_in / name):
        if folder.is_dir():
            return folder
    raise NotFound(f"There is no app “{name}”.", todo="Give its key, or the path of its folder.")
