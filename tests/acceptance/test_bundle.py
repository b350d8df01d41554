"""The packages of `make bundle`, installed and used on a bare Debian without Python."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.support import flow_files as files
from tests.support.bare_root import ROOT, BareRoot
from tests.support.forms import long_form
from tests.support.processes import until
from tests.window.driver import PatchbayWindow, desktop, needs_a_desktop

pytestmark = [long_form, pytest.mark.timeout(3600)]

DIST = Path(os.environ.get("PATCHBAY_DIST", ROOT / "dist"))
KEYRING_ROUND_TRIP = """
import asyncio
from patchbay.platform.system_keyring import SystemKeyring

async def main():
    keyring = SystemKeyring()
    await keyring.set("key", "a secret")
    print(await SystemKeyring().get("key"))
    await keyring.delete("key")
    print(await SystemKeyring().get("key"))

asyncio.run(main())
"""
MODULES = """
import pathlib, PySide6
print(*[file.name for file in pathlib.Path(PySide6.__file__).parent.glob("Qt*.so")])
"""
USED_MODULES = {"QtCore", "QtDBus", "QtGui", "QtNetwork", "QtSvg", "QtWidgets"}
EVERYWHERE = ("usr", "opt", "etc", "var/cache", "root")


def package(pattern: str) -> Path:
    """A file of dist; skips if `make bundle` hasn't made it."""
    found = sorted(DIST.glob(pattern))
    if not found:
        pytest.skip(f"no {pattern} in dist; run make bundle first")
    return found[-1]


@pytest.fixture(scope="module")
def root() -> BareRoot:
    return BareRoot()


@dataclass
class Installed:
    """An installed program, on a display and a D-Bus session of its own."""

    root: BareRoot
    env: dict[str, str]
    command: str
    folder: str
    home: Path

    def run(self, *words: object, stdin: str = "", code: int = 0) -> str:
        return self.root.run(self.command, *words, env=self.env, stdin=stdin, code=code)

    def python(self, program: str) -> str:
        return self.root.run(f"{self.folder}/python/bin/python3", "-I", "-c", program, env=self.env)

    def window(self, data: Path, *words: str) -> PatchbayWindow:
        return PatchbayWindow(self.env, data, *words, program=self.root.words(self.command))


@pytest.fixture
def session(tmp_path: Path) -> Iterator[dict[str, str]]:
    with desktop(tmp_path / "home") as environment:
        yield {**environment, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}


@pytest.fixture
def from_archive(root: BareRoot, session: dict[str, str], tmp_path: Path) -> Installed:
    shutil.unpack_archive(package("*-linux-x86_64.tar.xz"), tmp_path, filter="tar")
    [unpacked] = tmp_path.glob("patchbay-*")
    home = Path(session["HOME"])
    root.run("sh", unpacked / "install.sh", env=session)
    shutil.rmtree(unpacked)
    return Installed(root, session, f"{home}/.local/bin/patchbay", f"{home}/.local/lib/patchbay", home)


@pytest.fixture
def from_deb(root: BareRoot, session: dict[str, str], tmp_path: Path) -> Iterator[Installed]:
    copy = shutil.copy(package("*.deb"), tmp_path)
    root.run("dpkg", "--install", copy, env={})
    try:
        yield Installed(root, session, "/usr/bin/patchbay", "/opt/patchbay", Path(session["HOME"]))
    finally:
        root.run("dpkg", "--purge", "patchbay", env={})


def check_flow_runs(program: Installed) -> None:
    """A flow whose step runs Python, in a worker or sandbox of the program's own interpreter."""
    rows = [{"key": "n", "value": "{{step.#1.body.n}}"}]
    code = "import statistics\nreturn f'mean {statistics.mean([float(inputs[\"n\"]), 9])}'"
    mean = files.step("code", "runPython", inputs=rows, codeSnippet=code)
    file = files.write(program.home / "flow.json", files.flow("Mean", files.catch(), mean))
    [made] = json.loads(program.run("flow", "import", file, "--publish", "--json"))

    ran = json.loads(
        program.run("flow", "run", made["id"], "--input", "-", "--json", stdin='{"body": {"n": 5}}')
    )

    assert ran["status"] == "success"
    assert "mean 7.0" in program.run("execution", "show", ran["id"], "--json")


def check_window(program: Installed, data: Path) -> None:
    """The window opens, and a second start brings it to the front."""
    window = program.window(data, "--workspace", "demo")
    try:
        window.see("page tab", "Flows")
        env = {**program.env, "PATCHBAY_DATA_DIR": str(data)}
        program.root.run(program.command, "--workspace", "demo", "patchbay://templates", env=env)
        window.see("page tab list", "Templates")
        assert window.exit_code is None
        assert not window.complaints
    finally:
        window.close()


def check_keyring(program: Installed) -> None:
    if not shutil.which("gnome-keyring-daemon"):
        return
    words = ["gnome-keyring-daemon", "--unlock", "--components=secrets"]
    subprocess.run(words, env=program.env, input=b"pw", stdout=subprocess.DEVNULL, check=True)
    names = [
        "dbus-send",
        "--print-reply",
        "--dest=org.freedesktop.DBus",
        "/",
        "org.freedesktop.DBus.ListNames",
    ]
    until(lambda: b"org.freedesktop.secrets" in subprocess.check_output(names, env=program.env))

    assert program.python(KEYRING_ROUND_TRIP).split("\n")[:2] == ["a secret", "None"]


def test_the_root_has_no_python(root: BareRoot) -> None:
    assert root.run("sh", "-c", "command -v python3 || echo none", env={}) == "none\n"


@needs_a_desktop
def test_the_archive_works_and_only_data_is_left_of_it(from_archive: Installed, tmp_path: Path) -> None:
    program = from_archive
    assert {name.partition(".")[0] for name in program.python(MODULES).split()} == USED_MODULES

    check_flow_runs(program)
    check_window(program, tmp_path / "data")
    check_keyring(program)
    program.root.run("sh", f"{program.folder}/uninstall.sh", env=program.env)

    local = program.home / ".local"
    left = {file.relative_to(local).parts[:2] for file in local.rglob("*") if file.is_file()}
    assert left - {("share", "keyrings")} == {("share", "patchbay")}
    assert not (program.home / ".cache" / "patchbay").exists()


@needs_a_desktop
def test_an_installed_archive_can_be_replaced(from_archive: Installed, tmp_path: Path) -> None:
    shutil.unpack_archive(package("*-linux-x86_64.tar.xz"), tmp_path, filter="tar")
    [unpacked] = tmp_path.glob("patchbay-*")
    left_over = Path(from_archive.folder) / "python" / "left-over.txt"
    left_over.touch()

    from_archive.root.run("sh", unpacked / "install.sh", env=from_archive.env)

    assert from_archive.run("--version").startswith("patchbay ")
    assert not left_over.exists()


@needs_a_desktop
def test_the_deb_works_and_leaves_nothing_in_the_system(from_deb: Installed, tmp_path: Path) -> None:
    program = from_deb

    check_flow_runs(program)
    check_window(program, tmp_path / "data")
    check_keyring(program)
    program.root.run("dpkg", "--purge", "patchbay", env={})

    assert program.root.files(EVERYWHERE) == []
    assert (program.home / ".local" / "share" / "patchbay" / "patchbay.db").exists()
