"""`patchbay app`: list and show apps; check and create apps of your own."""

import argparse
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from patchbay.cli import lookup, output
from patchbay.cli.app_list import print_apps
from patchbay.domain.backend import Backend
from patchbay.domain.base import Json
from patchbay.domain.errors import Conflict, NotFound
from patchbay.domain.fields import Argument, ArgumentType
from patchbay.integration.new_app import write_app
from patchbay.integration.registry import built_in_keys
from patchbay.platform.paths import AppPaths


async def list_apps(backend: Backend, options: argparse.Namespace) -> int:
    """List the apps with their keys; for an app that can't be loaded, the reason."""
    apps = await backend.list_apps()
    if not options.json:
        print_apps((app.key, app.name, app.broken or app.description) for app in apps)
        return 0
    document = [app.model_copy(update={"icon_svg": "", "docs_markdown": ""}).wire() for app in apps]
    output.data(document, as_json=True, text="")
    return 0


async def show(backend: Backend, options: argparse.Namespace) -> int:
    """Show the connection fields, triggers, and actions of an app, with their parameters.

    The exit code is 1 for an app that can't be loaded.
    """
    app = await lookup.app(backend, options.key)
    lines = [f"{app.name} ({app.key})"]
    lines += [f"  field    {item.key}: {item.label}" for item in (app.auth.fields if app.auth else ())]
    for kind, events in (("trigger", app.triggers or ()), ("action ", app.actions or ())):
        for event in events:
            lines += [f"  {kind}  {event.key}: {event.name}", *_parameter_lines(event.arguments, "    ")]
    text = "\n".join(lines)
    if app.broken:
        text += f"\n  can't be used: {app.broken}\n  Check it with: patchbay app check {app.key}"
    output.result(app.wire(), as_json=options.json, text=text, failed=app.broken is not None)
    return 1 if app.broken else 0


def _parameter_lines(arguments: Iterable[Argument], indent: str) -> Iterator[str]:
    """The parameters of a trigger or action as files name them: key, label, values, and default."""
    for item in arguments:
        facts = ["required"] if item.required else []
        if item.type is ArgumentType.DYNAMIC:
            facts.append("a list of rows")
        if item.options:
            values = ", ".join(json.dumps(option.value, ensure_ascii=False) for option in item.options)
            facts.append(f"one of {values}")
        if item.value is not None and item.type is not ArgumentType.DYNAMIC:
            facts.append(f"default {json.dumps(item.value, ensure_ascii=False)}")
        if item.visible_if:
            facts.append(
                "used only if " + " and ".join(_condition(*pair) for pair in item.visible_if.items())
            )
        note = f" ({'; '.join(facts)})" if facts else ""
        yield f"{indent}{item.key}: {item.label}{note}"
        yield from _parameter_lines(item.fields, indent + "  ")


def _condition(key: str, value: Json) -> str:
    values = value if isinstance(value, list) else [value]
    return f"{key} is {' or '.join(json.dumps(one, ensure_ascii=False) for one in values)}"


def check(options: argparse.Namespace, paths: AppPaths) -> int:
    """Check one app, or each app in a folder of apps. Prints every problem with its file and line."""
    from patchbay.integration import checker  # imported here, because it takes long and only this needs it

    given = _find_app_folder(options.app, paths)
    folders = checker.app_folders(given)
    found = [(folder, finding) for folder in folders for finding in checker.check(folder)]
    document = [
        {
            "file": finding.file if folder == given else f"{folder.name}/{finding.file}",
            "line": finding.line,
            "message": finding.message,
        }
        for folder, finding in found
    ]
    lines = [
        f"{':'.join(str(part) for part in (item['file'], item['line']) if part)}: {item['message']}"
        for item in document
    ]
    lines += [f"{folder.name} passed all checks." for folder in folders if folder not in dict(found)]
    output.data(document, as_json=options.json, text="\n".join(lines))
    return 1 if found else 0


def _find_app_folder(name: str, paths: AppPaths) -> Path:
    """The folder at a path, of an app of your own, or of a built-in app, in this order."""
    import patchbay.apps

    built_in = Path(patchbay.apps.__file__).parent
    for folder in (Path(name), paths.apps / name, built_in / name):
        if folder.is_dir():
            return folder
    raise NotFound(f"There is no app “{name}”.", todo="Enter the key of an app, or the path of its folder.")


def create(options: argparse.Namespace, paths: AppPaths) -> int:
    """Create an app from a template in the given folder, or else where your own apps are loaded from."""
    if options.key in built_in_keys():
        raise Conflict(f"Patchbay already includes an app “{options.key}”.", todo="Choose another key.")
    folder = write_app(options.key, Path(options.folder) if options.folder else paths.apps)
    files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    in_place = folder.resolve() == (paths.apps / options.key).resolve()
    where = options.key if in_place else str(folder)
    lines = [
        f"{folder}",
        *(f"  {name}" for name in files),
        f"Edit it, then check it with: patchbay app check {where}",
    ]
    if not in_place:
        lines.append(f"Then copy the folder to {paths.apps / options.key}. Patchbay loads it automatically.")
    document = {"key": options.key, "folder": str(folder), "files": files}
    output.data(document, as_json=options.json, text="\n".join(lines))
    return 0
