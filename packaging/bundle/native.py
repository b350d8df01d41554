"""The shared libraries of a bundle on Linux: which are copied into it, and which it takes from the system."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

SYSTEM = re.compile(
    r"ld-linux.*|linux-vdso.*|lib(c|m|dl|rt|util|pthread|resolv|gcc_s|stdc\+\+)\.so.*"
    # The window needs these anyway, and plugins of the desktop, such as that for GTK, bring the system's: two
    # versions of a library in one process don't mix.
    r"|lib(z|expat|glib-2\.0|gthread-2\.0|dbus-1|fontconfig|freetype|gssapi_krb5)\.so.*"
    r"|lib(EGL|GL|X11|X11-xcb|Xau|xcb|xkbcommon|xkbcommon-x11)\.so.*"
)
"""Libraries that stay outside. All others are copied, such as OpenSSL, SQLite, and the small ones of xcb."""
_PLACE = re.compile(r"\s+(\S+) => (/\S+)")
_GLIBC = re.compile(rb"GLIBC_2\.(\d+)")


def bundle_libraries(home: Path, library: Path) -> None:
    """Copy the libraries that the interpreter and Qt's plugins need to `lib`, and let them be found there."""
    interpreter = [*(home / "bin").glob("python3.*"), *(home / "lib").glob("libpython*")]
    extensions = sorted((library / "lib-dynload").glob("*.so"))
    window = sorted([*home.rglob("libQt6XcbQpa.so*"), *home.rglob("libqxcb.so")])
    own = {file.name for file in home.rglob("*.so*")}
    copied = _copy([*interpreter, *extensions, *window], home / "lib", own)
    for file in [*interpreter, *extensions, *copied]:
        if shutil.which("strip"):
            subprocess.run(["strip", "--strip-debug", file], check=True)
        _search(file, home / "lib")
    for file in window:
        _search(file, next(home.rglob("libQt6Core.so*")).parent, home / "lib")


def oldest_glibc(folder: Path) -> str:
    """The lowest version of the system's C library with which all programs and libraries of a folder start."""
    versions = [0]
    for file in binaries(folder):
        versions += [int(found) for found in _GLIBC.findall(file.read_bytes())]
    return f"2.{max(versions)}"


def binaries(folder: Path) -> Iterator[Path]:
    """Programs and libraries in the ELF format."""
    for file in sorted(folder.rglob("*")):
        if file.is_file() and not file.is_symlink():
            with file.open("rb") as content:
                if content.read(4) == b"\x7fELF":
                    yield file


def _copy(files: list[Path], target: Path, own: set[str]) -> list[Path]:
    """Copy what these files need, and what that needs in turn; returns the copies."""
    copied = []
    waiting = list(files)
    while waiting:
        file = waiting.pop()
        needed = subprocess.check_output(["patchelf", "--print-needed", file], text=True).split()
        places = dict(_PLACE.findall(subprocess.run(["ldd", file], capture_output=True, text=True).stdout))
        for name in needed:
            if name in own or SYSTEM.fullmatch(name):
                continue
            if not Path(places.get(name, "not found")).is_file():
                raise SystemExit(f"{file.name} needs {name}, which isn't installed on this machine.")
            copy = Path(shutil.copyfile(places[name], target / name))
            own.add(name)
            copied.append(copy)
            waiting.append(Path(places[name]))
    return copied


def _search(file: Path, *folders: Path) -> None:
    """Have a file look for libraries in these folders of the bundle before it looks in those of the system."""
    places = ":".join(f"$ORIGIN/{os.path.relpath(folder, file.parent)}" for folder in folders)
    subprocess.run(["patchelf", "--set-rpath", places, file], check=True)
