"""Collect the program folder of a bundle: a Python interpreter of its own, Patchbay, and its packages.

    python packaging/bundle/collect.py WHEEL FOLDER

The interpreter is the one that runs this script, copied to `FOLDER/python`. It finds its library by its own
place, so the folder can be moved. A real interpreter is used because Patchbay starts it for worker processes
and for Python code in flows, and loads apps from files: all of this works as it does from a checkout.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import native
import qt

PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"
LEFT_OUT = {
    # Not part of a program: tests, tools for developers, another user interface, and what needs it.
    "test", "tests", "idlelib", "tkinter", "turtledemo", "turtle.py", "lib2to3", "ensurepip", "pydoc_data",
    "site-packages", "dist-packages", "__pycache__", "sitecustomize.py", "EXTERNALLY-MANAGED",
}  # fmt: skip
LEFT_OUT_EXTENSIONS = {
    "_tkinter",
    "readline",  # its library is under the GPL
    "_gdbm",
    "_dbm",
    "nis",
    "_testcapi", "_testbuffer", "_testimportmultiple", "_testinternalcapi", "_testmultiphase",
    "_testclinic", "_testlimitedcapi", "_testsinglephase", "_testexternalinspection", "_xxtestfuzz",
    "xxlimited", "xxlimited_35", "xxsubtype", "_ctypes_test",
}  # fmt: skip
NEEDED_TO_BUILD_ONLY = re.compile(r".*\.(pyi|pyx|pxd|pxi|c|cpp|h|hpp|a|whl)|py\.typed|\.gitignore")


def collect(wheel: Path, folder: Path) -> None:
    """Fill the folder, which must not exist yet."""
    home = folder / "python"
    library = _copy_interpreter(home)
    packages = _packages_folder(home, library)
    _install(wheel, packages)
    qt.remove_unused(packages)
    _clean(packages)
    if sys.platform == "linux":
        native.bundle_libraries(home, library)
    _unpack_pyside_modules(home)
    script = Path(__file__).with_name("compile_modules.py")
    subprocess.run([executable(home), "-I", "-B", str(script), str(home)], check=True)
    if sys.platform != "win32":
        _set_modes(home)


def _copy_interpreter(home: Path) -> Path:
    """Copy the interpreter and its standard library; returns the folder of the library."""
    stdlib = Path(sysconfig.get_path("stdlib"))
    base = Path(sys.base_prefix)
    if sys.platform == "win32":
        home.mkdir(parents=True)
        for file in [*base.glob("*.exe"), *base.glob("*.dll"), base / "LICENSE.txt"]:
            shutil.copy2(file, home)
        shutil.copytree(base / "DLLs", home / "DLLs", ignore=_unwanted)
        return Path(shutil.copytree(stdlib, home / "Lib", ignore=_unwanted))
    (home / "bin").mkdir(parents=True)
    shutil.copy2(Path(sys.executable).resolve(), home / "bin" / PYTHON)
    (home / "bin" / "python3").symlink_to(PYTHON)
    library = home / "lib" / PYTHON
    shutil.copytree(stdlib, library, ignore=_unwanted, ignore_dangling_symlinks=True)
    for shared in Path(sysconfig.get_config_var("LIBDIR")).glob(f"lib{PYTHON}*"):
        if shared.suffix != ".a" and not shared.is_symlink():
            shutil.copy2(shared, home / "lib")
    for data in library.glob("_sysconfigdata*.py"):  # where the interpreter was built is of no use here
        data.write_text(data.read_text("utf-8").replace(str(base), "/usr/local"), "utf-8")
    return library


def _unwanted(folder: str, names: list[str]) -> set[str]:
    return {
        name
        for name in names
        if name in LEFT_OUT
        or name.startswith("config-")
        or (name.endswith((".so", ".pyd")) and name.partition(".")[0] in LEFT_OUT_EXTENSIONS)
        or (name.endswith(".so") and not (Path(folder) / name).exists())
    }


def _packages_folder(home: Path, library: Path) -> Path:
    """Where this interpreter looks for packages: Debian's uses another name."""
    wanted = "import os, site; print(os.linesep.join(site.getsitepackages()))"
    folders = map(Path, _output(home, "-I", "-B", "-c", wanted).splitlines())
    return next(one for one in folders if one.parent == library or one.parent.name == "Lib")


def _output(home: Path, *words: str) -> str:
    environment = dict(os.environ)
    if sys.platform == "linux":  # the libraries have not been joined to it yet
        environment["LD_LIBRARY_PATH"] = str(home / "lib")
    return subprocess.check_output([executable(home), *words], text=True, env=environment)


def executable(home: Path) -> str:
    """The interpreter of a bundle."""
    return str(home / "python.exe" if sys.platform == "win32" else home / "bin" / "python3")


def _install(wheel: Path, packages: Path) -> None:
    root = Path(__file__).parents[2]
    words = [
        "--quiet",
        "--no-compile",
        "--only-binary",
        ":all:",
        "--constraint",
        str(root / "constraints.txt"),
    ]
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", *words]
    subprocess.run([*pip, "--target", str(packages), str(wheel)], check=True)


def _clean(packages: Path) -> None:
    """Remove what only developers need, and the notes of pip that name this machine."""
    shutil.rmtree(packages / "bin", ignore_errors=True)
    for notes in packages.glob("*.dist-info"):
        (notes / "direct_url.json").unlink(missing_ok=True)
        (notes / "RECORD").unlink(missing_ok=True)  # it lists files that are no longer there
    for file in sorted(packages.rglob("*")):
        if file.is_file() and NEEDED_TO_BUILD_ONLY.fullmatch(file.name):
            file.unlink()
    unused = [packages / "phonenumbers" / data for data in ("geodata", "carrierdata", "tzdata")]
    for folder in [*packages.glob("*/tests"), *packages.glob("*/test"), *unused]:
        shutil.rmtree(folder)


def _unpack_pyside_modules(home: Path) -> None:
    """Unpack the Python modules inside PySide's library, which it would otherwise compile at each start."""
    words = [executable(home), "-I", "-B", "-c", "import PySide6.QtCore"]
    subprocess.run(words, check=True, env={**os.environ, "SBK_EMBED": "0"})


def _set_modes(home: Path) -> None:
    """Only the interpreter is a program: some wheels mark modules as such, too."""
    for file in home.rglob("*"):
        if file.is_file() and not file.is_symlink():
            file.chmod(0o755 if file.parent == home / "bin" else 0o644)


if __name__ == "__main__":
    collect(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
