"""Remove from PySide6 the parts of Qt that Patchbay does not use."""

import re
import shutil
from pathlib import Path

MODULES = {
    "Core", "Gui", "Widgets", "Network", "Svg",
    "DBus",  # used by Gui
    "XcbQpa", "WaylandClient", "WlShellIntegration",  # used by the plugins
}  # fmt: skip
PLUGINS = {
    "platforms": {"xcb", "wayland", "offscreen", "minimal", "windows", "cocoa"},
    "platformthemes": {"gtk3", "xdgdesktopportal"},
    "platforminputcontexts": {"composeplatforminputcontextplugin", "ibusplatforminputcontextplugin"},
    "wayland-shell-integration": {"xdg-shell"},
    "wayland-decoration-client": {"bradient", "adwaita"},
    "iconengines": {"svgicon"},
    "imageformats": {"svg", "jpeg", "ico", "gif", "webp"},
    "styles": {"modernwindowsstyle", "macstyle"},
}
"""The plugins to keep, by folder. No OpenGL: Patchbay paints with the processor, and needs no drivers."""
FOLDERS = {
    "qml", "metatypes", "libexec", "include", "typesystems", "glue", "scripts", "designer",
    "resources", "doc", "examples", "sbom", "modules",
}  # fmt: skip
PROGRAMS = re.compile(
    r"(assistant|balsam|balsamui|designer|linguist|lrelease|lupdate|qml\w*|qsb|rcc|svgtoqml|uic)(\.exe|\.app)?"
)
_MODULE = re.compile(r"(?:lib)?Qt6?([A-Z]\w*?)(?:\.abi3)?\.(?:so|pyd|dll|framework|dylib)\b.*")
_PLUGIN = re.compile(r"(?:lib)?q?(?P<name>[\w-]+?)\.(?:so|dll|dylib)")


def remove_unused(packages: Path) -> None:
    """Leave the modules and plugins named above."""
    package = packages / "PySide6"
    languages = {file.stem.partition("_")[2] for file in packages.glob("patchbay/desktop/translations/*.ts")}
    for place in (package, package / "Qt"):
        for name in FOLDERS:
            shutil.rmtree(place / name, ignore_errors=True)
        for file in place.glob("translations/*"):
            if file.name not in {f"qtbase_{language}.qm" for language in languages}:
                _remove(file)
    for place in (package, package / "Qt" / "lib"):
        for file in list(place.iterdir()) if place.exists() else ():
            module = _MODULE.fullmatch(file.name)
            if (module and module[1] not in MODULES) or PROGRAMS.fullmatch(file.name) or "qml" in file.name:
                _remove(file)
    plugins = next(place for place in (package / "Qt" / "plugins", package / "plugins") if place.exists())
    for folder in plugins.iterdir():
        for file in list(folder.iterdir()):
            name = _PLUGIN.fullmatch(file.name)
            if name is None or name["name"] not in PLUGINS.get(folder.name, ()):
                _remove(file)
        if not any(folder.iterdir()):
            folder.rmdir()


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()
