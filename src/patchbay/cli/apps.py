"""`patchbay app …`"""

import argparse
from pathlib import Path

from patchbay.cli import lookup, output
from patchbay.domain.backend import Backend
from patchbay.domain.errors import Conflict, NotFound
from patchbay.integration import checker
from patchbay.integration.new_app import write_app
from patchbay.integration.registry import built_in_keys
from patchbay.platform.paths import AppPaths


async def run(backend: Backend, options: argparse.Namespace) -> int:
    return await (_list if options.action == "list" else _show)(backend, options)


async def _list(backend: Backend, options: argparse.Namespace) -> int:
    apps = await backend.list_apps()
    rows = [(app.key, app.name, app.broken or app.description) for app in apps]
    document = [app.model_copy(update={"icon_svg": "", "docs_markdown": ""}).wire() for app in apps]
    output.data(document, as_json=options.json, text=output.table(("KEY", "NAME", "ABOUT"), rows))
    return 0


async def _show(backend: Backend, options: argparse.Namespace) -> int:
    app = await lookup.app(backend, options.key)
    fields = [f"  field    {item.key}: {item.label}" for item in (app.auth.fields if app.auth else ())]
    triggers = [f"  trigger  {item.key}: {item.name}" for item in app.triggers or ()]
    actions = [f"  action   {item.key}: {item.name}" for item in app.actions or ()]
    text = "\n".join([f"{app.name} ({app.key})", *fields, *triggers, *actions])
    output.data(app.wire(), as_json=options.json, text=text)
    return 0


# MERGED: `patchbay app check`: verify an app against the contract; every breach with file and line.


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


# MERGED: `patchbay app new`: a complete app folder to start from.


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
