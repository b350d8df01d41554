"""`patchbay app check`: verify an app against the contract; every breach with file and line."""

import argparse
from pathlib import Path

from patchbay.cli import output
from patchbay.domain.errors import NotFound
from patchbay.integration import checker
from patchbay.platform.paths import AppPaths


def run_check(options: argparse.Namespace, paths: AppPaths) -> int:
    """Check one app, or each app in a folder of apps."""
    given = _find_app_folder(options.app, paths)
    folders = checker.app_folders(given)
    found = [(folder, breach) for folder in folders for breach in checker.check(folder)]
    document = [
        {"file": _relative_path(folder, given, breach.file), "line": breach.line, "message": breach.message}
        for folder, breach in found
    ]
    lines = [f"{item['file']}:{item['line']}: {item['message']}" for item in document]
    lines += [f"{folder.name} keeps the contract." for folder in folders if folder not in dict(found)]
    output.data(document, as_json=options.json, text="\n".join(lines))
    return 1 if found else 0


def _relative_path(folder: Path, given: Path, file: str) -> str:
    """The file as seen from the folder that was given."""
    return file if folder == given else f"{folder.name}/{file}"


def _find_app_folder(name: str, paths: AppPaths) -> Path:
    """A folder given by path, the user's own app, or a built-in one."""
    import patchbay.apps

    built_in = Path(patchbay.apps.__file__).parent
    for folder in (Path(name), paths.apps / name, built_in / name):
        if folder.is_dir():
            return folder
    raise NotFound(f"There is no app “{name}”.", todo="Give its key, or the path of its folder.")
