"""The packages of `make bundle`, installed and used on a bare Debian without Python."""

import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.support import flow_files as files
from tests.support.bare_root import ROOT, BareRoot
from tests.support.counterparty import GOOD_KEY, Counterparty
from tests.support.forms import long_form
from tests.support.keyring_session import needs_gnome_keyring
from tests.support.processes import until
from tests.window.driver import PatchbayWindow, desktop, needs_a_desktop
from tests.window.tray_host import TrayHost, tray_host

pytestmark = [long_form, pytest.mark.timeout(3600)]

DIST = Path(os.environ.get("PATCHBAY_DIST", ROOT / "dist"))
ARCHIVE = "*-linux-x86_64.tar.xz"
MODULES = """
import pathlib, PySide6
print(*[file.name for file in pathlib.Path(PySide6.__file__).parent.glob("Qt*.so")])
"""
USED_MODULES = {"QtCore", "QtDBus", "QtGui", "QtNetwork", "QtSvg", "QtWidgets"}
START_AT_LOGIN = """
from patchbay.platform.login_item import login_item
from patchbay.platform.paths import AppPaths
login_item(AppPaths.default()).set_enabled(True)
"""
OPENAPI = """
import json
from patchbay.server.app import create_app
from patchbay.server.openapi import describe
app = create_app(None, None, None, version="1", callbacks=None, accept_invitations=None)
print(json.dumps(describe(app)))
"""
EVERYWHERE = ("usr", "opt", "etc", "var/cache", "var/lib", "root")
OF_THE_TESTS = ("SSL_", "PYTHON", "PATCHBAY_")
"""What names files outside of the root, or sets up the program for other tests."""
QUESTION = "Keep flows running in the background?"
SCHEDULED = 90.0
"""Seconds within which a flow that runs every minute must have run."""


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
    """An installed program, on a desktop of its own with a keyring and a tray."""

    root: BareRoot
    env: dict[str, str]
    command: str
    folder: str
    home: Path

    @property
    def data(self) -> Path:
        return self.home / ".local" / "share" / "patchbay"

    def run(self, *words: object, stdin: str = "", code: int = 0) -> str:
        return self.root.run(self.command, *words, env=self.env, stdin=stdin, code=code)

    def python(self, program: str) -> str:
        return self.root.run(f"{self.folder}/python/bin/python3", "-I", "-c", program, env=self.env)

    def window(self) -> PatchbayWindow:
        words = ("--workspace", "local")
        return PatchbayWindow(self.env, self.data, *words, program=self.root.words(self.command))

    def executions(self, flow: str) -> int:
        """How often the flow has succeeded."""
        words = ("execution", "list", "--flow", flow, "--status", "success", "--json")
        return len(json.loads(self.run(*words)))

    def left(self) -> set[str]:
        """The files and folders below the home folder that the program has, without its runtime folder."""
        found = {file.relative_to(self.home) for file in self.home.rglob("patchbay*")}
        inside = {file for file in found if not found.isdisjoint(file.parents)}
        return {str(file) for file in found - inside} - {"patchbay"}


@pytest.fixture
def session(tmp_path: Path) -> Iterator[dict[str, str]]:
    """A desktop with an unlocked keyring, for programs that choose their keyring themselves."""
    with desktop(tmp_path / "home") as outside:
        environment = {name: value for name, value in outside.items() if not name.startswith(OF_THE_TESTS)}
        words = ["gnome-keyring-daemon", "--unlock", "--foreground", "--components=secrets"]
        with subprocess.Popen(
            words,
            env=environment,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as keyring:
            assert keyring.stdin is not None
            assert keyring.stdout is not None
            keyring.stdin.write("the login password")
            keyring.stdin.close()
            keyring.stdout.readline()  # it tells its control folder once it is up
            yield {**environment, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
            keyring.terminate()


@pytest.fixture
def tray(session: dict[str, str]) -> Iterator[TrayHost]:
    with tray_host(session["DBUS_SESSION_BUS_ADDRESS"]) as host:
        yield host


def install_archive(root: BareRoot, session: dict[str, str], place: Path) -> None:
    shutil.unpack_archive(package(ARCHIVE), place, filter="tar")
    [unpacked] = place.glob("patchbay-*")
    root.run("sh", unpacked / "install.sh", env=session)
    shutil.rmtree(unpacked)


@pytest.fixture
def from_archive(root: BareRoot, session: dict[str, str], tmp_path: Path) -> Installed:
    install_archive(root, session, tmp_path)
    home = Path(session["HOME"])
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


def check_keyring(program: Installed, party: Counterparty) -> None:
    """One start encrypts an API key under the key in the system keyring, and another one decrypts it."""
    fields = ("--field", "screenName=Ada", "--field", f"instanceUrl={party.address}")
    words = ("connection", "add", "--app", "changedetection", *fields, "--secret-stdin", "apiKey", "--json")
    made = json.loads(program.run(*words, stdin=f"{GOOD_KEY}\n"))

    program.run("connection", "test", made["id"])

    said = {line.partition("  ")[0]: line for line in program.run("doctor").splitlines()}
    assert said["System keyring"].endswith("SecretService works")


def check_background(program: Installed, tray: TrayHost) -> None:
    """A closed window keeps a schedule running behind its icon in the tray; a second start brings it back."""
    every = files.step("scheduler", "everyNMinutes", interval=1, triggersOnWeekend=True)
    file = files.write(program.home / "minute.json", files.flow("Minute", every, files.trimmed(" x ")))
    [made] = json.loads(program.run("flow", "import", file, "--publish", "--json"))
    with closing(program.window()) as window:
        window.see("push button", "Engine running")
        window.press("ctrl+w")
        window.click(window.see_at_rest("push button", "Keep running", within=QUESTION))
        icon = tray.icon()
        until(lambda: not window.all("push button"))
        assert "Engine running" in tray.title(icon)

        before = program.executions(made["id"])
        until(lambda: program.executions(made["id"]) > before, SCHEDULED, every=1)

        assert not window.all("push button")
        program.run("patchbay://templates")
        window.see("page tab list", "Templates")
        window.press("ctrl+w")
        tray.choose(tray.icon(), "Quit")
        until(lambda: window.exit_code is not None)
        assert (window.exit_code, window.complaints) == (0, [])


def test_the_root_has_no_python(root: BareRoot) -> None:
    assert root.run("sh", "-c", "command -v python3 || echo none", env={}) == "none\n"


@needs_a_desktop
@needs_gnome_keyring
def test_the_archive_works_and_only_data_is_left_of_it(
    from_archive: Installed, tray: TrayHost, party: Counterparty
) -> None:
    program = from_archive
    assert {name.partition(".")[0] for name in program.python(MODULES).split()} == USED_MODULES

    assert program.python(OPENAPI) == subprocess.check_output([sys.executable, "-c", OPENAPI], text=True)

    check_flow_runs(program)
    check_keyring(program, party)
    check_background(program, tray)
    program.python(START_AT_LOGIN)
    program.root.run("sh", f"{program.folder}/uninstall.sh", env=program.env)

    assert program.left() == {".config/patchbay", ".local/share/patchbay"}
    assert (program.data / "patchbay.db").exists()


@needs_a_desktop
@needs_gnome_keyring
def test_the_deb_works_and_leaves_nothing_in_the_system(
    from_deb: Installed, tray: TrayHost, party: Counterparty
) -> None:
    program = from_deb

    check_flow_runs(program)
    check_keyring(program, party)
    check_background(program, tray)
    program.root.run("dpkg", "--purge", "patchbay", env={})

    assert program.root.files(EVERYWHERE) == []
    assert program.left() - {".cache/patchbay", ".local/state/patchbay"} == {
        ".config/patchbay",
        ".local/share/patchbay",
    }
    assert (program.data / "patchbay.db").exists()


@needs_a_desktop
@needs_gnome_keyring
def test_an_installed_archive_can_be_replaced_and_keeps_its_data(
    from_archive: Installed, party: Counterparty, tmp_path: Path
) -> None:
    program = from_archive
    check_keyring(program, party)
    kept = program.run("connection", "list", "--json")
    left_over = Path(program.folder) / "python" / "left-over.txt"
    left_over.touch()
    program.python(START_AT_LOGIN)

    install_archive(program.root, program.env, tmp_path)

    assert not left_over.exists()
    assert program.run("--version").startswith("patchbay ")
    assert json.loads(program.run("connection", "list", "--json")) == json.loads(kept)
    assert (program.home / ".config" / "autostart" / "patchbay.desktop").exists()


@needs_a_desktop
@needs_gnome_keyring
def test_an_installed_deb_can_be_upgraded_and_keeps_its_data(
    from_deb: Installed, party: Counterparty, tmp_path: Path
) -> None:
    program = from_deb
    check_keyring(program, party)
    kept = program.run("connection", "list", "--json")
    newer = repacked(package("*.deb"), tmp_path)

    program.root.run("dpkg", "--install", newer, env={})

    shown = ("dpkg-query", "--show", "--showformat", "${Status} ${Version}", "patchbay")
    assert program.root.run(*shown, env={}) == "install ok installed 999"
    assert json.loads(program.run("connection", "list", "--json")) == json.loads(kept)


def repacked(deb: Path, place: Path) -> Path:
    """The same package as a newer version."""
    subprocess.run(["dpkg-deb", "--raw-extract", deb, place / "raw"], check=True)
    control = place / "raw" / "DEBIAN" / "control"
    lines = control.read_text("utf-8").splitlines()
    lines = ["Version: 999" if line.startswith("Version: ") else line for line in lines]
    control.write_text("\n".join(lines) + "\n", "utf-8")
    newer = place / "newer.deb"
    words = ("dpkg-deb", "--root-owner-group", "-Znone", "--build", str(place / "raw"), str(newer))
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    shutil.rmtree(place / "raw")
    return newer


def test_a_build_in_another_folder_has_the_same_bytes(tmp_path: Path) -> None:
    built = subprocess.check_output(["git", "log", "-1", "--format=%ct"], cwd=ROOT, text=True)
    with tarfile.open(package(ARCHIVE)) as archive:
        first = archive.next()
    assert first is not None
    if first.mtime != int(built):
        pytest.skip("dist was built from another commit")
    elsewhere = tmp_path / "a checkout in another folder"
    subprocess.run(["git", "clone", "--quiet", ROOT, elsewhere], check=True)

    python = f"PYTHON={Path(sys.executable).resolve()}"
    subprocess.run(["make", "bundle", python], cwd=elsewhere, check=True, stdout=subprocess.DEVNULL)

    again = (elsewhere / "dist" / "SHA256SUMS").read_text("utf-8")
    assert again == package("SHA256SUMS").read_text("utf-8")
