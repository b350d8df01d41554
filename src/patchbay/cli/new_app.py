"""`patchbay app new`: a complete app folder to start from."""

import argparse
from pathlib import Path

from patchbay.cli import output
from patchbay.domain.errors import Conflict
from patchbay.integration.loader import built_in_keys
from patchbay.integration.new_app import write_app
from patchbay.platform.paths import AppPaths


def run_new(options: argparse.Namespace, paths: AppPaths) -> int:
    """Write it into the folder given, else where the user's own apps are loaded from."""
    if options.key in built_in_keys():
        raise Conflict(f"The program brings an app “{options.key}” already.", todo="Choose another key.")
    folder = write_app(options.key, Path(options.folder) if options.folder else paths.apps)
    files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    lines = [f"{folder}", *(f"  {name}" for name in files), *_next_steps(options.key, folder, paths)]
    document = {"key": options.key, "folder": str(folder), "files": files}
    output.data(document, as_json=options.json, text="\n".join(lines))
    return 0


def _next_steps(key: str, folder: Path, paths: AppPaths) -> list[str]:
    in_place = folder.resolve() == (paths.apps / key).resolve()
    where = key if in_place else str(folder)
    use = [] if in_place else [f"Then copy the folder to {paths.apps / key}. Patchbay loads it by itself."]
    return [f"Change it to fit your service, and verify it with: patchbay app check {where}", *use]
